"""The corpus index: token ids and, for every word, the places where it stands; memory-mapped."""

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from relrep.core.compiling import njit
from relrep.core.csr import row_ends
from relrep.core.files import DAMAGE
from relrep.core.memory import let_go
from relrep.core.threads import run_in_threads, split_evenly
from relrep.errors import RelrepError
from relrep.text.encoded import SENTENCE_END, EncodedCorpus

PART_TOKENS = 1 << 22
"""Below two parts of this many tokens one thread is as fast as several."""
TOKENS_FILE, POSITIONS_FILE, STARTS_FILE = "tokens.i32", "positions.npy", "starts.npy"


@dataclass(frozen=True, eq=False)
class CorpusIndex:
    """Word x stands at tokens[p] for the p in positions[starts[x] : starts[x + 1]], which rise.

    >>> index = CorpusIndex.of(EncodedCorpus.from_sentences([["a", "cat"], ["a", "dog"]]))
    >>> index.positions_of(0).tolist()
    [0, 3]
    """

    tokens: NDArray[np.int32]
    starts: NDArray[np.int64]
    positions: NDArray[np.int32] | NDArray[np.int64]

    @property
    def n_words(self) -> int:
        """The size of the vocabulary."""
        return len(self.starts) - 1

    def positions_of(self, word: int) -> NDArray[np.int32] | NDArray[np.int64]:
        """The places of a word id, rising."""
        return self.positions[self.starts[word] : self.starts[word + 1]]

    def count(self, word: int) -> int:
        """How often a word id occurs."""
        return int(self.starts[word + 1] - self.starts[word])

    @classmethod
    def of(cls, corpus: EncodedCorpus, threads: int = 1) -> "CorpusIndex":
        """The index of `corpus`, in memory."""
        if len(corpus.tokens) and int(corpus.tokens.max()) >= len(corpus.vocabulary):
            raise ValueError("tokens hold an id outside the vocabulary")
        parts = split_evenly(len(corpus.tokens), min(threads, len(corpus.tokens) // PART_TOKENS))
        starts, positions = build_positions(corpus.tokens, len(corpus.vocabulary), parts)
        tokens = corpus.tokens.view()
        for array in (tokens, positions):  # as when memory-mapped: the kernels then compile once for both
            array.flags.writeable = False
        return cls(tokens, starts, positions)

    @classmethod
    def build(cls, corpus: EncodedCorpus, folder: Path, threads: int = 1) -> "CorpusIndex":
        """Writes the index of `corpus` into `folder`, which is made if need be, and opens it."""
        cls.of(corpus, threads).write(folder)
        return cls.open(folder)

    def write(self, folder: Path, n_words: int | None = None) -> None:
        """Leaves the index in `folder`; words beyond its own, up to `n_words`, occur nowhere.

        What lies in a file already gets a second name, if the disk allows it: an index is never changed.
        """
        folder.mkdir(parents=True, exist_ok=True)
        _link_or_write(self.tokens, folder / TOKENS_FILE, lambda path: self.tokens.tofile(path))
        let_go(self.tokens)
        _link_or_write(self.positions, folder / POSITIONS_FILE, lambda path: np.save(path, self.positions))
        more = 0 if n_words is None else n_words - self.n_words
        np.save(folder / STARTS_FILE, np.append(self.starts, np.full(more, self.starts[-1])), allow_pickle=False)

    @classmethod
    def open(cls, folder: Path, n_words: int | None = None) -> "CorpusIndex":
        """The index in `folder`, memory-mapped, its shapes checked.

        The places themselves are not read here: a text of a billion tokens opens at once, and the kernels
        that walk it leave out any place or id that cannot be.
        """

        def require(holds: bool | np.bool_, what: str) -> None:
            if not holds:
                raise RelrepError(f"{folder}: {what}; the corpus index is damaged, train the model anew")

        try:
            starts = np.load(folder / STARTS_FILE, allow_pickle=False)
            positions = np.load(folder / POSITIONS_FILE, mmap_mode="r", allow_pickle=False)
            token_bytes = (folder / TOKENS_FILE).stat().st_size
        except DAMAGE as error:
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise RelrepError(f"{folder}: the corpus index cannot be read ({reason}); train the model anew") from None
        require(token_bytes % 4 == 0, f"{TOKENS_FILE} is not a row of int32")
        tokens: NDArray[np.int32] = np.zeros(0, dtype=np.int32)
        if token_bytes:
            tokens = np.memmap(folder / TOKENS_FILE, dtype=np.int32, mode="r")
        require(starts.ndim == 1 and starts.dtype == np.int64 and len(starts) > 0, "starts is not a row of int64")
        require(
            positions.ndim == 1 and positions.dtype in (np.int32, np.int64),
            "positions is not a row of integers",
        )
        require(n_words is None or len(starts) == n_words + 1, f"starts does not fit {n_words} words")
        require(starts[0] == 0 and (np.diff(starts) >= 0).all(), "starts falls somewhere")
        require(starts[-1] == len(positions) <= len(tokens), "starts, positions and tokens differ in length")
        return cls(tokens, starts, positions)


def _link_or_write(array: NDArray[np.integer], path: Path, write: Callable[[Path], None]) -> None:
    """A second name for the file that an array is mapped from, whole; else the array is written."""
    name = getattr(array, "filename", None)
    if name is not None and Path(name).name == path.name:
        with contextlib.suppress(OSError):
            path.hardlink_to(name)
            return
    write(path)


@njit(cache=True, nogil=True)
def count_words(tokens: NDArray[np.int32], counts: NDArray[np.int64]) -> None:
    """Adds to `counts` how often each word stands in `tokens` (negative ids are no words)."""
    for token in tokens:
        if token >= 0:
            counts[token] += 1


@njit(cache=True, nogil=True)
def place_words(
    tokens: NDArray[np.int32], first: int, heads: NDArray[np.int64], positions: NDArray[np.int32], flagged: bool
) -> None:
    """Writes the place of each word, counted from `first`, where the word's head points; heads move on."""
    last_sentence = np.full(len(heads) if flagged else 0, -1, dtype=np.int32)
    sentence = np.int32(0)
    for offset in range(len(tokens)):
        token = tokens[offset]
        if token >= 0:
            entry = first + offset
            if flagged:
                entry = (entry << 1) | (last_sentence[token] != sentence)
                last_sentence[token] = sentence
            positions[heads[token]] = entry
            heads[token] += 1
        elif token == SENTENCE_END:
            sentence += np.int32(1)


def build_positions(
    tokens: NDArray[np.int32], n_words: int, parts: list[tuple[int, int]], flagged: bool = False
) -> tuple[NDArray[np.int64], NDArray[np.int32] | NDArray[np.int64]]:
    """The places of every word, in rising order: those of word x are positions[starts[x] : starts[x + 1]].

    A thread takes each part of the text and knows beforehand where its words go, so the result is the same for any
    parts. With `flagged` an entry is 2 · place, plus 1 for the first occurrence of its word in its sentence; parts are
    then whole sentences. Positions are int32 while they fit.

    >>> starts, positions = build_positions(np.array([1, 0, -1, 1], dtype=np.int32), 2, [(0, 4)])
    >>> starts.tolist(), positions.tolist()
    ([0, 1, 3], [1, 0, 3])
    """
    counts = np.zeros((len(parts), n_words), dtype=np.int64)

    def count(part: int) -> None:
        count_words(tokens[slice(*parts[part])], counts[part])

    for _ in run_in_threads(count, range(len(parts)), len(parts)):
        pass
    starts = row_ends(counts.sum(axis=0))
    heads = starts[:-1] + np.cumsum(counts, axis=0) - counts
    dtype = np.int32 if len(tokens) << flagged < 2**31 else np.int64
    positions: NDArray[Any] = np.empty(int(starts[-1]), dtype=dtype)

    def place(part: int) -> None:
        place_words(tokens[slice(*parts[part])], parts[part][0], heads[part], positions, flagged)

    for _ in run_in_threads(place, range(len(parts)), len(parts)):
        pass
    return starts, positions
