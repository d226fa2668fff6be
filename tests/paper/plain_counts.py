"""Small counts, as the reference takes them and as arrays."""

from pathlib import Path

import numpy as np
from hypothesis import strategies as st

from relrep.mining.pairs import Pairs
from relrep.mining.runs import Run
from relrep.paper.association import AssociationSettings, associate
from relrep.reference import paper as reference

WORDS = list("abcdef")


COUNTS = st.dictionaries(
    st.tuples(st.integers(0, 6), st.tuples(st.integers(0, 5), st.integers(0, 5)).filter(lambda p: p[0] != p[1])),
    st.integers(1, 50),
    min_size=2,
    max_size=60,
)


def pattern_name(pattern: int) -> reference.Pattern:
    return ("unigram", (str(pattern),), False)


def as_reference(counts):
    return {(pattern_name(p), (WORDS[u], WORDS[v])): n for (p, (u, v)), n in counts.items()}


def as_arrays(counts) -> tuple[Run, Pairs, np.ndarray]:
    pairs = sorted({pair for _, pair in counts})
    rows = [sorted((p, n) for (p, own), n in counts.items() if own == pair) for pair in pairs]
    starts = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
    columns = np.array([p for row in rows for p, _ in row], dtype=np.int32)
    values = np.array([n for row in rows for _, n in row], dtype=np.int32)
    first = np.array([u for u, _ in pairs])
    selected = Pairs(
        np.searchsorted(first, np.arange(len(WORDS) + 1)).astype(np.int64),
        np.array([v for _, v in pairs], dtype=np.int32),
        np.ones(len(pairs), dtype=np.int64),
    )
    totals = np.bincount(columns, weights=values, minlength=7).astype(np.int64)
    return Run(starts, columns, values), selected, totals


def weigh(counts, folder: Path, measure: str = "ppmi", threads: int = 1):
    run, pairs, totals = as_arrays(counts)
    return associate(run, totals, AssociationSettings(measure), folder / "f", threads), pairs
