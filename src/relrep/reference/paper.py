"""The method, slowly and readably: the oracle that the tests hold every kernel to.

Plain Python on plain lists and dictionaries; section and equation names are those of docs/method.md.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations

Word = str | None
"""A token; None is one outside the vocabulary: it keeps its place but is neither word nor pattern."""
Pair = tuple[str, str]
Pattern = tuple[str, tuple[str, ...], bool]
"""Kind (unigram, bigram, midfix), words, and whether it was found in the reversed order v … u."""

KINDS = ("unigram", "bigram", "midfix")
Sentences = Sequence[Sequence[Word]]
Counts = Counter[tuple[Pattern, Pair]]
Weights = dict[tuple[Pattern, Pair], float]
Instances = Sequence[tuple[int, int, int]]
"""(p, q, t): two patterns by their numbers, and whether they are similar."""
Rows = Sequence[dict[str, float]]
Vector = list[float]
Vectors = dict[str, Vector]


def occurrences(sentence: Sequence[Word], max_gap: int) -> Iterable[tuple[int, int]]:
    """All (i, j), i before j, with at most `max_gap` tokens between and words at both ends."""
    for i, u in enumerate(sentence):
        for j in range(i + 1, min(i + max_gap + 2, len(sentence))):
            v = sentence[j]
            if u is not None and v is not None and u != v:
                yield i, j


def select_pairs(
    sentences: Sentences,
    max_gap: int,
    min_pair_sentences: int,
    stop_words: frozenset[str] = frozenset(),
    no_pair: frozenset[str] = frozenset(),
) -> dict[Pair, int]:
    """Pairs by the number of sentences that hold them.

    >>> select_pairs([["a", "cat", "sat"], ["a", "cat"]], max_gap=0, min_pair_sentences=2)
    {('a', 'cat'): 2}
    """
    counts: Counter[Pair] = Counter()
    for sentence in sentences:
        found: set[Pair] = set()
        for i, j in occurrences(sentence, max_gap):
            u, v = str(sentence[i]), str(sentence[j])
            if not (u in no_pair or v in no_pair or (u in stop_words and v in stop_words)):
                found.add((u, v))
        counts.update(found)
    return {pair: count for pair, count in counts.items() if count >= min_pair_sentences}


def patterns_of(midfix: Sequence[Word], kinds: Sequence[str], reversed: bool) -> set[Pattern]:
    """The set of patterns of one midfix.

    >>> sorted(patterns_of(["is", "a", "is"], ["unigram"], False))
    [('unigram', ('a',), False), ('unigram', ('is',), False)]
    """
    lengths = {"unigram": [1], "bigram": [2], "midfix": [len(midfix)]}
    found: set[Pattern] = set()
    for kind in kinds:
        for n in lengths[kind]:
            for k in range(len(midfix) - n + 1):
                ngram = midfix[k : k + n]
                if n and None not in ngram:
                    found.add((kind, tuple(str(word) for word in ngram), reversed))
    return found


def count_patterns(
    sentences: Sentences,
    pairs: Iterable[Pair],
    max_gap: int,
    kinds: Sequence[str] = ("unigram", "bigram"),
    both_directions: bool = False,
) -> Counts:
    """g(p, u, v) for the given pairs and all patterns."""
    selected = set(pairs)
    counts: Counts = Counter()
    for sentence in sentences:
        for i, j in occurrences(sentence, max_gap):
            u, v = str(sentence[i]), str(sentence[j])
            midfix = sentence[i + 1 : j]
            if (u, v) in selected:
                counts.update((p, (u, v)) for p in patterns_of(midfix, kinds, False))
            if both_directions and (v, u) in selected:
                counts.update((p, (v, u)) for p in patterns_of(midfix, kinds, True))
    return counts


def select_patterns(counts: Counts, n_patterns: int) -> dict[Pattern, int]:
    """The patterns with the most occurrences, ties by spelling, in that order."""
    totals: Counter[Pattern] = Counter()
    for (pattern, _), count in counts.items():
        totals[pattern] += count
    order = sorted(totals, key=lambda p: (-totals[p], " ".join(p[1]), KINDS.index(p[0]), p[2]))
    return {pattern: totals[pattern] for pattern in order[:n_patterns]}


def association(g: dict[tuple[Pattern, Pair], int], measure: str = "ppmi") -> Weights:
    """f(p, u, v) > 0 from the counts of the kept patterns (Eq. 1).

    PPMI = max(0, log(g G / (g_p g_uv))); LMI = g · PPMI; LLR = 2 Σ k log(k / expected) over the 2 × 2 table of p and
    (u, v), where they occur together more often than expected.
    """
    by_pattern: Counter[Pattern] = Counter()
    by_pair: Counter[Pair] = Counter()
    for (pattern, pair), count in g.items():
        by_pattern[pattern] += count
        by_pair[pair] += count
    total = sum(by_pattern.values())
    weights: Weights = {}
    for (pattern, pair), count in g.items():
        row, column = by_pattern[pattern], by_pair[pair]
        if count * total <= row * column:
            continue
        pmi = math.log(count * total / (row * column))
        if measure == "ppmi":
            weights[pattern, pair] = pmi
        elif measure == "lmi":
            weights[pattern, pair] = count * pmi
        else:
            weights[pattern, pair] = log_likelihood_ratio(count, row, column, total)
    return weights


def log_likelihood_ratio(count: int, row: int, column: int, total: int) -> float:
    """Dunning's G² of a 2 × 2 table."""
    table = (
        (count, row, column),
        (row - count, row, total - column),
        (column - count, total - row, column),
        (total - row - column + count, total - row, total - column),
    )
    return 2.0 * sum(k * math.log(k * total / (a * b)) for k, a, b in table if k > 0)


