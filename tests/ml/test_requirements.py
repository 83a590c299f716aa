"""What a pipeline that was initialised says it needs, for `spacy package`."""

import spacy
from spacy.util import get_minor_version_range

from paws_components import __version__

from ..training.configs import make_examples
from .cases import BLOCKS, every_architecture

WITH_TORCH = f"paws-components[train]{get_minor_version_range(__version__)}"


def initialised(model, *others, **meta):
    nlp = spacy.blank("en", meta=meta)
    for name in ("paws_pair", *others):
        nlp.add_pipe(name)
    nlp.add_pipe("textcat", config={"model": model})
    examples = make_examples(nlp)
    nlp.initialize(lambda: examples)
    return nlp


@every_architecture
def test_torch_is_named(name, tmp_path):
    nlp = initialised(BLOCKS[name])
    examples = make_examples(nlp)
    nlp.initialize(lambda: examples)  # names it no second time
    assert nlp.meta["requirements"] == [WITH_TORCH]
    nlp.to_disk(tmp_path)
    assert spacy.load(tmp_path).meta["requirements"] == [WITH_TORCH]


def test_torch_is_not_named_where_it_is_not_needed():
    pooled = {"@architectures": "paws.PooledPair.v1", "tok2vec": {"@architectures": "paws.WordEmbed.v1"}}
    assert "requirements" not in initialised(pooled, "sentencizer").meta


def test_what_somebody_named_stays():
    given = ["numpy", "paws-components[train,metrics]==0.1.0"]
    assert initialised(BLOCKS["bow"], requirements=list(given)).meta["requirements"] == given
    assert initialised(BLOCKS["bow"], requirements=["numpy"]).meta["requirements"] == ["numpy", WITH_TORCH]
