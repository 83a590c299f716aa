"""Every message the package raises or warns with, each under a code that can be searched for."""

import re
from typing import Any

HIDDEN = "***"
USER = re.compile(r"(\w://[^/:@\s]*):[^/@\s]*@")
SIGNED = re.compile(r"([?&][\w.-]*(?:sig|token|key|secret|password|credential)[\w.-]*=)[^&\s'\"]+", re.IGNORECASE)


def without_secrets(text: str) -> str:
    """A text with stars for the passwords, keys and signatures of the URLs in it."""
    return SIGNED.sub(rf"\1{HIDDEN}", USER.sub(rf"\1:{HIDDEN}@", text)) if "://" in text else text


class Coded(type):
    """Puts the code in front of a message when it is looked up, as spaCy does."""

    def __getattribute__(cls, code: str) -> Any:
        value = super().__getattribute__(code)
        return value if code.startswith("_") else f"[{code}] {value}"


class PawsError(ValueError):
    """Something the user can put right; the message says how. It may end in a log that others read."""

    def __init__(self, message: str) -> None:
        super().__init__(without_secrets(message))


class Fatal(PawsError):
    """An error after which going on makes no sense: a run stops at it instead of trying the next line."""


def unknown(what: str, hint: str = "") -> str:
    """The message for a name that there is not: what kind of thing it is, and what else to do."""
    return f"Unknown {what} {{name!r}}. Known: {{known}}.{hint and ' '}{hint}"


