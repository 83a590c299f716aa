"""Corpora of pairs: reading them as published, finding and fixing what is wrong with them, correcting labels."""
