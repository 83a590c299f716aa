import math
from typing import Any, Iterator, List, Optional, Sequence, Tuple

import click


@click.group()
def lm() -> None:
    """Train n-gram models and score texts."""


@lm.command()
@click.argument("inputs", nargs=-1, required=True, metavar="TEXT...")
@click.option("-o", "--output", required=True, help="The model file: .klm (KenLM binary), .arpa or .arpa.gz.")
@click.option("--model", help="The pipeline whose tokenizer is used.  [default: the plain one of --lang]")
@click.option("--lang", default="en", show_default=True, help="The language of the text.")
@click.option("--order", default=3, show_default=True, help="The longest n-gram.")
@click.option(
    "--prune", default="0 1 1", show_default=True, help="Leave out n-grams seen this often or less, by order."
)
@click.option("--vocab-size", default=0, help="Know only this many words, the most frequent.  [default: all]")
@click.option(
    "--bits", default=8, show_default=True, help="Round probabilities in a binary to this many bits; 0: don't."
)
@click.option("--sentences/--no-sentences", default=True, show_default=True, help="Cut lines into sentences.")
@click.option("--memory", default="2G", show_default=True, help="The memory that lmplz may use.")
@click.option(
    "--n-process", default=1, show_default=True, help="The number of processes that tokenise; 0 for one per core."
)
@click.option("--kenlm-bin", help="The folder with lmplz and build_binary.  [default: the PATH]")
@click.option("--limit", type=click.IntRange(1), help="Read only this many lines.")
@click.option("--quiet", is_flag=True, help="No progress bar.")
def train(
    inputs: Tuple[str, ...],
    output: str,
    model: Optional[str],
    lang: str,
    order: int,
    prune: str,
    vocab_size: int,
    bits: int,
    sentences: bool,
    memory: str,
    n_process: int,
    kenlm_bin: Optional[str],
    limit: Optional[int],
    quiet: bool,
) -> None:
    """Train an n-gram model on the lines of TEXT.

    TEXT is read like the input of `paws generate`: plain, .gz, .xz, JSONL or Parquet. It is tokenised with spaCy,
    and KenLM's lmplz and build_binary do the rest; if they are missing, the error says how to build them.

    \b
    paws lm train wiki.txt.xz -o wiki.klm --vocab-size 100000 --prune "0 4 6" --n-process 0
    paws generate sentences.txt --lm wiki.klm -o pairs.jsonl
    """
    from itertools import islice

    from tqdm import tqdm

    from ..lm.training import NgramSettings, TokeniseJob, train_ngram
    from ..readers import open_texts
    from ..writers import check_outputs

    settings = NgramSettings(order, [int(count) for count in prune.split()], vocab_size, memory, bits)
    opened = open_texts(inputs)
    check_outputs(inputs, [output])
    with tqdm(
        total=None if limit else opened.meter.total, unit="B", unit_scale=True, disable=quiet, desc="read"
    ) as bar:

        def texts() -> Iterator[str]:
            for text in islice(opened, limit):
                bar.update(opened.meter.done - bar.n)
                if text.reason is None and text.text:
                    yield text.text

        train_ngram(
            texts(),
            output,
            TokeniseJob(model, lang, sentences),
            settings,
            kenlm_bin=kenlm_bin,
            n_process=n_process,
            say=bar.write,
        )


