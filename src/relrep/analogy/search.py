"""The best candidates of many open questions, under all three measures in one pass over the candidates."""

from collections.abc import Sequence
from threading import Lock
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from relrep.analogy._kernels import (
    BestLists,
    Candidates,
    Questions,
    cosine_error,
    fill_bounds,
    question_constants,
    search_block,
)
from relrep.analogy.measures import CODES, scores_by_cosines
from relrep.analogy.terms import TermTable
from relrep.core.threads import available_threads, run_in_threads
from relrep.progress import Progress, ProgressCallback, ignore

TABLE_BYTES = 192 << 20
"""What the float32 tables of all threads' blocks may take together."""
LARGEST_BLOCK, SMALLEST_BLOCK = 4016, 64
"""Candidates a block; 4016 floats are an odd number of cache lines, so that rows do not fall on one another."""
_RANKED_TOGETHER = 8
_ROUNDING = 1e-9
"""Scores closer than this count as equal in a rank."""


class Best(NamedTuple):
    """The best candidates of each question, by falling score, ties by vocabulary order.

    `rows` and `scores` are question × measure × k; rows of −1 stand where there are fewer than k candidates.
    """

    rows: NDArray[np.int64]
    scores: NDArray[np.float64]


def best_candidates(
    terms: TermTable,
    questions: NDArray[np.int64],
    candidates: NDArray[np.int64],
    measures: Sequence[str] = tuple(CODES),
    k: int = 1,
    threads: int | None = None,
    block_size: int | None = None,
    progress: ProgressCallback = ignore,
) -> Best:
    """The `k` best candidates of open questions a : b :: c : ? under each of the measures; a, b and c are none.

    `questions` is an n × 3 array of rows of `terms`; `candidates` are rows in rising order.

    >>> from relrep.vectors.word_vectors import WordVectors
    >>> vectors = WordVectors(["a", "b", "c", "d"], np.array([[1, 0], [0, 1], [1, 1], [-1, 3]], dtype=np.float32))
    >>> best_candidates(TermTable(vectors), np.array([[0, 1, 2]]), np.arange(4)).rows[0].tolist()
    [[3], [3], [3]]
    """
    threads = threads or available_threads()
    total = len(candidates)
    rows, inverse = np.unique(questions, return_inverse=True)
    triples = np.ascontiguousarray(inverse.reshape(questions.shape), dtype=np.int64)
    words = terms.units(rows)
    narrow, error = words.astype(np.float32), cosine_error(terms.dimensions)
    positions = np.minimum(np.searchsorted(candidates, questions), total - 1)
    excluded = np.where(candidates[positions] == questions, positions, -1).astype(np.int64)
    asked = Questions(words, triples, excluded, question_constants(words, triples), error)
    fitting = TABLE_BYTES // (12 * max(1, len(rows)) * threads)
    block_size = block_size or min(max(fitting, SMALLEST_BLOCK), LARGEST_BLOCK)
    starts = range(0, total, block_size)
    workers = max(1, min(threads, len(starts)))
    codes = [CODES[name] for name in measures]
    lists = [_empty_lists(len(triples), min(k, total), codes) for _ in range(workers)]
    contiguous = int(candidates[-1]) == total - 1 < len(terms.vectors)
    done = 0
    lock = Lock()

    def search(worker: int) -> None:
        """Each worker takes its share of blocks, in order, and waits for nobody."""
        nonlocal done
        for start in starts[worker::workers]:
            stop = min(start + block_size, total)
            units = terms.units(slice(start, stop) if contiguous else candidates[start:stop])
            cosines = narrow @ units.astype(np.float32).T
            block = Candidates(start, units, cosines, np.empty_like(cosines), np.empty_like(cosines))
            fill_bounds(cosines, block.inverse_similarity, block.inverse_distance, error)
            search_block(block, asked, lists[worker])
            with lock:
                done += len(units)
                progress(Progress("searching", done, total, "words"))

    for _ in run_in_threads(search, range(workers), workers):
        pass
    best, scores = _merged(lists)
    best_rows = np.where(best >= 0, candidates[best], -1)
    return Best(np.ascontiguousarray(best_rows[:, codes]), np.ascontiguousarray(scores[:, codes]))


def _empty_lists(questions: int, k: int, codes: Sequence[int]) -> BestLists:
    """One worker's best lists, with only the measures of `codes` switched on."""
    thresholds = np.full((questions, 3), np.inf, dtype=np.float32)
    thresholds[:, codes] = -np.inf
    shape = (questions, 3, k)
    return BestLists(thresholds, np.zeros((questions, 3), np.int64), np.full(shape, -1), np.full(shape, -np.inf))


def _merged(lists: Sequence[BestLists]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """(positions, scores) of the best of all workers, ties by position: the same however the work was shared out."""
    if len(lists) == 1:
        return lists[0].positions, lists[0].scores
    k = lists[0].positions.shape[2]
    positions = np.concatenate([each.positions for each in lists], axis=2)
    scores = np.concatenate([each.scores for each in lists], axis=2)
    order = np.lexsort((positions, -scores), axis=2)[:, :, :k]  # empty entries have −∞ and come last
    return np.take_along_axis(positions, order, axis=2), np.take_along_axis(scores, order, axis=2)


def answer_ranks(
    terms: TermTable,
    questions: NDArray[np.int64],
    candidates: NDArray[np.int64],
    answers: Sequence[NDArray[np.int64]],
    measures: Sequence[str],
    progress: ProgressCallback = ignore,
) -> NDArray[np.int64]:
    """The rank of each question's best right answer, question × measure; 0 where none is a candidate.

    It is one more than the number of candidates that score higher; a, b and c are no candidates.
    """
    rows, inverse = np.unique(questions, return_inverse=True)
    triples, words = inverse.reshape(questions.shape), terms.units(rows)
    shifts = np.array([(words[b] - words[a]) @ words[c] for a, b, c in triples])
    codes = [CODES[name] for name in measures]
    is_candidate = np.zeros(len(terms), dtype=np.bool_)
    is_candidate[candidates] = True
    best = np.full((3, len(questions)), -np.inf)
    for q, known in enumerate(answers):
        allowed = known[is_candidate[known] & ~np.isin(known, questions[q])]
        if len(allowed):
            of_answers = scores_by_cosines(words[triples[q]] @ terms.units(allowed).T, shifts[q])
            best[:, q] = [each.max() for each in of_answers]
    above = np.zeros((3, len(questions)), dtype=np.int64)
    for start in range(0, len(candidates), LARGEST_BLOCK):
        block = candidates[start : start + LARGEST_BLOCK]
        cosines = words @ terms.units(block).T
        for first in range(0, len(questions), _RANKED_TOGETHER):
            part = slice(first, first + _RANKED_TOGETHER)
            excluded = np.nonzero(np.isin(questions[part], block))
            columns = np.searchsorted(block, questions[part][excluded])
            for number, scores in enumerate(scores_by_cosines(cosines[triples[part].T], shifts[part, None])):
                scores[excluded[0], columns] = -np.inf
                above[number, part] += np.count_nonzero(scores > best[number, part, None] + _ROUNDING, axis=1)
        progress(Progress("ranking", start + len(block), len(candidates), "words"))
    return np.where(best > -np.inf, above + 1, 0)[codes].T
