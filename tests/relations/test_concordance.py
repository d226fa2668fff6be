"""Concordances: all meetings, in order, in pages, as written, counted by source."""

from pathlib import Path

import pytest

from relrep.config import Config
from relrep.errors import RelrepError
from relrep.model.model import Model
from relrep.pipeline.stages import RunSettings
from relrep.pipeline.train import TrainingRun
from relrep.relations.concordance import concordance
from relrep.relations.explain import explain
from relrep.relations.search import RelationSearch


@pytest.fixture(scope="module")
def model(tmp_path_factory) -> Model:
    folder = tmp_path_factory.mktemp("concordance")
    lines = ["The Cat saw the dog.", "A dog, says Ann, is no cat!", "Every cat and every dog sleeps; most eat."]
    (folder / "a.txt").write_text("\n".join(lines * 6) + "\n", encoding="utf-8")
    (folder / "b.txt").write_text("Old dogs and new cats. My cat bit the dog.\n" * 4, encoding="utf-8")
    values = {"training": {"init": "random", "dim": 8}, "corpus": {"min_count": 1}, "mining": {"min_pmi": -9.0}}
    config = Config().with_values(values, "test")
    run = TrainingRun([folder / "a.txt", folder / "b.txt"], folder / "work", config, RunSettings())
    return run.make(folder / "model")


def test_every_meeting_is_a_line_as_it_is_written(model: Model) -> None:
    found = concordance(model, "cat", "dog")
    assert (found.total, found.page, found.pages) == (22, 1, 1)
    assert [(Path(source).name, count) for source, count in found.by_source] == [("a.txt", 18), ("b.txt", 4)]
    first, second = found.lines[0], found.lines[1]
    assert (first.left, first.words, first.right) == ("The", "Cat saw the dog", ".")
    assert (second.left, second.words, second.right) == ("A", "dog, says Ann, is no cat", "!")
    assert (Path(second.source).name, second.line) == ("a.txt", 2)


def test_lines_are_sorted_by_context_and_come_in_pages(model: Model) -> None:
    left = concordance(model, "cat", "dog", "left", per_page=100).lines
    assert [line.left.lower() for line in left] == sorted(line.left.lower() for line in left)
    right = concordance(model, "cat", "dog", "right", per_page=100).lines
    assert right[-1].right.startswith("sleeps") and right[0].right in (".", "!")
    pages = [concordance(model, "cat", "dog", "right", page, 5).lines for page in range(1, 6)]
    assert [line for page in pages for line in page] == list(right)
    assert concordance(model, "cat", "dog", page=9).lines == ()


def test_examples_of_an_explanation_are_verbatim(model: Model) -> None:
    texts = {example.text for example in explain(RelationSearch(model), "cat", "dog").examples}
    assert "The Cat saw the dog." in texts and all(example[0].isupper() for example in texts)


def test_without_the_text_lines_are_in_words_of_the_vocabulary(tiny_model: Model) -> None:
    found = concordance(tiny_model, "ostrich", "bird", per_page=2)
    assert found.by_source == () and found.lines[0].words == "ostrich is a large bird"


def test_bad_questions_are_told(tiny_model: Model) -> None:
    with pytest.raises(RelrepError, match="choose among text, left, right"):
        concordance(tiny_model, "ostrich", "bird", "up")  # type: ignore[arg-type]
    with pytest.raises(RelrepError, match="page 0"):
        concordance(tiny_model, "ostrich", "bird", page=0)