@lm.command()
@click.argument("inputs", nargs=-1, required=True, metavar="TEXT...")
@click.option("--lm", "path", help="An n-gram model.  [default: the embedded one of --lang]")
@click.option("--causal", help="Use a causal transformer instead: a hub name or a folder.")
@click.option("--gguf-file", help="The GGUF file of the causal transformer.")
@click.option("--lang", default="en", show_default=True, help="The language whose tokenizer is used.")
@click.option("--tokenised", is_flag=True, help="The text is already tokenised, with spaces between words.")
@click.option("--total", is_flag=True, help="Print only the closing line.")
@click.option("--limit", type=click.IntRange(1), help="Read only this many lines.")
def score(
    inputs: Tuple[str, ...],
    path: Optional[str],
    causal: Optional[str],
    gguf_file: Optional[str],
    lang: str,
    tokenised: bool,
    total: bool,
    limit: Optional[int],
) -> None:
    """Print the log-likelihood (in nats) and the perplexity of each line of TEXT, and of all of it.

    \b
    echo "Flights from New York to Florida." | paws lm score -
    paws lm score valid.txt --lm wiki.klm --tokenised --total
    """
    from itertools import islice

    from ..lm.causal import make_causal_lm
    from ..lm.embedded import embedded_lm
    from ..lm.ngram import KenLM
    from ..lm.protocol import score_sentences
    from ..readers import open_texts

    model: Any = make_causal_lm(causal, gguf_file) if causal else KenLM(path) if path else embedded_lm(lang)
    lines = [text.text for text in islice(open_texts(inputs), limit) if text.reason is None and text.text]
    all_scores = all_words = unknown = 0.0
    for text, words in zip(lines, _words(lines, lang, tokenised)):
        (value,) = score_sentences(model, [words])
        # The end of a sentence is an event too; a line may hold several.
        count = len(words) + 1 + sum(word.startswith("\n") for word in words)
        if not total:
            click.echo(f"{value:.4f}\t{math.exp(-value / count):.2f}\t{text}")
        all_scores += value
        all_words += count
        if isinstance(model, KenLM):
            unknown += sum(word.strip() not in model for word in words)
    if all_words:
        share = f", {unknown / all_words:.1%} of them unknown words" if isinstance(model, KenLM) else ""
        click.echo(
            f"perplexity {math.exp(-all_scores / all_words):.2f} over {all_words:,.0f} words and sentence ends{share}; "
            f"log-likelihood {all_scores:,.2f}",
            err=not total,
        )


@lm.command()
@click.argument("inputs", nargs=-1, required=True, metavar="TEXT...")
@click.option("--yield", "wanted", type=float, required=True, help="The share of the sentences that get a swap.")
@click.option("--judge", help="The judge: embedded, neural, or a plugin's.  [default: embedded]")
@click.option("--precise/--all", default=True, show_default=True, help="As in `paws generate`.")
@click.option("--model", help="The spaCy pipeline.  [default: that of --lang]")
@click.option("--lang", default="en", show_default=True, help="The language of the text.")
@click.option("--sentences", is_flag=True, help="Lines are paragraphs: cut them into sentences first.")
@click.option("--field", default="text", show_default=True, help="The field of JSONL, or the column of Parquet.")
@click.option("--sample", type=click.IntRange(1), default=2000, show_default=True, help="How many rows to look at.")
@click.option("--n-process", type=click.IntRange(0), default=1, show_default=True, help="How many processes work.")
@click.option("--quiet", is_flag=True, help="Show no progress.")
def calibrate(
    inputs: Tuple[str, ...],
    wanted: float,
    judge: Optional[str],
    precise: bool,
    model: Optional[str],
    lang: str,
    sentences: bool,
    field: str,
    sample: int,
    n_process: int,
    quiet: bool,
) -> None:
    """Find the threshold with which a given share of the sentences in TEXT gets a swap, from its first rows.

    \b
    paws lm calibrate wiki.txt --yield 0.03
    paws lm calibrate wiki.txt --yield 0.1 --all
    """
    from ..generation.calibrate import calibrate as find
    from ..generation.job import GenerateJob
    from .options import swap_settings

    settings = swap_settings("word_swap", {"judge": judge, "precise": precise})
    job = GenerateJob("word_swap", settings, model, lang, sentences)
    found = find(job, inputs, wanted, field=field, sample=sample, n_process=n_process, quiet=quiet)
    click.echo(f"--{found.setting} {found.value:g}")
    click.echo(f"{found.kept:,} of {found.rows:,} rows have a swap with it ({found.kept / found.rows:.3f})", err=True)


def _words(lines: Sequence[str], lang: str, tokenised: bool) -> Iterator[List[str]]:
    """The words of each line with what precedes them, as language models take them."""
    from spacy.tokens import Doc

    from ..generation.tokens import Tokens
    from ..models import blank

    nlp = blank(lang)
    for line in lines:
        doc = Doc(nlp.vocab, words=line.split()) if tokenised else nlp.make_doc(line)
        tokens = Tokens(doc, "tag_")
        yield [lead + word for lead, word in zip(tokens.leads, tokens.words) if word.strip()]
