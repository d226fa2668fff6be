"""Association (Eq. 1 to 3) against the reference."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_counts import COUNTS, WORDS, as_reference, pattern_name, weigh

from relrep.reference import paper as reference


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("association")


@settings(max_examples=60, deadline=None)
@given(COUNTS, st.sampled_from(["ppmi", "llr", "lmi"]))
def test_weights_equal_the_reference(folder, counts, measure):
    held, pairs = weigh(counts, folder, measure)
    expected = reference.association(as_reference(counts), measure)
    found = {}
    for pair in range(len(pairs)):
        name = (WORDS[pairs.u[pair]], WORDS[pairs.v[pair]])
        for entry in range(held.starts[pair], held.starts[pair + 1]):
            found[pattern_name(int(held.pattern[entry])), name] = float(held.weight[entry])
    assert found.keys() == expected.keys()
    for key, weight in expected.items():
        assert found[key] == pytest.approx(weight, rel=1e-5, abs=1e-9)
