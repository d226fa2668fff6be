"""What the smaller kernels do to arrays, slowly and readably."""

from collections.abc import Sequence

import numpy as np

from relrep.core.arrays import Doubles
from relrep.text._kernels.words import MULTIPLIER, SEED
from relrep.text.encoded import SENTENCE_END
from relrep.text.fingerprint import BASES, PRIME

Rows = list[dict[int, float]]
_64_BITS = (1 << 64) - 1


def positions(tokens: Sequence[int], n_words: int) -> list[list[int]]:
    """For each word where it stands.

    >>> positions([1, 0, -1, 1], 2)
    [[1], [0, 3]]
    """
    return [[place for place, token in enumerate(tokens) if token == word] for word in range(n_words)]


def sentence_around(tokens: Sequence[int], begin: int, end: int, most: int) -> tuple[int, int]:
    """The bounds of the sentence that holds tokens[begin:end], at most `most` tokens further to each side."""
    before = [at for at in range(begin) if tokens[at] == SENTENCE_END]
    behind = [at for at in range(end, len(tokens)) if tokens[at] == SENTENCE_END]
    return max([begin - most, 0, *(at + 1 for at in before)]), min([end + most, len(tokens), *behind])


def segments(tokens: Sequence[int], longest: int) -> list[int]:
    """Bounds of segments of at most `longest` tokens, cut behind the last sentence end that is in reach."""
    bounds = [0]
    while len(tokens) - bounds[-1] > longest:
        begin = bounds[-1]
        ends = [at + 1 for at in range(begin, begin + longest) if tokens[at] == SENTENCE_END]
        bounds.append(ends[-1] if ends else begin + longest)
    return [*bounds, len(tokens)]


def transpose(rows: Rows, n_columns: int) -> Rows:
    """The transposed sparse matrix."""
    return [{r: row[column] for r, row in enumerate(rows) if column in row} for column in range(n_columns)]


def multiply(rows: Rows, dense: Sequence[Sequence[float]]) -> list[list[float]]:
    """A sparse matrix times a dense one."""
    width = len(dense[0])
    return [[sum(value * dense[c][k] for c, value in row.items()) for k in range(width)] for row in rows]


def fingerprint(text: bytes) -> tuple[int, int, int]:
    """Two polynomials in the hashes of the lines of a text that ends with a line break; and how many lines it has."""
    first = second = 0
    lines = text.split(b"\n")[:-1]
    for line in lines:
        code = int(SEED)
        for start in range(0, len(line) // 8 * 8 + 1, 8):
            code = _fold(code, int.from_bytes(line[start : start + 8], "little"))
        code = _fold(code, len(line))
        first = (first * BASES[0] + (code >> 4)) % PRIME
        second = (second * BASES[1] + (code & PRIME)) % PRIME
    return first, second, len(lines)


def _fold(code: int, number: int) -> int:
    mixed = (code ^ number) * int(MULTIPLIER) & _64_BITS
    return mixed ^ mixed >> 32


def shrunk_to_subwords(
    vectors: Doubles, words: Sequence[str], occurrences: Sequence[int], count: float, ridge: float
) -> Doubles:
    """Unit vectors shrunk towards what their character n-grams say, the normal equations of all n-grams solved at once.

    >>> shrunk_to_subwords(np.eye(2), ["cat", "cats"], [10**9, 1], 1.0, 0.1).round(2).tolist()
    [[1.0, 0.0], [0.45, 0.72]]
    """
    of_word = []
    for word in words:
        marked = f"<{word}>"
        parts = {marked[i:j] for i in range(len(marked)) for j in range(i + 3, min(i + 6, len(marked)) + 1)}
        of_word.append(parts - {marked})
    shared = sorted(g for g in set().union(*of_word) if sum(g in parts for parts in of_word) >= 2)
    has = np.array([[float(g in parts) for g in shared] for parts in of_word])
    has /= np.sqrt(np.maximum(has.sum(axis=1, keepdims=True), 1))
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    belief = np.array([n / (n + count) for n in occurrences])[:, None]
    z = np.linalg.solve(has.T @ (belief * has) + ridge * np.eye(len(shared)), has.T @ (belief * unit))
    predicted = has @ z
    length = np.linalg.norm(predicted, axis=1, keepdims=True)
    shrunk: Doubles = belief * unit + (1 - belief) * predicted / np.where(length == 0, 1, length)
    return shrunk
