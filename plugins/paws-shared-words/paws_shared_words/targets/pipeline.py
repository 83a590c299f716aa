from contextlib import nullcontext
from typing import Any, List, Optional, Sequence

from spacy.language import Language
from spacy.tokens import Doc, SpanGroup
from spacy.vocab import Vocab

from paws_components.errors import PawsError
from paws_components.ml.layers.encoder_shim import EncoderShim
from paws_components.models import load_pipeline
from paws_components.pairs import PAIR_KEY, TAB, mark_pair
from paws_components.pipeline.pair import PairMarker

from ..errors import Errors
from ..sentences import Pair, Sentence

# One token for spaCy's tokenizers, and in no vocabulary. [PAD] would become three when a text is read again.
BLANK = "□"
# Large enough that the work a batch costs besides its pairs does not count; the models cut it into smaller ones.
BATCH_SIZE = 2048


class PipelineTarget:
    """A spaCy pipeline with a classifier of pairs. Its words are the tokens: nothing is tokenised again.

    nlp (Union[str, Language]): The pipeline, or the package or path it is loaded from. A pipeline that is being trained
        answers as it is now.
    positive_label (str): The label that means "paraphrase".
    blank (Optional[str]): What a word is replaced with; None for the padding of the transformer inside, if there is
        one, and else a token of its own.
    batch_size (Optional[int]): How many pairs the pipeline gets at once.
    """

    def __init__(
        self,
        nlp: Any,
        *,
        positive_label: str = "paraphrase",
        blank: Optional[str] = None,
        batch_size: Optional[int] = None,
    ) -> None:
        self.nlp: Language = nlp if isinstance(nlp, Language) else load_pipeline(nlp)
        self.positive_label = positive_label
        self.given_blank = blank
        self.batch_size = batch_size or BATCH_SIZE
        labels = [label for name in self.nlp.pipe_names for label in self.nlp.pipe_labels.get(name, [])]
        if labels and positive_label not in labels:
            raise self._no_label(labels)

    @property
    def blank(self) -> str:
        return self.given_blank or _padding(self.nlp) or BLANK

    def __call__(self, pairs: Sequence[Pair]) -> List[float]:
        """The probability of "paraphrase" for each pair."""
        # What the words add to the vocabulary goes again, unless somebody else's zone is open: his will take it.
        vocab: Any = self.nlp.vocab
        zone = nullcontext() if vocab.in_memory_zone else self.nlp.memory_zone()
        found = []
        with zone:
            docs = (pair_doc(self.nlp.vocab, *pair) for pair in pairs)
            # The Docs are marked already.
            marking = [name for name in self.nlp.pipe_names if isinstance(self.nlp.get_pipe(name), PairMarker)]
            for doc in self.nlp.pipe(docs, batch_size=self.batch_size, disable=marking):
                if self.positive_label not in doc.cats:
                    raise self._no_label(list(doc.cats))
                found.append(float(doc.cats[self.positive_label]))
        return found

    def _no_label(self, labels: Sequence[str]) -> PawsError:
        name = f"{self.nlp.meta['lang']}_{self.nlp.meta['name']}"
        known = ", ".join(labels) or "none at all"
        return PawsError(Errors.S021.format(name=name, label=self.positive_label, known=known))


def pair_doc(vocab: Vocab, first: Sentence, second: Sentence) -> Doc:
    """The Doc of a pair whose words are its tokens, marked as `paws_pair` does it."""
    tab = len(first.words)
    spaces = [*first.spaces, False, *second.spaces]
    if tab:
        # The tab follows the last word at once.
        spaces[tab - 1] = False
    doc = Doc(vocab, words=[*first.words, TAB, *second.words], spaces=spaces)
    if not tab or not second.words:
        return mark_pair(doc)
    doc.spans[PAIR_KEY] = SpanGroup(doc, name=PAIR_KEY, spans=[doc[:tab], doc[tab + 1 :]])
    doc[tab].is_sent_start = False
    doc[tab + 1].is_sent_start = True
    return doc


def _padding(nlp: Language) -> Optional[str]:
    """The padding of the transformer of a `paws.Transformer.v1`, which is one token for it and one for spaCy."""
    models = [pipe.model for _, pipe in nlp.components if hasattr(pipe, "model")]
    shims = [shim for model in models for node in model.walk() for shim in node.shims]
    encoders = [shim for shim in shims if isinstance(shim, EncoderShim) and shim.tokenizer is not None]
    return encoders[0].tokenizer.pad_token if encoders else None
