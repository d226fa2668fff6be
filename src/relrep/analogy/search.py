"""The best candidates of many open questions, under all three measures in one pass over the candidates."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from relrep.analogy._kernels.ranks import count_above
from relrep.analogy._kernels.scores import cosine_error, fill_bounds, question_constants, search_block
from relrep.analogy.best import Best
from relrep.analogy.measures import CODES
from relrep.analogy.scores import score_quadruples
from relrep.analogy.terms import TermTable
from relrep.core.threads import available_threads, run_in_threads
from relrep.progress import Progress, ProgressCallback, ignore

TABLE_BYTES = 192 << 20
"""What the float32 tables of all threads' blocks may take together."""
LARGEST_BLOCK, SMALLEST_BLOCK = 4016, 64
"""Candidates a block; 4016 floats are an odd number of cache lines, so that rows do not fall on one another."""


@dataclass(frozen=True)
class Block:
    """Candidates offset … offset + size and what the kernels need to know of them."""

    offset: int
    units: NDArray[np.float64]
    similarities: NDArray[np.float32]
    inverse_similarity: NDArray[np.float32]
    inverse_distance: NDArray[np.float32]


class Lists:
    """One worker's best lists (question × measure × k), filled by the kernel; +∞ as a threshold: measure off."""

    def __init__(self, questions: int, k: int, codes: Sequence[int]) -> None:
        self.thresholds = np.full((questions, 3), np.inf, dtype=np.float32)
        self.thresholds[:, codes] = -np.inf
        self.counts = np.zeros((questions, 3), dtype=np.int64)
        self.places = np.full((questions, 3, k), -1, dtype=np.int64)
        self.scores = np.full((questions, 3, k), -np.inf)


