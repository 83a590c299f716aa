"""Every message of this package, each under a code that can be searched for."""

from paws_components.errors import Coded


class Errors(metaclass=Coded):
    A001 = (
        "There is no known threshold for the similarity {name!r}{which}. It belongs to the similarity: each has a "
        "scale of its own: the paper's 0.5 is for the first BLEURT checkpoints. Set `threshold` to the highest "
        "similarity that an adversarial paraphrase may have."
    )
    A002 = (
        "Line {line} of {path} is no attempt: {reason}. An attempt has a sentence, a paraphrase and an MI verdict "
        "(0 or 1), and perhaps a similarity; `paws audit` says more about the file."
    )
