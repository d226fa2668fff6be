"""relrep: word vectors that carry the semantic relations between words, learnt from plain text."""

__version__ = "0.1.0"
