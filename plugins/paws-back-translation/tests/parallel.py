"""A few dozen sentence pairs that a tiny model can learn something from."""

SUBJECTS = [("A man", "Ein Mann"), ("A woman", "Eine Frau"), ("The old dog", "Der alte Hund"), ("A boy", "Ein Junge")]
VERBS = [("sleeps", "schläft"), ("runs", "rennt"), ("sings", "singt"), ("waits", "wartet")]
PLACES = [("on the street.", "auf der Straße."), ("in the water.", "im Wasser."), ("near a tree.", "bei einem Baum.")]
SENTENCES = [tuple(map(" ".join, zip(s, v, p))) for s in SUBJECTS for v in VERBS for p in PLACES]
SIZES = {"width": 16, "ffn": 32, "encoder_layers": 1, "decoder_layers": 1, "heads": 2}
SIZES.update(batch_tokens=200, warmup=3, lr=0.01)


def write_corpus(folder):
    """train.en, train.de, val.en and val.de."""
    folder.mkdir(parents=True)
    for split, pairs in (("train", SENTENCES), ("val", SENTENCES[::5])):
        for language, side in zip(("en", "de"), zip(*pairs)):
            (folder / f"{split}.{language}").write_text("\n".join(side) + "\n", encoding="utf8")
    return folder
