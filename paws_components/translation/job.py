"""Translating as a job for the engine: sentences in, translations out, each distinct sentence asked for once."""

from dataclasses import asdict, dataclass, field
from itertools import chain, islice
from pathlib import Path
from typing import Any, Callable, Dict, Iterable, List, Optional, Protocol, Sequence, Tuple

from .. import __version__
from ..engine.frame import Run, Tally, is_folder
from ..engine.timing import timed
from ..engine.work import Failed
from ..errors import Errors, Fatal, PawsError, Warnings
from ..generation.protocol import Translator
from ..plugins import Registration, host
from ..readers import open_pairs, open_texts
from ..readers.language import check_language
from ..records import PairRecord, normalise, pyarrow_parquet
from ..writers import TEXT_FORMATS, FolderWriter, RecordWriter, TextWriter, check_outputs, file_format
from .sentences import MEMORY, Asked, Known, Outcome, ask_for

# How many rows a translator is handed at once where its plugin does not say: few, so that progress shows.
CHUNK = 64
SENTENCES = ("sentence1", "sentence2")


@dataclass
class TranslateJob:
    """Have a translator translate sentences, each by itself.

    source (str): Their language.
    target (str): The language to translate to.
    translator (str): The translator's name.
    settings (Dict[str, Any]): Its settings.
    """

    source: str
    target: str
    translator: str = "marian"
    settings: Dict[str, Any] = field(default_factory=dict)

    def check(self) -> None:
        """Our error for a translator or a setting that there is not, before any work begins and anything is written."""
        if self.source == self.target:
            raise PawsError(Errors.P601.format(lang=self.source))
        # A maker says what is wrong with its settings, and loads nothing yet. A worker makes its own, where it works.
        self.make()

    def start(self) -> "TranslateWorker":
        return TranslateWorker(self, self.make())

    def make(self) -> Translator:
        made: Translator = host().make("translators", self.translator, self.settings)
        return made

    @property
    def registration(self) -> Registration:
        """The translator as its plugin registered it."""
        return host().find("translators", self.translator)

    @property
    def chunk(self) -> int:
        """How many rows the translator wants at once."""
        return self.registration.chunk or CHUNK

    @property
    def lasting(self) -> Dict[str, Any]:
        """The settings that tell what comes of a sentence: records tell them, and a run that goes on must have them."""
        return {name: value for name, value in self.settings.items() if name not in self.registration.manner}


class TranslateWorker:
    """Translates what is new in each row of a chunk, all of it at once."""

    def __init__(self, job: TranslateJob, translator: Translator) -> None:
        self.job = job
        self.translator = translator

    def __call__(self, rows: Sequence[Sequence[str]]) -> List[List[Outcome]]:
        """For each sentence of each row its translation, or why there is none."""
        sentences = list(dict.fromkeys(chain.from_iterable(rows)))
        found = dict(zip(sentences, self._outcomes(sentences)))
        return [[found[sentence] for sentence in row] for row in rows]

    def _outcomes(self, sentences: List[str]) -> List[Outcome]:
        if not sentences:
            return []
        try:
            return self._translate(sentences)
        except Fatal:
            raise
        # A plugin can raise anything. Halves find the sentence to blame: the others keep their translations.
        except Exception as error:
            if len(sentences) == 1:
                return [(None, str(error) if isinstance(error, PawsError) else f"{type(error).__name__}: {error}")]
            half = len(sentences) // 2
            return [*self._outcomes(sentences[:half]), *self._outcomes(sentences[half:])]

    def _translate(self, sentences: List[str]) -> List[Outcome]:
        job = self.job
        with timed("translate"):
            found = list(self.translator.translate(sentences, job.source, job.target, 1))
        if len(found) != len(sentences):
            raise self._wrong(f"{len(found)} lists for {len(sentences)} sentences")
        outcomes: List[Outcome] = []
        for translations in found:
            try:
                text = translations[0][0] if translations else ""
            except (TypeError, LookupError):
                text = None
            if not isinstance(text, str) or isinstance(translations, str):
                raise self._wrong(f"{translations!r}, which is not a list of translations")
            outcomes.append((normalise(text) or None, None))
        return outcomes

    def _wrong(self, what: str) -> Fatal:
        return Fatal(Errors.P602.format(name=self.job.translator, what=what))


@dataclass
class Translated:
    """What came of a run.

    tally (Tally): Of the rows.
    count (int): How many pairs or texts were written.
    sentences (int), distinct (int): How many sentences they needed, and how many the translator was asked for.
    unchanged (int): How many came back as they were.
    alike (int): How many pairs have two sentences that are the same now and were not before.
    remarks (List[str]): What there is to tell of the output.
    """

    tally: Tally = field(default_factory=Tally)
    count: int = 0
    sentences: int = 0
    distinct: int = 0
    unchanged: int = 0
    alike: int = 0
    remarks: List[str] = field(default_factory=list)


