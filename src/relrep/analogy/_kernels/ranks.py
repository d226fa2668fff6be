"""How many candidates score above the expected answer: exact ranks, with the bounds of `kernels.analogy`.

A candidate whose float32 upper bound does not pass is surely not above; one that passes a stricter test surely is.
Only the few between are scored in float64. The stricter tests of CosMult and PairDiff need candidates that are not
all but opposite to a, b or c (s > LEAST_SIMILARITY) or all but equal to c (s < GREATEST_SIMILARITY).
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from relrep.analogy._kernels.scores import ROUNDING, STRIP, score
from relrep.analogy.scores import COSADD, COSMULT

LEAST_SIMILARITY = 0.05
GREATEST_SIMILARITY = 0.99


@njit(cache=True, nogil=True)
def limits_of(
    measure: int, value: float, constants: NDArray[np.float64], error: float
) -> tuple[np.float32, np.float32]:
    """(possible, sure): the filter's expression must exceed the one, and does so surely above the other."""
    slack = error + 4 * ROUNDING
    if measure == COSADD:
        middle = (value * constants[0] + 1.0) / 2.0
        return np.float32(middle - error - 16 * ROUNDING), np.float32(middle + slack + 2 * error + 24 * ROUNDING)
    if measure == COSMULT:
        relative = 8 * slack / LEAST_SIMILARITY + 64 * ROUNDING
        return np.float32(value - abs(value) * 24 * ROUNDING), np.float32(value + abs(value) * relative)
    relative = (4 * error + 40 * ROUNDING) / 0.03 + 64 * ROUNDING
    middle = value * constants[1] / 2.0
    if middle >= 0.0:
        return np.float32(middle * (1 - 24 * ROUNDING)), np.float32(middle * (1 + relative))
    return np.float32(middle * (1 + relative)), np.float32(middle * (1 - 24 * ROUNDING))


@njit(cache=True, nogil=True, error_model="numpy")
def _possible_and_sure(
    measure: int,
    value: float,
    similar_a: NDArray[np.float32],
    similar_b: NDArray[np.float32],
    similar_c: NDArray[np.float32],
    over_a: NDArray[np.float32],
    over_c: NDArray[np.float32],
    shift: np.float32,
    gap: np.float32,
    possible_limit: np.float32,
    sure_limit: np.float32,
    possible: NDArray[np.uint8],
    sure: NDArray[np.uint8],
) -> None:
    """Marks the candidates of a strip that may be above, and those that surely are."""
    least, greatest = np.float32(LEAST_SIMILARITY), np.float32(GREATEST_SIMILARITY)
    if measure == COSADD:
        for j in range(similar_a.shape[0]):
            bound = similar_b[j] - similar_a[j] + similar_c[j]
            possible[j] = np.uint8(bound > possible_limit)
            sure[j] = np.uint8(bound > sure_limit)
    elif measure == COSMULT:
        for j in range(similar_a.shape[0]):
            bound = similar_b[j] * similar_c[j] * over_a[j]
            ordinary = np.uint8(min(min(similar_a[j], similar_b[j]), similar_c[j]) > least)
            possible[j] = np.uint8(bound > possible_limit)
            sure[j] = np.uint8(bound > sure_limit) & ordinary
    elif value >= 0.0:
        for j in range(similar_a.shape[0]):
            numerator = similar_b[j] - similar_a[j] - shift
            possible[j] = np.uint8(numerator * over_c[j] > possible_limit)
            far = np.uint8(similar_c[j] < greatest)
            sure[j] = np.uint8((numerator - gap) * over_c[j] > sure_limit) & far
    else:
        for j in range(similar_a.shape[0]):
            numerator = similar_b[j] - similar_a[j] - shift
            near = np.uint8(similar_c[j] >= greatest)
            possible[j] = np.uint8(numerator * over_c[j] > possible_limit) | near
            sure[j] = np.uint8((numerator - gap) * over_c[j] > sure_limit)


@njit(cache=True, nogil=True)
def _any(marks: NDArray[np.uint8]) -> bool:
    """Whether any mark is set (vectorised, unlike a loop that stops early)."""
    found = np.uint8(0)
    for j in range(marks.shape[0]):
        found |= marks[j]
    return bool(found != 0)


@njit(cache=True, nogil=True, error_model="numpy")
def count_above(
    similarities: NDArray[np.float32],
    inverse_similarity: NDArray[np.float32],
    inverse_distance: NDArray[np.float32],
    words: NDArray[np.float64],
    candidates: NDArray[np.float64],
    offset: int,
    questions: NDArray[np.int64],
    excluded: NDArray[np.int64],
    constants: NDArray[np.float64],
    error: float,
    start: int,
    stop: int,
    expected: NDArray[np.int64],
    values: NDArray[np.float64],
    above: NDArray[np.int64],
) -> None:
    """Adds to `above` (question × measure) the candidates of one block that beat the expected answer.

    `expected` is the place of the expected answer (−1: nothing to count) and `values` its score; an equal score
    beats it from an earlier place.
    """
    slack = np.float32(error + 12 * ROUNDING)
    gap = np.float32(3 * error + 40 * ROUNDING)
    possible, sure = np.empty(STRIP, dtype=np.uint8), np.empty(STRIP, dtype=np.uint8)
    for strip in range(0, similarities.shape[1], STRIP):
        end = min(strip + STRIP, similarities.shape[1])
        for q in range(start, stop):
            a, b, c = questions[q, 0], questions[q, 1], questions[q, 2]
            for measure in range(values.shape[1]):
                if expected[q, measure] < 0:
                    continue
                value = values[q, measure]
                limits = limits_of(measure, value, constants[q], error)
                _possible_and_sure(
                    measure,
                    value,
                    similarities[a, strip:end],
                    similarities[b, strip:end],
                    similarities[c, strip:end],
                    inverse_similarity[a, strip:end],
                    inverse_distance[c, strip:end],
                    np.float32(constants[q, 2] / 2.0) - slack,
                    gap,
                    limits[0],
                    limits[1],
                    possible,
                    sure,
                )
                if not _any(possible[: end - strip]):
                    continue
                for j in range(end - strip):
                    if possible[j] == 0:
                        continue
                    place = offset + strip + j
                    if place == excluded[q, 0] or place == excluded[q, 1] or place == excluded[q, 2]:
                        continue
                    if sure[j]:
                        above[q, measure] += 1
                        continue
                    other = score(measure, words[a], words[b], words[c], candidates[strip + j])
                    if other > value or (other == value and place < expected[q, measure]):
                        above[q, measure] += 1
