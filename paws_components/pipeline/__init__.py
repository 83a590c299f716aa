"""The spaCy components, a file each."""
