"""The coherence of pairs: word vectors whose differences agree wherever the text joins two words in the same way.

For a pair (u, v) with neighbours (u', v'), joined by the same patterns or by the same affix rule, with weights w:

    r = Σ w (u' − v') / Σ w                what the neighbours say of u − v
    c = |r| / (Σ w |u' − v'| / Σ w)        how far they agree: 1 if all differences point one way
    k = mean(w) · c ^ coherence_power      how far to believe them
    x ← x + step · Σ k · ± (r − (u − v)) / (damping + Σ k)        over the pairs that x is in, + for u and − for v

Vectors have unit length at the start; those learnt from this text are shrunk towards what their subwords say
(relrep.coherence.subwords), and all are partly whitened where the text speaks for it (relrep.coherence.whitening).
relrep.reference.coherence says the same slowly.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from relrep.coherence._kernels import add_steps, agree
from relrep.coherence.neighbours import JoinedPairs, nearest_pairs
from relrep.coherence.profiles import FoldedProfiles, fold, weigh
from relrep.coherence.spelling import spelling_neighbours, spelling_rules
from relrep.coherence.subwords import shrink_to_subwords
from relrep.coherence.whitening import whiten_if_text_agrees
from relrep.core.arrays import Floats, Ints, Longs
from relrep.core.linalg import unit_rows
from relrep.core.settings import NOT_NEGATIVE, POSITIVE, Allowed, Settings, between, setting, whole
from relrep.core.threads import run_in_threads, split_evenly
from relrep.errors import RelrepError
from relrep.mining.bound import BoundPairs
from relrep.progress import Progress, ProgressCallback, ignore
from relrep.text.vocabulary import Vocabulary

SEED = 1
"""Of the first directions of the SVD."""
PAIRS_A_TASK = 2048
History = list[dict[str, Any]]
_STEP: Allowed = (lambda value: 0 < value <= 1, "give a number above 0, at most 1")


@dataclass(frozen=True)
class CoherenceSettings(Settings):
    """Which pairs are held against each other, how their neighbours are found, and how far words move.

    >>> CoherenceSettings(n_neighbours=0)
    Traceback (most recent call last):
    relrep.errors.RelrepError: n_neighbours is 0; give a whole number of 1 or more
    """

    n_words: int = setting(60_000, "pairs are made of the so many most frequent words", whole(1))
    whitening: float = setting(
        0.25,
        "where the text speaks for it, principal variances λ become λ^(1 - 2 · this) (0: never)",
        between(0, 0.5, "give a number from 0 (none) to 0.5 (all variances alike)"),
    )
    subword_count: float = setting(
        30.0,
        "in a start learnt from this text, a word's spelling (character n-grams) counts as much as so many occurrences "
        "of the word (0: not at all)",
        NOT_NEGATIVE,
    )
    min_meetings: int = setting(15, "the words of a pair must meet in so many sentences", whole(1))
    min_pmi: float = setting(3.5, "and e to this power times as often as by chance")
    n_pairs: int = setting(80_000, "keep so many pairs, the richest in distinct patterns", whole(1))
    min_pattern_pairs: int = setting(20, "a pattern must stand between so many pairs", whole(1))
    rank: int = setting(150, "dimensions of a profile after the SVD", whole(1))
    svd_iterations: int = setting(3, "rounds of subspace iteration for the SVD", whole(1))
    n_neighbours: int = setting(20, "neighbours of a pair", whole(1))
    type_weight: float = setting(
        0.7, "weight of the likeness of words beside that of patterns, for neighbours", NOT_NEGATIVE
    )
    similarity_power: float = setting(2.0, "a neighbour's weight is the cosine of profiles to this power", NOT_NEGATIVE)
    coherence_power: float = setting(6.0, "confidence grows with coherence to this power", NOT_NEGATIVE)
    damping: float = setting(0.1, "confidence that a word needs to move half of its way", POSITIVE)
    step: float = setting(0.5, "the share of its way that a word moves", _STEP)
    spelling: bool = setting(True, "let affix rules of the vocabulary join pairs too (walk, walked)")
    spelling_min_pairs: int = setting(50, "an affix rule must join so many pairs", whole(1))
    spelling_step: float = setting(0.5, "the share of its way that a word moves for spelling", _STEP)
    spelling_coherence_power: float = setting(
        6.0, "confidence in spelling grows with coherence to this power", NOT_NEGATIVE
    )
    rounds: int = setting(1, "how often text and spelling take their steps", whole(1))


@dataclass(frozen=True, eq=False)
class ProfiledPairs:
    """The pairs that are held against each other, partner the more frequent word, and their folded profiles."""

    word: Ints
    partner: Ints
    profiles: FoldedProfiles


def train_coherence(
    vocabulary: Vocabulary,
    vectors: Floats,
    bound: BoundPairs,
    settings: CoherenceSettings | None = None,
    threads: int = 1,
    progress: ProgressCallback = ignore,
    learnt_here: bool = False,
) -> tuple[Floats, History]:
    """Better word vectors from `vectors` (one row a word of the vocabulary), and what each round did.

    With `learnt_here` they were learnt from the very text that the vocabulary counts: those of rare words are shrunk
    towards what their subwords say. A word without a vector is a row of zeros, and stays one. The result is the same
    for any number of threads.
    """
    settings = settings or CoherenceSettings()
    if len(vectors) != len(vocabulary):
        raise RelrepError(f"there are {len(vectors)} vectors for {len(vocabulary)} words; give one row a word")
    if learnt_here and settings.subword_count:
        progress(Progress("subwords", 0, 1))
        count = settings.subword_count
        vectors = shrink_to_subwords(vectors, vocabulary.words, vocabulary.counts, count, threads)
        progress(Progress("subwords", 1, 1))
    profiled = profiled_pairs(bound, vocabulary.counts, vectors, settings, threads)
    start, is_whitened = start_of(vectors, profiled, settings)
    joined = [
        JoinedPairs.none("text") if profiled is None else pairs_of_text(profiled, start, settings, threads, progress)
    ]
    if settings.spelling:
        joined.append(pairs_of_spelling(vocabulary, start, settings, threads))
    history: History = []
    moved = start
    for number in range(settings.rounds):  # text and spelling take their steps in turn
        for pairs in joined:
            moved, figures = take_step(moved, pairs, settings.damping, threads)
            history.append({"round": number + 1, "kind": pairs.kind, **figures, "whitened": is_whitened})
        progress(Progress("coherence of pairs", number + 1, settings.rounds, "rounds"))
    return moved, history


def profiled_pairs(
    bound: BoundPairs, word_counts: Longs, vectors: Floats, settings: CoherenceSettings, threads: int = 1
) -> ProfiledPairs | None:
    """The `n_pairs` pairs richest in distinct patterns, of words with a vector, that meet often enough; or None.

    A pattern counts if it joins `min_pattern_pairs` of them.
    """
    has_vector = (vectors != 0).any(axis=1)
    has_vector[settings.n_words :] = False
    allowed = has_vector[bound.first] & has_vector[bound.second]
    allowed &= (bound.meetings >= settings.min_meetings) & (bound.pmi(word_counts) >= settings.min_pmi)
    richness = np.where(allowed, np.diff(bound.counts.ends), -1)
    chosen = np.zeros(len(bound), dtype=np.bool_)
    chosen[np.argsort(-richness, kind="stable")[: settings.n_pairs]] = True
    chosen &= allowed
    counts = bound.counts.rows(chosen)
    counts = counts.with_patterns(counts.pairs_per_pattern() >= settings.min_pattern_pairs)
    if not len(counts.keys):
        return None
    profiles = fold(counts, weigh(counts), settings.rank, settings.svd_iterations, SEED, threads)
    return ProfiledPairs(bound.second[chosen], bound.first[chosen], profiles)


def start_of(vectors: Floats, profiled: ProfiledPairs | None, settings: CoherenceSettings) -> tuple[Floats, bool]:
    """The unit vectors that the first step begins with, whitened if the text speaks for it, and whether they are."""
    if profiled is None:
        return unit_rows(vectors), False
    odd = profiled.profiles.odd
    return whiten_if_text_agrees(vectors, profiled.word, profiled.partner, odd, settings.whitening, settings.n_words)


def pairs_of_text(
    profiled: ProfiledPairs,
    vectors: Floats,
    settings: CoherenceSettings,
    threads: int = 1,
    progress: ProgressCallback = ignore,
) -> JoinedPairs:
    """The pairs that the text joins, each with the pairs that it joins in the same way."""
    neighbours = nearest_pairs(
        profiled.profiles, profiled.word, profiled.partner, vectors,
        settings.n_neighbours, settings.type_weight, threads, progress,
    )  # fmt: skip
    weight = np.maximum(neighbours.similarity, 0).astype(np.float64) ** settings.similarity_power
    return JoinedPairs(
        "text", profiled.word, profiled.partner, neighbours, weight.astype(np.float32),
        settings.coherence_power, settings.step,
    )  # fmt: skip


def pairs_of_spelling(
    vocabulary: Vocabulary, vectors: Floats, settings: CoherenceSettings, threads: int = 1
) -> JoinedPairs:
    """The pairs that an affix rule joins, each with its like among the pairs of its rule."""
    words = vocabulary.words
    has_vector = (vectors != 0).any(axis=1)
    ids = [i for i in range(min(settings.n_words, len(words))) if has_vector[i] and words[i].isalpha()]
    rules = spelling_rules(words, ids, settings.spelling_min_pairs)
    if not rules:
        return JoinedPairs.none("spelling")
    word, partner, neighbours = spelling_neighbours(rules, vectors, settings.n_neighbours, threads)
    return JoinedPairs(
        "spelling", word, partner, neighbours, neighbours.similarity,
        settings.spelling_coherence_power, settings.spelling_step,
    )  # fmt: skip


def take_step(vectors: Floats, pairs: JoinedPairs, damping: float, threads: int = 1) -> tuple[Floats, dict[str, float]]:
    """x + step · Σ k · ± (r − (u − v)) / (damping + Σ k) for every word x: little evidence moves a word little.

    Also figures: the pairs' mean confidence, weighted mean distance of u − v from r, and how far words moved.
    """
    pull = np.zeros(vectors.shape, dtype=np.float64)
    evidence = np.zeros(len(vectors), dtype=np.float64)
    target, confidence = agreed_differences(vectors, pairs, threads)
    add_steps(vectors, pairs.word, pairs.partner, target, confidence, pull, evidence)
    move = pull  # in place: it is as large as two sets of vectors
    move *= pairs.step
    move /= (damping + evidence)[:, None]
    distance = np.linalg.norm(target - (vectors[pairs.partner] - vectors[pairs.word]), axis=1)
    believed = float(confidence.sum(dtype=np.float64))
    n_pairs, n_moved = len(confidence), int((evidence > 0).sum())
    figures = {
        "pairs": n_pairs,
        "words_moved": n_moved,
        "confidence": believed / max(1, n_pairs),
        "distance": float((confidence * distance).sum(dtype=np.float64)) / believed if believed else 0.0,
        "movement": float(np.sqrt(np.einsum("ij,ij->i", move, move)).sum()) / max(1, n_moved),
    }
    move += vectors
    return move.astype(np.float32), figures


def agreed_differences(vectors: Floats, pairs: JoinedPairs, threads: int = 1) -> tuple[Floats, Floats]:
    """For every pair the weighted mean of its neighbours' differences, and the confidence in it."""
    n_pairs = len(pairs.word)
    target = np.zeros((n_pairs, vectors.shape[1]), dtype=np.float32)
    confidence = np.zeros(n_pairs, dtype=np.float32)
    neighbours = pairs.neighbours

    def one(task: tuple[int, int]) -> None:
        agree(
            task[0], task[1], vectors, pairs.word, pairs.partner, neighbours,
            pairs.weight, pairs.coherence_power, target, confidence,
        )  # fmt: skip

    if n_pairs:
        for _ in run_in_threads(one, split_evenly(n_pairs, max(1, n_pairs // PAIRS_A_TASK)), threads):
            pass
    return target, confidence
