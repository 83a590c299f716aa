"""A classifier for tests: pairs with the same words in the same order, punctuation aside, are paraphrases."""


def probabilities(pairs):
    return [0.9 if one.rstrip(".!") == two.rstrip(".!") else 0.1 for one, two in pairs]
