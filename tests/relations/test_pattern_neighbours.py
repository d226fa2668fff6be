import numpy as np
import pytest

from relrep.errors import RelrepError
from relrep.relations.pattern_neighbours import pattern_neighbours
from relrep.relations.patterns import matching_patterns, pairs_with_patterns
from tiny_model import dense_f


def test_neighbours_in_use_against_dense_cosines(tiny_model):
    relations = tiny_model.relations
    told = pattern_neighbours(tiny_model, "capital of", n=1000)
    f = dense_f(relations)
    pattern = matching_patterns(relations, "capital of")[0]
    lengths = np.linalg.norm(f, axis=0)
    cosines = f.T @ f[:, pattern] / np.where(lengths > 0, lengths, 1) / lengths[pattern]
    expected = {relations.label(p): c for p, c in enumerate(cosines) if c > 0 and p != pattern}
    got = {}
    for neighbour in told.in_use:
        got[neighbour.pattern.label] = neighbour.score
    assert got == pytest.approx(expected, rel=1e-4)
    assert told.pattern.pairs == np.count_nonzero(f[:, pattern])


def test_neighbours_make_sense(tiny_model):
    told = pattern_neighbours(tiny_model, "such as", kind="bigram", is_reversed=True)
    assert told.pattern.label == "Y … such as … X" and told.pattern.is_reversed
    assert told.in_use[0].score > 0.9
    assert {("ostrich", "bird"), ("lion", "cat")} <= {(pair.first, pair.second) for pair in told.pairs}
    assert told.in_vector and told.in_vector[0].score > 0.9
    assert all(pair.count > 0 and pair.weight > 0 for pair in told.pairs)


def test_other_readings_are_told(tiny_model):
    told = pattern_neighbours(tiny_model, "  is ")
    assert told.pattern.text == "is" and told.pattern.kind == "unigram"
    assert {(other.kind, other.is_reversed) for other in told.others} >= {("unigram", True)}


def test_unknown_patterns_get_suggestions(tiny_model):
    with pytest.raises(RelrepError, match="did you mean 'such as'"):
        pattern_neighbours(tiny_model, "such az")
    with pytest.raises(RelrepError, match="try a more frequent one"):
        pattern_neighbours(tiny_model, "xyzzy")


def test_pairs_with_patterns(tiny_model):
    relations = tiny_model.relations
    f = dense_f(relations)
    for patterns in ([0], [1, 5], list(range(relations.n_patterns))):
        expected = np.flatnonzero((f[:, patterns] > 0).any(axis=1))
        assert pairs_with_patterns(relations, patterns).tolist() == expected.tolist()
