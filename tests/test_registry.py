"""Everything in setup.cfg's entry points loads under its name, and every name has a case here."""

from importlib.metadata import distribution

import spacy


def textcat(architecture):
    """A pipeline with a classifier of the architecture, from its name alone."""
    return spacy.blank("en").add_pipe("textcat", config={"model": {"@architectures": architecture}})


def build_tok2vec():
    return spacy.registry.architectures.get("spacy.HashEmbedCNN.v2")(
        width=8,
        depth=1,
        embed_size=10,
        window_size=1,
        maxout_pieces=2,
        subword_features=False,
        pretrained_vectors=None,
    )


CASES = {
    "paws_template_tagger": lambda: spacy.blank("en").add_pipe("paws_template_tagger"),
    "paws_swapper": lambda: spacy.blank("en").add_pipe("paws_swapper"),
    "paws_generator": lambda: spacy.blank("en").add_pipe("paws_generator"),
    "paws_pair": lambda: spacy.blank("en").add_pipe("paws_pair"),
    "paws_pair_metrics": lambda: spacy.blank("en").add_pipe("paws_pair_metrics", config={"metrics": ["wpd"]}),
    "paws_mi": lambda: spacy.blank("en").add_pipe("paws_mi", config={"model": "no-such/model"}),
    "paws.Transformer.v1": lambda: spacy.registry.architectures.get("paws.Transformer.v1")("no-such/model"),
    "paws.PooledPair.v1": lambda: spacy.registry.architectures.get("paws.PooledPair.v1")(build_tok2vec()),
    "paws.paraphrase_scorer.v1": lambda: spacy.registry.scorers.get("paws.paraphrase_scorer.v1")(),
    "paws.KenLM.v1": lambda: spacy.registry.misc.get("paws.KenLM.v1"),
    "paws.CausalLM.v1": lambda: spacy.registry.misc.get("paws.CausalLM.v1"),
    "paws.LanguageModel.v1": lambda: spacy.registry.misc.get("paws.LanguageModel.v1"),
    "paws.Judge.v1": lambda: spacy.registry.misc.get("paws.Judge.v1"),
    "paws.EmbeddedJudge.v1": lambda: spacy.registry.misc.get("paws.EmbeddedJudge.v1")(lang="en"),
    "paws.NeuralJudge.v1": lambda: spacy.registry.misc.get("paws.NeuralJudge.v1"),
    "paws.BLEURT.v1": lambda: spacy.registry.misc.get("paws.BLEURT.v1")("no-such/model"),
    "paws.CharacterTokenizer.v1": lambda: spacy.registry.tokenizers.get("paws.CharacterTokenizer.v1")(),
    "paws.PairCorpus.v1": lambda: spacy.registry.readers.get("paws.PairCorpus.v1")(path="pairs.tsv"),
    "paws.batch_pairs.v1": lambda: spacy.registry.batchers.get("paws.batch_pairs.v1")(size=8),
    "paws.swap_augmenter.v1": lambda: spacy.registry.augmenters.get("paws.swap_augmenter.v1")(level=0.1),
    "paws.WordEmbed.v1": lambda: spacy.registry.architectures.get("paws.WordEmbed.v1")(),
    "paws.WordEmbed.v2": lambda: spacy.registry.architectures.get("paws.WordEmbed.v2")(),
    "paws.no_first_evaluation.v1": lambda: spacy.registry.callbacks.get("paws.no_first_evaluation.v1")(),
    "paws.go_on_from.v1": lambda: spacy.registry.callbacks.get("paws.go_on_from.v1")(path=None),
    "paws.BOW.v1": lambda: textcat("paws.BOW.v1"),
    "paws.BiLSTM.v1": lambda: textcat("paws.BiLSTM.v1"),
    "paws.ESIM.v1": lambda: textcat("paws.ESIM.v1"),
    "paws.DecAtt.v1": lambda: textcat("paws.DecAtt.v1"),
    "paws.BiMPM.v1": lambda: textcat("paws.BiMPM.v1"),
    "paws.DIIN.v1": lambda: textcat("paws.DIIN.v1"),
}


def test_every_entry_point_has_a_case_and_loads():
    points = [p for p in distribution("paws-components").entry_points if p.group.startswith("spacy_")]
    assert {point.name for point in points} == set(CASES)
    for point in points:
        assert callable(point.load())
        assert CASES[point.name]() is not None