Write = Callable[[Iterable[Dict[str, Any]], str, Translated], None]


def translate_pairs(
    job: TranslateJob,
    inputs: Sequence[str],
    output: str,
    *,
    side: Optional[int] = None,
    label: Optional[int] = None,
    layout: Optional[str] = None,
    columns: Sequence[str] = (),
    config: Optional[str] = None,
    split: Optional[str] = None,
    limit: Optional[int] = None,
    format: Optional[str] = None,
    **frame: Any,
) -> Translated:
    """Translate the sentences of pairs, and write the pairs that they make.

    job (TranslateJob): The translator, and the languages.
    inputs (Sequence[str]): The sources: see `open_pairs`, whose `layout`, `columns`, `config` and `split` these are.
    output (str): A file, a folder (its name ends in /), or "-".
    side (Optional[int]): 1 or 2 to translate that sentence only and pair it with the other; None for both.
    label (Optional[int]): The label of pairs that have none.
    limit (Optional[int]): How many rows are read.
    format (Optional[str]): What a pipe or a folder gets: "jsonl", "tsv", "csv" or "parquet".
    **frame: How the run works: see `RunOptions`.
    RETURNS (Translated): What came of it.
    """
    job.check()
    check_outputs(inputs, [output])
    in_folder = is_folder(output)
    file_format("-" if in_folder else output, format)
    part = {"layout": layout, "columns": list(columns), "config": config, "split": split}
    opened = [open_pairs(path, layout, columns=columns, config=config, split=split) for path in inputs]
    names = SENTENCES if side is None else (SENTENCES[side - 1],)

    def write(values: Iterable[Dict[str, Any]], place: str, done: Translated) -> None:
        with FolderWriter(Path(place), format) if in_folder else RecordWriter(place, format) as writer:
            for value in values:
                record = PairRecord(**value)
                before = record.evidence["translated"]
                done.alike += record.sentence1 == record.sentence2 and before["sentence1"] != before["sentence2"]
                done.unchanged += sum(getattr(record, name) == before[name] for name in names)
                done.sentences += len(names)
                writer.write(record)
        done.count, done.remarks = writer.count, writer.remarks

    settings = {"side": side, "label": label, **part, "limit": limit}
    rows = islice(chain.from_iterable(opened), limit)
    meter = opened[0].meter if len(opened) == 1 else None
    run = TranslationRun(job, PairMaker(job, names, label), write)
    return run(rows, inputs, output, settings, "rows", meter=meter, total=limit, **frame)


def translate_texts(
    job: TranslateJob,
    inputs: Sequence[str],
    output: str,
    *,
    field: str = "text",
    config: Optional[str] = None,
    split: Optional[str] = None,
    limit: Optional[int] = None,
    format: Optional[str] = None,
    **frame: Any,
) -> Translated:
    """Translate texts, and write them with what they were.

    job (TranslateJob): The translator, and the languages.
    inputs (Sequence[str]): The sources: see `open_texts`, whose `field`, `config` and `split` these are.
    output (str): A file, or "-".
    limit (Optional[int]): How many texts are read.
    format (Optional[str]): What a pipe gets: "jsonl", "txt", "tsv", "csv" or "parquet".
    **frame: How the run works: see `RunOptions`.
    RETURNS (Translated): What came of it.
    """
    job.check()
    check_outputs(inputs, [output])
    if file_format(output, format, TEXT_FORMATS) == ".parquet":
        pyarrow_parquet()
    opened = open_texts(inputs, field, config=config, split=split)

    def write(values: Iterable[Dict[str, Any]], place: str, done: Translated) -> None:
        with TextWriter(place, format) as writer:
            for value in values:
                done.unchanged += value["text"] == value["source"]
                done.sentences += 1
                writer.write(value)
        done.count, done.remarks = writer.count, writer.remarks

    settings = {"texts": True, "field": field, "config": config, "split": split, "limit": limit}
    rows = islice(opened, limit)
    run = TranslationRun(job, TextMaker(job), write)
    return run(rows, inputs, output, settings, "lines", meter=opened.meter, total=limit, **frame)


class Maker(Protocol):
    """Knows what of a row is translated, and what is made of that."""

    def sentences(self, row: Any) -> Sequence[str]: ...

    def value(self, row: Any, texts: Sequence[Any]) -> Dict[str, Any]: ...