def merged(lists: Sequence[Lists]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """(places, scores) of the best of all workers' lists, ties by place: the same however the work was shared out."""
    if len(lists) == 1:
        return lists[0].places, lists[0].scores
    k = lists[0].places.shape[2]
    places = np.concatenate([each.places for each in lists], axis=2)
    scores = np.concatenate([each.scores for each in lists], axis=2)
    order = np.lexsort((places, -scores), axis=2)[:, :, :k]  # empty entries have −∞ and come last
    return np.take_along_axis(places, order, axis=2), np.take_along_axis(scores, order, axis=2)


class OpenSearch:
    """Open questions a : b :: c : ? over one candidate set; a, b and c are never answers.

    `questions` is an n × 3 array of rows of `terms`; `candidates` are rows in rising order.

    >>> from relrep.vectors import WordVectors
    >>> vectors = WordVectors(["a", "b", "c", "d"], np.array([[1, 0], [0, 1], [1, 1], [-1, 3]], dtype=np.float32))
    >>> search = OpenSearch(TermTable(vectors), np.array([[0, 1, 2]]), np.arange(4))
    >>> search.best(k=1).rows[0].tolist()
    [[3], [3], [3]]
    """

    def __init__(
        self,
        terms: TermTable,
        questions: NDArray[np.int64],
        candidates: NDArray[np.int64],
        threads: int | None = None,
        block_size: int | None = None,
        progress: ProgressCallback = ignore,
    ) -> None:
        self._terms = terms
        self._candidates = candidates
        self._threads = threads or available_threads()
        self._progress = progress
        rows, places = np.unique(questions, return_inverse=True)
        self._questions = np.ascontiguousarray(places.reshape(questions.shape), dtype=np.int64)
        self._words = terms.units(rows)
        self._excluded = self.places_of(questions)
        self._constants = question_constants(self._words, self._questions)
        self._error = cosine_error(terms.dimensions)
        self._narrow = self._words.astype(np.float32)
        fitting = TABLE_BYTES // (12 * max(1, len(rows)) * self._threads)
        self._block_size = block_size or min(max(fitting, SMALLEST_BLOCK), LARGEST_BLOCK)
        self._starts = range(0, len(candidates), self._block_size)
        self._workers = max(1, min(self._threads, len(self._starts)))

    def places_of(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Where rows stand among the candidates; −1 for those that are none."""
        places = np.searchsorted(self._candidates, rows)
        inside = np.minimum(places, len(self._candidates) - 1)
        return np.where(self._candidates[inside] == rows, inside, -1).astype(np.int64)

    def best(self, measures: tuple[str, ...] = tuple(CODES), k: int = 1) -> Best:
        """The `k` best candidates of every question under each of the measures."""
        n = len(self._questions)
        k = min(k, len(self._candidates))
        codes = [CODES[name] for name in measures]
        lists = [Lists(n, k, codes) for _ in range(self._workers)]

        def search(block: Block, worker: int) -> None:
            held = lists[worker]
            search_block(*self._given(block), 0, n, held.thresholds, held.counts, held.places, held.scores)

        self._sweep("searching", search)
        places, scores = merged(lists)
        rows = np.where(places >= 0, self._candidates[places], -1)
        return Best(np.ascontiguousarray(rows[:, codes]), np.ascontiguousarray(scores[:, codes]))

    def ranks(self, answers: list[NDArray[np.int64]], measures: tuple[str, ...]) -> NDArray[np.int64]:
        """The rank of each question's best right answer (rows), question × measure; 0 where it is no candidate."""
        codes = [CODES[name] for name in measures]
        expected, values = self._expected(answers, codes)
        n = len(self._questions)
        above = np.zeros((self._workers, n, 3), dtype=np.int64)

        def count(block: Block, worker: int) -> None:
            count_above(*self._given(block), 0, n, expected, values, above[worker])

        self._sweep("ranking", count)
        return np.where(expected >= 0, above.sum(axis=0) + 1, 0)[:, codes]

    def _expected(
        self, answers: list[NDArray[np.int64]], codes: list[int]
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Place and score of the best right answer of each question and measure."""
        expected = np.full((len(answers), 3), -1, dtype=np.int64)
        values = np.full((len(answers), 3), -np.inf)
        counts = np.array([len(rows) for rows in answers], dtype=np.int64)
        question = np.repeat(np.arange(len(answers)), counts)
        places = self.places_of(np.concatenate(answers)) if len(question) else question
        kept = (places >= 0) & (places[:, None] != self._excluded[question]).all(axis=1)
        question, places = question[kept], places[kept]
        distinct, inverse = np.unique(places, return_inverse=True)
        units = np.concatenate([self._words, self._terms.units(self._candidates[distinct])])
        quadruples = np.column_stack([self._questions[question], len(self._words) + inverse]).astype(np.int64)
        for code in codes:
            scores = score_quadruples(code, units, quadruples)
            for at in np.lexsort((places, -scores))[::-1]:  # the best of a question is written last
                expected[question[at], code], values[question[at], code] = places[at], scores[at]
        return expected, values

    def _sweep(self, step: str, work: Callable[[Block, int], None]) -> None:
        """Puts every block to `work`; each worker takes its share of blocks, in order, and waits for nobody."""
        done = 0
        lock = Lock()

        def go(worker: int) -> None:
            nonlocal done
            for start in self._starts[worker :: self._workers]:
                block = self._block(start)
                work(block, worker)
                with lock:
                    done += len(block.units)
                    self._progress(Progress(step, done, len(self._candidates), "words"))

        for _ in run_in_threads(go, range(self._workers), self._workers):
            pass

    def _block(self, start: int) -> Block:
        total = len(self._candidates)
        stop = min(start + self._block_size, total)
        contiguous = int(self._candidates[-1]) == total - 1 < len(self._terms.vectors)
        units = self._terms.units(slice(start, stop) if contiguous else self._candidates[start:stop])
        cosines = self._narrow @ units.astype(np.float32).T
        block = Block(start, units, cosines, np.empty_like(cosines), np.empty_like(cosines))
        fill_bounds(cosines, block.inverse_similarity, block.inverse_distance, 0, len(cosines), self._error)
        return block

    def _given(self, block: Block) -> tuple[object, ...]:
        """The arguments that both kernels begin with."""
        return (
            block.similarities,
            block.inverse_similarity,
            block.inverse_distance,
            self._words,
            block.units,
            block.offset,
            self._questions,
            self._excluded,
            self._constants,
            self._error,
        )
