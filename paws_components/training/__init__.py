"""What `spacy train` needs to learn from pairs: readers, batchers, augmenters."""
