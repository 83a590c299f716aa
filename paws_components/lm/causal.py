def make_causal_lm(name: str):
    pass
