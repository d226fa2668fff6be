"""Vectors of words that have none: from spelling, from contexts, and how they are kept."""

import shutil
from pathlib import Path

import numpy as np
import pytest

import relrep
from relrep.core.linalg import unit_rows
from relrep.errors import RelrepError
from relrep.vectors.inferred import Inference, learn_context_map, rows_around
from relrep.vectors.word_vectors import WordVectors

STEMS = [a + b + c for a in "bdgkl" for b in "aeiou" for c in ("lm", "rn", "st", "ck")]


@pytest.fixture(scope="module")
def forms() -> WordVectors:
    """Stems and their forms in -ing and -ed: each form is its stem's vector and that of its ending."""
    random = np.random.default_rng(3)
    endings = {"": np.zeros(24), "ing": random.standard_normal(24), "ed": random.standard_normal(24)}
    stems = {stem: random.standard_normal(24) for stem in STEMS}
    forms = {stem + end: stems[stem] + 2 * vector for stem in STEMS for end, vector in endings.items()}
    return WordVectors(list(forms), np.array(list(forms.values()), dtype=np.float32))


def test_an_unseen_form_is_near_its_stem_and_its_ending(forms: WordVectors) -> None:
    unseen = "balming"
    known = [word for word in forms.index_to_key if word != unseen]
    rest = WordVectors(known, forms.vectors[[forms.key_to_index[word] for word in known]])
    inferred = rest.vector_for(unseen)
    assert inferred @ unit_rows(forms[unseen][None])[0] > 0.8
    assert rest.similar_by_vector(inferred, 1)[0][0].endswith("ing")


def test_a_known_word_has_its_own_vector_and_the_unknowable_is_refused(forms: WordVectors) -> None:
    np.testing.assert_allclose(forms.vector_for("Balm"), unit_rows(forms["balm"][None])[0])
    with pytest.raises(RelrepError, match="nothing is known of 'qqq'"):
        forms.vector_for("qqq")


def test_the_map_from_contexts_is_learnt() -> None:
    random = np.random.default_rng(1)
    unit = unit_rows(random.standard_normal((40, 6)).astype(np.float32))
    tokens = random.integers(0, 40, 60_000).astype(np.int32)
    tokens[::9] = -1
    learnt = learn_context_map(tokens, unit)
    means, seen = np.zeros((40, 6)), np.zeros(40)
    sentence = np.cumsum(tokens == -1)
    for at in range(5, len(tokens) - 5):
        near = [
            x for x in (*range(at - 5, at), *range(at + 1, at + 6)) if tokens[x] >= 0 and sentence[x] == sentence[at]
        ]
        if tokens[at] >= 0 and near:
            means[tokens[at]] += unit[tokens[near]].mean(axis=0)
            seen[tokens[at]] += 1
    means /= seen[:, None]
    weights = np.log1p(seen)[:, None]
    plain = np.linalg.solve(means.T @ (weights * means) + np.eye(6), means.T @ (weights * unit))
    np.testing.assert_allclose(learnt, plain, atol=0.05)


def test_words_around_are_those_within_reach() -> None:
    find = {word: row for row, word in enumerate(["a", "b", "c", "d", "e", "f", "g", "h"])}
    assert rows_around("x", [["a", "b", "c", "d", "e", "f", "X", "g"]], find) == [1, 2, 3, 4, 5, 6]
    assert rows_around("x", ["A unknown h"], find) == [0, 7]


def test_a_model_keeps_what_it_has_learnt(tiny_model_folder: Path, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    shutil.copytree(tiny_model_folder, folder)
    model = relrep.load(folder)
    first = model.vector_for("italian")
    assert (folder / "inferred").is_dir()
    again = relrep.load(folder)
    np.testing.assert_allclose(again.vector_for("italian"), first, atol=2e-3)
    assert again.vector_for("newtown", ["paris is the capital of newtown"]).shape == (model.vectors.vector_size,)
    with pytest.raises(RelrepError, match="no word of the contexts has a vector"):
        again.vector_for("newtown", ["xyz"])
    with pytest.raises(RelrepError, match="without a text"):
        Inference({}, np.zeros((0, 2), dtype=np.float32)).from_contexts(np.ones((1, 2), dtype=np.float32))
