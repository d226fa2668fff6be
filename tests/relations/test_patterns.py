"""Questions about a pattern, against plain counting over the relation table."""

import numpy as np
import pytest

from relrep.errors import RelrepError
from relrep.model.model import Model
from relrep.relations.patterns import ask_pattern, matching_patterns
from tiny_model import ANIMALS


def test_pairs_and_neighbours_of_a_pattern(tiny_model: Model) -> None:
    answer = ask_pattern(tiny_model, "such as", 20)
    assert {(pair.second, pair.first) for pair in answer.pairs} == set(ANIMALS.items())
    assert all(pair.count == 4 for pair in answer.pairs)
    assert answer.pattern.pairs == 5 and answer.pattern.label == "X … such as … Y"
    assert answer.neighbours[0].score > 0.5
    turned = ask_pattern(tiny_model, "such as", 20, is_reversed=True)
    assert {(pair.first, pair.second) for pair in turned.pairs} == set(ANIMALS.items())


def test_neighbours_are_cosines_over_oriented_pairs(tiny_model: Model) -> None:
    table = tiny_model.require_relations()
    dense = np.zeros((2 * table.n_pairs, 2 * table.n_patterns))
    for row in range(table.n_pairs):
        keys, counts = table.entries(row)
        dense[row, keys] = np.log1p(counts)
        dense[table.n_pairs + row, keys ^ 1] = np.log1p(counts)
    (pattern,) = matching_patterns(table, "such as", is_whole=False)
    own = dense[:, 2 * pattern]
    cosines = dense.T @ own / np.maximum(np.linalg.norm(dense, axis=0) * np.linalg.norm(own), 1e-12)
    labels = {table.label(key): cosine for key, cosine in enumerate(cosines)}
    for neighbour in ask_pattern(tiny_model, "such as", 10).neighbours:
        assert neighbour.score == pytest.approx(labels[neighbour.label], abs=1e-6)


def test_readings(tiny_model: Model) -> None:
    whole = ask_pattern(tiny_model, "such as the", is_whole=True)
    assert whole.pattern.label == "X such as the Y" and whole.others == ()
    with pytest.raises(RelrepError, match="did you mean"):
        ask_pattern(tiny_model, "such has")
