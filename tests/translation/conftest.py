import pytest
from service import Service


@pytest.fixture
def service(monkeypatch):
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.delenv("LIBRETRANSLATE_API_KEY", raising=False)
    made = Service()
    yield made
    made.close()
