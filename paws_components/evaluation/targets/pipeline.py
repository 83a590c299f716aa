from contextlib import nullcontext
from functools import partial
from typing import Any, Iterable, Iterator, List, Optional, Sequence

from spacy.language import Language
from spacy.tokens import Doc, SpanGroup
from spacy.vocab import Vocab

from ...errors import Errors, PawsError
from ...ml.kept import PipelineAnswers
from ...ml.layers.encoder_shim import EncoderShim
from ...models import load_pipeline
from ...pairs import PAIR_KEY, TAB, mark_pair, pair_text
from .protocol import Cats, TextPair, WordPair, Words

# One token for spaCy's tokenizers, and in no vocabulary. [PAD] would become three when a text is read again.
BLANK = "□"
# Of an attack: the work a batch costs besides its pairs does not count; the models cut it into smaller ones.
BATCH_SIZE = 2048


class PipelineTarget:
    """A spaCy pipeline with a classifier of pairs. Words it is called with are its tokens: none is tokenised again.

    nlp (Union[str, Language]): The pipeline, or the package or path it is loaded from. A pipeline that is being trained
        answers as it is now.
    positive_label (Optional[str]): The label that means "paraphrase"; None where it is called so.
    blank (Optional[str]): What a word is replaced with; None for the padding of the transformer inside, if there is
        one, and else a token of its own.
    batch_size (Optional[int]): How many pairs the pipeline gets at once.
    n_process (int): How many processes work for `cats`.
    """

    def __init__(
        self,
        nlp: Any,
        *,
        positive_label: Optional[str] = None,
        blank: Optional[str] = None,
        batch_size: Optional[int] = None,
        n_process: int = 1,
    ) -> None:
        self.nlp: Language = nlp if isinstance(nlp, Language) else load_pipeline(nlp)
        self.name = nlp if isinstance(nlp, str) else f"{self.nlp.meta['lang']}_{self.nlp.meta['name']}"
        # One that somebody else has may be in training: its answers are not kept.
        self.answers = PipelineAnswers(self.name, self.nlp, loaded=not isinstance(nlp, Language))
        self.positive_label = positive_label or "paraphrase"
        self.given_blank = blank
        self.batch_size = batch_size
        self.n_process = n_process
        pipes = [name for name in self.nlp.pipe_names if "doc.cats" in self.nlp.get_pipe_meta(name).assigns]
        labels = [label for name in pipes for label in self.nlp.pipe_labels.get(name, [])]
        # Where no pipe says what it gives, the answers will tell.
        if labels:
            self._check(labels)

    @property
    def blank(self) -> str:
        return self.given_blank or _padding(self.nlp) or BLANK

    def __call__(self, pairs: Sequence[WordPair]) -> List[float]:
        """The probability of "paraphrase" for each pair."""
        asked = [[[words.words, words.spaces] for words in pair] for pair in pairs]
        settings = [self.positive_label, self.batch_size]
        return self.answers([asked, settings], partial(self._ask, pairs), len(pairs))

    def _ask(self, pairs: Sequence[WordPair]) -> List[float]:
        # What the words add to the vocabulary goes again, unless somebody else's zone is open: his will take it.
        vocab: Any = self.nlp.vocab
        zone = nullcontext() if vocab.in_memory_zone else self.nlp.memory_zone()
        found = []
        with zone:
            docs = (pair_doc(self.nlp.vocab, *pair) for pair in pairs)
            # The Docs are marked already.
            marking = [name for name in self.nlp.pipe_names if self.nlp.get_pipe_meta(name).factory == "paws_pair"]
            for doc in self.nlp.pipe(docs, batch_size=self.batch_size or BATCH_SIZE, disable=marking):
                self._check(doc.cats)
                found.append(float(doc.cats[self.positive_label]))
        return found

    def cats(self, pairs: Iterable[TextPair]) -> Iterator[Cats]:
        """What the pipeline says of texts, each pair one Doc, as `spacy evaluate` has it."""
        docs = (mark_pair(self.nlp.make_doc(pair_text(one, two))) for one, two in pairs)
        for doc in self.nlp.pipe(docs, batch_size=self.batch_size, n_process=self.n_process):
            self._check(doc.cats)
            # The Doc goes, and with it all that the pipeline wrote to it.
            yield dict(doc.cats)

    def _check(self, labels: Iterable[str]) -> None:
        if self.positive_label not in labels:
            known = ", ".join(sorted(labels))
            message = Errors.P352 if known else Errors.P351
            raise PawsError(message.format(name=self.name, known=known, missing=self.positive_label))


def pair_doc(vocab: Vocab, first: Words, second: Words) -> Doc:
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
