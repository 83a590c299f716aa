"""Attacks on paraphrase classifiers by modification with shared words, for paws-components.

The sections and tables that comments name are those of Shi and Huang, "Robustness to Modification with Shared Words in
Paraphrase Identification" (Findings of EMNLP 2020).
"""

__version__ = "0.1.0"
