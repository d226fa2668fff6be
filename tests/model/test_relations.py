"""The relation table on disk: it comes back as it was written, and damage is told."""

import numpy as np
import pytest

from relrep.core.tensors import map_tensors, write_tensors
from relrep.errors import RelrepError
from relrep.model.relations import COUNTS_FILE, PAIRS_FILE, PATTERNS_FILE, PROFILES_FILE, RelationTable
from relrep.text.encoded import EncodedCorpus
from tiny_model import sentences, table_of


@pytest.fixture(scope="module")
def table() -> RelationTable:
    return table_of(EncodedCorpus.from_sentences(sentences()))


def test_a_table_comes_back_as_it_was_written(table: RelationTable, tmp_path) -> None:
    table.write(tmp_path)
    opened = RelationTable.open(tmp_path, table.words)
    for name in ("first", "second", "meetings"):
        np.testing.assert_array_equal(getattr(opened.bound, name), getattr(table.bound, name))
    for name in ("ends", "keys", "counts"):
        np.testing.assert_array_equal(getattr(opened.bound.counts, name), getattr(table.bound.counts, name))
    assert opened.texts == table.texts and opened.bound.reach == 6
    np.testing.assert_array_equal(opened.profiles.values, table.profiles.values)
    assert opened.bound.counts.keys.dtype == np.uint16


def test_a_pair_has_one_row_in_either_order(table: RelationTable) -> None:
    for row, (first, second) in enumerate(zip(table.bound.first.tolist(), table.bound.second.tolist(), strict=True)):
        assert table.row(first, second) == table.row(second, first) == row
    assert table.row(0, 0) is None and table.row(0, 10**6) is None


def test_the_transpose_holds_the_same_counts(table: RelationTable) -> None:
    ends, rows, counts = table.by_key
    entries = {
        (int(rows[at]), key): int(counts[at]) for key in range(len(ends) - 1) for at in range(ends[key], ends[key + 1])
    }
    plain = {
        (row, int(key)): int(n) for row in range(table.n_pairs) for key, n in zip(*table.entries(row), strict=True)
    }
    assert entries == plain
    joined = [len({row for row, key in plain if key >> 1 == pattern}) for pattern in range(table.n_patterns)]
    assert table.pairs_per_pattern.tolist() == joined


def test_profiles_have_unit_length(table: RelationTable) -> None:
    lengths = np.array([np.linalg.norm(table.profiles.row(row)) for row in range(table.n_pairs)])
    has_patterns = np.diff(table.bound.counts.ends) > 0
    assert np.allclose(lengths, has_patterns, atol=1e-2)


@pytest.mark.parametrize(
    ("file", "changes", "sentence"),
    [
        (PAIRS_FILE, {"first": lambda a: a[::-1]}, "out of order|not sorted"),
        (PAIRS_FILE, {"second": lambda a: a[:-1]}, "does not fit"),
        (PAIRS_FILE, {"reach": lambda a: a * 0}, "reach"),
        (PAIRS_FILE, {"meetings": lambda a: a.astype(np.float64)}, "meetings"),
        (PATTERNS_FILE, {"kinds": lambda a: a + 9}, "no known kind"),
        (PATTERNS_FILE, {"totals": lambda a: a * np.nan}, "not a number"),
        (PATTERNS_FILE, {"ngrams": lambda a: a[:-1]}, "does not fit"),
        (COUNTS_FILE, {"ends": lambda a: a[::-1]}, "ends"),
        (COUNTS_FILE, {"keys": lambda a: a[:-1]}, "does not fit"),
        (PROFILES_FILE, {"values": lambda a: a[:-1]}, "does not fit"),
        (PROFILES_FILE, {"values": lambda a: a[:, :-1]}, "does not fit"),
        (PROFILES_FILE, {"scales": lambda a: a[:-1]}, "does not fit"),
        (PROFILES_FILE, {"mean": lambda a: a * np.nan}, "not a number"),
    ],
)
def test_damage_is_told(table: RelationTable, tmp_path, file, changes, sentence) -> None:
    table.write(tmp_path)
    tensors = {name: np.array(array) for name, array in map_tensors(tmp_path / file).items()}
    tensors |= {name: np.ascontiguousarray(change(tensors[name])) for name, change in changes.items()}
    write_tensors(tmp_path / file, tensors)
    with pytest.raises(RelrepError, match=sentence):
        RelationTable.open(tmp_path, table.words)


def test_a_wrong_key_is_told_before_it_is_followed(table: RelationTable, tmp_path) -> None:
    table.write(tmp_path)
    tensors = {name: np.array(array) for name, array in map_tensors(tmp_path / COUNTS_FILE).items()}
    tensors["keys"][0] = 60_000
    write_tensors(tmp_path / COUNTS_FILE, tensors)
    opened = RelationTable.open(tmp_path, table.words)
    assert 60_000 not in opened.entries(0)[0]
    with pytest.raises(RelrepError, match="not there"):
        _ = opened.by_key
