"""The command `paws attack`. Heavy imports happen inside it."""
