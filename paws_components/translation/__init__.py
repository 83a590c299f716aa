"""Translating corpora: pairs as PAWS-X did it, texts, and one side of a parallel corpus."""
