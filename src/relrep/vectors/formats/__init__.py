"""The file formats of word vectors, one module each; `detection` finds out by content which one a file is in."""
