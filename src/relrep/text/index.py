"""The corpus index: token ids and, for every word, the places where it stands; memory-mapped."""

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from relrep.core.files import DAMAGE
from relrep.core.memory import let_go
from relrep.errors import RelrepError
from relrep.text._kernels.index import build_positions
from relrep.text.encoded import EncodedCorpus

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
        starts, positions = build_positions(corpus.tokens, len(corpus.vocabulary), threads)
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
