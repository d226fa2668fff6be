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

import numpy as np
from numba import njit
from numpy.typing import NDArray

from relrep.analogy.scores import COSADD, COSMULT, EPSILON, PAIRDIFF

ROUNDING = 2.0**-24
"""u, the unit roundoff of float32."""
FAR = 1e30
"""Stands for 1/|d − c| where the filter cannot tell d from c."""
STRIP = 128
"""Candidates looked at together; a strip without a hit costs no more than its filter."""


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
    """The score of a : b :: c : d (unit vectors), to the bit that of `relrep.analogy.scores`."""
    n = a.shape[0]
    if measure == COSADD:
        product = 0.0
        squares = 0.0
        for i in range(n):
            target = (b[i] - a[i]) + c[i]
            product += target * d[i]
            squares += target * target
        return product / math.sqrt(squares) if squares > 0.0 else 0.0
    if measure == COSMULT:
        cos_a = 0.0
        cos_b = 0.0
        cos_c = 0.0
        for i in range(n):
            cos_a += a[i] * d[i]
            cos_b += b[i] * d[i]
            cos_c += c[i] * d[i]
        return ((cos_b + 1.0) / 2.0) * ((cos_c + 1.0) / 2.0) / ((cos_a + 1.0) / 2.0 + EPSILON)
    product = 0.0
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


@njit(cache=True, nogil=True, error_model="numpy")
def question_constants(words: NDArray[np.float64], questions: NDArray[np.int64]) -> NDArray[np.float64]:
    """Per question |b − a + c|, |b − a| and (b − a)·c: what the bounds need besides cosines."""
    constants = np.empty((questions.shape[0], 3))
    for q in range(questions.shape[0]):
        a, b, c = words[questions[q, 0]], words[questions[q, 1]], words[questions[q, 2]]
        target_squares = 0.0
        first_squares = 0.0
        shift = 0.0
        for i in range(words.shape[1]):
            first = b[i] - a[i]
            target_squares += (first + c[i]) * (first + c[i])
            first_squares += first * first
            shift += first * c[i]
        constants[q, 0] = math.sqrt(target_squares)
        constants[q, 1] = math.sqrt(first_squares)
        constants[q, 2] = shift
    return constants


@njit(cache=True, nogil=True, error_model="numpy")
def fill_bounds(
    cosines: NDArray[np.float32],
    inverse_similarity: NDArray[np.float32],
    inverse_distance: NDArray[np.float32],
    start: int,
    stop: int,
    error: float,
) -> None:
    """Upper bounds for the question words start … stop and all candidates of a block.

    `cosines` become upper bounds of s = (cos + 1)/2; the others are filled with those of 1/(s + ε) and 1/|d − w|.
    """
    half, one, two, zero = np.float32(0.5), np.float32(1.0), np.float32(2.0), np.float32(0.0)
    epsilon = np.float32(EPSILON)
    slack = np.float32(error + 4 * ROUNDING)
    square_slack = np.float32(2 * error + 12 * ROUNDING)
    up = np.float32(1 + 8 * ROUNDING)
    tiny, far = np.float32(1.0 / FAR), np.float32(FAR)
    for w in range(start, stop):
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
def insert(candidate: int, value: float, held: int, ids: NDArray[np.int64], scores: NDArray[np.float64]) -> int:
    """Puts a candidate into a list by falling score, behind its equals; returns how many it now holds."""
    size = ids.shape[0]
    if held == size and value <= scores[size - 1]:
        return held
    place = held if held < size else size - 1
    while place > 0 and scores[place - 1] < value:
        scores[place] = scores[place - 1]
        ids[place] = ids[place - 1]
        place -= 1
    scores[place] = value
    ids[place] = candidate
    return held + 1 if held < size else held


