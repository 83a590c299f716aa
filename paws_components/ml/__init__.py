"""The pair classifiers: `models/` an architecture a file, `layers/` what they share, `nets/` the parts in torch."""
