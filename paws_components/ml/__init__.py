"""The pair classifiers: `models/` an architecture per file, `layers/` what they share, `nets/` the parts in torch."""
