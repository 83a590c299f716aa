"""Every message of this package, each under a code that can be searched for."""

from importlib import import_module
from typing import Any

from paws_components.plugin import Coded, Fatal


class Errors(metaclass=Coded):
    B001 = (
        "The translator {translator!r} needs {package!r}, which is not installed: "
        "`pip install 'paws-back-translation[{translator}]'`."
    )
    B002 = (
        "Can't load the translation model {name!r} ({source} to {target}): {reason}. If it is a name on the hub, "
        "download it once while there is a network (`hf download {name}`); if it is a folder, `save_pretrained` must "
        'have written it: `"model": "models/{{source}}-{{target}}"` reads models/{source}-{target}.'
    )
    B003 = (
        "The model {name!r} has no language code for {code!r}. It knows {known}. Use one of these, or map your code to "
        'one of them: `"codes": {{{code!r}: …}}`.'
    )
    B004 = (
        "{name!r} is not a translation model: {reason}. The translator `marian` takes the sequence-to-sequence models "
        "of transformers: OPUS-MT, M2M100, NLLB, mBART-50."
    )
    B005 = (
        "The model {name!r} has no language codes, so it translates in one direction only. Give `model` a pattern that "
        "names one for each direction, such as 'Helsinki-NLP/opus-mt-{{source}}-{{target}}'."
    )
    B006 = (
        "The sentence is too long for {name!r}: {length} tokens, and the model takes {limit}. Split it or leave it "
        "out: {text!r}"
    )
    B007 = "`{name}` must be {what}, but is {value!r}."
    B008 = "`half` needs a GPU, and the model would run on {device!r}. Leave `half` out, or give `device` a GPU."
    B009 = (
        "The weights of {name!r} are not stored as safetensors, and a pickle from outside could run code. If you trust "
        "it, convert it once and give `model` the new folder:\n"
        '    python -c "from transformers import AutoModelForSeq2SeqLM as M, AutoTokenizer as T; '
        "[C.from_pretrained('{name}').save_pretrained('FOLDER') for C in (M, T)]\""
    )
    B010 = "Can't move the model {name!r} to the device {device!r}: {reason}."
    B021 = (
        "There is no converted model in {path!r} ({source} to {target}): {reason}. Convert one:\n"
        "    ct2-transformers-converter --model Helsinki-NLP/opus-mt-{source}-{target} --output_dir {path} "
        "--copy_files source.spm target.spm vocab.json tokenizer_config.json\n"
        "(NLLB: `--copy_files tokenizer.json tokenizer_config.json special_tokens_map.json`.)"
    )
    B022 = (
        "Can't load a tokenizer from {name!r}: {reason}. Convert the model with `--copy_files` and its tokenizer's "
        "files (OPUS-MT: source.spm target.spm vocab.json tokenizer_config.json), or give `tokenizer` the name or "
        "folder of the model that was converted."
    )
    B023 = (
        "CTranslate2 can't use the model in {path!r}: {reason}. Convert it again with the installed version, or "
        "change `device` or `compute_type`."
    )
    B024 = (
        "CTranslate2 failed while it translated with {path!r}: {reason}. If it speaks of positions, the model takes "
        "shorter sentences than `max_tokens` says: lower it. If it speaks of memory, lower `batch_size`."
    )
    B031 = "Can't start {command!r}: {reason}. Debian has it: `apt-get install {package}`; or give `command` its path."
    B032 = (
        "Apertium has no mode that translates {source} to {target}: tried {tried}. Installed modes: {modes}. {advice}"
    )
    B033 = (
        "Apertium stopped at {place} ({reason}). What it gave back for this batch is not used, since a part of it is "
        "missing. The sentence: {text!r}"
    )
    B034 = (
        "Apertium took longer than `timeout` ({timeout:g} seconds) over {count} sentences. Give it more time, or "
        "a smaller `batch_size`."
    )
    B035 = "The sentence can't be written as UTF-8, which Apertium reads: {text!r}"
    B040 = "{what} needs {package!r}, which is not installed: `pip install 'paws-back-translation[train]'`."
    B041 = "{counts} lines: the two must be translations of each other, line by line, and not empty."
    B042 = "None of the {count} pairs has at most {max_length} pieces on both sides: raise `max_length`."
    B043 = "Can't make {size} pieces of this text: {reason}"
    B044 = (
        "{path!r} is not a vocabulary: it lacks {missing}. Make one from the text of both languages:\n    paws "
        "translation vocabulary train.en train.de -o {path}"
    )
    B045 = (
        "{path} was begun with other settings:\n"
        "{differences}\n"
        "Give the command as it was then to resume it, or start over with --fresh."
    )


def import_for(package: str, what: str) -> Any:
    """Import a package that only training and its evaluation need.

    package (str): The package.
    what (str): What needs it, for the error.
    RETURNS (Any): The module; our error where it is not installed.
    """
    try:
        return import_module(package)
    except ImportError as error:
        told = {"what": what[0].upper() + what[1:], "package": error.name or package}
        raise Fatal(Errors.B040.format(**told)) from error
