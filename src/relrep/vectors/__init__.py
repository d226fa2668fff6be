"""Word vectors and their file formats."""

from relrep.vectors.word_vectors import WordVectors

__all__ = ["WordVectors"]
