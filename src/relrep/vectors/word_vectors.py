"""WordVectors: words and their vectors, with the names gensim users know."""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from relrep.core.arrays import Doubles, Floats
from relrep.core.linalg import unit_rows
from relrep.errors import RelrepError
from relrep.progress import ProgressCallback, ignore
from relrep.text.vocabulary import Words
from relrep.vectors.files import read_vectors, write_vectors
from relrep.vectors.formats import Request
from relrep.vectors.inferred import Inference

Query = str | tuple[str, float]
"""A word, or a word with a weight."""
CASE_RULES = ("auto", "lower", "keep")
"""How words are looked up: as written and else in lower case; in lower case; as written."""
_LONGEST, _LONGEST_FOR_TWO_EDITS = 40, 14
_BLOCK_ROWS = 16_384
_MARGIN = 1e-4
"""Far more than float32 products of unit vectors can differ by rounding."""
_LETTERS = "abcdefghijklmnopqrstuvwxyz-'"


class UnknownWordError(RelrepError, KeyError):
    """A word that has no vector; the sentence suggests the closest spellings."""

    def __str__(self) -> str:
        return str(self.args[0])  # KeyError would show the sentence in quotes


class WordVectors:
    """An immutable table from words to vectors.

    >>> vectors = WordVectors(["cat", "dog"], np.eye(2, dtype=np.float32))
    >>> vectors["dog"].tolist()
    [0.0, 1.0]
    """

    def __init__(self, words: Sequence[str], vectors: NDArray[Any]) -> None:
        self.words = words if isinstance(words, Words) else Words(list(words))
        self.vectors = vectors
        if vectors.ndim != 2 or len(vectors) != len(self.words):
            raise RelrepError(f"vectors of shape {vectors.shape} do not fit {len(words)} words; give one row a word")
        if self.words is not words and len(self.key_to_index) < len(words):
            twice = next(word for at, word in enumerate(words) if self.key_to_index[word] != at)
            raise RelrepError(f"the word {twice!r} stands twice among the words; remove one of the two")

    @property
    def index_to_key(self) -> list[str]:
        """The words, row by row."""
        return self.words.listed

    @property
    def key_to_index(self) -> dict[str, int]:
        """From each word to its row."""
        return self.words.places

    @classmethod
    def load(
        cls,
        path: Path | str,
        *,
        limit: int | None = None,
        words: Iterable[str] | None = None,
        dtype: DTypeLike = np.float32,
        skip_bad: bool = False,
        progress: ProgressCallback = ignore,
    ) -> "WordVectors":
        """The vectors in a file or model folder; the format is found out by content.

        `limit` keeps the first so many words; `words` keeps only these, in the order of the file (words that are
        not there are passed over). A safetensors file and a model folder are memory-mapped. An entry that cannot
        be used (a duplicate, a NaN, a wrong width …) is an error, or, with `skip_bad`, left out.
        """
        if isinstance(words, str):
            raise RelrepError(f"words is the string {words!r}; it must be a collection of words")
        chosen = None if words is None else frozenset(words)
        request = Request(limit=limit, words=chosen, dtype=dtype, skip_bad=skip_bad)
        return cls(*read_vectors(Path(path), request, progress))

    def save(self, path: Path | str, format: str | None = None, progress: ProgressCallback = ignore) -> None:
        """Writes the vectors; the format by name, or by the suffix: .safetensors, .bin (word2vec binary), .vec
        (fastText), .txt and .w2v (word2vec text), .glove and .glove.txt; text also with .gz, .bz2, .xz or .zst.
        """
        write_vectors(Path(path), self.index_to_key, self.vectors, format, progress)

    @property
    def vector_size(self) -> int:
        return int(self.vectors.shape[1])

    def __len__(self) -> int:
        return len(self.words)

    def __repr__(self) -> str:
        return f"<WordVectors: {len(self)} words, {self.vector_size} dimensions>"

    def __contains__(self, word: object) -> bool:
        return word in self.words

    def __getitem__(self, word: str) -> NDArray[Any]:
        return self.vectors[self.index_of(word)]  # type: ignore[no-any-return]

    def find(self, word: str, case: str = "auto", without: Container[int] = ()) -> int | None:
        """The row of a word under a rule of case, None if it has none; rows `without` count as unknown.

        >>> vectors = WordVectors(["us", "US", "paris"], np.eye(3, dtype=np.float32))
        >>> vectors.find("US"), vectors.find("Paris"), vectors.find("Paris", "keep")
        (1, 2, None)
        """
        rows = (self.words.place(spelling) for spelling in spellings(word, case))
        return next((row for row in rows if row is not None and row not in without), None)

    def vector_for(self, word: str) -> Floats:
        """The vector of any word, of unit length: its own, or one inferred from its spelling (see Model.vector_for)."""
        row = self.find(word)
        if row is not None:
            return np.asarray(unit_rows(np.asarray(self.vectors[row], dtype=np.float32)[None])[0])
        return self._inference.from_spelling(word.lower())

    @cached_property
    def _inference(self) -> Inference:
        return Inference.learn(self.words, self.vectors)

    def row_of(self, word: str) -> int:
        """The row of a word that a person asks for, in their case; an unknown one is an UnknownWordError."""
        row = self.find(word)
        return self.index_of(word) if row is None else row

    def known_as(self, word: str) -> str:
        """A word that a person asks for, as it is written here; an unknown one is an UnknownWordError."""
        return self.words[self.row_of(word)]  # type: ignore[no-any-return]

    def index_of(self, word: str) -> int:
        """The row of a word as written; an unknown word is an UnknownWordError that suggests other spellings."""
        index = self.words.place(word)
        if index is None:
            close = closest_spellings(word, self.key_to_index)
            remedy = f"did you mean {' or '.join(map(repr, close))}?" if close else "choose another word"
            raise UnknownWordError(f"the word {word[:60]!r} has no vector; {remedy}")
        return index

    @cached_property
    def normalised(self) -> Floats:
        """The vectors at unit length (a zero vector stays zero)."""
        return unit_rows(self.vectors)

    @cached_property
    def _norms(self) -> Doubles:
        """The length of every row; 1 for a zero vector."""
        starts = range(0, len(self), _BLOCK_ROWS)
        blocks = (np.asarray(self.vectors[start : start + _BLOCK_ROWS], dtype=np.float64) for start in starts)
        norms = np.concatenate([np.sqrt((block * block).sum(axis=1)) for block in blocks])
        return np.where(norms == 0, 1.0, norms)

    def most_similar(
        self, positive: Query | Sequence[Query] = (), negative: Query | Sequence[Query] = (), topn: int = 10
    ) -> list[tuple[str, float]]:
        """The `topn` words closest in cosine to the positive words less the negative ones, with their cosines.

        All vectors count at unit length; the words asked about are left out; ties go by vocabulary order. A word
        may come with a weight, `(word, weight)`, which then stands for itself, sign and all, in either list.

        >>> vectors = WordVectors(["a", "b", "c"], np.array([[1, 0], [1, 1], [0, 1]], dtype=np.float32))
        >>> [word for word, _ in vectors.most_similar("a", topn=2)]
        ['b', 'c']
        """
        weights: dict[int, float] = {}
        for queries, sign in ((positive, 1.0), (negative, -1.0)):
            for word, weight in _weighted(queries, sign):
                index = self.index_of(word)
                weights[index] = weights.get(index, 0.0) + weight
        if not weights:
            raise RelrepError("no word was given to compare with; give at least one positive or negative word")
        query = np.zeros(self.vector_size, dtype=np.float64)
        for index, weight in weights.items():
            query += weight * self._unit(index)
        return self._nearest(query / (np.sqrt((query * query).sum()) or 1.0), topn, list(weights))

    def similar_by_vector(self, vector: NDArray[Any], topn: int = 10) -> list[tuple[str, float]]:
        """The `topn` words closest in cosine to a vector, with their cosines.

        >>> WordVectors(["a", "b"], np.eye(2, dtype=np.float32)).similar_by_vector(np.array([1.0, 3.0]), topn=1)
        [('b', 0.9486832980505138)]
        """
        query = np.asarray(vector, dtype=np.float64)
        if query.shape != (self.vector_size,):
            raise RelrepError(f"a vector of shape {query.shape} does not fit; give {self.vector_size} numbers")
        return self._nearest(query / (np.sqrt((query * query).sum()) or 1.0), topn, [])

    def _nearest(self, unit: Doubles, topn: int, excluded: list[int]) -> list[tuple[str, float]]:
        """The `topn` words with the greatest cosines: a blocked product finds candidates, float64 orders them."""
        if topn < 1:
            raise RelrepError(f"topn is {topn}; it must be at least 1")
        norms = self._norms
        in_range = self.vectors.dtype != np.float64 and norms.max() < 1e18 and norms.min() > 1e-18
        narrow = unit.astype(np.float32 if in_range else np.float64)
        scores = np.empty(len(self))
        for start in range(0, len(self), _BLOCK_ROWS):
            stop = start + _BLOCK_ROWS
            scores[start:stop] = self.vectors[start:stop].astype(narrow.dtype, copy=False) @ narrow / norms[start:stop]
        scores[excluded] = -np.inf
        topn = min(topn, len(self) - len(excluded))
        if topn == 0:
            return []
        near = np.flatnonzero(scores >= np.partition(scores, -topn)[-topn] - _MARGIN)
        # One fixed order of summation, and twelve digits: equal rows score equal wherever they stand.
        products = np.asarray(self.vectors[near], dtype=np.float64) * unit
        exact = np.clip(products.sum(axis=1) / norms[near], -1.0, 1.0)
        order = np.lexsort((near, -np.round(exact, 12)))[:topn]
        return [(self.words[int(near[at])], float(exact[at])) for at in order]

    def similarity(self, a: str, b: str) -> float:
        """The cosine between two words."""
        return float(np.clip((self._unit(self.index_of(a)) * self._unit(self.index_of(b))).sum(), -1.0, 1.0))

    def _unit(self, index: int) -> Doubles:
        vector = np.asarray(self.vectors[index], dtype=np.float64)
        length = float(np.sqrt((vector * vector).sum()))
        return vector / length if length > 0 else vector

    def to_gensim(self) -> Any:
        """The same vectors as gensim's KeyedVectors (a copy)."""
        try:
            from gensim.models import KeyedVectors
        except ImportError:
            raise RelrepError("gensim is not installed; install it with pip install 'relrep[baselines]'") from None
        keyed = KeyedVectors(self.vector_size, dtype=self.vectors.dtype)
        keyed.add_vectors(self.index_to_key, np.array(self.vectors))
        return keyed


