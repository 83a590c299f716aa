from containment import Contained

from paws_apt.judging import Judge
from paws_apt.schedule import Schedule, attempt_all


def test_the_paper_s_rounds():
    rounds = [(step.number, step.samples, step.top_k, step.top_p) for step in Schedule()]
    assert rounds == [(1, 10, 120, 0.95), (2, 10, 140, 0.9), (3, 10, 160, 0.85), (4, 10, 180, 0.8), (5, 10, 200, 0.75)]


class Recorder:
    """A sampler that writes its sentence, round and sample, and notes what it was asked."""

    def __init__(self):
        self.asked = []

    def __call__(self, sentences, step):
        self.asked.append((step.number, list(sentences)))
        return [[f"{sentence} {step.number}.{j}" for j in range(1, step.samples + 1)] for sentence in sentences]


def passing_at(rounds):
    """A judge that is content with the second sample of a given round of each sentence."""

    def implication(pairs):
        return [Contained(1.0, 1.0, text == f"{source} {rounds.get(source)}.2") for source, text in pairs]

    return Judge(implication, lambda pairs: [0.1 for _ in pairs])


def test_a_round_is_finished_and_then_ends_what_passed():
    sampler = Recorder()
    attempts = attempt_all(["a", "b", "c"], sampler, passing_at({"a": 1, "b": 3}), Schedule(samples=4))
    assert sampler.asked == [(1, ["a", "b", "c"]), (2, ["b", "c"]), (3, ["b", "c"]), (4, ["c"]), (5, ["c"])]
    assert [len(found) for found in attempts] == [4, 12, 20]
    assert [each.text for each in attempts[0]] == ["a 1.1", "a 1.2", "a 1.3", "a 1.4"]
    assert [(each.round, each.sample) for each in attempts[1] if each.judgement.passed] == [(3, 2)]
    assert attempts[2][-1][:3] == ("c 5.4", 5, 4)


def test_nothing_to_do():
    sampler = Recorder()
    assert attempt_all([], sampler, passing_at({}), Schedule()) == [] and sampler.asked == []
    assert len(attempt_all(["a"], sampler, passing_at({}), Schedule())[0]) == 50
