"""The pattern matrix A (Eq. 4, 14) against the reference."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_counts import COUNTS, WORDS, as_reference, pattern_name, weigh

from relrep.paper.pattern_matrix import pattern_matrix
from relrep.reference import paper as reference


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("association")


@settings(max_examples=40, deadline=None)
@given(COUNTS, st.integers(1, 2))
def test_pattern_matrix_equals_the_reference(folder, counts, threads):
    held, pairs = weigh(counts, folder)
    f = reference.association(as_reference(counts))
    rows = reference.pattern_matrix(f, [pattern_name(p) for p in range(7)])
    matrix = pattern_matrix(held, pairs, np.array([1, 3, 4], dtype=np.int32), threads)
    for place, pattern in enumerate([1, 3, 4]):
        own = slice(matrix.by_pattern.starts[place], matrix.by_pattern.starts[place + 1])
        names = [WORDS[matrix.words[x]] for x in matrix.by_pattern.columns[own]]
        found = dict(zip(names, matrix.by_pattern.values[own].tolist(), strict=True))
        assert found.keys() == rows[pattern].keys()
        for word, value in rows[pattern].items():
            assert found[word] == pytest.approx(value, rel=1e-4, abs=1e-6)
