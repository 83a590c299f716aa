"""Every message of this package, each under a code that can be searched for."""

from paws_components.plugin import Coded


class Errors(metaclass=Coded):
    A001 = (
        "There is no known threshold for the similarity {name!r}{which}. Each similarity has its own scale: the "
        "paper's 0.5 is for the first BLEURT checkpoints. Set `threshold` to the highest similarity that an "
        "adversarial paraphrase may have."
    )
    A002 = (
        "Line {line} of {path} is not an attempt: {reason}. An attempt has a sentence, a paraphrase and an MI verdict "
        "(0 or 1), and perhaps a similarity; `paws audit` says more about the file."
    )
    A010 = "Models of transformers need {package!r}, which is not installed: `pip install 'paws-apt[t5]'`."
    A011 = (
        "Can't load the paraphraser {name!r}: {reason}. Give `model` a sequence-to-sequence model of transformers with "
        "its weights as safetensors: a folder that `save_pretrained` wrote, or a name on the hub (`hf download {name}` "
        "brings it once, while there is a network)."
    )
    A012 = "`prompt` must have {{sentence}} in it once, where the sentence goes, but is {prompt!r}."
    A013 = "The sentence is too long: {length} tokens with its prompt, and `max_length` is {limit}: {text!r}"
    A020 = (
        "{path} was begun with other settings:\n"
        "{differences}\n"
        "Give the command as it was then to resume it, or give another output."
    )
    A021 = "There is already a model in {path}. Give another output, or `--fresh` to replace it."
    A022 = "`{name}` must be {what}, but is {value!r}."
    A030 = "There is no pair to train on: {left_out}. Training takes paraphrases, with the label 1."
    A031 = (
        "{count:,} attempts with a similarity leave none to train on or none to test on. Give more attempts, or change "
        "`--test` or `--words`."
    )
    A032 = (
        "Can't read rewards from {path}: {reason}. `paws apt train --loss reward` writes a curve with them at its end."
    )
    A033 = (
        "Can't compute gains from {path}: {reason}. Give what `paws evaluate --examples` wrote for several models, and "
        "the name of one of them."
    )
    A034 = (
        "None of {count:,} pairs can be used: {short:,} are paraphrases (label 1){limit}, and all of these have a "
        "sentence of `--apart-from`. Give other pairs, or more `--words`."
    )
