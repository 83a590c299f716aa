import random

from hypothesis import given
from hypothesis import strategies as st

from paws_back_translation.sampling import choose
from paws_components.records import PairRecord


def record(i, rate):
    return PairRecord(f"s{i}", f"t{i}", generator="back_translation", evidence={"inversion_rate": rate})


def run(rates, share=0.5, seed=0, above=0.02):
    records = [record(i, rate) for i, rate in enumerate(rates)]
    stays = choose(records, above, share, seed)
    return [r for r in records if stays(r)]


@given(st.lists(st.sampled_from([0.0, 0.02, 0.021, 0.5]), max_size=60), st.sampled_from([0.0, 0.3, 0.5, 0.7, 1.0]))
def test_the_share_holds_and_no_reordered_one_is_lost(rates, share):
    kept = [r.evidence["inversion_rate"] for r in run(rates, share)]
    high, low = sum(rate > 0.02 for rate in rates), sum(rate <= 0.02 for rate in rates)
    kept_low = sum(rate <= 0.02 for rate in kept)
    assert sum(rate > 0.02 for rate in kept) == high
    if share == 0:
        assert kept_low == low
    else:
        assert not kept or high / len(kept) >= share - 1e-9
        # As many as there is room for, and no fewer.
        assert kept_low == low or (high / (len(kept) + 1) < share + 1e-9)


def test_the_draw_does_not_depend_on_order_and_does_on_the_seed():
    rates = [0.5] * 20 + [0.0] * 200
    records = [record(i, rate) for i, rate in enumerate(rates)]
    shuffled = random.Random(1).sample(records, len(records))
    ids = {r.id for r in run(rates)}
    stays = choose(shuffled, 0.02, 0.5, 0)
    assert {r.id for r in shuffled if stays(r)} == ids and len(ids) == 40
    assert {r.id for r in run(rates, seed=1)} != ids


def test_the_draw_is_even():
    """Early and late pairs are as likely to stay."""
    kept = [int(r.sentence1[1:]) for r in run([0.5] * 500 + [0.0] * 1000)]
    low = [i for i in kept if i >= 500]
    assert len(low) == 500 and 200 < sum(i < 1000 for i in low) < 300