def similarities(f: Weights, patterns: Sequence[Pattern]) -> dict[tuple[int, int], float]:
    """The cosine of the rows of f for all pairs of patterns, by their numbers, where it is not zero."""
    rows: list[dict[Pair, float]] = [{} for _ in patterns]
    number = {pattern: index for index, pattern in enumerate(patterns)}
    for (pattern, pair), weight in f.items():
        rows[number[pattern]][pair] = weight
    norms = [math.sqrt(sum(w * w for w in row.values())) for row in rows]
    result = {}
    for p, q in combinations(range(len(patterns)), 2):
        product = sum(weight * rows[q].get(pair, 0.0) for pair, weight in rows[p].items())
        if product > 0:
            result[p, q] = product / (norms[p] * norms[q])
    return result


def select_instances(
    similarity: dict[tuple[int, int], float], n_positives: int, n_negatives: int
) -> list[tuple[int, int, int]]:
    """(p, q, t): the most similar pairs of patterns, t = 1, and the least similar with some, t = 0 (§ 3.1).

    Where there are too few, each kind has half of them, or as many as it asks for.
    """
    n = len(similarity)
    if n < n_positives + n_negatives:
        n_positives = min(n_positives, max(n - n // 2, n - n_negatives))
        n_negatives = n - n_positives
    falling = sorted(similarity, key=lambda pair: (-similarity[pair], pair))
    rising = sorted(similarity, key=lambda pair: (similarity[pair], pair))
    positives, negatives = falling[:n_positives], rising[:n_negatives]
    return [(p, q, 1) for p, q in positives] + [(p, q, 0) for p, q in negatives]


def pattern_matrix(f: Weights, patterns: Sequence[Pattern]) -> list[dict[str, float]]:
    """The rows of A: A[p, x] = (Σ_v f(p, x, v) − Σ_u f(p, u, x)) / |R(p)| (Eq. 2, 3, 14)."""
    rows: list[dict[str, float]] = [{} for _ in patterns]
    sizes = [0.0 for _ in patterns]
    number = {pattern: index for index, pattern in enumerate(patterns)}
    for (pattern, (u, v)), weight in f.items():
        row = rows[number[pattern]]
        row[u] = row.get(u, 0.0) + weight
        row[v] = row.get(v, 0.0) - weight
        sizes[number[pattern]] += weight
    return [{x: h / size for x, h in row.items()} if size else {} for row, size in zip(rows, sizes, strict=True)]


def pattern_vector(row: dict[str, float], vectors: Vectors, dim: int) -> Vector:
    """p = Σ_x A[p, x] x (Eq. 4)."""
    return [sum(a * vectors[x][k] for x, a in row.items()) for k in range(dim)]


def activation(name: str, score: float) -> tuple[float, float]:
    """σ(score) and σ'(score)."""
    if name == "tanh":
        value = math.tanh(score)
        return value, 1 - value * value
    if name == "logistic":
        value = 1 / (1 + math.exp(-score)) if score >= 0 else math.exp(score) / (1 + math.exp(score))
        return value, value * (1 - value)
    return max(0.0, score), 1.0 if score > 0 else 0.0


def loss_and_gradient(
    instances: Instances, rows: Rows, vectors: Vectors, dim: int, sigma: str = "tanh"
) -> tuple[float, Vectors]:
    """L = Σ ½ (t − σ(p₁ᵀp₂))² over the instances (Eq. 5), and ∂L/∂x = Aᵀ ∂L/∂P for every word x (Eq. 7 to 12)."""
    held = [pattern_vector(row, vectors, dim) for row in rows]
    slopes = [[0.0] * dim for _ in rows]
    loss = 0.0
    for p, q, target in instances:
        score = sum(a * b for a, b in zip(held[p], held[q], strict=True))
        value, slope = activation(sigma, score)
        loss += 0.5 * (target - value) ** 2
        factor = slope * (value - target)
        for k in range(dim):
            slopes[p][k] += factor * held[q][k]
            slopes[q][k] += factor * held[p][k]
    gradient = {x: [0.0] * dim for x in vectors}
    for row, slope_row in zip(rows, slopes, strict=True):
        for x, a in row.items():
            for k in range(dim):
                gradient[x][k] += a * slope_row[k]
    return loss, gradient


def adagrad_step(vectors: Vectors, sums: Vectors, gradient: Vectors, rate: float) -> None:
    """x ← x − rate · g / √Σg², coordinate by coordinate, in place; where nothing was ever seen, nothing moves."""
    for x, slopes in gradient.items():
        for k, slope in enumerate(slopes):
            sums[x][k] += slope * slope
            if sums[x][k] > 0:
                vectors[x][k] -= rate * slope / math.sqrt(sums[x][k])


def algorithm_1(
    instances: Instances,
    rows: Rows,
    vectors: Vectors,
    orders: Sequence[Sequence[Sequence[int]]],
    rate: float = 0.01,
    sigma: str = "tanh",
) -> list[float]:
    """Algorithm 1: moves `vectors` in place, and returns the mean loss of each iteration.

    `orders` has, for each iteration, the groups of instances that are updated together: one at a time as in the paper
    (SGD), or all at once. Pattern vectors (line 4) are computed anew for every group: updates are never stale.
    """
    dim = len(next(iter(vectors.values())))
    sums = {word: [0.0] * dim for word in vectors}
    losses = []
    for groups in orders:  # line 3: for t = 1 … T
        total = 0.0
        for group in groups:  # line 5: for each instance
            loss, gradient = loss_and_gradient([instances[i] for i in group], rows, vectors, dim, sigma)
            adagrad_step(vectors, sums, gradient, rate)  # line 8
            total += loss
        losses.append(total / len(instances))
    return losses
