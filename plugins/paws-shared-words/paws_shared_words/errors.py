"""Every message of this package, each under a code that can be searched for."""

from paws_components.plugin import Coded


class Errors(metaclass=Coded):
    S001 = (
        "The corpus has {there} {what}, and {wanted} were asked for. Ask for fewer (`--positives`, `--negatives`), or "
        "give a larger corpus. Positives are its pairs with the label 1; a negative is made from two different pairs."
    )
    S002 = "A pair to attack needs the label 1 or 0, but has {label!r}: {text!r}"
    S003 = "`{name}` must be {what}, but is {value!r}."
    S004 = "There is nothing to attack: `--positives` and `--negatives` are both 0."
    S010 = (
        "The masked language model needs {package!r}, which is not installed: `pip install 'paws-shared-words[mlm]'`."
    )
    S011 = (
        "Can't load the masked language model {name!r}: {reason}. Give `--mlm` a model of transformers with its "
        "weights as safetensors: a folder that `save_pretrained` wrote, or a name on the hub (`hf download {name}` "
        "brings it once, while there is a network)."
    )
    S012 = (
        "The masked language model {name!r} has {count} whole words that could be substitutes, fewer than the {wanted} "
        "that `--top-k` asks for. Give another model, or a smaller `--top-k`."
    )
    S013 = (
        "Only a BERT can be trained as a masked language model here, and {name!r} is of another kind ({kind}). Give "
        "`--encoder` one of BERT's kind, such as 'bert-base-uncased' or 'sentence-transformers/all-MiniLM-L6-v2'."
    )
    S014 = (
        "There is nothing to train on: no text has a sentence of 6 to 45 words, and there are no pairs. Give a TEXT "
        "with a paragraph per line, or `--pairs`."
    )
    S015 = "The loss is no longer a number at step {step}. Use a lower `--rate` and `--head-rate`."
    S016 = (
        "Can't load the {what} {name!r}: {reason}. Give `--encoder` a BERT of transformers with its weights as "
        "safetensors: a folder that `save_pretrained` wrote, an installed package that carries one, or a name on the "
        "hub (`hf download {name}` brings it once, while there is a network)."
    )
    S020 = "{path!r} is not a report of `paws attack`: {reason}. Write one with `--report NAME.json`."
    S021 = "{one!r} and {other!r} are not about the same examples. Attack both again with the same corpus and `--seed`."
