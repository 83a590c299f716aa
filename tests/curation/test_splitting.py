import pytest

from paws_components.curation.splitting import sentence_keys, set_apart, without_shared, write_parts
from paws_components.errors import PawsError
from paws_components.records import PairRecord, read_records


def chains(count):
    """Pairs that hang together in threes: (a, b), (b, c), (d, d's other), and so on."""
    return [
        PairRecord(f"one {i}", f"two {i}", label=1)
        if kind == 0
        else PairRecord(f"Two {i} !", f"three {kind} {i}", label=0)
        for i in range(count)
        for kind in range(3)
    ]


def test_parts_share_no_sentence():
    pairs = chains(20)
    apart, rest = set_apart(pairs, 16, seed=2)
    assert len(apart) == 15 and len(apart) + len(rest) == len(pairs)
    assert not sentence_keys(apart) & sentence_keys(rest)
    assert rest == without_shared(pairs, apart)
    assert (apart, rest) == set_apart(pairs, 16, seed=2) and set_apart(pairs, 16, seed=3)[0] != apart


def test_parts_are_written_and_counted(tmp_path):
    pairs = chains(2)
    assert write_parts({"train": pairs, "dev": pairs[1:3]}, tmp_path / "new") == {
        **{"train": 6, "train_paraphrases": 2},
        **{"dev": 2, "dev_paraphrases": 0},
    }
    assert list(read_records(tmp_path / "new" / "train.jsonl")) == pairs
    with pytest.raises(PawsError, match=r"\[P152\].*'dev'"):
        write_parts({"train": pairs, "dev": []}, tmp_path / "other")
    assert not (tmp_path / "other").exists()
