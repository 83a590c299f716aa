"""A study with one task, and people who are logged in to its pages, without a browser."""

import json
import re
from pathlib import Path
from typing import Any, Dict, List, Optional

import pytest

for package in ("sqlalchemy", "alembic", "starlette", "uvicorn", "jinja2"):
    pytest.importorskip(package)

from paws_components.annotate.loading import add_task  # noqa: E402
from paws_components.annotate.raters import add_rater  # noqa: E402
from paws_components.annotate.serving import make_app  # noqa: E402
from paws_components.annotate.study import Study, open_study  # noqa: E402

from .asking import Client  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def study(tmp_path) -> Study:
    opened = open_study(str(tmp_path / "study.db"), create=True)
    yield opened
    opened.close()


class People:
    """Makes tasks, and people who are logged in."""

    def __init__(self, study: Study, folder: Path) -> None:
        self.study = study
        self.folder = folder
        self.app = make_app(study)
        self.secrets: Dict[str, str] = {}

    def pairs(self, count: int, name: str = "pairs.jsonl") -> str:
        path = self.folder / name
        rows = [
            {"id": f"p{i}", "sentence1": f"Ann met Bob {i} times.", "sentence2": f"Bob met Ann {i} times.", "label": 0}
            for i in range(count)
        ]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf8")
        return str(path)

    def task(self, kind: str, count: int = 3, source: Optional[str] = None, **settings: Any) -> Any:
        return add_task(self.study, kind, [source or self.pairs(count)], settings=settings)

    def come(self, name: str, admin: bool = False) -> Client:
        self.secrets[name] = add_rater(self.study, name, admin=admin)
        client = Client(self.app)
        assert client.post("/in", key=self.secrets[name]).status == 303
        return client


@pytest.fixture
def people(study, tmp_path) -> People:
    return People(study, tmp_path)


def hidden(page: str) -> Dict[str, str]:
    """The hidden fields of the last form of a page."""
    return dict(re.findall(r'name="(form|ticket)" value="([^"]*)"', page))


def sentences(page: str) -> List[str]:
    """The sentences that a page shows."""
    return re.findall(r'<p dir="auto"[^>]*>(.*?)</p>', page)
