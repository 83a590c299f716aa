"""A few dozen made-up pairs, in the files that QQP and PAWS-QQP come in."""

import csv

CITIES = ["Oslo", "Bonn", "Rome", "Lima", "Cairo", "Quito", "Paris", "Delhi"]
QQP = [
    (f"How do I get from {a} to {b}?", f"What is the {way} from {a} to {b}?", float(way == "way"))
    for a, b in zip(CITIES, CITIES[1:] + CITIES[:1])
    for way in ("way", "history of trade")
] + [(f"Is {a} old?", f"Is {a} an old {what}?", float(what == "city")) for a in CITIES for what in ("city", "name")]
PAWS = [
    (f"Are flights {price} from {a} to {b} ?", f"Are flights {price} {rest} ?", label)
    for a, b in zip(CITIES, CITIES[2:] + CITIES[:2])
    for price in ("cheap", "late")
    for rest, label in ((f"from {b} to {a}", 0), (f"to {b} from {a}", 1))
]
# One question of the test set is trained on in each corpus, written a little differently.
PAWS_TEST = [
    ("Is Oslo old ?", "Is old Oslo ?", 0),
    ("Are flights cheap from Oslo to Rome ?", "Are cheap flights from Rome to Oslo ?", 0),
    ("Can a bad person become good ?", "Can a good person become bad ?", 0),
    ("Is it far from Bonn to Lima ?", "Is it far to Lima from Bonn ?", 1),
]


def write_quora(folder):
    (folder / "qqp").mkdir(parents=True)
    (folder / "paws_qqp").mkdir()
    with (folder / "qqp" / "quora-dev.tsv").open("w", encoding="utf8", newline="") as file:
        writer = csv.writer(file, delimiter="\t")
        writer.writerow(["", "id", "sentence1", "sentence2", "is_duplicate"])
        writer.writerows([i, f"id{i}", *pair] for i, pair in enumerate(QQP))
        writer.writerow([len(QQP), "none", "Who has no label?", "Who has a label?", ""])
    for name, pairs in (("train", PAWS), ("dev_and_test", PAWS_TEST)):
        rows = ["id\tsentence1\tsentence2\tlabel", *(f"{i}\t{a}\t{b}\t{y}" for i, (a, b, y) in enumerate(pairs, 1))]
        (folder / "paws_qqp" / f"{name}.tsv").write_text("\n".join(rows) + "\n", encoding="utf8")
