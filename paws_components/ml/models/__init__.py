"""The architectures, a file each, for spaCy's own `textcat`."""
