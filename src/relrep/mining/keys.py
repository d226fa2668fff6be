"""Patterns as numbers: one 64-bit code a pattern, so that rows of patterns can be sorted and compared without texts.

A code holds the kind and, for a unigram or bigram, its tokens; for a whole midfix a 59-bit fingerprint of them. A key
is a code with the direction as its lowest bit: 0 where the pair's first word stands before its second.
"""

import numpy as np
from numpy.typing import NDArray

from relrep.mining.settings import PATTERN_KINDS

TOKEN_BITS = 28
"""Ids in a code have this many bits; a vocabulary is smaller than 2²⁸ words."""
UNIGRAM, BIGRAM, MIDFIX = 1, 2, 3
KIND_SHIFT = 60
"""Where the kind stands in a key."""
MIDFIX_MASK = (1 << (KIND_SHIFT - 1)) - 1
SEED, PRIME = 1469598103934665603, 1099511628211
OFFSET = 3
"""Added to a token, so that unknown tokens and sentence ends are positive too."""


def pattern_codes(ngrams: NDArray[np.int32], kinds: NDArray[np.uint8]) -> NDArray[np.int64]:
    """The codes of patterns: rows of tokens (−1 behind the last) and places of their kinds in PATTERN_KINDS.

    >>> pattern_codes(np.array([[7, -1], [7, 5], [7, 5]], dtype=np.int32), np.array([0, 1, 2])).tolist()[0] - (1 << 59)
    10
    """
    tokens = ngrams.astype(np.int64) + OFFSET
    codes = (np.int64(UNIGRAM) << (KIND_SHIFT - 1)) | tokens[:, 0]
    if ngrams.shape[1] > 1:
        bigrams = (np.int64(BIGRAM) << (KIND_SHIFT - 1)) | (tokens[:, 0] << TOKEN_BITS) | tokens[:, 1]
        codes = np.where(kinds == PATTERN_KINDS.index("bigram"), bigrams, codes)
    fingerprint = np.full(len(ngrams), np.uint64(SEED))
    for step in range(ngrams.shape[1]):
        further = (fingerprint ^ tokens[:, step].astype(np.uint64)) * np.uint64(PRIME)
        fingerprint = np.where(ngrams[:, step] >= 0, further ^ (further >> np.uint64(29)), fingerprint)
    wholes = (np.int64(MIDFIX) << (KIND_SHIFT - 1)) | (fingerprint & np.uint64(MIDFIX_MASK)).astype(np.int64)
    return np.where(kinds == PATTERN_KINDS.index("midfix"), wholes, codes)
