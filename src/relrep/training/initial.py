"""Initial vectors: random, or given ones."""

import numpy as np
from numpy.typing import NDArray

from relrep.corpus import Vocabulary
from relrep.errors import RelrepError
from relrep.vectors import WordVectors


def random_vectors(n_words: int, dim: int, seed: int) -> NDArray[np.float32]:
    """Unit Gaussian vectors."""
    return np.random.default_rng(seed).standard_normal((n_words, dim), dtype=np.float32)


def given_vectors(vocabulary: Vocabulary, given: WordVectors, name: str) -> tuple[Vocabulary, NDArray[np.float32]]:
    """The vocabulary of corpus and given vectors together, and the initial vectors of all its words.

    Words of the corpus come first and keep their ids; words of which the corpus says nothing follow with count 0 and
    keep their vectors. A word of the corpus without a given vector starts at zero.
    """
    extra = [word for word in given.index_to_key if word not in vocabulary.id_of]
    if len(extra) == len(given):
        raise RelrepError(f"{name}: no word of these vectors occurs in the corpus; check language and letter case")
    united = Vocabulary(
        [*vocabulary.words, *extra], np.concatenate([vocabulary.counts, np.zeros(len(extra), np.int64)])
    )
    vectors = np.zeros((len(united), given.vector_size), dtype=np.float32)
    for index, word in enumerate(united.words):
        row = given.key_to_index.get(word)
        if row is not None:
            vectors[index] = given.vectors[row]
    return united, vectors
