"""The file formats of word vectors, one module each; `relrep.vectors.files` finds out which one a file is in."""
