"""Steps of the coherence of pairs: each difference is pulled towards what its neighbours agree on."""

import numpy as np
from numpy.typing import NDArray

from relrep.coherence._kernels import add_steps, agree
from relrep.coherence.neighbours import JoinedPairs
from relrep.core.threads import run_in_threads, split_evenly

PAIRS_A_TASK = 2048


def take_step(
    vectors: NDArray[np.float32], pairs: JoinedPairs, damping: float, threads: int = 1
) -> tuple[NDArray[np.float32], dict[str, float]]:
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


def agreed_differences(
    vectors: NDArray[np.float32], pairs: JoinedPairs, threads: int = 1
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """For every pair the weighted mean of its neighbours' differences, and the confidence in it."""
    n_pairs = len(pairs.word)
    target = np.zeros((n_pairs, vectors.shape[1]), dtype=np.float32)
    confidence = np.zeros(n_pairs, dtype=np.float32)
    neighbours = pairs.neighbours

    def one(task: tuple[int, int]) -> None:
        agree(
            task[0], task[1], vectors, pairs.word, pairs.partner, neighbours.pair, neighbours.turned,
            pairs.weight, pairs.coherence_power, target, confidence,
        )  # fmt: skip

    if n_pairs:
        for _ in run_in_threads(one, split_evenly(n_pairs, max(1, n_pairs // PAIRS_A_TASK)), threads):
            pass
    return target, confidence
