"""GloVe and ivLBL slowly and readably: the counts, one step, and the loss that a gradient must follow."""

import math
from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from relrep.core.arrays import Doubles, Ints


def cooccurrences(sentences: Sequence[Sequence[str | None]], window: int) -> dict[tuple[str, str], Fraction]:
    """1 / distance for every two known words of a sentence, in both directions (None: an unknown word).

    >>> cooccurrences([["a", None, "b"]], 2)[("a", "b")]
    Fraction(1, 2)
    """
    counts: defaultdict[tuple[str, str], Fraction] = defaultdict(Fraction)
    for sentence in sentences:
        for i, u in enumerate(sentence):
            for j in range(i + 1, min(i + window + 1, len(sentence))):
                v = sentence[j]
                if u is not None and v is not None:
                    counts[u, v] += Fraction(1, j - i)
                    counts[v, u] += Fraction(1, j - i)
    return dict(counts)


def glove_step(
    state: dict[str, Doubles], u: int, v: int, log_count: float, x_max: float, alpha: float, rate: float
) -> float:
    """One entry in one direction, as GloVe's authors write it: AdaGrad on ½ f(x) (w·c + b + b' − log x)²; its loss."""
    w, c, bias = state["word"][u], state["context"][v], state["bias"]
    error = w @ c + bias[u, 0] + bias[v, 1] - log_count
    weight = min(1.0, (math.exp(log_count) / x_max) ** alpha)
    slope = rate * weight * error
    for_w, for_c = slope * c, slope * w
    state["word"][u] = w - for_w / np.sqrt(state["word_squares"][u])
    state["context"][v] = c - for_c / np.sqrt(state["context_squares"][v])
    state["word_squares"][u] += for_w**2
    state["context_squares"][v] += for_c**2
    bias[u, 0] -= slope / np.sqrt(bias[u, 2])
    bias[v, 1] -= slope / np.sqrt(bias[v, 3])
    bias[u, 2] += slope**2
    bias[v, 3] += slope**2
    return float(0.5 * weight * error**2)


def ivlbl_loss(
    words: Ints, sentences: Ints, noise_ids: Ints, window: int,
    word: Doubles, context: Doubles, bias: Doubles, weights: Doubles
) -> tuple[float, int]:  # fmt: skip
    """The noise-contrastive loss of a segment, pair by pair (biases hold −log k P_noise), and how many pairs it has."""
    loss, pairs = 0.0, 0
    noise = noise_ids.reshape(2 * window, -1)
    for j, current in enumerate(words):
        for position, offset in enumerate([*range(-window, 0), *range(1, window + 1)]):
            if not 0 <= j + offset < len(words) or sentences[j] != sentences[j + offset]:
                continue
            pairs += 1
            predicted = weights[position] * word[current]
            true = words[j + offset]
            loss += math.log1p(math.exp(-(predicted @ context[true] + bias[true])))
            for other in noise[position]:
                loss += math.log1p(math.exp(predicted @ context[other] + bias[other]))
    return loss, pairs
