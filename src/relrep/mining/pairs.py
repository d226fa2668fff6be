"""Word pairs: those that co-occur, close to each other, in enough sentences (§ 3.1), or that are bound."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from relrep.core.files import written_whole
from relrep.errors import RelrepError
from relrep.mining._kernels import NO_PAIR, PLAIN, STOP_WORD, PairList, count_pairs
from relrep.mining.bound import pointwise_information
from relrep.mining.chunks import Chunk
from relrep.mining.runs import Counted, Run, Summing
from relrep.mining.settings import Selection
from relrep.mining.stop_words import load_stop_words
from relrep.text.vocabulary import Vocabulary


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
    def listed(self) -> PairList:
        """The pairs as the kernels take them."""
        return PairList(self.starts, self.v)

    @property
    def n_pair_words(self) -> int:
        """First words come before this id."""
        return int(np.flatnonzero(np.diff(self.starts))[-1]) + 1 if len(self.v) else 0


def word_roles(vocabulary: Vocabulary, selection: Selection) -> NDArray[np.uint8]:
    """Which words can stand in a pair, and which are stop words.

    A word of fewer occurrences than a pair needs sentences cannot be in a pair at all; bound pairs are made of content
    words only: no stop words, nothing with a digit.
    """
    stop_words = load_stop_words(selection.stop_words, vocabulary.words)
    roles = np.array([STOP_WORD if word in stop_words else PLAIN for word in vocabulary.words], dtype=np.uint8)
    if selection.pairs == "bound":
        no_content = [word in stop_words or not _is_content(word) for word in vocabulary.words]
        roles[np.array(no_content, dtype=np.bool_)] = NO_PAIR
    roles[vocabulary.is_punctuation | (vocabulary.counts < selection.min_sentences)] = NO_PAIR
    return roles


def _is_content(word: str) -> bool:
    return any(map(str.isalpha, word)) and not any(map(str.isdigit, word))


def pairs_in(chunk: Chunk, roles: NDArray[np.uint8], selection: Selection) -> Counted:
    """The pairs of one chunk with the number of sentences that hold them; bound ones by their rarer word."""
    least = selection.min_sentences if chunk.is_whole_text else 1
    in_any_order = selection.pairs == "bound"
    possible = np.flatnonzero(roles != NO_PAIR)
    stop = int(possible[-1]) + 1 if len(possible) else 0

    def work(words: tuple[int, int]) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]:
        result: tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]] = count_pairs(
            chunk.words, *words, roles, selection.reach, least, in_any_order
        )
        return result

    yield 0, Run.joined(list(chunk.over_words(work, stop)) if stop else [], chunk.n_words)


def select_pairs(sums: Summing, vocabulary: Vocabulary, selection: Selection) -> Pairs:
    """The pairs (u, v) that co-occur in at least `min_sentences` sentences, `max_gap` tokens apart (§ 3.1).

    A RelrepError where the paper's selection has none.
    """
    roles = word_roles(vocabulary, selection)
    counted = sums("counting pairs", pairs_in, roles, selection, least=selection.min_sentences)
    run = Run.of(counted, len(vocabulary))
    pairs = Pairs(run.starts, run.columns, run.values)
    if selection.pairs == "bound":
        return _bound(pairs, vocabulary.counts, selection)
    if not len(pairs):
        raise RelrepError(
            f"no word pair co-occurs in {selection.min_sentences} sentences; "
            "give more text or a smaller min_pair_sentences"
        )
    return pairs


def _bound(pairs: Pairs, word_counts: NDArray[np.int64], selection: Selection) -> Pairs:
    """Those that meet often enough beyond chance, each in both orders."""
    kept = pointwise_information(pairs.u, pairs.v, pairs.sentences, word_counts, selection.reach) >= selection.min_pmi
    u, v, sentences = pairs.u[kept], pairs.v[kept], pairs.sentences[kept]
    first, second = np.concatenate([u, v]), np.concatenate([v, u])
    order = np.lexsort((second, first))
    starts = np.searchsorted(first[order], np.arange(len(pairs.starts))).astype(np.int64)
    return Pairs(starts, second[order], np.concatenate([sentences, sentences])[order])
