from dataclasses import replace

import numpy as np
import pytest

from relrep.errors import RelrepError
from relrep.relations.store import Relations, check, pattern_label
from relrep.tensors import map_tensors, write_tensors
from tiny_model import dense_f


@pytest.fixture
def relations(tiny_model) -> Relations:
    return tiny_model.require_relations()


def test_relations_come_back_bit_by_bit(relations, tmp_path):
    relations.write(tmp_path)
    again = Relations.open(tmp_path)
    for name in relations.__dataclass_fields__:
        np.testing.assert_array_equal(getattr(again, name), getattr(relations, name))
    assert isinstance(again.weight, np.memmap)


def test_narrower_numbers_are_written_in_the_types_of_the_files(relations, tmp_path):
    narrow = replace(relations, count=relations.count.astype(np.int32), sentences=relations.sentences.astype(np.int32))
    narrow.write(tmp_path)
    again = Relations.open(tmp_path)
    assert again.count.dtype == np.int32 and again.sentences.dtype == np.int64
    assert (again.count == relations.count).all()


def test_no_pairs_at_all_is_fine(tmp_path):
    none = np.zeros(0)
    empty = Relations(
        none.astype(np.int32), none.astype(np.int32), none.astype(np.int64), [], [], none.astype(bool),
        none.astype(np.int64), none, np.zeros(1, np.int64), none.astype(np.int32), none.astype(np.float32),
        none.astype(np.int64),
    )  # fmt: skip
    empty.write(tmp_path)
    assert Relations.open(tmp_path).n_pairs == 0


def test_pair_id_finds_every_pair_and_no_other(relations):
    known = set(zip(relations.u.tolist(), relations.v.tolist(), strict=True))
    for u in range(40):
        for v in range(40):
            row = relations.pair_id(u, v)
            assert (row is not None) == ((u, v) in known)
            assert row is None or (relations.u[row], relations.v[row]) == (u, v)


def test_f_and_its_lengths(relations):
    dense, measured = dense_f(relations), relations.measured
    np.testing.assert_allclose(dense.sum(axis=0), relations.weights, rtol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(dense, axis=1), measured.pair_lengths, rtol=1e-6)
    np.testing.assert_allclose(np.linalg.norm(dense, axis=0), measured.pattern_lengths, rtol=1e-6)
    assert measured.pairs_per_pattern.tolist() == np.count_nonzero(dense, axis=0).tolist()


def damaged(relations: Relations, name: str) -> Relations:
    column = np.array(getattr(relations, name))
    if name == "u":
        column[-1] = -1
    elif name == "indptr":
        column[3] = column[-1]
    elif name == "weights":
        column[0] = np.nan
    elif name == "v":
        column = column[:-1]
    elif name == "kinds":
        return replace(relations, kinds=["trigram", *relations.kinds[1:]])
    else:
        column = column.astype(np.float16)
    return replace(relations, **{name: column})


@pytest.mark.parametrize("name", ["u", "v", "indptr", "weights", "kinds", "weight", "count"])
def test_damage_is_told(relations, name):
    with pytest.raises(RelrepError, match="damaged"):
        check(damaged(relations, name), "here")


@pytest.mark.parametrize(("name", "value"), [("pattern", -1), ("pattern", 10**6), ("weight", np.nan)])
def test_damaged_entries_are_told_before_they_are_followed(relations, name, value):
    column = np.array(getattr(relations, name))
    column[5] = value
    with pytest.raises(RelrepError, match="entry of f"):
        replace(relations, **{name: column}).check_entries()


def test_pairs_outside_the_vocabulary_are_told(relations, tmp_path):
    relations.write(tmp_path)
    with pytest.raises(RelrepError, match="outside the vocabulary"):
        Relations.open(tmp_path, n_words=3)


def test_missing_tensor_or_column_is_told(relations, tmp_path):
    relations.write(tmp_path)
    write_tensors(tmp_path / "f.safetensors", {"indptr": relations.indptr})
    with pytest.raises(RelrepError, match="'pattern' of int32 is missing"):
        Relations.open(tmp_path)
    (tmp_path / "pairs.safetensors").write_bytes((tmp_path / "patterns.safetensors").read_bytes())
    with pytest.raises(RelrepError, match="row 'u' of int32"):
        Relations.open(tmp_path)


def test_labels():
    assert pattern_label("is a", "bigram", False) == "X … is a … Y"
    assert pattern_label("such as", "midfix", True) == "Y such as X"


@pytest.mark.parametrize(
    "content", [b"", b"\x05", b"\xff" * 20, b"\x02" + b"\0" * 7 + b"[]", b"\x02" + b"\0" * 7 + b"{x"]
)
def test_broken_tensor_files_are_told(tmp_path, content):
    (tmp_path / "x").write_bytes(content)
    with pytest.raises(RelrepError):
        map_tensors(tmp_path / "x")


def test_tensors_of_no_length(tmp_path):
    write_tensors(tmp_path / "x", {"a": np.zeros((0, 3), np.float32), "b": np.arange(3)})
    tensors = map_tensors(tmp_path / "x")
    assert tensors["a"].shape == (0, 3) and tensors["b"].tolist() == [0, 1, 2]
