"""Word swapping (PAWS, section 3.1): templates, search, list pruning and surface form, as plain functions."""
