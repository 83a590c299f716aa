"""BOW cosine, inversion rate, WPD, LD, and the metrics they are compared with: plain functions, a file each."""
