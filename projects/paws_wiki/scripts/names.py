"""The names of models, corpora, mixes, and of what is trained: `diin-wiki` is DIIN on PAWS-Wiki alone."""

from typing import Dict, List, Tuple

# As the paper's Table 8 calls them; the transformer stands where it has BERT.
TITLES = {
    "bow": "BOW",
    "bilstm": "BiLSTM",
    "esim": "ESIM",
    "decatt": "DecAtt",
    "decatt_bilstm": "DecAtt + BiLSTM",
    "diin": "DIIN",
    "transformer": "transformer",
}
# The runs of Table 8: trained on labelled pairs alone; on silver pairs alone; on these, then on labelled pairs.
SUPERVISED, PRETRAINED, FINE_TUNED = "wiki", "silver", "silver-wiki"
# The corpora of Table 9. All but the last have a part to choose the checkpoint by, and one to test on.
QQP, PAWS_QQP, PAWS_WIKI, SWAP = "qqp", "paws_qqp", "paws_wiki", "swap"
TEST_SETS = {"qqp_test": "QQP", "paws_qqp_test": "PAWS-QQP", "paws_wiki_test": "PAWS-Wiki"}
# The training mixes of Table 9, in its order.
MIXES: Dict[str, Tuple[str, ...]] = {
    "+".join(parts): parts
    for parts in (
        (QQP,),
        (QQP, PAWS_QQP),
        (QQP, PAWS_WIKI),
        (QQP, PAWS_WIKI, SWAP),
        (QQP, PAWS_QQP, PAWS_WIKI),
        (QQP, PAWS_QQP, PAWS_WIKI, SWAP),
    )
}


def run_name(model: str, trained_on: str) -> str:
    return f"{model}-{trained_on}"


def check_models(models: List[str]) -> None:
    for model in models:
        if model not in TITLES:
            raise SystemExit(f"there is no model '{model}': take {', '.join(TITLES)}")