def _weighted(queries: Query | Sequence[Query], weight: float) -> list[tuple[str, float]]:
    """Words with their weights; a word alone has the weight given."""
    if isinstance(queries, str):
        return [(queries, weight)]
    if isinstance(queries, tuple) and len(queries) == 2 and isinstance(queries[1], int | float):
        return [(str(queries[0]), float(queries[1]))]
    return [(query, weight) if isinstance(query, str) else (query[0], float(query[1])) for query in queries]


def spellings(word: str, case: str = "auto") -> tuple[str, ...]:
    """How a word is looked up under a rule of case, in this order.

    >>> spellings("Paris"), spellings("Paris", "keep")
    (('Paris', 'paris'), ('Paris',))
    """
    return {"auto": (word, word.lower()), "lower": (word.lower(),), "keep": (word,)}[case]


def closest_spellings(word: str, place_of: Mapping[str, int], count: int = 3) -> list[str]:
    """Up to `count` known words close in spelling, the likeliest first.

    Other cases come first, then words one edit away, then those two edits away; within each, the vocabulary's
    order, which is by frequency.

    >>> closest_spellings("quen", {"king": 0, "queen": 1, "Paris": 2})
    ['queen']
    """
    if not word or len(word) > _LONGEST:
        return []
    found: dict[str, None] = {}
    for near in (_other_cases, _one_edit_away, _two_edits_away):
        spelt = dict.fromkeys(spellings(word))
        known = {other for each in spelt for other in near(each) if other in place_of} - {word, ""}
        found.update(dict.fromkeys(sorted(known, key=place_of.__getitem__)))
        if len(found) >= count:
            break
    return list(found)[:count]


def _other_cases(word: str) -> set[str]:
    return {word.lower(), word.capitalize(), word.upper(), word.title()}


def _one_edit_away(word: str) -> set[str]:
    """All strings that one letter less, more, changed or swapped makes of `word`."""
    letters = {*_LETTERS, *word}
    splits = [(word[:at], word[at:]) for at in range(len(word) + 1)]
    edits = {left + right[1:] for left, right in splits if right}
    edits |= {left + right[1] + right[0] + right[2:] for left, right in splits if len(right) > 1}
    edits |= {left + letter + right[1:] for left, right in splits if right for letter in letters}
    edits |= {left + letter + right for left, right in splits for letter in letters}
    return edits


def _two_edits_away(word: str) -> Iterator[str]:
    """Most of a short word is two edits from anything, and a long word has too many edits: neither is tried."""
    if 4 <= len(word) <= _LONGEST_FOR_TWO_EDITS:
        for other in _one_edit_away(word):
            yield from _one_edit_away(other)
