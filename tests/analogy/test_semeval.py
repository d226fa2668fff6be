"""SemEval-2012 Task 2: reading, MaxDiff, Spearman, and the figures of the task's own baselines."""

from pathlib import Path

import numpy as np
import pytest
from semeval_folder import write_semeval

from relrep.analogy.semeval import Collection, mean_scores, read_semeval, score_collection, score_relation, spearman
from relrep.errors import RelrepError

SHARED = Path(__file__).parents[3] / "shared" / "data" / "benchmarks" / "semeval"


def test_collections(tmp_path: Path) -> None:
    collections = {each.name: each for each in read_semeval(write_semeval(tmp_path / "semeval"))}
    ids = {name: [relation.id for relation in each.relations] for name, each in collections.items()}
    assert ids == {"gold": ["1b"], "gold_all": ["1a", "1b"], "platinum": ["1a", "1b"]}
    first, second = collections["gold_all"].relations
    assert first.prototypes == ("flower:tulip", "emotion:rage", "poem:sonnet")
    assert len(second.questions) == 2  # the third is the first again, in another order
    assert second.gold["weapon:knife"] == pytest.approx(100 / 3)
    assert second.gold["tool:hammer"] == 25.0
    assert second.gold["fork:utensil"] == -50.0


def test_maxdiff_by_hand(tmp_path: Path) -> None:
    relation = read_semeval(write_semeval(tmp_path / "semeval"))[0].relations[0]
    ratings = {"weapon:knife": 5.0, "tool:hammer": 4.0, "fork:utensil": 3.0, "home:tree": 1.0, "seat:chair": 1.0}
    score = score_relation(relation, ratings)
    # question 1: home:tree least (2 of 3 votes), weapon:knife most (tied with tool:hammer): both right;
    # question 2: the first of the tied home:tree and seat:chair as least, tool:hammer as most: both wrong
    assert [guess.right for guess in score.guesses] == [True, True, False, False]
    assert score.maxdiff == 50.0


def test_spearman_of_a_constant_side_is_0() -> None:
    assert spearman([1.0, 1.0, 1.0], [1.0, 2.0, 3.0]) == 0.0
    assert spearman([1.0], [2.0]) == 0.0
    assert spearman([1.0, 2.0, 2.0, 3.0], [3.0, 2.0, 2.0, 1.0]) == pytest.approx(-1.0)


@pytest.mark.parametrize("name", ["Phase1Answers", "Phase2Questions", "Phase2Answers"])
def test_a_missing_relation_file(tmp_path: Path, name: str) -> None:
    folder = write_semeval(tmp_path / "semeval")
    (folder / "gold" / "Testing" / name / f"{name}-1b.txt").unlink()
    with pytest.raises(RelrepError, match=rf"{name}-1b\.txt: this file of a relation is missing"):
        read_semeval(folder)


@pytest.mark.parametrize(
    ("file", "text", "said"),
    [
        (
            "gold/Testing/Phase2Questions/Phase2Questions-1b.txt",
            '"a:b","c:d"\n',
            "line 1: .*four of the relation's pairs",
        ),
        (
            "gold/Testing/Phase2Questions/Phase2Questions-1b.txt",
            '"a:b","c:d","e:f","g:h"\n',
            "line 1: not four .*a:b",
        ),
        ("gold/Testing/Phase2Answers/Phase2Answers-1b.txt", '# h\n"a:b"\t"c:d"\n', "line 2: .*has 2 fields"),
        ("gold/Testing/Phase2Answers/Phase2Answers-1b.txt", "# h\n", "answers no question"),
        ("subcategories-paradigms.txt", "1, a, CLASS\n", "line 1: not a relation as"),
        ("subcategories-training.txt", "1a\n", "line 1: should begin with `Relation`"),
    ],
)
def test_bad_files_are_one_clear_sentence(tmp_path: Path, file: str, text: str, said: str) -> None:
    folder = write_semeval(tmp_path / "semeval")
    (folder / file).write_text(text)
    with pytest.raises(RelrepError, match=rf"{Path(file).name}.*{said}"):
        read_semeval(folder)


def test_not_a_semeval_folder(tmp_path: Path) -> None:
    with pytest.raises(RelrepError, match=r"subcategories-paradigms\.txt: is missing"):
        read_semeval(tmp_path)


def read_ratings(path: Path) -> dict[str, float]:
    """A system's ratings of a relation's pairs: `score "word1:word2"` a line."""
    lines = [line.strip() for line in path.read_text(encoding="utf-8").splitlines() if line[:1] not in ("", "#")]
    return {pair.strip().strip('"'): float(score) for score, _, pair in (line.partition(" ") for line in lines)}


@pytest.fixture(scope="module")
def gold() -> Collection:
    if not SHARED.is_dir():
        pytest.skip("the shared benchmarks are not here")
    return read_semeval(SHARED)[0]


@pytest.mark.parametrize(
    ("system", "file", "maxdiff", "rho"),
    [("PMI", "PMI-Ratings", "33.87", "0.1120"), ("Random", "RandomRatings", "31.17", "0.0176")],
)
def test_the_tasks_own_baselines_come_out(gold: Collection, system: str, file: str, maxdiff: str, rho: str) -> None:
    assert len(gold.relations) == 69
    folder = SHARED / "baselines" / system / "Testing"
    scores = score_collection(gold, lambda relation: read_ratings(folder / f"{file}-{relation.id}.txt"))
    found = mean_scores(scores)
    assert (f"{found[0]:.2f}", f"{found[1]:.4f}") == (maxdiff, rho)


def test_gold_ratings_follow_from_the_answers(gold: Collection) -> None:
    for relation in gold.relations:
        published = read_ratings(SHARED / "gold_ratings" / "Testing" / f"GoldRatings-{relation.id}.txt")
        assert published.keys() == relation.gold.keys()
        assert np.allclose([published[pair] for pair in relation.gold], list(relation.gold.values()), atol=0.06)
