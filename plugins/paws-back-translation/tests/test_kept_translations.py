"""Translators say the same with a cache of answers, cold and warm, as without."""

import pytest
from tiny import PAIRS

from paws_back_translation.translators.ctranslate2 import CTranslate2
from paws_back_translation.translators.marian import Marian
from paws_components.engine.cache import current_cache
from paws_components.plugin import use_cache

TEXTS = [english for english, _ in PAIRS]


@pytest.fixture(autouse=True)
def no_cache():
    yield
    use_cache(None)


@pytest.mark.parametrize("kind, models", [(Marian, "opus"), (CTranslate2, "converted")])
def test_the_same_with_a_cache(request, tmp_path, kind, models):
    if kind is CTranslate2:
        pytest.importorskip("ctranslate2")
    pattern = str(request.getfixturevalue(models))

    def translate(*languages, k=3, **settings):
        return kind(model=pattern, batch_size=2, **settings).translate(TEXTS, *languages, k)

    plain = translate("en", "de")
    assert any(len(found) == 3 and found[0].score is not None for found in plain)
    use_cache(str(tmp_path / "answers"))
    cold = translate("en", "de")
    served, asked = current_cache().counts
    assert served == 0 and asked == len(TEXTS)
    use_cache(None)
    use_cache(str(tmp_path / "answers"))
    assert repr(translate("en", "de")) == repr(cold) == repr(plain)
    assert current_cache().counts == (asked, 0)
    # Another way, number or setting is another question.
    use_cache(str(tmp_path / "answers"))
    for languages, options in ((("de", "en"), {}), (("en", "de"), {"k": 2}), (("en", "de"), {"length_ratio": 1.0})):
        before = current_cache().counts
        translate(*languages, **options)
        assert current_cache().counts == (before.served, before.asked + len(TEXTS))
