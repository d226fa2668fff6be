"""Tables of facts."""

import pytest

from relrep.datasets.smallworld.facts import Table

ANIMALS = Table.parse("""
animal  young  food
dog     puppy  bones;old_meat
spider  -      flies
""")


def test_values_are_one_spelling_several_or_missing():
    assert ANIMALS.records == [("dog", "puppy", ("bones", "old meat")), ("spider", None, "flies")]


def test_pairs_take_the_first_spelling_and_skip_gaps():
    assert list(ANIMALS.pairs("animal", "food")) == [("dog", "bones"), ("spider", "flies")]
    assert list(ANIMALS.pairs("animal", "young")) == [("dog", "puppy")]


def test_a_line_with_a_column_too_few_is_named():
    with pytest.raises(ValueError, match=r"expected 2 columns \(a b\), not 'lonely'"):
        Table.parse("a b\nlonely")