class Errors(metaclass=Coded):
    # Pipelines, language models, swapping, files and runs
    P001 = (
        "The Doc has no part-of-speech tags: no token has `{attr}` set. Put a tagger before {name!r} (`paws download "
        "{lang}` brings a pipeline that has one), or set `attr` to an attribute that your pipeline sets."
    )
    P002 = (
        "There is no embedded language model for {lang!r}; there is one for: {known}. Train one with "
        "`paws lm train TEXT -o model.klm --lang {lang}` and give it as "
        '`config={{"lm": {{"@misc": "paws.KenLM.v1", "path": "model.klm"}}}}` or `paws generate --lm model.klm`.'
    )
    P003 = (
        "Can't open the language model {path!r}: {reason}. `paws.KenLM.v1` reads ARPA, gzipped ARPA and KenLM binary "
        "files; `paws lm train TEXT -o model.klm` makes one."
    )
    P004 = (
        "Can't find KenLM's `{tool}`, which trains n-gram models. The kenlm source package has it; with cmake, a C++ "
        "compiler and Boost (Debian: `apt-get install cmake g++ libboost-all-dev zlib1g-dev libbz2-dev liblzma-dev`):\n"
        "    pip download --no-deps --no-binary kenlm kenlm && tar xzf kenlm-*.tar.gz && cd kenlm-*/\n"
        "    cmake -B build -DCMAKE_BUILD_TYPE=Release && cmake --build build --target lmplz build_binary -j2\n"
        "Then put build/bin on the PATH, or give it as `--kenlm-bin build/bin`."
    )
    P005 = "KenLM's `{tool}` failed with exit code {code}. It said:\n{output}"
    P006 = (
        "`paws.CausalLM.v1` needs {package!r}, which is not installed: `pip install 'paws-components[transformers]'`."
    )
    P007 = (
        "Can't load the causal language model {name!r}: {reason}. Give a model name that the hub knows, a folder "
        "written by `save_pretrained`, or a folder together with `gguf_file`."
    )
    P008 = (
        "The extension `{name}` is already registered with other settings, by another package. paws-components needs "
        "it: remove the other one with `{owner}.remove_extension({name!r})` first."
    )
    P009 = "Line {line} of {path} is not a pair record: {reason}"
    P010 = "Reading and writing Parquet needs pyarrow: `pip install 'paws-components[parquet]'`."
    P011 = "Can't tell the format of {path!r}. Its name should end in one of {known}{hint}."
    P012 = "{path!r} has no column {column!r}; it has {known}. Name the column that holds the text with `--field`."
    P013 = (
        "Can't load the spaCy pipeline {name!r}: {reason}. `paws download {lang}` brings one, or give `--model` the "
        "name of an installed package or the path of a saved pipeline."
    )
    P014 = unknown("template")
    P015 = "`{name}` must be {what}, but is {value!r}."
    P016 = "`{name}` must be {what}."
    P017 = (
        "spaCy has no trained pipeline for {lang!r}; it has one for: {known}. Name another of its pipelines "
        "(`paws download fr_core_news_md`), or give `--model` the name or the path of one from elsewhere. A language "
        "that spaCy tokenises needs none for `paws lm train` and `paws metrics --metrics bow_cosine,inversion_rate`."
    )
    P018 = (
        "Can't download {name!r}. spaCy's own download said: {first}\n"
        "The package index: {second}\n"
        "On a machine that can reach GitHub, download {url} and give that file to `pip install`; or give `--model` the "
        "path of a saved pipeline.{also}"
    )
    P019 = "There is no text to train on: {paths} hold no line with a word in it."
    P020 = "Can't read {path!r}: {reason}."
    P021 = "Can't write {path!r}: {reason}. An existing file was not changed."
    P022 = (
        "A worker process ended unexpectedly ({reason}). Finished work is kept: run the same command again to resume."
    )
    P023 = "Not valid UTF-8: {reason}"
    P024 = "Not a JSON object with a text in {field!r}: {reason}"
    P025 = (
        "{what} needs {package}, which can't be imported ({reason}). Install it with `pip install {install}`, or, if "
        "it is installed but broken, with `pip install --force-reinstall {package}`."
    )
    P026 = unknown("rule")
    P027 = (
        "The threshold for a yield is found on a sample of the input, and standard input can be read only once. Give a "
        "file, or find the threshold first with `paws lm calibrate FILE --yield 0.03`."
    )
    P028 = (
        "There is no embedded judge for {lang!r}; there is one for: {known}. Name another with `--judge` "
        "(`paws plugins` lists them), or do without one: `--all`."
    )
    P029 = (
        "The judge {path!r} is damaged: its checksum is not that on its card. Restore it with `pip install "
        "--force-reinstall paws-components`."
    )
    P030 = (
        "{path!r} holds a run that was begun with other inputs or settings:\n"
        "{differences}\n"
        "Give the command as it was then to resume the run, or add `--fresh` to discard its finished work and start "
        "over."
    )
    P031 = "Another run is writing to {path!r} right now. Wait for it, or give another output."
    P032 = (
        "The input has changed since {path!r} was begun ({where}). Put the old input back to resume the run, or add "
        "`--fresh` to discard its finished work and start over."
    )
    P033 = "The folder {path!r} holds neither pairs that `paws` wrote, nor a saved data set, nor .spacy files."
    P034 = "{path!r} is given for two outputs. Give each a name of its own."
    P035 = (
        "{path!r} is damaged ({reason}), so the run can't be resumed. Add `--fresh` to discard its finished work and "
        "start over."
    )
    P036 = "Stopped after {count} errors, where `--max-errors` allows {limit}. The last one: {last}"
    P037 = (
        "All {rows} {unit} failed, so no output was written; an existing one was not changed. The first error: "
        "{first}{where}"
    )
    P038 = (
        "Can't write {path!r}: {reason}. {kept}. Fix this and run the same command again to resume; an existing output "
        "was not changed."
    )
    P039 = (
        "The text has {length} characters, and a pipeline takes {limit} at most. Cut it into sentences: `paws generate "
        "--sentences` does so."
    )
    P040 = "The folder {path!r} holds files that `paws` did not write. Give a folder of its own, or a new name."
    P041 = (
        "The neural judge's model, {name}, is not installed. `paws download judge` brings it; or give `name` another "
        "causal language model: a name on the hub, a folder written by `save_pretrained`, or the path of a GGUF file."
    )
    P042 = "Can't download {name!r}. The hub said: {first}\nThe package index said: {second}"
    P043 = "The neural judge needs {package!r}, which is not installed: `pip install 'paws-components[judge]'`."
    P044 = (
        "The judge {name!r} gave back {what}. It must give one list per question, with a judgement of each of its "
        "proposals and a naturalness from 0 to 1. This is for its author to fix."
    )
    P045 = "The tokenizer of {lang!r} needs {needs}, which is not installed or not found. {how}. spaCy said: {reason}"
    P046 = (
        "spaCy has no language {lang!r}. Give its code as spaCy has it, such as `fr`; `xx` cuts any text at spaces and "
        "punctuation."
    )
    P047 = (
        "`naturalness` needs a judge, and there is no embedded judge for {lang!r}: the rules and the language model "
        "decide. Use `threshold` (`--threshold`, how many nats a swap may lose) or `--yield`, or name a judge with "
        "`--judge`."
    )
    P048 = "{count} workers died while they worked on it; the last one: {reason}"
    P049 = (
        "{count} workers died before they could begin ({reason}). Finished work is kept. Is there enough memory for "
        "the models of all workers? `--n-process 1` shows the error of a single one."
    )
    P050 = (
        "Can't connect to a Ray cluster at {address!r} ({reason}). `ray start --head` starts one, and `ray status` "
        "shows what is running; without `--address` and `RAY_ADDRESS`, one is started on this machine for the run."
    )
    P051 = "Node {node} of the cluster does not answer: {reason}."
    P052 = (
        "Node {node} of the cluster has {package} {has}, and this machine has {wanted}. Install the same on all nodes: "
        "`pip install {package}=={wanted}`."
    )
    P053 = "`--judges {count}` gives the judge's model workers of its own on a Ray cluster: add `--engine ray`."
    P054 = (
        "A worker that holds the judge's model died {count} times while it was asked ({reason}). Finished work is "
        "kept: run the same command again to resume. Is there enough memory for the model? Without `--judges`, each "
        "worker loads the model itself, and only a row that kills it becomes an error."
    )
    P055 = "`--address {address}` is that of a Ray cluster: add `--engine ray`."
    P056 = "The run in {path!r} was removed, or resumed elsewhere. Work in progress was not written."
    P057 = "`--judges {count}` gives the neural judge's model workers of its own: add `--judge neural`."
    P060 = "Can't write the log {path!r}: {reason}. Give `--log` a file in an existing folder."
    P061 = (
        "There is no run in {path!r}. An interrupted run leaves `OUTPUT.run`; `paws runs FOLDER` lists the runs under "
        "a folder."
    )
    P062 = "There are {count} runs that can be resumed:\n{runs}\nName the output of one: `paws runs resume OUTPUT`."
    P063 = "The run in {path!r} is still running, so it can't be {what}. Stop it first."
    P064 = "The run in {path!r} can't be resumed: {reason}. Give its command again yourself."
    P065 = "There is no run under {path!r} that can be resumed."

    # Files at URLs
    P071 = "`{protocol}://` needs {package}, which is not installed: `pip install 'paws-components[remote]' {package}`."
    P072 = "Can't tell what {url!r} is: {reason}. Known are s3://, gs://, hf:// and everything else that fsspec knows."
    P073 = (
        "Can't read {path!r} to its end: {reason}. Fix this and run the same command again: a run resumes from its "
        "finished work."
    )
    P074 = "The line has {size} bytes, and lines of more than {limit} are not read. Cut it into several lines."

    # The cache of answers
    P091 = "The folder {path!r} is not a cache of answers: {reason}. Give an empty folder, or a new name."
    P092 = (
        "The cache {path!r} is damaged or of another version: its format is {found}, and this version reads {known}. "
        "Give another folder, or remove this one."
    )
    P093 = "There is no cache of answers in {path!r}. Long commands make one with `--cache FOLDER`."

    # Metrics
    P101 = "The {kind} {name!r} needs {package}, which is not installed: `pip install '{pip}'`."
    P102 = (
        "The Doc has no lemmas, which WPD and LD are computed from. Put a tagger, an attribute_ruler and a lemmatizer "
        "before `paws_pair_metrics` (`paws download en` brings a pipeline that has them), or leave these two out: "
        '`config={{"metrics": ["bow_cosine", "inversion_rate"]}}`, `paws metrics --metrics bow_cosine,inversion_rate`.'
    )
    P103 = (
        "Not a pair: the text has {count} tabs where a pair has one between its sentences: {text!r}. Make the Doc with "
        "`paws_components.make_pair(nlp, s1, s2)`, or its text with `paws_components.pairs.pair_text(s1, s2)`."
    )
    P104 = "Unknown metrics: {names}. Known: {known}."
    P105 = (
        "Can't read the condition {text!r}: {reason}. A condition compares metrics and numbers, such as "
        "`wpd > 0.2 and ld < 0.1`; it knows < <= > >= == != and or not + - * and brackets."
    )
    P106 = unknown("name in the condition {text!r}:")
    P107 = (
        "Can't tell which columns of {path!r} hold the sentences; it has {known}. Name them, and the label if there is "
        "one: `--columns sentence1,sentence2,label`."
    )
    P108 = (
        "{path!r} is not a file. A name without a known ending ({known}) is taken for a data set on the hub, which "
        "needs the datasets library: `pip install 'paws-components[datasets]'`."
    )
    P109 = "Can't load the data set {name!r}: {reason}. `--config` and `--split` select the part to load."
    P110 = unknown("column for `--sort`:")
    P111 = (
        "{item} is not a pair. A pair is a record, a tuple of two texts and perhaps a label, or a dict with the fields "
        "of one (`sentence1`, `sentence2`, `label`)."
    )

    # Corrections
    P121 = "Line {line} of {path} is not a group of equivalents: {text!r}. Write two forms or more: `U.S. = USA`."
    P122 = (
        "The pipeline {name!r} sets no entities, and correcting compares them. Give `--model` one with an entity "
        "recogniser; `paws download en` brings one."
    )
    P123 = (
        "The pipeline {name!r} has no entity type {label!r}. It has: {known}. Give `{option}` some of these, or `all`."
    )
    P124 = (
        "The pipeline {name!r} sets no lemmas, which the LD guard needs. Give `--model` one with a lemmatizer, or turn "
        "the guard off with `--ld-guard 0`: then every pair that cannot be corrected is relabelled."
    )
    P126 = "{text!r} names no unit. Write its name and its spellings: `--unit euro=€,EUR`."

    # Corpora: layouts, audit, repair
    P141 = unknown("corpus layout", "Without `--layout` it is guessed from the file.")
    P142 = (
        "{path!r} has no column {column!r}, which the layout {layout!r} needs; it has {known}. Leave `--layout` out to "
        "have the layout guessed."
    )
    P143 = "{path!r} does not end in {first!r}: give the {first!r} file; the {second!r} beside it is read too."
    P144 = (
        "Can't tell how {path!r} holds its pairs: neither its header nor its columns look like any known corpus. Name "
        "the layout with `--layout` (known: {known}), its columns with `--columns` where a command has that option, or "
        "give it a header with sentence1, sentence2 and label."
    )
    P145 = (
        "There is no file or folder {value!r}. `paws audit` also takes NAME=PATH, the corpora that `paws corpora` "
        "lists, and the options of `paws audit --help`."
    )
    P147 = unknown("split to compare labels with")
    P148 = unknown("{what}")
    P149 = "{path!r} holds no file with sentence pairs."
    P150 = "{path!r} is both input and output. Give the output a name of its own."
    P151 = (
        "A PAWS TSV has labels 0 and 1 only, and {path!r} holds the judgements of natural language inference. Write to "
        "a file that ends in .jsonl or .parquet: they are kept there under `nli`."
    )
    P152 = "The split {name!r} would be empty: take less for the others."

    # Drawings and the report
    P161 = unknown("style")
    P162 = (
        "Can't draw a {kind}. Give a pair Doc (`make_pair(nlp, s1, s2)`), a Doc that `paws_swapper` has seen, a "
        "PairRecord, or a list of them."
    )
    P163 = (
        "The Doc holds neither swaps nor a pair. Make a pair with `make_pair(nlp, s1, s2)`, or put `paws_swapper` into "
        "the pipeline."
    )
    P164 = unknown("option of the style {style!r}:")
    P165 = "There is no notebook to show this in: IPython is not installed. Leave `jupyter` out and keep the markup."
    P166 = "There is no pair in {path!r}: {reason}."

    # Plugins
    P201 = (
        "There is no {kind} {name!r}. There are: {known}.{hint} Install the package that brings it; `paws plugins` "
        "lists what is installed, and what could not be loaded and why."
    )
    P202 = "The {kind} {name!r} can't be made: {reason}"
    P203 = "The settings of the {label} are not right: {reasons}."
    P204 = "{text!r} is not a setting. Write `--set key=value`, or `--set key.deeper=value`; values are JSON or text."
    P205 = "It registers the {kind} {name!r}, which {owner} registers already."
    P206 = (
        "The generator {name!r} gave back {what}. It must give one list per Doc, of dicts with a text and plain data "
        "(text, numbers, lists, dicts). This is for its author to fix."
    )
    P207 = "`{name}` is not a hook of paws-components{hint}. The hooks are: {known}."
    P208 = "It has none of the hooks: {known}. Are they marked with `@hookimpl` of paws_components?"
    P209 = "It can't register {what} as a {kind}: a name must be a text, and a maker a class or a function."
    P210 = "`{option}` is an option of word swapping. Give the generator {name!r} its settings with `--set key=value`."
    P211 = "`{one}` and `{other}` can't go together."
    P212 = "The row can't be read ({reason}); `paws audit` says more about the file."
    P213 = (
        "Another plugin is called {name!r} too. Remove one of the two packages, or give its entry point another name."
    )
    P214 = "There are settings for the metric {name!r}, but it was not asked for. Add it to the metrics."
    P215 = "The metric {name!r} gave back {count} values for {pairs} pairs. This is for its author to fix."
    P216 = "The command {name!r}, which {package} brings, can't be loaded: {reason}. Fix or remove the package."
    P217 = (
        "The {kind} {name!r} has the wrong shape: {what} has no {methods}. docs/plugins.md shows what each kind must "
        "be able to do."
    )
    P218 = "The {kind} {name!r} is registered with `{fact}`, which means nothing there. Known: {known}."

    # Readers and augmenters of `spacy train`
    P301 = (
        "There is no path to read pairs from. Set `path` of `paws.PairCorpus.v1` to a file, to several, or to the name "
        "of a data set; if it comes from the section `[paths]`, give `spacy train` the option `--paths.train`."
    )
    P302 = "`{name}` has {given} entries for {count} paths. Give one value for all paths, or a list with one for each."
    P303 = (
        "Can't tell which columns of the data set {name!r} hold the sentences; it has {known}. Name its layout with "
        "`layout`, or rename the columns to sentence1, sentence2 and label."
    )
    P304 = unknown("source of labels", "`labels` is one of these, or several.")
    P305 = unknown("label in `class_weights`:")
    P306 = (
        "The sides of a pair with the label {label!r} can't be swapped: natural language inference has a direction. "
        "Leave `swap_sides` at 0 for such corpora."
    )
    P307 = (
        "A pair has the label {label!r}, after others with labels among {known}. Corpora of paraphrases and of natural "
        "language inference can't be mixed: each needs its own classifier."
    )
    P308 = (
        "There is no labelled pair in {path!r}: {account} ({remarks}). Pairs that were generated have no label; `paws "
        "label` gives them one, and `paws build` makes a data set of them."
    )
    P309 = (
        "`paws.swap_augmenter.v1` makes pairs that are {name!r}, and this Example has other labels: {known}. Use it "
        "with corpora of paraphrases only."
    )
    P310 = "{path!r} holds no swap of a sentence: {reason}. `paws generate SENTENCES -o swaps.jsonl` makes such a file."
    P311 = "{path!r} does not end in .spacy, and spaCy reads no other files. Give `-o` such a name."
    P312 = "spaCy has no language {lang!r}: {reason}. Give `--lang` one of its codes, such as en or de."
    P313 = (
        "{path!r} has no `{name}`, so it would not read {value!r}. Put `{name}` where this belongs in the config: "
        "see docs/training.md."
    )
    P314 = (
        "The training in {names} did not end: there is a config.cfg, but no trained.json. Run the same `paws train` "
        "again; or, if `spacy train` made the model, put that config.cfg elsewhere."
    )
    P315 = (
        "Can't start from {path!r}: {reason}. It must come from a config with the same architecture, settings and "
        "labels, and with the same vectors."
    )
    P316 = (
        "{entry!r} of the mix {mix!r} is not a corpus: there is no {file} in `{folders}`. A mix is the names of "
        "corpora joined by plus signs, such as qqp+paws, or qqp+paws:3000 for 3,000 pairs of the second. Prepare the "
        "corpora first."
    )
    P317 = "The mix {mix!r} has no pairs to choose a checkpoint by: there is no {file}. Name a file with `--dev`."
    P318 = (
        "Two runs would be called {name!r}. `--name` needs the fields for model, mix and seed: see `paws train --help`."
    )
    P319 = (
        "No config has the setting {keys}. Options that are not those of `paws train` change settings of the configs."
    )
    P320 = "No model is named. Give names of configs first, then the options."

    # Architectures
    P321 = (
        "The pipeline has no word vectors, which `include_static_vectors = true` asks for. Name a pipeline that has "
        'them in the config: `[initialize]` `vectors = "en_core_web_md"`, or make one with `spacy init vectors`.'
    )
    P323 = (
        "No training example has the label {label!r}, which the cosine stands for; they have: {known}. Give the "
        "architecture the label of pairs that mean the same as `positive_label`."
    )
    P324 = (
        "A cosine can tell only two labels apart, and there are {count}: {known}. Use an architecture that ends in a "
        "softmax, such as `paws.ESIM.v1`."
    )
    P325 = (
        "`trainable_vectors = true` needs a table with a row for each word. These vectors are computed from pieces of "
        "words (floret) or otherwise: leave `trainable_vectors` out, and a learned matrix adapts them."
    )
    P326 = "`trainable_vectors = true` trains the pipeline's vectors: set `include_static_vectors = true` too."
    P327 = "Words get no vector: set `include_static_vectors = true`, or `rows` to more than 0, or both."

    # Scorers and transformers
    P341 = (
        "The scorer looks for the label {label!r}, and the labels are: {known}. Name the right one in the config: "
        '`[components.textcat.scorer]` `positive_label = "…"`.'
    )
    P342 = "The {what} needs {package!r}, which is not installed: `pip install 'paws-components[train]' {package}`."
    P343 = (
        "Can't load the encoder {name!r}: {reason}. Give `name` in `[components.textcat.model]` a folder written by "
        "`save_pretrained` with its weights as safetensors, the name of an installed package that carries one, or a "
        "name on the hub. No code from outside is run, so a model that brings its own can't be used. Weights in "
        "`pytorch_model.bin` are not read: load them with transformers and write them with `save_pretrained` once."
    )
    P344 = "{name!r} can't read pairs: {reason}. Take an encoder, such as BERT, RoBERTa, DeBERTa or MiniLM."
    P345 = (
        "The saved weights do not fit the model that the installed transformers builds for them ({names}, …). Install "
        "the version that the pipeline was trained with."
    )
    P346 = (
        "The encoder {name!r} is not loaded yet. `nlp.initialize()` or `spacy train` loads it; a trained pipeline "
        "brings its own: `spacy.load(path)`."
    )
    P347 = (
        "`max_length` is {value}, and {name!r} takes {limit} tokens at most. Set it to that or less, or leave it out."
    )

    # Evaluation
    P348 = "Not even one input of {name!r} fits into memory: {reason}."
    P351 = (
        "The model {name!r} gives pairs no labels: it has no text categorizer, or none that was trained. Give a "
        "pipeline that `spacy train` made with one of the `paws.…` architectures."
    )
    P352 = (
        "The model {name!r} has the labels {known}, and is asked for {missing}. Say which of them means a paraphrase: "
        "`--positive-label NAME`; or give pairs with labels it knows."
    )
    P353 = (
        "There is no pair with a label in {path!r} ({unlabelled} without one, {unreadable} rows that can't be read, "
        "{no_sentence} without a sentence). "
        "`paws audit` says more about the file; `--layout` names its layout."
    )
    P354 = "Two {what} are called {name!r}. Give them different names: `NAME=PATH`."
    P355 = "Can't use the GPU {gpu}: {reason}. Leave `--gpu-id` out to work on the CPU."
    P356 = (
        "There is no model {name!r}: {reason}. Give the path of a trained spaCy pipeline, such as out/model-best, or "
        "an installed package; a sequence classifier of transformers, by its folder or its name on the hub; or a "
        "Python callable as `module:function`."
    )
    P357 = "The model {name!r} gave {found} for {asked} pairs. It must give one probability per pair, from 0 to 1."
    P358 = "The model {name!r} failed: {reason}"
    P359 = (
        "{path!r} is not a paper's table: {reason}. It has `columns` with title, run, on and measure, and `rows` with "
        "name, title and paper: see docs/evaluate.md."
    )
    P360 = "Nothing to show: give models and `--on`, or `--results` and `--beside`."
    P361 = "Give at least one model and one test set: `--on NAME=FILE`."
    P362 = (
        "The pair {id} of {path!r} has no {field!r}. It must be a field of every pair, or of its evidence: see "
        "docs/records.md."
    )
    P363 = (
        "`--join {field}` joins the pairs of several test sets: give `--on` more than once, or split one with `--by`."
    )
    P364 = (
        "No {field!r} is in all of the test sets {names}, so nothing can be joined. The sets must hold the same pairs."
    )
    P365 = (
        "The test set {name!r} has the {field} {key!r} twice. If the file has several languages, split it with `--by`."
    )

    # Inference and BLEURT
    P401 = (
        "Can't load the {what} {name!r}: {reason}. Give `model` a folder written by `save_pretrained` with its weights "
        "as safetensors, the name of an installed package that carries one, or a name on the hub, which has to be "
        "reachable the first time. No code from outside is run, and weights in `pytorch_model.bin` are not read: load "
        "them with transformers and write them with `save_pretrained` once."
    )
    P402 = "{name!r} can't be used as {what}: {reason}. Give `model` one of this kind that was trained, with its head."
    P403 = (
        "Can't tell which label of {name!r} means entailment; it has {known}. Say which with `entailment_label`, by "
        "its number or its name: `entailment_label = 0`."
    )
    P404 = (
        "The pipeline {name!r} gives pairs no labels: it has no text categorizer, or none that was trained. Give "
        "`model` a pipeline that `spacy train` made from pairs labelled entailment, neutral and contradiction."
    )
    P405 = (
        "{name!r} is not a BLEURT model: it gives {count} numbers per pair, and BLEURT gives one. "
        "Elron/bleurt-base-128 and lucadiliello/BLEURT-20-D12 are such models, as are others with these names."
    )

    # Corpora by their cards: the data folder, fetching
    P501 = "The card {path!r} can't be read: {reason}."
    P502 = unknown("corpus", "`paws corpora` lists them.")
    P503 = "The corpus {card!r} has no split {name!r}. It has: {known}."
    P504 = "Which split of {card!r}? Write one of them after a colon, as in `{card}:SPLIT`: {known}."
    P505 = (
        "{name} is not in the data folder: there is no {path} in {folder}. `paws corpora fetch {name}` downloads it; "
        "the variable PAWS_DATA names another folder."
    )
    P506 = "Can't fetch {url}: {reason}. `--mirror` names another server that has the file."
    P507 = (
        "Can't write {path!r}: {reason}. What was fetched is kept: fix this and run the same command again to resume."
    )
    P508 = (
        "Gave up on {url} after several tries: {reason}. {done} bytes are kept: run the same command again to resume."
    )
    P509 = "The archive {name} is damaged: {reason}. It was removed: run the same command to fetch it again."
    P510 = "The archive {name} does not have {members}. Was it changed by its authors? Nothing was unpacked."
    P511 = "{name} can't be fetched. What to do by hand: {how} Then put it into the data folder as {path}."
    P512 = (
        "{path!r} exists, but its SHA-256 is {found}, where {wanted} is expected. `--fresh` fetches it again and "
        "replaces it."
    )
    P513 = "{path} from {url} was refused and removed: its SHA-256 should be {wanted}, and is {found}."
    P514 = (
        "The expected sum is that of a copy, or of an earlier fetch. If this file is the right one, give its sum with "
        "`--sha256`."
    )
    P515 = "The lock file {path!r} is damaged: {reason}. Move it away; the next fetch writes a new one."
    P516 = "{name} is not joined from other corpora. Use `paws corpora fetch {name}` instead."
    P517 = "{name} is joined from {index} and {text}, and {missing} is missing. Fetch it first: {line}."
    P518 = "Row {row} of {path!r} is not a row of an index: {reason}."
    P519 = "The card of {name} knows no copy on the hub. Leave `--hub` out."

    # Translation
    P601 = "Can't translate from {lang!r} to {lang!r}. Give `--from` and `--to` two languages."
    P602 = (
        "The translator {name!r} gave back {what}. It must give one list per sentence, of translations with the best "
        "first. This is for its author to fix."
    )
    P603 = "`{option}` is for texts. Give `--texts` too, or leave it out to translate pairs."
    P604 = (
        "`url` must be an http or https address and nothing else: no password, no key, no query. A key goes into the "
        "environment: `export {key_env}=…`."
    )
    P605 = (
        "Can't translate with {url}: {reason}. Is the service running, and is this its address? One of your own: "
        "`pip install libretranslate && libretranslate --load-only en,es`, then `--set url=http://localhost:5000`."
    )
    P606 = "{url} does not accept the key in ${key_env}: {reason}. Set the right one, and run the command again."
    P607 = (
        "Gave up on {url} after {tries} tries: {reason}. Finished work is kept: run the same command again to resume. "
        "The settings `per_minute`, `retries` and `timeout` can be changed then."
    )
    P608 = (
        "{url} does not translate {source!r} to {target!r}: {reason}. Its address /languages lists what it knows; the "
        "setting `codes` gives its name for a language: `--set codes.zh=zh-Hans`."
    )
    P609 = "{url} refused a request of {count} sentences: {reason}. The first: {text!r}"
    P610 = (
        "{url} asks to wait {asked} seconds, and `max_wait` allows {limit}. Finished work is kept: run the same "
        "command again later."
    )
    P611 = (
        "{url} needs a key: {reason}. Put it into the environment: `export {key_env}=…`; it is never written to a file."
    )
    P612 = "{url} gave an answer that is not LibreTranslate's: {what}. Is this the address of such a service?"

    # Building data sets: votes, corrections, labels, `paws build`, `paws push`
    P701 = "Line {line} of {path} is not {what}: {reason}."
    P702 = (
        "{path}: the rater {rater!r} answers the item {item!r} twice, in lines {one} and {other}. Keep the answer that "
        "counts; if they are two people, give them two names."
    )
    P703 = (
        "{agreeing} of {raters} can't be the bar for keeping a pair: more than half of the raters must agree, and "
        "there can't be more agreeing raters than raters. PAWS asks for 4 of 5."
    )
    P704 = (
        "The rater {rater!r} answers the item {item!r} with {answer}. Whether a pair is a paraphrase is answered with"
        " 1 or 0; are these votes of another task?"
    )
    P705 = "{path}: the item {item!r} is decided twice, in lines {one} and {other}. Keep the decision that counts."
    P706 = (
        "The splits ({wanted}) need more pairs than the {pairs} that there are. Ask for fewer, or for shares, such as "
        "`dev: 0.1`."
    )
    P707 = (
        "Say who labels the pairs, with one of these: `--label 0` or `--label 1` to give all of them one label, `--by "
        "mi` or `--by MODEL` for a model's labels, `--votes FILE` for people's."
    )
    P708 = (
        "None of the votes in {votes!r} is for a pair of {pairs}: their `item_id` must be the `id` of a pair. Have the "
        "pairs been made again since people voted?"
    )
    P721 = "There is no {path}. `paws build {folder} --init` writes a plan that runs as it is."
    P722 = "{path} can't be used as a plan: {reason}. docs/build.md has every key."
    P723 = "{path!r} already exists, and was not changed. Edit it, or give another name."
    P724 = (
        "{path!r} is damaged ({reason}), so it is not known which stages are done. Move it and the folders `steps` and "
        "`dataset` away to start over; people's answers stay in `people`."
    )
    P725 = (
        "{path!r} was not written by `paws build`, which would now write there. Move it away; if you made the pairs "
        "yourself, name them in the plan with `file`."
    )
    P726 = (
        "{pairs} in {file} wait for correction: people accept, fix or reject each second sentence without its source. "
        "Put their decisions into {answers} and run the same command again. `paws annotate new study.db --task correct "
        "{file}` has people decide, and `paws annotate export study.db --task correct -o {answers}` writes the file. "
        "To write it yourself: one decision per line, with item_id (the id of the pair), action (accept, fix or "
        "reject) and text (of a fixed sentence)."
    )
    P727 = (
        "{count} of {file} are not decided yet in {answers}. Add the decisions and run the same command again, or "
        "leave such pairs out with `wait: false` under `labels`."
    )
    P728 = (
        "{pairs} in {file} wait for people's votes: {raters} each. Put them into {answers} and run the same command "
        "again. `paws annotate new study.db --task judge {file} --raters-per-item {raters}` has people vote, and `paws "
        "annotate export study.db --task judge -o {answers}` writes the file. To write it yourself: one vote per line, "
        "with item_id (the id of the pair), rater and answer (1 paraphrase, 0 not)."
    )
    P729 = (
        "{count} of {file} have fewer than {raters} votes yet in {answers}. Add votes and run the same command again, "
        "or set such pairs apart with `wait: false` under `labels`."
    )
    P730 = (
        "The stage {stage!r} was done with other inputs or settings:\n"
        "{differences}\n"
        "Put them back to use its results, or run `paws build {folder} --fresh` to do it again."
    )
    P731 = (
        "{path} in {folder!r} was changed after it was written, and would now be replaced or used. Move your version "
        "away, or add `--fresh` to make it again; pairs of your own can be named in the plan with `file`."
    )
    P732 = (
        "There is no pair for the data set: {counts}. A swap is included only if it has a back translation. Give more "
        "text, another translator, or leave `back` out of the plan."
    )
    P741 = "{folder!r} is not a data set with a card: {reason}. `paws build NAME` writes one to NAME/dataset."
    P742 = (
        "The hub did not take the data set {repo!r}: {reason}. Is the name yours, and does your token allow writing? "
        "`hf auth login` asks for one."
    )

    # People at work: studies, tasks, raters, other tools
    P801 = (
        "A study is the path of an SQLite file or the URL of a PostgreSQL database, such as "
        "postgresql://user@localhost/study; this is {kind}."
    )
    P802 = (
        "`paws annotate` needs {package}, which is not installed: `pip install 'paws-components[annotate]'`; for "
        "PostgreSQL also `[postgres]`."
    )
    P803 = "Can't open the study {path!r}: {reason}. Nothing was changed."
    P804 = "There is no study in {path!r}. `paws annotate new {path} --task judge pairs.jsonl` makes one."
    P805 = (
        "The study {path!r} was written by a newer version of paws-components (its schema is {found}). Upgrade the "
        "package; the study was not changed."
    )
    P806 = unknown("task")
    P807 = "There is nothing to show to people in {sources}: {account}. `paws audit` says more about files of pairs."
    P808 = "The study already has a task {name!r}. Give the new one another name: `--name`."
    P809 = "The study has no task {name!r}. It has: {known}."
    P810 = (
        "{there} examples with label {label} fooled the target, among {all} outcomes, and {wanted} are to be drawn. "
        "Give what `paws attack` wrote, or draw fewer: `--set sample=N`, 0 for all."
    )
    P811 = "There is already a rater {name!r}. Give another name; `renew` gives a person a new link."
    P812 = "There is no rater {name!r}. There are: {known}."
    P813 = "The writing task needs `paws-apt`, which brings its reward: `pip install paws-apt`."
    P814 = (
        "`--host {host}` can be reached from other machines. Give their address for it, which links and checks need: "
        "`--public-url https://annotate.example.org`."
    )
    P815 = "`--public-url` must be like https://annotate.example.org, without a path, but is {value!r}."
    P816 = "Tasks of the kind {kind!r} can't be written for {tool}. These can: {known}."
    P817 = "Line {line} of {path} holds no answer of {tool}: {reason}."
    P818 = "{path!r} holds no answer of {tool}. Is it the export of another tool, or are the items not answered yet?"
    P819 = "A model can only be asked about pairs: {name!r} is a task of the kind {kind!r}."
    P820 = "Which task? The study has several: {known}. Name one with `--task`."
    P821 = "{what} can't be exported from a task of the kind {kind!r}. It has: {known}."
    P822 = "Can't listen on {host}:{port}: {reason}. Choose another port with `--port`."