@njit(cache=True, nogil=True)
def mark_above(
    differences: NDArray[np.float32],
    products: NDArray[np.float32],
    similarities: NDArray[np.float32],
    inverse_distance: NDArray[np.float32],
    shift: np.float32,
    least: tuple[np.float32, np.float32, np.float32],
    marks: NDArray[np.uint8],
) -> bool:
    """Marks the candidates of a strip that pass the filter of any measure (`least` are their thresholds), if any do.

    One question at the end instead of many: a loop without branches, which the compiler makes vectors of.
    """
    least_add, least_mult, least_diff = least
    hits = np.uint8(0)
    for j in range(len(similarities)):
        similarity = similarities[j]
        marks[j] = (
            np.uint8(differences[j] + similarity > least_add)
            | np.uint8(products[j] * similarity > least_mult)
            | np.uint8((differences[j] - shift) * inverse_distance[j] > least_diff)
        )
        hits |= marks[j]
    return bool(hits != 0)


@njit(cache=True, nogil=True)
def hopeless(numerator: float, similarity: float, kept: float, error: float) -> bool:
    """Whether PairDiff cannot exceed a *negative* kept score: its numerator is negative and |d − c| not large enough.

    `numerator` is an upper bound of (b − a)·(d − c), `kept` the score to beat times |b − a|; |d − c|² ≤ 4 − 4 s.
    """
    if kept >= 0.0 or numerator >= 0.0:
        return False
    square = 4.0 - 4.0 * similarity + 8.0 * (error + 8 * ROUNDING)
    return square > 0.0 and numerator < kept * math.sqrt(square)


@njit(cache=True, nogil=True, error_model="numpy")
def search_block(
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
    thresholds: NDArray[np.float32],
    held: NDArray[np.int64],
    ids: NDArray[np.int64],
    scores: NDArray[np.float64],
) -> None:
    """Enters the candidates of one block into the best lists of the questions start … stop.

    `questions` are rows of `words`, `excluded` the places of a, b, c among all candidates (−1: not there), `offset`
    the place of the block's first candidate. `thresholds`, `held` (question × measure), `ids` and `scores`
    (question × measure × k) are carried from block to block; a threshold of +∞ switches a measure off.
    """
    size = similarities.shape[1]
    slack = np.float32(error + 12 * ROUNDING)
    differences = np.empty(STRIP, dtype=np.float32)
    products = np.empty(STRIP, dtype=np.float32)
    marks = np.empty(STRIP, dtype=np.uint8)
    for strip in range(0, size, STRIP):
        end = min(strip + STRIP, size)
        last_a, last_b = -1, -1
        for q in range(start, stop):
            a, b, c = questions[q, 0], questions[q, 1], questions[q, 2]
            if a != last_a or b != last_b:  # question files keep a and b for many lines
                for j in range(strip, end):
                    differences[j - strip] = similarities[b, j] - similarities[a, j]
                    products[j - strip] = similarities[b, j] * inverse_similarity[a, j]
                last_a, last_b = a, b
            shift = np.float32(constants[q, 2] / 2.0) - slack
            least = (thresholds[q, 0], thresholds[q, 1], thresholds[q, 2])
            near, inverse = similarities[c, strip:end], inverse_distance[c, strip:end]
            if not mark_above(differences, products, near, inverse, shift, least, marks):
                continue
            for j in range(strip, end):
                if marks[j - strip] == 0:
                    continue
                place = offset + j
                if place == excluded[q, 0] or place == excluded[q, 1] or place == excluded[q, 2]:
                    continue
                difference, similarity = differences[j - strip], similarities[c, j]
                for measure in range(3):
                    if measure == COSADD:
                        bound = difference + similarity
                    elif measure == COSMULT:
                        bound = products[j - strip] * similarity
                    else:
                        bound = (difference - shift) * inverse_distance[c, j]
                    if not bound > thresholds[q, measure]:
                        continue
                    if measure == PAIRDIFF and held[q, 2] == ids.shape[2]:
                        kept = scores[q, 2, ids.shape[2] - 1] * constants[q, 1]
                        if hopeless(2.0 * (difference - shift), similarity, kept, error):
                            continue
                    value = score(measure, words[a], words[b], words[c], candidates[j])
                    count = insert(place, value, held[q, measure], ids[q, measure], scores[q, measure])
                    held[q, measure] = count
                    if count == ids.shape[2]:
                        thresholds[q, measure] = threshold_of(
                            measure, scores[q, measure, count - 1], constants[q], error
                        )
