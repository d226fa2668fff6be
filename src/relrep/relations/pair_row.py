"""One pair's row of f, for any pair: stored where it was mined, computed from its counts where not."""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from relrep.kernels import association
from relrep.model import Model
from relrep.relations.mined_with import measure_of
from relrep.relations.occurrences import text_of
from relrep.relations.store import Relations

Pattern = tuple[str, tuple[int, ...]]
"""A kind and token ids."""
Weights = dict[Pattern, float]


class PairRow:
    """f(p,u,v) of one pair for the model's patterns, from its counts in both directions.

    Where the model has patterns marked as reversed, v … u supports (u, v) with these, as in mining. Where
    not, v … u speaks for the pair (v, u). A mined pair keeps the weights it was trained with.
    """

    def __init__(
        self,
        model: Model,
        pair: tuple[int, int],
        words: Sequence[str],
        counts: Sequence[Counter[Pattern]],
    ) -> None:
        self.weights: list[Weights] = [{}, {}]
        self.entries: tuple[tuple[int, float], ...] = ()
        self.turned = False
        relations = model.relations
        if relations is None:
            return
        measure = measure_of(model)
        marked = bool(relations.reversed.any())
        ids = [_known(relations, counts[side], words, marked and side == 1) for side in (0, 1)]
        if marked:
            both = {**{p: counts[0][k] for k, p in ids[0].items()}, **{p: counts[1][k] for k, p in ids[1].items()}}
            rows = [_row_of_f(relations, pair, both, measure)] * 2
        else:
            orders = (pair, pair[::-1])
            rows = [
                _row_of_f(relations, orders[side], {p: counts[side][k] for k, p in ids[side].items()}, measure)
                for side in (0, 1)
            ]
        self.weights = [{k: rows[side].get(p, 0.0) for k, p in ids[side].items()} for side in (0, 1)]
        self.turned = not rows[0] and bool(rows[1])
        self.entries = tuple(sorted(rows[1 if self.turned else 0].items()))


def _known(
    relations: Relations, counts: Counter[Pattern], words: Sequence[str], is_reversed: bool
) -> dict[Pattern, int]:
    """The ids of those patterns that the model knows."""
    ids = {}
    for kind, tokens in counts:
        text = text_of(tokens, words)
        found = relations.ids_by_text.get(text, {}).get((kind, is_reversed)) if text is not None else None
        if found is not None:
            ids[kind, tokens] = found
    return ids


def _row_of_f(relations: Relations, pair: tuple[int, int], counts: dict[int, int], measure: int) -> dict[int, float]:
    """f > 0 by pattern id: stored for a mined pair, else from the pair's counts and the totals of mining."""
    mined = relations.pair_id(*pair)
    if mined is not None:
        at = slice(relations.indptr[mined], relations.indptr[mined + 1])
        return dict(zip(relations.pattern[at].tolist(), relations.weight[at].tolist(), strict=True))
    patterns, values = np.array(list(counts), dtype=np.int32), np.array(list(counts.values()), dtype=np.int32)
    totals = np.maximum(1, relations.occurrences).astype(np.float64)
    ends = np.array([0, len(counts)])
    _, kept, weights, _ = association.weigh(ends, patterns, values, 0, 1, totals, float(totals.sum()), measure)
    return dict(zip(kept.tolist(), weights.tolist(), strict=True))


def weight_of(pattern: Pattern, weights: Weights) -> float:
    """f, or for a whole midfix that the model does not know the mean over its unigrams and bigrams."""
    kind, tokens = pattern
    if pattern in weights or kind != "midfix":
        return weights.get(pattern, 0.0)
    parts: list[Pattern] = [("unigram", (token,)) for token in tokens]
    parts += [("bigram", two) for two in pairwise(tokens)]
    return sum(weights.get(part, 0.0) for part in parts) / len(parts)
