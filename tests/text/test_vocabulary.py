"""Words held as text answer as a list and a dictionary do; a vocabulary is read without making them."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from relrep.errors import RelrepError
from relrep.text.vocabulary import _FEW_SEARCHES, Vocabulary, Words

WORD = st.text(st.characters(exclude_characters="\t\n", exclude_categories=["Cs"]), min_size=1, max_size=30)
LISTS = st.lists(WORD, min_size=1, max_size=12, unique=True)


def as_text(words: list[str]) -> Words | None:
    encoded = [word.encode() for word in words]
    text = b"".join(word + b"\t1\n" for word in encoded)
    begins = np.cumsum([0, *(len(word) + 3 for word in encoded)])[:-1]
    return Words.of_text(text, begins, begins + [len(word) for word in encoded], b"\t")


@given(LISTS, LISTS)
def test_text_answers_as_a_list_does(words: list[str], asked: list[str]) -> None:
    held = as_text(words)
    assert held is not None and len(held) == len(words)
    expected = {word: place for place, word in enumerate(words)}
    sought = [*words, *asked, *(word[1:] for word in words), f"{words[0]}\t1\n{words[-1]}"]
    for word in sought:
        assert held.place(word) == expected.get(word)
        assert (word in held) == (word in expected)
    assert [held[place] for place in range(len(words))] == words and held[-1] == words[-1]
    assert ("listed" in vars(held)) == (2 * len(sought) > _FEW_SEARCHES)  # each was looked up twice
    assert list(held) == held.listed == words and held[1:3] == words[1:3]
    assert held.places == expected


@given(LISTS, st.data())
def test_a_word_that_is_there_twice_is_noticed(words: list[str], data: st.DataObject) -> None:
    again = data.draw(st.sampled_from(words))
    assert as_text([*words, again]) is None


def test_many_searches_make_a_dictionary() -> None:
    held = as_text(["the", "cat"])
    assert held is not None
    for _ in range(_FEW_SEARCHES):
        assert held.place("cat") == 1
    assert "places" not in vars(held)
    assert held.place("cat") == 1 and held.place("dog") is None
    assert "places" in vars(held)


def test_a_word_that_no_text_can_hold_is_not_found() -> None:
    held = as_text(["the", "cat"])
    assert held is not None and held.place("\udc80") is None and held.place("") is None and 3 not in held


@given(LISTS, st.data())
def test_a_vocabulary_comes_back(
    tmp_path_factory: pytest.TempPathFactory, words: list[str], data: st.DataObject
) -> None:
    counts = np.array(data.draw(st.lists(st.integers(0, 10**18 - 1), min_size=len(words), max_size=len(words))))
    path = tmp_path_factory.mktemp("vocabulary") / "vocab.txt"
    Vocabulary(words, counts).write(path)
    read = Vocabulary.read(path)
    assert "listed" not in vars(read.words)
    assert list(read.words) == words and read.counts.tolist() == counts.tolist()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a\t1\nb\t2", "line 2: the last line is not closed"),
        ("a\t1\n\t2\n", "line 2: expected a word, a tab and a count"),
        ("a\t1\nb\t\n", "line 2: expected a word, a tab and a count"),
        ("a\t1\nb\t2x\n", "line 2: expected a word, a tab and a count"),
        ("a\t1\nb 2\n", "line 2: expected a word, a tab and a count"),
        ("a\t1\tb\n2\n", "line 1: expected a word, a tab and a count"),
        ("a\t1\nb\t1234567890123456789\n", "line 2: expected a word, a tab and a count"),
        ("a\t1\nb\t2\na\t3\n", "line 3: the word 'a' stands in line 1 already"),
    ],
)
def test_a_damaged_vocabulary_is_told_by_its_line(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "vocab.txt"
    path.write_bytes(text.encode())
    with pytest.raises(RelrepError, match=said):
        Vocabulary.read(path)
