"""Analogy questions slowly and readably: the three measures and the search over a whole vocabulary.

Ordinary Python floats, summed from the first coordinate to the last. Vectors of words are at unit length, so that a
dot product is a cosine.
"""

import math
from collections.abc import Callable, Sequence

EPSILON = 1e-5
Vector = Sequence[float]


def unit(vector: Vector) -> list[float]:
    """The vector at unit length; a zero vector stays as it is.

    >>> unit([3.0, 4.0])
    [0.6, 0.8]
    """
    squares = dot(vector, vector)
    length = math.sqrt(squares)
    return [x / length for x in vector] if squares > 0 else list(vector)


def dot(first: Vector, second: Vector) -> float:
    """The dot product, added up in the order of the coordinates."""
    total = 0.0
    for x, y in zip(first, second, strict=True):
        total += x * y
    return total


def cosadd(a: Vector, b: Vector, c: Vector, d: Vector) -> float:
    """cos(b − a + c, d) (Eq. 15); 0 if b − a + c has no length."""
    target = [(y - x) + z for x, y, z in zip(a, b, c, strict=True)]
    squares = dot(target, target)
    return dot(target, d) / math.sqrt(squares) if squares > 0 else 0.0


def cosmult(a: Vector, b: Vector, c: Vector, d: Vector) -> float:
    """cos(b, d) · cos(c, d) / (cos(a, d) + ε), each cosine moved from −1 … 1 to 0 … 1 (Eq. 16)."""
    s_a, s_b, s_c = ((dot(x, d) + 1) / 2 for x in (a, b, c))
    return s_b * s_c / (s_a + EPSILON)


def pairdiff(a: Vector, b: Vector, c: Vector, d: Vector) -> float:
    """cos(b − a, d − c) (Eq. 17); 0 if one of the differences has no length."""
    first = [y - x for x, y in zip(a, b, strict=True)]
    second = [y - x for x, y in zip(c, d, strict=True)]
    squares = dot(first, first), dot(second, second)
    if min(squares) == 0:
        return 0.0
    return dot(first, second) / (math.sqrt(squares[0]) * math.sqrt(squares[1]))


MEASURES: dict[str, Callable[[Vector, Vector, Vector, Vector], float]] = {
    "cosadd": cosadd,
    "cosmult": cosmult,
    "pairdiff": pairdiff,
}


def ranking(
    measure: str, units: Sequence[Vector], question: Sequence[int], candidates: Sequence[int]
) -> list[tuple[int, float]]:
    """All candidates but a, b and c with their scores, the best first, ties by vocabulary order.

    >>> ranking("cosadd", [[1.0, 0.0], [0.0, 1.0], [0.8, 0.6], [0.6, 0.8]], [0, 1, 2], [0, 1, 2, 3])[0][0]
    3
    """
    a, b, c = (units[word] for word in question)
    score = MEASURES[measure]
    scored = [(d, score(a, b, c, units[d])) for d in candidates if d not in question]
    return sorted(scored, key=lambda each: (-each[1], each[0]))
