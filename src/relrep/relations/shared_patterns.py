"""The patterns that two pairs share, by how much each adds to the likeness of their profiles."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from relrep.analogy.evidence_space import CorpusEvidence
from relrep.corpus.encoded import UNKNOWN
from relrep.kernels.pair_profiles import BIGRAM, KIND_SHIFT, MIDFIX, TOKEN_BITS, UNIGRAM
from relrep.model import Model
from relrep.relations.few_meetings import whole_keys
from relrep.relations.mined_with import max_gap_of
from relrep.relations.occurrences import find_occurrences, midfixes, text_of
from relrep.relations.store import pattern_label
from relrep.training.pairs_profiles import weigh

_SHOWN = 4
_MOST_MIDFIXES = 2000


@dataclass(frozen=True)
class SharedPattern:
    """A pattern between the words of both pairs: how often in each, and its part of the cosine."""

    label: str
    text: str
    count: int
    count_given: int
    part: float


def shared_patterns(
    model: Model, evidence: CorpusEvidence, given: tuple[int, int], pairs: Sequence[tuple[int, int]]
) -> list[tuple[SharedPattern, ...]]:
    """For each pair the patterns that it shares with the given one, those that add most first."""
    counts = evidence.space.counts_of(evidence.miner.mine(np.array([given, *pairs], dtype=np.int64)))
    weights = weigh(counts, evidence.space.importance)
    rows = [slice(counts.ends[row], counts.ends[row + 1]) for row in range(len(pairs) + 1)]
    mine, my_weights, my_counts = counts.keys[rows[0]], weights[rows[0]], counts.counts[rows[0]]
    names = _Names(model, given)
    found = []
    for row in rows[1:]:
        _, here, there = np.intersect1d(mine, counts.keys[row], assume_unique=True, return_indices=True)
        parts = my_weights[here] * weights[row][there]
        shown: list[SharedPattern] = []
        for at in np.argsort(-parts, kind="stable").tolist():
            number, backward = divmod(int(mine[here[at]]), 2)
            named = names.of(int(counts.codes[number]), backward == 1) if len(shown) < _SHOWN else None
            if named is not None and named[1] not in {one.text for one in shown}:
                shown.append(
                    SharedPattern(
                        label=named[0],
                        text=named[1],
                        count=int(counts.counts[row][there[at]]),
                        count_given=int(my_counts[here[at]]),
                        part=float(parts[at]),
                    )
                )
        found.append(tuple(shown))
    return found


class _Names:
    """Names for the keys of patterns that stand between two words."""

    def __init__(self, model: Model, pair: tuple[int, int]) -> None:
        self._words = model.vocabulary.words
        index, max_gap = model.require_index(), max_gap_of(model)
        occurrences = find_occurrences(index, *pair, max_gap)
        found = [
            midfix.tokens
            for forward in (True, False)
            for midfix in midfixes(index, occurrences.in_direction(forward), max_gap)[:_MOST_MIDFIXES]
            if midfix.tokens
        ]
        tokens = np.zeros((len(found), max_gap), dtype=np.int32)
        for row, midfix_tokens in enumerate(found):
            tokens[row, : len(midfix_tokens)] = midfix_tokens
        keys = whole_keys(tokens, np.array([len(each) for each in found], dtype=np.int64))
        self._wholes = dict(zip((keys >> 1).tolist(), found, strict=True))

    def of(self, code: int, backward: bool) -> tuple[str, str] | None:
        """Label and text of a pattern; None where it holds a word outside the vocabulary."""
        kind, held = code >> (KIND_SHIFT - 1), code & ((1 << (KIND_SHIFT - 1)) - 1)
        low = (1 << TOKEN_BITS) - 1
        if kind == UNIGRAM:
            tokens: tuple[int, ...] = (held - 3,)
        elif kind == BIGRAM:
            tokens = ((held >> TOKEN_BITS) - 3, (held & low) - 3)
        else:
            tokens = self._wholes.get(code, (UNKNOWN,))
        text = text_of(tokens, self._words)
        if text is None:
            return None
        return pattern_label(text, "midfix" if kind == MIDFIX else "part", backward), text
