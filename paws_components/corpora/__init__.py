"""Corpora: their cards, the data folder, and the sample texts. Fetching is in `fetching`, imported on use."""

from .cards import Card, Split, all_cards, get_card, get_split
from .folder import data_folder, find_held, held_splits, is_corpus, source_path
from .samples import sample_text

__all__ = [
    "Card",
    "Split",
    "all_cards",
    "data_folder",
    "find_held",
    "get_card",
    "get_split",
    "held_splits",
    "is_corpus",
    "sample_text",
    "source_path",
]
