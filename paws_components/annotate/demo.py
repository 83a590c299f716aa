"""`paws annotate demo`: a study with all five tasks on the sample text, for trying the pages."""

from typing import Any, Dict, List, Tuple

from ..corpora.samples import sample_pairs, sample_text
from .checking import BY_WORDS
from .loading import add_task
from .study import Study


def fill_demo(study: Study, writing: Dict[str, Any]) -> None:
    """Put all five tasks into a study that is empty.

    study (Study): The study.
    writing (Dict[str, Any]): Settings of the writing task; without any it is checked without a model.
    """
    pairs, attacks, text = str(sample_pairs("en")), str(sample_pairs("en", "attacks")), str(sample_text("en"))
    tasks: List[Tuple[str, str, Dict[str, Any]]] = [
        ("correct", pairs, {}),
        ("judge", pairs, {}),
        ("grade", attacks, {"sample": 12}),
        ("translate", text, {"checked": 0.3}),
        ("write", text, writing or {"similarity": BY_WORDS}),
    ]
    for kind, source, settings in tasks:
        add_task(study, kind, [source], settings=settings)