class PairMaker:
    """What of a row of pairs is translated, and the pair that comes of it."""

    def __init__(self, job: TranslateJob, names: Sequence[str], label: Optional[int]) -> None:
        self.job = job
        self.names = tuple(names)
        self.label = label

    def sentences(self, row: Any) -> Tuple[str, ...]:
        record: Optional[PairRecord] = row.payload
        return tuple(getattr(record, name) for name in self.names) if record is not None else ()

    def value(self, row: Any, texts: Sequence[str]) -> Dict[str, Any]:
        """The pair as it is written. Its id, its source, its label and who made it stay: it is the same pair, so splits
        and comparisons across languages find it again. What was measured of the sentences was said of others."""
        record: PairRecord = row.payload
        before: Dict[str, Any] = {"lang": self.job.source, "sentence1": record.sentence1, "sentence2": record.sentence2}
        if len(self.names) == 1:
            # The other sentence is in the target language already, and stays.
            before["side"] = self.names[0]
        if record.evidence:
            before["evidence"] = record.evidence
        data = {**record.to_dict(), **dict(zip(self.names, texts)), "evidence": evidence_of(self.job)}
        data["evidence"]["translated"] = before
        if record.label is None and record.nli is None and self.label is not None:
            data.update(label=self.label, label_source="rule")
        if len(self.names) == 1 and record.generator is None:
            data["generator"] = "translation"
        return data


class TextMaker:
    """What of a text is translated: all of it."""

    def __init__(self, job: TranslateJob) -> None:
        self.job = job

    def sentences(self, text: Any) -> Tuple[str, ...]:
        return (text.payload,) if text.payload else ()

    def value(self, text: Any, texts: Sequence[str]) -> Dict[str, Any]:
        return {"text": texts[0], "source": text.payload, "lang": self.job.target, "line": text.number}


def evidence_of(job: TranslateJob) -> Dict[str, Any]:
    """What all pairs of a run have in common."""
    return {
        "lang": job.target,
        "translator": {"name": job.translator, **job.lasting},
        "version": __version__,
    }


class TranslationRun:
    """A run: what is known of sentences so far, and what was made of them."""

    def __init__(self, job: TranslateJob, maker: Maker, write: Write, memory: int = MEMORY) -> None:
        self.job = job
        self.maker = maker
        self.write = write
        self.memory = memory
        self.known = Known(memory)
        self.done = Translated()
        self.run: Optional[Run] = None
        self._restored = False

    def __call__(
        self, rows: Iterable[Any], inputs: Sequence[str], output: str, settings: Dict[str, Any], unit: str, **frame: Any
    ) -> Translated:
        self.run = Run(
            "translate",
            self.job,
            inputs,
            output,
            {
                **asdict(self.job),
                "settings": self.job.lasting,
                "plugin": host().origin("translators", self.job.translator),
                **settings,
            },
            value=self._value,
            finish=self._finish,
            unit=unit,
            outcome="translated",
            counts=is_made,
            in_order=True,
        )
        items = ask_for(rows, self.maker.sentences, self.memory)
        self.done.tally = self.run(check_language(items, self.job.source, Warnings.W029), **frame)
        return self.done

    def _value(self, item: Asked, outcomes: Sequence[Outcome]) -> Any:
        """What is kept of a row: what was said of its new sentences, and what it comes to with those known before."""
        self._restore()
        found = {sentence: self.known[sentence] for sentence in item.sentences if sentence not in item.new}
        found.update(zip(item.new, outcomes))
        kept: Dict[str, Any] = {"asked": [[sentence, *found[sentence]] for sentence in item.new]}
        self._learn(kept)
        for _, error in found.values():
            if error is not None:
                return Failed(error, kept)
        texts = [found[sentence][0] for sentence in item.sentences]
        return {**kept, "made": self.maker.value(item.row, texts)} if all(texts) else kept

    def _restore(self) -> None:
        """A run that goes on knows what was translated before it broke off."""
        if self._restored:
            return
        self._restored = True
        folder = self.run.folder if self.run else None
        for entry in folder.entries() if folder else ():
            self._learn(entry.value or {})

    def _learn(self, kept: Dict[str, Any]) -> None:
        for sentence, text, error in kept.get("asked", ()):
            self.known.learn(sentence, (text, error))
            self.done.distinct += 1

    def _finish(self, values: Iterable[Any], place: str) -> int:
        done = self.done
        if not self.run or not self.run.pipe:
            self._restore()  # where all was done before it broke off
        done.count = done.sentences = done.unchanged = done.alike = 0
        self.write((value["made"] for value in values if value and is_made(value)), place, done)
        return done.count


def is_made(value: Dict[str, Any]) -> bool:
    """Whether a row was translated."""
    return "made" in value