class Warnings(metaclass=Coded):
    W001 = (
        "A sentence of {length} tokens is longer than `max_tokens` ({limit}), so it was not searched for swaps. If it "
        "is several sentences, add a `sentencizer`, or use `paws generate --sentences`."
    )
    W025 = (
        "{count} cells of {path} begin with =, +, - or @: a spreadsheet may take them for formulas. Import them as "
        "text."
    )
    W026 = (
        "The text looks like {found!r}, and the pipeline is for {lang!r}. Give `--lang {found}`, or a `--model` for "
        "that language: the results of this one mean little."
    )
    W027 = "{count} rows of {path} have an empty sentence, or NS in place of one, and were left out."
    W028 = "{count} of {total} texts failed and were left out. The first: {first}"
    W029 = (
        "The text looks like {found!r}, and is translated from {lang!r}. Give `--from {found}`; if there are two "
        "languages side by side, `--side 1` or `--side 2` names the sentence to translate."
    )
    W033 = (
        "{path} has grown since the reading began: everything after its first {size} bytes, and the line that they end "
        "in, was not read."
    )
    W035 = "Can't write the log {path!r}: {reason}. The run continues; what is not in the log is lost."
    W091 = (
        "Can't write answers to the cache {path!r} ({reason}). The run continues, and uses the answers that are "
        "already there."
    )
    W301 = "{path}: {account}. Of these rows, {remarks}. `paws audit` says which they are."
    W302 = (
        "`swap_sides` of the reader takes effect once: with `max_epochs` of 0 or more, spaCy reads the corpus once and "
        'keeps it. To swap anew in each epoch, set `[training.batcher]` to `@batchers = "{batcher}"` and `swap_sides` '
        "there, or stream with `max_epochs = -1`."
    )
    W341 = (
        "{count} of {seen} pairs so far were longer than {limit} tokens and were cut for {name!r}, the longer "
        "sentence first. {setting} sets how much of a pair is seen."
    )
    W342 = (
        "{tried} inputs of {name!r} do not fit into memory at once: from now on it gets {size} at a time. A smaller "
        "`batch_size` avoids the failed attempts."
    )
