import pytest
from spacy.tokens import Doc

from paws_components import extensions
from paws_components.errors import PawsError


def test_installing_twice_is_fine():
    extensions.install()
    extensions.install()
    assert Doc.has_extension("paws_swaps")


def test_installing_over_somebody_elses_is_an_error():
    extensions.install()
    Doc.set_extension("paws_swaps", default="theirs", force=True)
    try:
        with pytest.raises(PawsError, match="P008.*paws_swaps"):
            extensions.install()
    finally:
        Doc.remove_extension("paws_swaps")
        extensions.install()
