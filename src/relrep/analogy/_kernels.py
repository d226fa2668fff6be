"""The three analogy measures in double precision, and the search for the best candidates of many questions.

**What a score is.** CosAdd, CosMult and PairDiff of unit vectors in float64, sums taken in the order of the
dimensions. These bits alone decide who wins; ties go to the earlier candidate.

**How the search stays exact and fast.** The cosines of the question words with a block of candidates come from a
float32 matrix product. They serve only as a filter: from them follows an *upper bound* of each score, and where that
does not exceed the worst score kept for a question, the candidate cannot enter. All others are scored in float64.
With u = 2⁻²⁴ and n dimensions, |cos32 − cos64| ≤ γ(n + 2) for any order of summation (unit vectors, Cauchy-Schwarz);
`cosine_error` is a little more than that, and every constant below leaves room for the roundings around it.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from relrep.analogy.measures import COSADD, COSMULT, EPSILON
from relrep.core.compiling import njit_now as njit

ROUNDING = 2.0**-24
"""u, the unit roundoff of float32."""
FAR = 1e30
"""Stands for 1/|d − c| where the filter cannot tell d from c."""
STRIP, LANES = 256, 16
"""Candidates looked at together; a strip without a hit, and 16 of a strip with one, cost no more than their filter."""


class Questions(NamedTuple):
    """Open questions a : b :: c : ?

    `triples` are rows of `words`, `excluded` the positions of a, b, c among all candidates (−1: not there), `constants`
    those of `question_constants`, `error` the bound of `cosine_error`.
    """

    words: NDArray[np.float64]
    triples: NDArray[np.int64]
    excluded: NDArray[np.int64]
    constants: NDArray[np.float64]
    error: float


class Candidates(NamedTuple):
    """A block of candidates, the first at `offset` among all, and upper bounds (question word × candidate).

    `similarities` are bounds of s = (cos + 1)/2, the others of 1/(s + ε) and 1/|d − w| (`fill_bounds`).
    """

    offset: int
    units: NDArray[np.float64]
    similarities: NDArray[np.float32]
    inverse_similarity: NDArray[np.float32]
    inverse_distance: NDArray[np.float32]


class BestLists(NamedTuple):
    """The best candidates so far: positions and scores (question × measure × k), how many each list holds.

    A candidate enters a list only above its threshold; +∞ switches a measure off.
    """

    thresholds: NDArray[np.float32]
    counts: NDArray[np.int64]
    positions: NDArray[np.int64]
    scores: NDArray[np.float64]


def cosine_error(dimensions: int) -> float:
    """A proven bound of |cos32 − cos64| for unit vectors.

    >>> cosine_error(100) < 1e-5
    True
    """
    return (dimensions + 4) * ROUNDING * 1.01


@njit(cache=True, nogil=True, error_model="numpy")
def score(
    measure: int,
    a: NDArray[np.float64],
    b: NDArray[np.float64],
    c: NDArray[np.float64],
    d: NDArray[np.float64],
) -> float:
    """The score of a : b :: c : d (unit vectors), to the bit that of `relrep.analogy.measures`."""
    n = a.shape[0]
    if measure == COSADD:  # Eq. 15
        product = 0.0
        squares = 0.0
        for i in range(n):
            target = (b[i] - a[i]) + c[i]
            product += target * d[i]
            squares += target * target
        return product / math.sqrt(squares) if squares > 0.0 else 0.0
    if measure == COSMULT:  # Eq. 16
        cos_a = 0.0
        cos_b = 0.0
        cos_c = 0.0
        for i in range(n):
            cos_a += a[i] * d[i]
            cos_b += b[i] * d[i]
            cos_c += c[i] * d[i]
        return ((cos_b + 1.0) / 2.0) * ((cos_c + 1.0) / 2.0) / ((cos_a + 1.0) / 2.0 + EPSILON)
    product = 0.0  # Eq. 17
    first_squares = 0.0
    second_squares = 0.0
    for i in range(n):
        first = b[i] - a[i]
        second = d[i] - c[i]
        product += first * second
        first_squares += first * first
        second_squares += second * second
    if first_squares > 0.0 and second_squares > 0.0:
        return product / (math.sqrt(first_squares) * math.sqrt(second_squares))
    return 0.0


def question_constants(words: NDArray[np.float64], triples: NDArray[np.int64]) -> NDArray[np.float64]:
    """Per question |b − a + c|, |b − a| and (b − a)·c: what the bounds need besides cosines."""
    a, b, c = words[triples[:, 0]], words[triples[:, 1]], words[triples[:, 2]]
    first = b - a
    target = first + c
    squares = np.einsum("qi,qi->q", target, target), np.einsum("qi,qi->q", first, first)
    return np.stack([np.sqrt(squares[0]), np.sqrt(squares[1]), np.einsum("qi,qi->q", first, c)], axis=1)


@njit(cache=True, nogil=True, error_model="numpy")
def fill_bounds(
    cosines: NDArray[np.float32],
    inverse_similarity: NDArray[np.float32],
    inverse_distance: NDArray[np.float32],
    error: float,
) -> None:
    """Upper bounds for all question words and all candidates of a block.

    `cosines` become upper bounds of s = (cos + 1)/2; the others are filled with those of 1/(s + ε) and 1/|d − w|.
    """
    half, one, two, zero = np.float32(0.5), np.float32(1.0), np.float32(2.0), np.float32(0.0)
    epsilon = np.float32(EPSILON)
    slack = np.float32(error + 4 * ROUNDING)
    square_slack = np.float32(2 * error + 12 * ROUNDING)
    up = np.float32(1 + 8 * ROUNDING)
    tiny, far = np.float32(1.0 / FAR), np.float32(FAR)
    for w in range(cosines.shape[0]):
        for j in range(cosines.shape[1]):
            cosine = cosines[w, j]
            similarity = half * cosine + half
            cosines[w, j] = similarity + slack
            inverse_similarity[w, j] = up / (max(similarity - slack, zero) + epsilon)
            square = max(two - two * cosine - square_slack, zero)
            inverse_distance[w, j] = up * (one / np.sqrt(square)) if square > tiny else far


@njit(cache=True, nogil=True)
def threshold_of(measure: int, kept_score: float, constants: NDArray[np.float64], error: float) -> np.float32:
    """What the filter's expression of a measure must exceed for a score to have a chance against `kept_score`.

    The filter works on h = s + slack, so that h_b − h_a + h_c = (cos_b − cos_a + cos_c + 1)/2 + slack.
    """
    if measure == COSADD:
        if constants[0] == 0.0:  # every score is 0: nobody can win any more
            return np.float32(np.inf)
        return np.float32((kept_score * constants[0] + 1.0) / 2.0 - error - 16 * ROUNDING)
    if measure == COSMULT:
        return np.float32(kept_score - abs(kept_score) * 24 * ROUNDING)
    if constants[1] == 0.0:
        return np.float32(np.inf)
    if kept_score < 0.0:  # the filter's bound holds only for scores that are not negative
        return np.float32(-np.inf)
    return np.float32(kept_score * constants[1] / 2.0 * (1 - 24 * ROUNDING))


@njit(cache=True, nogil=True)
def insert(candidate: int, value: float, count: int, ids: NDArray[np.int64], scores: NDArray[np.float64]) -> int:
    """Puts a candidate into a list by falling score, behind its equals; returns how many it now holds."""
    size = ids.shape[0]
    if count == size and value <= scores[size - 1]:
        return count
    at = count if count < size else size - 1
    while at > 0 and scores[at - 1] < value:
        scores[at] = scores[at - 1]
        ids[at] = ids[at - 1]
        at -= 1
    scores[at] = value
    ids[at] = candidate
    return count + 1 if count < size else count


@njit(cache=True, nogil=True)
def any_above(
    differences: NDArray[np.float32],
    products: NDArray[np.float32],
    similarities: NDArray[np.float32],
    inverse_distance: NDArray[np.float32],
    shift: np.float32,
    least: tuple[np.float32, np.float32, np.float32],
) -> bool:
    """Whether a candidate of a strip passes the filter of any measure (`least` are their thresholds).

    No branches, and counters as wide as the scores: a loop that the compiler makes vectors of.
    """
    least_add, least_mult, least_diff = least
    hits = np.int32(0)
    for j in range(len(similarities)):
        similarity = similarities[j]
        hits |= np.int32(differences[j] + similarity > least_add)
        hits |= np.int32(products[j] * similarity > least_mult)
        hits |= np.int32((differences[j] - shift) * inverse_distance[j] > least_diff)
    return bool(hits != 0)


@njit(cache=True, nogil=True)
def _enter(
    q: int,
    measure: int,
    candidate: int,
    value: float,
    lists: BestLists,
    constants: NDArray[np.float64],
    error: float,
) -> None:
    """Puts a candidate into its list; a full list raises its threshold."""
    ids, scores = lists.positions[q, measure], lists.scores[q, measure]
    count = insert(candidate, value, lists.counts[q, measure], ids, scores)
    lists.counts[q, measure] = count
    if count == len(ids):
        lists.thresholds[q, measure] = threshold_of(measure, scores[count - 1], constants, error)


@njit(cache=True, nogil=True, error_model="numpy")
def search_block(candidates: Candidates, questions: Questions, lists: BestLists) -> None:
    """Enters the candidates of one block into the best lists of the questions; these go on from block to block."""
    similarities, inverse_similarity = candidates.similarities, candidates.inverse_similarity
    inverse_distance, units, offset = candidates.inverse_distance, candidates.units, candidates.offset
    words, triples, excluded = questions.words, questions.triples, questions.excluded
    constants, error = questions.constants, questions.error
    thresholds = lists.thresholds
    size = similarities.shape[1]
    slack = np.float32(error + 12 * ROUNDING)
    differences = np.empty(STRIP, dtype=np.float32)
    products = np.empty(STRIP, dtype=np.float32)
    for strip in range(0, size, STRIP):
        end = min(strip + STRIP, size)
        last_a, last_b = -1, -1
        for q in range(triples.shape[0]):
            a, b, c = triples[q, 0], triples[q, 1], triples[q, 2]
            if a != last_a or b != last_b:  # question files keep a and b for many lines
                for j in range(strip, end):
                    differences[j - strip] = similarities[b, j] - similarities[a, j]
                    products[j - strip] = similarities[b, j] * inverse_similarity[a, j]
                last_a, last_b = a, b
            shift = np.float32(constants[q, 2] / 2.0) - slack
            least = (thresholds[q, 0], thresholds[q, 1], thresholds[q, 2])
            near, inverse = similarities[c, strip:end], inverse_distance[c, strip:end]
            if not any_above(differences, products, near, inverse, shift, least):
                continue
            for low in range(0, end - strip, LANES):
                lanes = slice(low, min(low + LANES, end - strip))
                if not any_above(differences[lanes], products[lanes], near[lanes], inverse[lanes], shift, least):
                    continue
                for j in range(lanes.start, lanes.stop):
                    position = offset + strip + j
                    if position == excluded[q, 0] or position == excluded[q, 1] or position == excluded[q, 2]:
                        continue
                    for measure in range(3):
                        if measure == COSADD:
                            bound = differences[j] + near[j]
                        elif measure == COSMULT:
                            bound = products[j] * near[j]
                        else:
                            bound = (differences[j] - shift) * inverse[j]
                        if bound > thresholds[q, measure]:
                            value = score(measure, words[a], words[b], words[c], units[strip + j])
                            _enter(q, measure, position, value, lists, constants[q], error)
