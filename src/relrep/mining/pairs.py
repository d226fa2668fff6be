"""Word pairs: those that co-occur, close to each other, in enough sentences."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from relrep.corpus import Vocabulary
from relrep.errors import RelrepError
from relrep.files import remove, written_whole
from relrep.kernels.cooccurrence import NO_PAIR, PLAIN, STOP_WORD, count_pairs
from relrep.mining.chunks import Chunk, Chunks
from relrep.mining.runs import Run, merge_all
from relrep.mining.settings import MiningSettings
from relrep.mining.stop_words import load_stop_words
from relrep.progress import Progress, ProgressCallback, ignore

STEP = "counting pairs"


@dataclass(frozen=True, eq=False)
class Pairs:
    """The selected pairs, sorted by u and v: those of u are v[starts[u]:starts[u + 1]]; a pair's id is its place."""

    starts: NDArray[np.int64]
    v: NDArray[np.int32]
    sentences: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.v)

    @cached_property
    def u(self) -> NDArray[np.int32]:
        """The first words."""
        return np.repeat(np.arange(len(self.starts) - 1, dtype=np.int32), np.diff(self.starts))

    def write(self, path: Path) -> None:
        """Leaves the pairs at `path`."""
        with written_whole(path) as part, part.open("wb") as file:
            np.savez(file, starts=self.starts, v=self.v, sentences=self.sentences)

    @classmethod
    def read(cls, path: Path) -> "Pairs":
        """The pairs that `write` left."""
        with np.load(path, allow_pickle=False) as held:
            return cls(held["starts"], held["v"], held["sentences"])

    @property
    def n_pair_words(self) -> int:
        """First words come before this id."""
        return int(np.flatnonzero(np.diff(self.starts))[-1]) + 1 if len(self.v) else 0


def word_roles(vocabulary: Vocabulary, settings: MiningSettings) -> NDArray[np.uint8]:
    """Which words can stand in a pair, and which are stop words.

    A word of fewer occurrences than a pair needs sentences cannot be in a pair at all.
    """
    stop_words = load_stop_words(settings.stop_words)
    roles = np.array([STOP_WORD if word in stop_words else PLAIN for word in vocabulary.words], dtype=np.uint8)
    roles[vocabulary.is_punctuation | (vocabulary.counts < settings.min_pair_sentences)] = NO_PAIR
    return roles


def count_chunk_pairs(chunk: Chunk, roles: NDArray[np.uint8], reach: int, at_least: int) -> Run:
    """The pairs of one chunk with the number of sentences that hold them."""
    possible = np.flatnonzero(roles != NO_PAIR)
    stop = int(possible[-1]) + 1 if len(possible) else 0

    def work(words: tuple[int, int]) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]:
        result: tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]] = count_pairs(
            chunk.tokens, chunk.starts, chunk.positions, *words, roles, reach, at_least
        )
        return result

    return Run.joined(list(chunk.over_words(work, stop)) if stop else [], chunk.n_words)


def select_pairs(
    chunks: Chunks, settings: MiningSettings, work: Path, memory: int, progress: ProgressCallback = ignore
) -> Pairs:
    """The pairs (u, v) that co-occur in at least `min_pair_sentences` sentences, `max_gap` tokens apart."""
    vocabulary = chunks.corpus.vocabulary
    roles = word_roles(vocabulary, settings)
    least = settings.min_pair_sentences
    progress(Progress(STEP, 0, len(chunks)))
    if len(chunks) == 1:
        run = count_chunk_pairs(chunks[0], roles, settings.reach, least)
        progress(Progress(STEP, 1, 1))
    else:
        runs = []
        for index, chunk in enumerate(chunks):
            folder = work / f"pairs-{index:05}"
            held = Run.left_by_an_interrupted_run(folder, len(vocabulary))
            if held is None:
                count_chunk_pairs(chunk, roles, settings.reach, 1).write(folder)
                held = Run.open(folder)
            runs.append(held)
            progress(Progress(STEP, index + 1, len(chunks)))
        run = merge_all(runs, len(vocabulary), least, memory, chunks.threads)
        for index in range(len(chunks)):
            remove(work / f"pairs-{index:05}")
    if not len(run.columns):
        raise RelrepError(too_few(least))
    return Pairs(run.starts, run.columns, run.values.astype(np.int64))


def too_few(least: int) -> str:
    """The sentence for a corpus without pairs."""
    return f"no word pair co-occurs in {least} sentences; give more text or a smaller min_pair_sentences"
