"""Corpora: their cards, the data folder, fetching; and the sample texts."""

from .cards import Card, Split, all_cards, get_card, get_split
from .fetching import fetch_split
from .folder import data_folder, find_held, held_splits, is_corpus, source_path
from .joining import join_split
from .samples import sample_text

__all__ = [
    "Card",
    "Split",
    "all_cards",
    "data_folder",
    "fetch_split",
    "find_held",
    "get_card",
    "get_split",
    "held_splits",
    "is_corpus",
    "join_split",
    "sample_text",
    "source_path",
]
