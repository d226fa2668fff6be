"""What training starts from, as `--init` names it: random vectors, baselines, files of vectors, or several united."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from relrep.baselines.settings import SYSTEMS
from relrep.core.arrays import Floats
from relrep.core.linalg import product_over_rows, unit_rows
from relrep.errors import RelrepError
from relrep.text.vocabulary import Vocabulary


@dataclass(frozen=True)
class Start:
    """The parts of a start, in order: names of baselines and files of vectors; none: random vectors.

    >>> Start.named("ivlbl+cbow").systems, Start.named("random").parts
    (('ivlbl', 'cbow'), ())
    """

    parts: tuple[str, ...]

    @classmethod
    def named(cls, init: str) -> "Start":
        """A RelrepError where a part is neither a baseline nor a file."""
        if init == "random":
            return cls(())
        parts = (init,) if Path(init).exists() else tuple(dict.fromkeys(init.split("+")))
        wrong = next((part for part in parts if part not in SYSTEMS and not Path(part).exists()), None)
        if wrong is not None:
            of = f" of init {init!r}" if len(parts) > 1 else ""
            raise RelrepError(
                f"init is {wrong!r}{of}, which is no file of vectors, nor random, nor a baseline or several with + "
                f"between them ({', '.join(SYSTEMS)}); check the name"
            )
        return cls(parts)

    @property
    def systems(self) -> tuple[str, ...]:
        """The baselines among the parts; a name stands for one before it stands for a file."""
        return tuple(part for part in self.parts if part in SYSTEMS)

    @property
    def files(self) -> tuple[str, ...]:
        return tuple(part for part in self.parts if part not in SYSTEMS)


def random_vectors(n_words: int, dim: int, seed: int) -> Floats:
    """Unit Gaussian vectors."""
    return np.random.default_rng(seed).standard_normal((n_words, dim), dtype=np.float32)


def given_vectors(
    vocabulary: Vocabulary, words: Sequence[str], vectors: Floats, name: str
) -> tuple[Vocabulary, Floats]:
    """The vocabulary of corpus and given vectors together, and the initial vectors of all its words.

    Words of the corpus come first and keep their ids; words of which the corpus says nothing follow with count 0 and
    keep their vectors. A word of the corpus without a given vector starts at zero.
    """
    extra = [word for word in words if word not in vocabulary.id_of]
    if len(extra) == len(words):
        raise RelrepError(f"{name}: no word of these vectors occurs in the corpus; check language and letter case")
    united = Vocabulary(
        [*vocabulary.words, *extra], np.concatenate([vocabulary.counts, np.zeros(len(extra), np.int64)])
    )
    initial = np.zeros((len(united), vectors.shape[1]), dtype=np.float32)
    rows = np.array([united.id_of[word] for word in words], dtype=np.int64)
    initial[rows] = vectors
    return united, initial


def meta_embedding(several: Sequence[Floats], dim: int, n_words: int | None = None) -> Floats:
    """The vectors of several systems, a row a word in each, as one of `dim` coordinates (concatenation and SVD).

    A word's vectors, each at unit length, side by side; then the `dim` directions that hold most of the squares of the
    words that all systems know (a singular value decomposition). A system may have fewer than `n_words` rows: it does
    not know the last ones. What one system misses of a word another may have seen, and what is chance in one is
    hardly chance in all. The mean length is that of the systems, as AdaGrad's steps do not know how long vectors are.
    """
    n_words = len(several[0]) if n_words is None else n_words
    beside = np.zeros((n_words, sum(vectors.shape[1] for vectors in several)), dtype=np.float32)
    known = np.ones(n_words, dtype=np.bool_)
    at = 0
    for vectors in several:
        beside[: len(vectors), at : at + vectors.shape[1]] = unit_rows(vectors)
        known[: len(vectors)] &= (vectors != 0).any(axis=1)
        known[len(vectors) :] = False
        at += vectors.shape[1]
    dim = min(dim, beside.shape[1])
    learnt = beside[known] if known.any() else beside
    directions = np.linalg.eigh(product_over_rows(learnt, learnt))[1][:, ::-1][:, :dim]  # the largest values first
    largest = np.abs(directions).argmax(axis=0)
    directions *= np.sign(directions[largest, np.arange(dim)])  # which of the two signs is left open otherwise
    del learnt
    united = beside @ directions.astype(np.float32)
    length = np.mean([_mean_length(vectors) for vectors in several])
    return np.asarray(united * np.float32(length / (_mean_length(united) or 1)), dtype=np.float32)


def _mean_length(vectors: Floats) -> float:
    """Of the words that have a vector."""
    lengths = np.linalg.norm(vectors, axis=1)
    return float(lengths.sum(dtype=np.float64)) / max(1, int((lengths > 0).sum()))
