"""Pairs that spelling joins: walk and walked, clear and unclear, found in the vocabulary without any labels.

Inflected forms rarely meet within a few tokens, so no pattern of the text can speak for them. What joins them is
an affix rule, a change of ending ("" → "ed", "e" → "ing") or of beginning ("" → "un") that many pairs of the
vocabulary share; it takes the place of the pattern. Which of a rule's pairs are chance (car and carbon) shows in
the vectors: their neighbours do not agree, and what does not agree has no weight.
"""

from collections.abc import Sequence

import numpy as np

from relrep.coherence._kernels import keep_best
from relrep.coherence.neighbours import Neighbours
from relrep.core.arrays import Floats, Ints
from relrep.core.linalg import unit_rows
from relrep.core.threads import run_in_threads

Rule = tuple[str, str, str]
"""("suffix" | "prefix", what one word has, what the other has in its place)."""
ROWS_A_BLOCK = 1024


def spelling_rules(
    words: Sequence[str], ids: Sequence[int], min_pairs: int, min_stem: int = 3, max_affix: int = 4
) -> dict[Rule, list[tuple[int, int]]]:
    """The affix rules with at least `min_pairs` pairs, each with its pairs (id of the first word, id of the second).

    >>> vocabulary = ["walk", "walked", "talk", "talked", "the"]
    >>> spelling_rules(vocabulary, range(5), min_pairs=2)
    {('suffix', '', 'ed'): [(0, 1), (2, 3)]}
    """
    rules: dict[Rule, list[tuple[int, int]]] = {}
    for kind in ("suffix", "prefix"):
        families: dict[str, list[tuple[str, int]]] = {}
        for index in ids:
            spelt = words[index] if kind == "suffix" else words[index][::-1]
            for cut in range(max(min_stem, len(spelt) - max_affix), len(spelt) + 1):
                families.setdefault(spelt[:cut], []).append((spelt[cut:], index))
        for members in families.values():
            members.sort()
            for i, (one, first) in enumerate(members):
                for other, second in members[i + 1 :]:
                    if one and one[0] == other[0]:
                        continue  # the stem is longer than this: found there
                    if kind == "prefix":
                        if not one:
                            rules.setdefault((kind, one, other[::-1]), []).append((first, second))
                    else:
                        rules.setdefault((kind, one, other), []).append((first, second))
    kept = {rule: sorted(pairs) for rule, pairs in rules.items() if len(pairs) >= min_pairs}
    return dict(sorted(kept.items()))


def spelling_neighbours(
    rules: dict[Rule, list[tuple[int, int]]], vectors: Floats, n_neighbours: int, threads: int = 1
) -> tuple[Ints, Ints, Neighbours]:
    """(word, partner, neighbours) of all pairs; a pair's neighbours are of its rule, words of the same types first."""
    unit = unit_rows(vectors)
    sizes = [len(pairs) for pairs in rules.values()]
    both = np.array([pair for pairs in rules.values() for pair in pairs], dtype=np.int32).reshape(-1, 2)
    partner, word = np.ascontiguousarray(both[:, 0]), np.ascontiguousarray(both[:, 1])
    score = np.full((len(word), n_neighbours), -np.inf, dtype=np.float32)
    best = np.full((len(word), n_neighbours), -2, dtype=np.int32)
    starts = np.cumsum([0, *sizes])

    def one_rule(rule: int) -> None:
        begin, end = int(starts[rule]), int(starts[rule + 1])
        types = np.hstack([unit[partner[begin:end]], unit[word[begin:end]]])
        for first in range(begin, end, ROWS_A_BLOCK):
            last = min(end, first + ROWS_A_BLOCK)
            alike = types[first - begin : last - begin] @ types.T
            keep_best(alike, np.zeros_like(alike), first, begin, word, partner, score, best, 1)

    for _ in run_in_threads(one_rule, range(len(sizes)), threads):
        pass
    return word, partner, Neighbours(best >> 1, np.zeros(best.shape, dtype=np.bool_), (best >= 0).astype(np.float32))
