"""The coherence of pairs written slowly and readably in plain Python: the tests' oracle.

Vectors are lists of floats by word; a corpus is a list of sentences; a pair is a tuple of two words.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise

Vector = list[float]
Pair = tuple[str, str]
Pattern = tuple[str, tuple[str, ...], bool]
"""("unigram" | "bigram" | "midfix", its tokens, whether the pair stands the other way round)."""


def bound_pairs(
    sentences: Sequence[Sequence[str]], no_pair: frozenset[str], max_gap: int, min_meetings: int, min_pmi: float
) -> dict[Pair, float]:
    """The PMI of every pair of words, in spelling order, that meets often, and e^min_pmi times as often as by chance.

    >>> bound_pairs([["a", "b"], ["b", "a"], ["c"] * 8], frozenset(), max_gap=0, min_meetings=2, min_pmi=0)
    {('a', 'b'): 1.0986122886681098}
    """
    words = Counter(word for sentence in sentences for word in sentence)
    meetings: Counter[Pair] = Counter()
    for sentence in sentences:
        pairs_of_sentence: set[Pair] = set()
        for i, first in enumerate(sentence):
            for second in sentence[i + 1 : i + max_gap + 2]:
                if first != second and not {first, second} & no_pair:
                    pairs_of_sentence.add((min(first, second), max(first, second)))
        meetings.update(pairs_of_sentence)
    bound = {}
    for (u, v), count in sorted(meetings.items()):
        chance = words[u] * words[v] * 2 * (max_gap + 1) / words.total()
        pmi = math.log(count / chance)
        if count >= min_meetings and pmi >= min_pmi:
            bound[u, v] = pmi
    return bound


def profile(sentences: Sequence[Sequence[str]], pair: Pair, max_gap: int) -> Counter[Pattern]:
    """How often each pattern stands between the words of `pair`, in either direction.

    >>> sorted(profile([["paris", "in", "france"]], ("france", "paris"), 5))
    [('midfix', ('in',), True), ('unigram', ('in',), True)]
    """
    counts: Counter[Pattern] = Counter()
    for sentence in sentences:
        for i, first in enumerate(sentence):
            for j in range(i + 1, min(len(sentence), i + max_gap + 2)):
                if (first, sentence[j]) not in (pair, pair[::-1]):
                    continue
                turned, midfix = (first, sentence[j]) != pair, tuple(sentence[i + 1 : j])
                counts.update({("unigram", (token,), turned) for token in midfix})
                counts.update({("bigram", two, turned) for two in pairwise(midfix)})
                counts[("midfix", midfix, turned)] += 1
    return counts


def turned_round(counts: Counter[Pattern]) -> Counter[Pattern]:
    """The profile of the pair the other way round."""
    return Counter({(kind, tokens, not turned): n for (kind, tokens, turned), n in counts.items()})


def weighted(profiles: Sequence[Counter[Pattern]]) -> list[dict[Pattern, float]]:
    """log(1 + g) · (1 − entropy of the pattern over all oriented pairs), each profile at unit length.

    `profiles` holds each pair once; the other orientation is understood.
    """
    spread: dict[tuple[str, tuple[str, ...]], list[int]] = {}
    for counts in profiles:
        for (kind, tokens, _), n in counts.items():
            spread.setdefault((kind, tokens), []).append(n)
    entropy_weight = {}
    for pattern, numbers in spread.items():
        shares = [n / sum(numbers) for n in numbers]
        entropy = -sum(share * math.log(share) for share in shares)
        entropy_weight[pattern] = 1 - entropy / math.log(2 * len(profiles))
    rows = []
    for counts in profiles:
        row = {p: math.log(1 + n) * entropy_weight[p[:2]] for p, n in counts.items()}
        length = math.sqrt(sum(weight * weight for weight in row.values())) or 1.0
        rows.append({p: weight / length for p, weight in row.items()})
    return rows


def cosine(one: Sequence[float], other: Sequence[float]) -> float:
    """The cosine of two vectors; 0 if one has no length."""
    product = sum(a * b for a, b in zip(one, other, strict=True))
    lengths = math.sqrt(sum(a * a for a in one)) * math.sqrt(sum(b * b for b in other))
    return product / lengths if lengths else 0.0


def neighbours(
    pair: int,
    oriented: Sequence[tuple[Pair, Sequence[float]]],
    vectors: Mapping[str, Vector],
    n_neighbours: int,
    type_weight: float,
) -> list[tuple[Pair, float]]:
    """The pairs sharing no word with number `pair` with the largest E + type_weight · (cos + cos), and their E."""
    (u, v), row = oriented[pair]
    ranked = []
    for (a, b), other in oriented:
        if {a, b} & {u, v}:
            continue
        similarity = cosine(row, other)
        types = cosine(vectors[u], vectors[a]) + cosine(vectors[v], vectors[b])
        ranked.append((similarity + type_weight * types, (a, b), similarity))
    ranked.sort(key=lambda entry: -entry[0])
    return [(other, similarity) for _, other, similarity in ranked[:n_neighbours]]


def agreement(differences: Sequence[Vector], weights: Sequence[float], coherence_power: float) -> tuple[Vector, float]:
    """(r, k): what the neighbours say of a difference, and how far to believe them.

    >>> agreement([[1.0, 0.0], [0.0, 1.0]], [1.0, 1.0], coherence_power=2)[0]
    [0.5, 0.5]
    """
    total = sum(weights)
    r = [sum(w * d[i] for w, d in zip(weights, differences, strict=True)) / total for i in range(len(differences[0]))]
    lengths = sum(w * math.hypot(*d) for w, d in zip(weights, differences, strict=True)) / total
    coherence = math.hypot(*r) / lengths
    return r, total / len(weights) * coherence**coherence_power


def step(
    vectors: Mapping[str, Vector],
    pairs: Sequence[Pair],
    agreed: Sequence[tuple[Vector, float]],
    share: float,
    damping: float,
) -> dict[str, Vector]:
    """x + share · Σ k · ± (r − (u − v)) / (damping + Σ k) for every word x."""
    moved = {}
    for word, vector in vectors.items():
        pull, evidence = [0.0] * len(vector), 0.0
        for (u, v), (r, k) in zip(pairs, agreed, strict=True):
            if word not in (u, v):
                continue
            sign = 1 if word == u else -1
            evidence += k
            for i in range(len(vector)):
                pull[i] += k * sign * (r[i] - (vectors[u][i] - vectors[v][i]))
        moved[word] = [x + share * p / (damping + evidence) for x, p in zip(vector, pull, strict=True)]
    return moved


def whiten(vectors: Sequence[Vector], power: float) -> list[Vector]:
    """V Λ^−power Vᵀ (x − m) of all vectors at unit length, again at unit length; V Λ Vᵀ is their covariance."""
    unit = [[x / math.hypot(*vector) for x in vector] for vector in vectors]
    places = range(len(unit[0]))
    mean = [sum(vector[i] for vector in unit) / len(unit) for i in places]
    centred = [[x - m for x, m in zip(vector, mean, strict=True)] for vector in unit]
    covariance = [[sum(vector[i] * vector[j] for vector in centred) / len(unit) for j in places] for i in places]
    variances, directions = principal_directions(covariance)
    moved = []
    for vector in centred:
        shares = [
            variance**-power * sum(d * x for d, x in zip(direction, vector, strict=True))
            for variance, direction in zip(variances, directions, strict=True)
        ]
        changed = [
            sum(share * direction[i] for share, direction in zip(shares, directions, strict=True)) for i in places
        ]
        moved.append([x / math.hypot(*changed) for x in changed])
    return moved


def principal_directions(symmetric: Sequence[Vector], sweeps: int = 30) -> tuple[Vector, list[Vector]]:
    """Eigenvalues and eigenvectors by Jacobi's rotations: each makes one pair of places off the diagonal zero.

    >>> principal_directions([[2.0, 0.0], [0.0, 1.0]])
    ([2.0, 1.0], [[1.0, 0.0], [0.0, 1.0]])
    """
    size = len(symmetric)
    held = [list(row) for row in symmetric]
    directions = [[float(i == j) for j in range(size)] for i in range(size)]
    for _ in range(sweeps):
        for p in range(size):
            for q in range(p + 1, size):
                if held[p][q] == 0:
                    continue
                angle = 0.5 * math.atan2(2 * held[p][q], held[q][q] - held[p][p])
                c, s = math.cos(angle), math.sin(angle)
                for row in held:
                    row[p], row[q] = c * row[p] - s * row[q], s * row[p] + c * row[q]
                for k in range(size):
                    held[p][k], held[q][k] = c * held[p][k] - s * held[q][k], s * held[p][k] + c * held[q][k]
                    directions[p][k], directions[q][k] = (
                        c * directions[p][k] - s * directions[q][k],
                        s * directions[p][k] + c * directions[q][k],
                    )
    return [held[i][i] for i in range(size)], directions
