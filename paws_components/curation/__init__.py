"""Corpora of pairs: reading them as published, finding and mending what is wrong with them, correcting labels."""
