"""The report: one HTML file that shows what corpora of pairs are like, and needs nothing else."""

from dataclasses import dataclass
from typing import Callable, Dict, List, Optional, Sequence, Tuple

import numpy
from spacy.language import Language

from .. import __version__
from ..metrics.measure import check_metrics, load_for, measure_records, with_variant
from ..plugins import host
from ..readers.language import check_language
from ..readers.names import name_sources
from .attempts import attempt_charts
from .charts import Series, balance, histogram, swatch
from .examples import Values, examples_table
from .findings import findings_table
from .sample import LABELS, Corpus, label_name, read_corpus
from .svg import tag
from .templates import REPORT_CSS, REPORT_PAGE, SCRIPT
from .text import escape
from .theme import FONT, figure_css


@dataclass
class ReportSettings:
    """What a report shows; the fields are the options of `paws report`.

    metrics (Optional[Sequence[str]]): The metrics; None for all whose libraries are installed.
    sample (Optional[int]): How many pairs of a corpus are measured at most; None for all.
    seed (int): For the sample.
    examples (int): How many pairs each tail shows, and the random sample.
    variant (str): "paper" or "released", for WPD and LD.
    audit (bool): Whether to look for faults.
    title (str): The title of the page.
    """

    metrics: Optional[Sequence[str]] = None
    sample: Optional[int] = 5000
    seed: int = 0
    examples: int = 5
    variant: str = "paper"
    audit: bool = True
    title: str = "Sentence pairs"


def installed_metrics() -> List[str]:
    """The metrics that can be measured here without a model of their own."""
    return [one.name for one in host().registered["metrics"].values() if one.light and not one.missing]


def describe_metric(name: str) -> Tuple[str, str]:
    """The title of a metric and what it says in one line, as it was registered."""
    found = host().find("metrics", name)
    return found.title or name.replace("_", " "), found.about


def build_report(
    paths: Sequence[str],
    settings: Optional[ReportSettings] = None,
    *,
    nlp: Optional[Language] = None,
    layout: Optional[str] = None,
    tell: Callable[[str], None] = lambda message: None,
) -> str:
    """Read, measure and draw corpora.

    paths (Sequence[str]): The corpora: `PATH` or `NAME=PATH`.
    settings (Optional[ReportSettings]): What to show.
    nlp (Optional[Language]): A pipeline with a lemmatiser; None for the English one that is installed.
    layout (Optional[str]): The layout of all the files; None to find out for each.
    tell (Callable[[str], None]): Told what is being done.
    RETURNS (str): The page. The same files and settings give the same bytes.
    """
    settings = settings or ReportSettings()
    metrics = list(settings.metrics or installed_metrics())
    check_metrics(metrics)
    named = name_sources(paths, "corpora")
    corpora = [read_corpus(name, path, settings.sample, settings.seed, layout) for name, path in named.items()]
    nlp = nlp if nlp is not None else load_for(metrics)
    values = []
    for corpus in corpora:
        tell(f"Measuring {len(corpus.records):,} of {corpus.pairs:,} pairs of {corpus.name}")
        values.append(_measure(corpus, metrics, nlp, settings.variant))
    titles = {name: describe_metric(name)[0] for name in metrics}
    tell("Drawing")
    sections = [
        ("summary", "Summary", _summary(corpora, values, titles)),
        ("labels", "Labels", tag("div", *(balance(c.name, c.label_counts()) for c in corpora), class_="charts")),
        ("distributions", "Distributions", _distributions(corpora, values, metrics)),
        ("examples", "Examples", examples_table(corpora, values, titles, settings.examples, nlp, settings.seed)),
    ]
    attempts = attempt_charts([(corpus.name, corpus.similarities) for corpus in corpora])
    if attempts is not None:
        sections.insert(3, ("attempts", "Similarity of attempts", attempts))
    if settings.audit:
        tell("Looking for faults")
        found = findings_table({corpus.name: corpus.file for corpus in corpora}, layout)
        if found is not None:
            sections.append(("audit", "Audit", found))
    return _page(corpora, sections, settings, nlp)


def _measure(corpus: Corpus, metrics: List[str], nlp: Language, variant: str) -> Values:
    records = check_language(corpus.records, str(nlp.lang))
    rows = list(measure_records(records, metrics, nlp=nlp, settings=with_variant(metrics, variant)))
    return {name: numpy.array([row[name] for row in rows], dtype="float64") for name in metrics}


def _distributions(corpora: Sequence[Corpus], values: Sequence[Values], metrics: Sequence[str]) -> str:
    """For each metric the corpora over each other, and each corpus by its labels."""
    note = (
        "Each line is the share of a corpus's pairs, or of those with a label, that fall into a bin. Where the lines "
        "of the labels lie on each other, the metric does not tell paraphrases from others."
    )
    parts, alone = [tag("p", note, class_="note")], []
    for metric in metrics:
        title, explained = describe_metric(metric)
        line = tag("p", escape(explained), class_="note") if explained else ""
        arrays = [measured[metric] for measured in values]
        split = [by_label(corpus, array) for corpus, array in zip(corpora, arrays)]
        if len(corpora) == 1:
            alone.append(histogram(title, split[0] or [Series(corpora[0].name, arrays[0], 0)], note=line, overlap=True))
            continue
        whole = [Series(corpus.name, array, i) for i, (corpus, array) in enumerate(zip(corpora, arrays))]
        charts = [histogram(f"{title}, all pairs", whole, heading="h4")]
        for corpus, series in zip(corpora, split):
            if series:
                charts.append(histogram(f"{title} of {corpus.name}, by label", series, heading="h4", overlap=True))
        parts.append(tag("h3", escape(title)) + line + tag("div", *charts, class_="charts beside"))
    return "\n".join([*parts, tag("div", *alone, class_="charts") if alone else ""])


