import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paws_apt.reward import passes, reward

similarities = st.floats(-3, 2, allow_nan=False)


@pytest.mark.parametrize(
    "mi, similarity, expected",
    [(1, 0.0, 0.25), (1, -10.0, 1.0), (0, -1.0, 0.0), (1, 0.5, 1 / (1 + math.e**2.5) ** 2), (1, 0.5001, 0.0)],
)
def test_equation_1(mi, similarity, expected):
    assert reward(mi, similarity) == pytest.approx(expected)


@given(st.booleans(), similarities, similarities)
def test_paid_exactly_where_it_passes_and_the_less_similar_the_more(mi, similarity, threshold):
    paid = reward(mi, similarity, threshold)
    assert (paid > 0) == passes(mi, similarity, threshold) == (mi and similarity <= threshold)
    assert 0 <= paid < 1 and reward(mi, similarity - 0.1, threshold) >= paid


def test_a_threshold_far_off_the_scale():
    assert reward(True, 1e6, 1e9) == pytest.approx(0.0) and passes(True, 1e6, 1e9)


def test_within_a_cent_of_what_was_paid(data_dir):
    from paws_components.readers import open_pairs

    rows = list(open_pairs(data_dir / "apt" / "final_checks.tsv", "apt_attempts"))
    paid = [float(row.columns["dollar"]) for row in rows]
    ours = [reward(row.label == 1, float(row.columns["BLEURT"])) for row in rows]
    close = sum(abs(one - two) <= 0.01 for one, two in zip(ours, paid))
    assert len(rows) == 5007 and close / len(rows) >= 0.995
