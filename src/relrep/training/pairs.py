"""The coherence of pairs: word vectors whose differences agree wherever the text joins two words in the same way.

For a pair (u, v) with neighbours (u', v'), joined by the same patterns or by the same affix rule, with weights w:

    r = Σ w (u' − v') / Σ w                what the neighbours say of u − v
    c = |r| / (Σ w |u' − v'| / Σ w)        how far they agree: 1 if all differences point one way
    k = mean(w) · c ^ sharpness            how far to believe them
    x ← x + step · Σ k · ± (r − (u − v)) / (reserve + Σ k)        over the pairs that x is in, + for u and − for v

Vectors have unit length at the start, and their principal variances are levelled where the text speaks for it
(relrep.training.levelling).
relrep.reference_pairs says the same slowly.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from relrep.corpus.encoded import EncodedCorpus
from relrep.errors import RelrepError
from relrep.mapped import let_go
from relrep.progress import Progress, ProgressCallback, ignore
from relrep.training.initial import unit_rows
from relrep.training.levelling import levelled_if_text_agrees
from relrep.training.pairs_candidates import CandidatePairs, candidate_pairs, content_words
from relrep.training.pairs_neighbours import JoinedPairs, nearest_pairs
from relrep.training.pairs_profiles import FoldedProfiles, fold, weigh
from relrep.training.pairs_settings import PairSettings
from relrep.training.pairs_spelling import spelling_neighbours, spelling_rules
from relrep.training.pairs_steps import take_step

History = list[dict[str, Any]]
Profiled = tuple[CandidatePairs, FoldedProfiles]


def train_pairs(
    corpus: EncodedCorpus,
    vectors: NDArray[np.float32],
    settings: PairSettings | None = None,
    threads: int = 1,
    progress: ProgressCallback = ignore,
) -> tuple[NDArray[np.float32], History]:
    """Better word vectors from `vectors` (one row a word of the vocabulary), and what each round did.

    A word without a vector is a row of zeros, and stays one. The result is the same for any number of threads.
    """
    settings = settings or PairSettings()
    if len(vectors) != len(corpus.vocabulary):
        raise RelrepError(f"there are {len(vectors)} vectors for {len(corpus.vocabulary)} words; give one row a word")
    profiled = profiled_pairs(corpus, vectors, settings, threads, progress)
    start, changed = start_of(vectors, profiled, settings)
    joined = [
        JoinedPairs.none("text") if profiled is None else pairs_of_text(*profiled, start, settings, threads, progress)
    ]
    if settings.spelling:
        joined.append(pairs_of_spelling(corpus, start, settings, threads))
    trained, history = coherent_vectors(start, joined, settings, threads, progress)
    return trained, [{**entry, "levelled": changed} for entry in history]


def profiled_pairs(
    corpus: EncodedCorpus,
    vectors: NDArray[np.float32],
    settings: PairSettings,
    threads: int = 1,
    progress: ProgressCallback = ignore,
) -> Profiled | None:
    """Pairs of words that have a vector, and the profiles of what joins them in the text; None if nothing does."""
    candidates = candidate_pairs(corpus, content_words(corpus, vectors, settings), settings, threads, progress)
    let_go(corpus.tokens)
    if candidates.patterns.n_patterns == 0:
        return None
    profiles = fold(
        candidates.patterns, weigh(candidates.patterns), settings.rank, settings.svd_iterations, settings.seed, threads
    )
    return candidates, profiles


def start_of(
    vectors: NDArray[np.float32], profiled: Profiled | None, settings: PairSettings
) -> tuple[NDArray[np.float32], bool]:
    """The unit vectors that the first step begins with, levelled if the text speaks for it, and whether they are."""
    if profiled is None:
        return unit_rows(vectors), False
    pairs, profiles = profiled
    power, n_words = settings.levelling, settings.n_words
    return levelled_if_text_agrees(vectors, pairs.word, pairs.partner, profiles.odd, power, n_words)


def pairs_of_text(
    candidates: CandidatePairs,
    profiles: FoldedProfiles,
    vectors: NDArray[np.float32],
    settings: PairSettings,
    threads: int = 1,
    progress: ProgressCallback = ignore,
) -> JoinedPairs:
    """The pairs that the text joins, each with the pairs that it joins in the same way."""
    neighbours = nearest_pairs(
        profiles, candidates.word, candidates.partner, vectors,
        settings.n_neighbours, settings.type_weight, threads, progress,
    )  # fmt: skip
    weight = np.maximum(neighbours.similarity, 0).astype(np.float64) ** settings.similarity_power
    return JoinedPairs(
        "text", candidates.word, candidates.partner, neighbours, weight.astype(np.float32),
        settings.sharpness, settings.step,
    )  # fmt: skip


def pairs_of_spelling(
    corpus: EncodedCorpus, vectors: NDArray[np.float32], settings: PairSettings, threads: int = 1
) -> JoinedPairs:
    """The pairs that an affix rule joins, each with its like among the pairs of its rule."""
    words = corpus.vocabulary.words
    has_vector = (vectors != 0).any(axis=1)
    ids = [i for i in range(min(settings.n_words, len(words))) if has_vector[i] and words[i].isalpha()]
    rules = spelling_rules(words, ids, settings.spelling_min_pairs)
    if not rules:
        return JoinedPairs.none("spelling")
    word, partner, neighbours = spelling_neighbours(rules, vectors, settings.n_neighbours, threads)
    return JoinedPairs(
        "spelling", word, partner, neighbours, neighbours.similarity,
        settings.spelling_sharpness, settings.spelling_step,
    )  # fmt: skip


def coherent_vectors(
    vectors: NDArray[np.float32],
    joined: list[JoinedPairs],
    settings: PairSettings,
    threads: int = 1,
    progress: ProgressCallback = ignore,
) -> tuple[NDArray[np.float32], History]:
    """The vectors after all rounds, in each of which text and spelling take their step in turn, and what each did."""
    history: History = []
    for number in range(settings.rounds):
        for pairs in joined:
            vectors, figures = take_step(vectors, pairs, settings.reserve, threads)
            history.append({"round": number + 1, "kind": pairs.kind, **figures})
        progress(Progress("coherence of pairs", number + 1, settings.rounds, "rounds"))
    return vectors, history
