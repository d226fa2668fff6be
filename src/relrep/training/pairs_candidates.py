"""Candidate pairs: content words that meet far more often than by chance, in many different ways."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from relrep.corpus.encoded import EncodedCorpus
from relrep.kernels.index import build_positions
from relrep.kernels.pair_profiles import count_partners, gather_patterns
from relrep.mining.stop_words import load_stop_words
from relrep.progress import Progress, ProgressCallback, ignore
from relrep.threads import run_in_threads
from relrep.training.pairs_profiles import DirectedCounts, number_patterns
from relrep.training.pairs_settings import PairSettings

TASKS = 256
"""The work is cut into about so many parts, whatever the number of threads."""


@dataclass(frozen=True, eq=False)
class CandidatePairs:
    """Unordered pairs, sorted by word and partner (the more frequent of the two), and what joins them."""

    word: NDArray[np.int32]
    partner: NDArray[np.int32]
    meetings: NDArray[np.int64]
    patterns: DirectedCounts


def content_words(corpus: EncodedCorpus, vectors: NDArray[np.float32], settings: PairSettings) -> NDArray[np.bool_]:
    """True for the words that pairs are made of: frequent, no stop word, no number, with a vector."""
    stop_words = load_stop_words(settings.stop_words)
    allowed = np.zeros(len(corpus.vocabulary), dtype=np.bool_)
    for index, word in enumerate(corpus.vocabulary.words[: settings.n_words]):
        no_number = not any(character.isdigit() for character in word)
        allowed[index] = word not in stop_words and no_number and any(map(str.isalpha, word))
    allowed &= (vectors != 0).any(axis=1)
    return allowed


def candidate_pairs(
    corpus: EncodedCorpus,
    allowed: NDArray[np.bool_],
    settings: PairSettings,
    threads: int = 1,
    progress: ProgressCallback = ignore,
) -> CandidatePairs:
    """The `n_pairs` pairs richest in distinct patterns among those that meet often enough."""
    tokens = np.asarray(corpus.tokens)
    starts, positions = build_positions(tokens, len(corpus.vocabulary), threads)
    words = np.flatnonzero(allowed)

    def partners(task: tuple[int, int]) -> tuple[NDArray[Any], ...]:
        found: tuple[NDArray[Any], ...] = count_partners(
            tokens, starts, positions, words[task[0] : task[1]], allowed,
            settings.max_gap, settings.min_meetings, settings.min_pmi,
        )  # fmt: skip
        return found

    work = np.diff(starts)[words]
    word, partner, meetings = _in_parts(partners, _even_parts(work), threads, progress, "pairs that meet")

    def patterns(task: tuple[int, int]) -> tuple[NDArray[Any], ...]:
        some = slice(*task)
        row_ends, keys, counts = gather_patterns(
            tokens, starts, positions, word[some], partner[some], meetings[some], settings.max_gap
        )
        return np.diff(row_ends, prepend=0), keys, counts

    tasks = _even_parts(meetings, word)
    sizes, keys, counts = _in_parts(patterns, tasks, threads, progress, "patterns of pairs")
    chosen = np.zeros(len(word), dtype=np.bool_)
    chosen[np.argsort(-sizes, kind="stable")[: settings.n_pairs]] = True
    entries = np.repeat(chosen, sizes)
    ends = np.concatenate([[0], np.cumsum(sizes[chosen])]).astype(np.int64)
    kept = number_patterns(ends, keys[entries], counts[entries], settings.min_pattern_pairs)
    return CandidatePairs(word[chosen], partner[chosen], meetings[chosen], kept)


def _in_parts(
    work: Callable[[tuple[int, int]], tuple[NDArray[Any], ...]],
    tasks: list[tuple[int, int]],
    threads: int,
    progress: ProgressCallback,
    step: str,
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """The three arrays that `work` gives for each task, put together in the order of the tasks."""
    parts = [(np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(0, np.int32))] if not tasks else []
    for part in run_in_threads(work, tasks, threads):
        parts.append((part[0], part[1], part[2]))
        progress(Progress(step, len(parts), len(tasks), "parts"))
    one, two, three = (np.concatenate([part[k] for part in parts]) for k in range(3))
    return one, two, three


def _even_parts(
    work: NDArray[np.int64], group: NDArray[np.int32] | None = None, parts: int = TASKS
) -> list[tuple[int, int]]:
    """Cuts range(len(work)) into runs of about the same work, never inside a group.

    >>> _even_parts(np.array([5, 1, 1, 1, 1, 1]), parts=2)
    [(0, 1), (1, 6)]
    """
    if len(work) == 0:
        return []
    done = np.cumsum(work)
    cuts = np.searchsorted(done, done[-1] * np.arange(1, parts) / parts, side="left") + 1
    if group is not None:
        cuts = np.searchsorted(group, group[np.minimum(cuts, len(group) - 1)], side="left")
    bounds = sorted({0, len(work), *(int(cut) for cut in cuts if cut < len(work))})
    return list(pairwise(bounds))
