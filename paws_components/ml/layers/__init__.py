"""Layers that the architectures share, a file each. None of them imports torch before it is made."""
