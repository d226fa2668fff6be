"""The plain loop: the measures and the search written in ordinary Python floats, in the declared order of summation."""

import math
from collections.abc import Sequence

EPSILON = 1e-5
Vector = Sequence[float]


def unit(vector: Vector) -> list[float]:
    squares = 0.0
    for x in vector:
        squares += x * x
    length = math.sqrt(squares)
    return [x / length for x in vector] if squares > 0 else list(vector)


def dot(first: Vector, second: Vector) -> float:
    total = 0.0
    for x, y in zip(first, second, strict=True):
        total += x * y
    return total


def cosadd(a: Vector, b: Vector, c: Vector, d: Vector) -> float:
    target = [(y - x) + z for x, y, z in zip(a, b, c, strict=True)]
    squares = dot(target, target)
    return dot(target, d) / math.sqrt(squares) if squares > 0 else 0.0


def cosmult(a: Vector, b: Vector, c: Vector, d: Vector) -> float:
    s_a, s_b, s_c = ((dot(x, d) + 1) / 2 for x in (a, b, c))
    return s_b * s_c / (s_a + EPSILON)


def pairdiff(a: Vector, b: Vector, c: Vector, d: Vector) -> float:
    first = [y - x for x, y in zip(a, b, strict=True)]
    second = [y - x for x, y in zip(c, d, strict=True)]
    squares = dot(first, first), dot(second, second)
    if min(squares) == 0:
        return 0.0
    return dot(first, second) / (math.sqrt(squares[0]) * math.sqrt(squares[1]))


MEASURES = {"cosadd": cosadd, "cosmult": cosmult, "pairdiff": pairdiff}


def ranking(
    measure: str, units: Sequence[Vector], question: Sequence[int], candidates: Sequence[int]
) -> list[tuple[int, float]]:
    """All candidates but a, b and c with their scores, the best first, ties by vocabulary order."""
    a, b, c = (units[word] for word in question)
    score = MEASURES[measure]
    scored = [(d, score(a, b, c, units[d])) for d in candidates if d not in question]
    return sorted(scored, key=lambda each: (-each[1], each[0]))