def by_label(corpus: Corpus, array: numpy.ndarray) -> List[Series]:
    """The values of a metric by label, in the colours of the bars; nothing where there is one label only."""
    given = numpy.array([label_name(record) for record in corpus.records])
    names = [name for name, _ in corpus.label_counts()]
    series = [Series(name, array[given == name], i) for i, name in enumerate(names) if (given == name).any()]
    return series if len(series) > 1 else []


def _summary(corpora: Sequence[Corpus], values: Sequence[Values], titles: Dict[str, str]) -> str:
    columns = ["Corpus", "Pairs", "Measured", "Unreadable rows", "Words per sentence", "Identical pairs"]
    rows = []
    for i, corpus in enumerate(corpora):
        lengths = [len(text.split()) for record in corpus.records for text in (record.sentence1, record.sentence2)]
        same = numpy.mean([record.sentence1 == record.sentence2 for record in corpus.records])
        numbers = [f"{corpus.pairs:,}", f"{len(corpus.records):,}", f"{corpus.unreadable:,}"]
        numbers += [f"{numpy.mean(lengths):.1f}", f"{same:.1%}"]
        rows.append([tag("span", swatch(i), " ", escape(corpus.name), class_="paws-key"), *numbers])
    overview = _table("The corpora.", columns, rows)
    columns = ["Metric", "Corpus", "Mean", "Median", "5th percentile", "95th percentile", "Paraphrases", "Others"]
    rows = []
    for metric, title in titles.items():
        for corpus, measured in zip(corpora, values):
            rows.append([escape(title), escape(corpus.name), *_figures(corpus, measured[metric])])
    return (
        overview
        + "\n"
        + _table("The metrics. Paraphrases, others: the means of the pairs with that label.", columns, rows, texts=2)
    )


def _figures(corpus: Corpus, array: numpy.ndarray) -> List[str]:
    """Mean, median, both ends, and the means by label; a dash where there is nothing to take it of."""
    labels = [LABELS[record.label] for record in corpus.records]
    finite = numpy.isfinite(array)
    kept = array[finite]
    parts = [array[finite & numpy.array([label == LABELS[wanted] for label in labels], bool)] for wanted in (1, 0)]
    ends = numpy.percentile(kept, [50, 5, 95]) if len(kept) else []
    figures = [kept.mean() if len(kept) else None, *ends] if len(kept) else [None] * 4
    figures += [part.mean() if len(part) else None for part in parts]
    return ["–" if figure is None else f"{figure:.3f}" for figure in figures]


def _table(caption: str, columns: Sequence[str], rows: Sequence[Sequence[str]], texts: int = 1) -> str:
    """A table whose first columns are text and whose others are numbers; cells are markup."""
    kinds = ["" if i < texts else "n" for i in range(len(columns))]
    head = tag("tr", *(tag("th", escape(name), scope="col", class_=kind) for name, kind in zip(columns, kinds)))
    body = []
    for row in rows:
        cells = [tag("td", cell, data_label=name, class_=k) for cell, name, k in zip(row, columns, kinds)]
        body.append(tag("tr", *cells))
    table = tag("table", tag("caption", caption), tag("thead", head), tag("tbody", "\n".join(body)), class_="stack")
    return tag("div", table, class_="card")


def _listed(names: Sequence[str]) -> str:
    """One, one and another, or several with commas and an "and"."""
    return " and ".join(part for part in (", ".join(names[:-1]), names[-1]) if part)


def _page(
    corpora: Sequence[Corpus], sections: Sequence[Tuple[str, str, str]], settings: ReportSettings, nlp: Language
) -> str:
    sampled = [corpus.name for corpus in corpora if corpus.sampled]
    lead = f"{sum(corpus.pairs for corpus in corpora):,} pairs in {_listed([c.name for c in corpora])}. "
    if sampled:
        lead += (
            f"Of {_listed(sampled)} a random sample of {settings.sample:,} pairs (seed {settings.seed}) is "
            "measured and drawn; labels and faults are counted in all."
        )
    else:
        lead += "All of them are measured."
    meta = nlp.meta
    footer = (
        f"paws-components {__version__}; pipeline {meta['lang']}_{meta['name']} {meta['version']}; WPD and LD of the "
        f"variant “{settings.variant}”; seed {settings.seed}. Files: {', '.join(c.path for c in corpora)}"
    )
    body = "\n".join(
        tag(
            "section",
            tag("h2", escape(title), id=f"h-{key}"),
            "\n",
            content,
            id=f"section-{key}",
            aria_labelledby=f"h-{key}",
        )
        for key, title, content in sections
    )
    return REPORT_PAGE.format(
        version=escape(__version__),
        title=escape(settings.title),
        css=figure_css("auto", ".paws-page") + REPORT_CSS.replace("FONT", FONT),
        lead=escape(lead),
        nav=" ".join(tag("a", escape(title), href=f"#section-{key}") for key, title, _ in sections),
        body=body,
        footer=escape(footer),
        script=SCRIPT,
    )
