"""Natural language inference: whether a sentence entails another, and whether two entail each other."""
