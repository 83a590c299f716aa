"""What `spacy train` takes from us besides architectures: corpus readers, batchers, scorers, augmenters."""
