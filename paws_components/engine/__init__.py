"""Runs over large inputs: reading them line by line, spreading them over processes, counting every line."""
