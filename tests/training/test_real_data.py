"""The corpora as they are published, read whole: as many pairs as their README says that have text."""

import warnings
from collections import Counter

import pytest
import spacy
from click.testing import CliRunner
from spacy.training import Corpus

from paws_components.cli import cli
from paws_components.training.readers import PairCorpus

# file -> layout, pairs, and what of the rest is told
FILES = {
    "paws_wiki/dev.tsv": ("paws_wiki", 8000, ""),
    "paws_qqp/train.tsv": ("paws_qqp", 11988, ""),
    "paws_qqp/dev_and_test.tsv": ("paws_qqp", 677, ""),
    "paws_qqp/dev_and_test.bytes_repr_quirk.tsv": ("paws_qqp", 677, "677 are written as Python bytes literals"),
    "pawsx/de/dev_2k.tsv": ("pawsx", 1932, "68 have NS in place of a sentence"),
    "pawsx/ja/dev_2k.tsv": ("pawsx", 1980, "20 have NS in place of a sentence"),
    "pawsx/xtreme/dev-de.tsv": ("pawsx_xtreme", 1932, "68 have NS in place of a sentence"),
    "mrpc/msr_paraphrase_train.txt": ("mrpc", 4076, ""),
    "mrpc/mrpc_train_corrected.csv": ("mrpc_r1", 4409, ""),
    "qqp/quora-dev.tsv": ("qqp", 20212, "1 have an empty sentence; 1 have no label"),
    "twitter_url/Twitter_URL_Corpus_test.txt": (
        "twitter_url",
        9334,
        "250 can't be read; 786 have a label that says the raters did not agree",
    ),
    "apt/train.tsv": ("apt", 3723, "23 have an empty sentence"),
    "apt/msrp1-nmi0.tsv": ("apt_t5_scored", 8002, ""),
    "snli/validation.tsv": ("snli", 9842, ""),
    "mnli_ni/mnli_train_subset.tsv": ("mnli", 17460, ""),
    "anli_ni/anli_r1_r2_r3.tsv": ("anli", 3176, ""),
    "sick/SICK.txt": ("sick", 9927, ""),
}


@pytest.mark.parametrize("file", list(FILES))
def test_as_many_pairs_as_published(data_dir, file):
    layout, count, told = FILES[file]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        labels = Counter(pair.label for pair in PairCorpus(data_dir / file, layout=layout).read(1))
    assert sum(labels.values()) == count
    # The file holds the attempts that failed.
    assert len(labels) == (3 if layout in ("snli", "mnli", "anli", "sick") else 1 if layout == "apt_t5_scored" else 2)
    if told:
        assert told in str(caught[0].message)


def test_a_published_corpus_by_way_of_convert(data_dir, tmp_path):
    out = tmp_path / "dev.spacy"
    source = data_dir / "paws_qqp" / "dev_and_test.tsv"
    args = ["convert", str(source), "-o", str(out), "--quiet"]
    assert CliRunner().invoke(cli, args, catch_exceptions=False).exit_code == 0
    nlp = spacy.blank("en")
    ours, theirs = (
        [(example.predicted.text, [t.text for t in example.reference], example.reference.cats) for example in read(nlp)]
        for read in (PairCorpus(source), Corpus(out))
    )
    assert ours == theirs and len(ours) == 677
    assert Counter(cats["paraphrase"] for _, _, cats in ours) == {0.0: 486, 1.0: 191}
