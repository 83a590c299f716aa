"""Putting pairs right: corrections, layouts of corpora, audit and repair."""
