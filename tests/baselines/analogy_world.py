"""A tiny world for the baselines' tests: every word has a kind and a gender, and neighbours that show both."""

import numpy as np
from numpy.typing import NDArray

from relrep.text.encoded import EncodedCorpus

KINDS = 12
GENDERS = 2


def world(sentences: int = 10_000, seed: int = 0) -> EncodedCorpus:
    """Sentences such as "k3b noun3_1 g1a the g1c": neighbours of the kind, of the gender, and of neither."""
    random = np.random.default_rng(seed)
    held = []
    for _ in range(sentences):
        kind, gender = int(random.integers(KINDS)), int(random.integers(GENDERS))
        words = [f"noun{kind}_{gender}"]
        words += [f"k{_mostly(kind, KINDS, random)}{'abcd'[random.integers(4)]}" for _ in range(2)]
        words += [f"g{_mostly(gender, GENDERS, random)}{'abcd'[random.integers(4)]}" for _ in range(2)]
        words += [f"filler{random.integers(20)}" for _ in range(2)]
        random.shuffle(words)
        held.append(words)
    return EncodedCorpus.from_sentences(held)


def _mostly(value: int, values: int, random: np.random.Generator) -> int:
    """The value itself, or now and then another: GloVe learns nothing from counts of zero."""
    return value if random.random() < 0.7 else int(random.integers(values))


def analogy_accuracy(corpus: EncodedCorpus, vectors: NDArray[np.float32]) -> float:
    """The share of right answers to noun_i_0 : noun_i_1 :: noun_j_0 : ?, sought in the whole vocabulary."""
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    ids = corpus.vocabulary.id_of
    right = asked = 0
    for i in range(KINDS):
        for j in range(KINDS):
            if i == j:
                continue
            a, b, c, d = (ids[f"noun{k}_{g}"] for k, g in ((i, 0), (i, 1), (j, 0), (j, 1)))
            scores = unit @ (unit[b] - unit[a] + unit[c])
            scores[[a, b, c]] = -np.inf
            right += int(scores.argmax() == d)
            asked += 1
    return right / asked
