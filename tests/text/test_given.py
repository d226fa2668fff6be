"""Text from Python: what names files, what is written, and what is refused in one sentence."""

from pathlib import Path

import numpy as np
import pytest

from relrep.errors import RelrepError
from relrep.text.given import names_files, write_given


def test_names_and_texts_are_told_apart(tmp_path: Path) -> None:
    (tmp_path / "my text.txt").write_text("a b")
    assert names_files("no such file") and names_files(tmp_path) and names_files([tmp_path / "x", "y.txt"])
    assert names_files([str(tmp_path / "my text.txt")])
    assert not names_files(["A cat sat.", "It left."]) and not names_files([["a", "cat"]])
    assert not names_files(iter(["a.txt"])) and not names_files(np.array(["A cat sat."]))


def test_texts_and_tokens_become_lines(tmp_path: Path) -> None:
    path, tokens_given = write_given((text for text in ["A cat\nsat.", "", "It left."]), tmp_path)
    assert (path.read_text(encoding="utf-8"), tokens_given) == ("A cat\u2028sat.\n\nIt left.\n", False)
    path, tokens_given = write_given([["New_York", "é|NN"], ("b",)], tmp_path)
    assert (path.read_text(encoding="utf-8"), tokens_given) == ("New_York é|NN\nb\n", True)


def test_the_same_text_leaves_the_file_alone(tmp_path: Path) -> None:
    path, _ = write_given(["A cat."], tmp_path)
    before = path.stat().st_mtime_ns
    write_given(iter(["A cat."]), tmp_path)
    assert path.stat().st_mtime_ns == before and [each.name for each in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize(
    ("corpus", "sentence"),
    [
        ([], "the corpus is empty"),
        (["a b", ["a"]], "item 2 of the corpus is of type list, not a string"),
        ([["a"], "a b"], "item 2 of the corpus is of type str, not a list of tokens"),
        ([["a"], 3], "item 2 of the corpus is of type int"),
        ([{"text": "a b"}], "item 1 of the corpus is of type dict"),
        ([["a b"]], "has the token 'a b'"),
        ([["a", ""]], "has the token ''"),
        ([[1]], "has the token 1"),
    ],
)
def test_other_things_are_refused(tmp_path: Path, corpus: list, sentence: str) -> None:
    with pytest.raises(RelrepError, match=sentence):
        write_given(corpus, tmp_path)
    assert not list(tmp_path.iterdir())
