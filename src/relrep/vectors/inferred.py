"""Vectors for words that have none: from their spelling (bag of substrings) or from contexts (à la carte).

spelling   v = Σ z_g / √|G| over the known n-grams G of the word          (relrep.coherence.subwords)
contexts   v = A c,  c the mean vector of the words around it             (Khodak et al. 2018)
           A = argmin Σ_w log(1 + n_w) |v_w − A c_w|² + λ |A|²,  c_w and n_w as in a sample of the text
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from relrep.coherence.subwords import Subwords, ngrams_of
from relrep.core.arrays import Floats, Ints, Longs
from relrep.core.files import written_whole
from relrep.core.linalg import unit_rows
from relrep.core.tensors import map_tensors, write_tensors
from relrep.errors import RelrepError

WINDOW, SAMPLE_TOKENS, BLOCK_TOKENS, LEAST_SEEN = 5, 4_000_000, 1 << 16, 5
"""Words to either side are context; so much of the text is looked at, in blocks spread over it; a word seen as often in
them helps to learn A."""
RIDGE = 1.0
NGRAMS_FILE, TENSORS_FILE = "ngrams.txt", "inferred.safetensors"


@dataclass(frozen=True, eq=False)
class Inference:
    """What vectors of unknown words are made of: those of n-grams, and A (None without a text)."""

    ngrams: dict[str, int]
    ngram_vectors: Floats
    context_map: Floats | None = None

    @classmethod
    def learn(
        cls, words: Sequence[str], vectors: Floats, counts: Longs | None = None, tokens: Ints | None = None
    ) -> "Inference":
        """Learns from words that have vectors, `counts` how often they were seen (None: often), `tokens` their text."""
        unit = unit_rows(np.asarray(vectors, dtype=np.float32))
        belief = (unit != 0).any(axis=1).astype(np.float32)
        if counts is not None:
            belief *= (counts / (counts + 30)).astype(np.float32)
        subwords = Subwords.of(words)
        context_map = None if tokens is None else learn_context_map(tokens, unit)
        return cls(subwords.ids, subwords.fit(unit, belief), context_map)

    def from_spelling(self, word: str) -> Floats:
        """A vector of unit length; a RelrepError where no n-gram of the word is known."""
        rows = [self.ngrams[ngram] for ngram in ngrams_of(word) if ngram in self.ngrams]
        if not rows:
            raise RelrepError(f"nothing is known of {word!r}, neither the word nor a part of it; check its spelling")
        return _unit(self.ngram_vectors[rows].sum(axis=0, dtype=np.float32))

    def from_contexts(self, around: Floats) -> Floats:
        """A vector of unit length, by the vectors of the words that stand around the word, a row each."""
        if self.context_map is None:
            raise RelrepError("contexts say nothing without a text to learn from; ask a model that has its index")
        if not len(around):
            raise RelrepError("no word of the contexts has a vector; give sentences of the model's language")
        mean = unit_rows(around).mean(axis=0, dtype=np.float32)
        return _unit(mean @ self.context_map)

    def write(self, folder: Path) -> None:
        """Leaves what was learnt in `folder`, which appears whole."""
        tensors: dict[str, NDArray[Any]] = {"ngrams": self.ngram_vectors.astype(np.float16)}
        if self.context_map is not None:
            tensors["contexts"] = self.context_map
        with written_whole(folder) as part:
            part.mkdir()
            (part / NGRAMS_FILE).write_text("\n".join(self.ngrams), encoding="utf-8")
            write_tensors(part / TENSORS_FILE, tensors)

    @classmethod
    def read(cls, folder: Path) -> "Inference":
        """What `write` left."""
        ngrams = (folder / NGRAMS_FILE).read_text(encoding="utf-8").split("\n")
        tensors = map_tensors(folder / TENSORS_FILE)
        if len(ngrams) != len(tensors["ngrams"]):
            raise RelrepError(f"{folder}: n-grams and vectors do not fit each other; remove the folder")
        return cls({ngram: row for row, ngram in enumerate(ngrams)}, tensors["ngrams"], tensors.get("contexts"))


def _unit(vector: Floats) -> Floats:
    return np.asarray(unit_rows(vector[None])[0])


def learn_context_map(tokens: Ints, unit: Floats) -> Floats:
    """A, by weighted least squares from the mean vectors around the words of a sample of the text."""
    from scipy.sparse import csr_matrix

    n_words, dim = unit.shape
    sums, seen = np.zeros((n_words, dim), dtype=np.float32), np.zeros(n_words)
    n_blocks = -(-min(len(tokens), SAMPLE_TOKENS) // BLOCK_TOKENS)
    for begin in np.linspace(0, max(0, len(tokens) - BLOCK_TOKENS), n_blocks).astype(np.int64).tolist():
        ids = np.asarray(tokens[begin : begin + BLOCK_TOKENS])
        known, sentence = ids >= 0, np.cumsum(ids == -1)
        vectors = np.where(known[:, None], unit[np.maximum(ids, 0)], 0)
        around, n_around = np.zeros_like(vectors), np.zeros(len(ids))
        for offset in range(1, min(WINDOW, len(ids) - 1) + 1):
            together = sentence[offset:] == sentence[:-offset]
            around[:-offset] += together[:, None] * vectors[offset:]
            around[offset:] += together[:, None] * vectors[:-offset]
            n_around[:-offset] += together & known[offset:]
            n_around[offset:] += together & known[:-offset]
        places = np.flatnonzero(known & (n_around > 0))
        which = csr_matrix((1 / n_around[places], (ids[places], places)), shape=(n_words, len(ids)), dtype=np.float32)
        sums += which @ around
        seen += np.bincount(ids[places], minlength=n_words)
    chosen = np.flatnonzero((seen >= LEAST_SEEN) & (unit != 0).any(axis=1))
    weights = np.log1p(seen[chosen])[:, None]
    means = (sums[chosen] / seen[chosen, None]).astype(np.float64)
    square = means.T @ (weights * means) + RIDGE * np.eye(dim)
    return np.asarray(np.linalg.solve(square, means.T @ (weights * unit[chosen])), dtype=np.float32)


def rows_around(word: str, contexts: Iterable[str | Sequence[str]], find: dict[str, int]) -> list[int]:
    """The rows of the words within reach of `word` in contexts (texts, or lists of tokens); of all, where it is absent.

    >>> rows_around("grok", ["they grok it", ["cats"]], {"they": 0, "it": 1, "cats": 2})
    [0, 1, 2]
    """
    rows: list[int] = []
    for context in contexts:
        tokens = context.split() if isinstance(context, str) else list(context)
        places = [at for at, token in enumerate(tokens) if word in (token, token.lower())]
        windows = [[*tokens[max(0, at - WINDOW) : at], *tokens[at + 1 :][:WINDOW]] for at in places]
        for near in windows or [tokens]:
            rows += [row for token in near if (row := find.get(token, find.get(token.lower(), -1))) >= 0]
    return rows
