"""Corpora of sentence pairs: reading them as they are published, finding what is wrong with them, repairing them."""
