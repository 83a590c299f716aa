"""Pairs drawn in displaCy's manner, and the HTML report."""
