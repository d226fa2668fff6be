"""3CosAvg and LRCos: the answers of a plain loop over pairs and candidates, and the rules of the protocol."""

from pathlib import Path

import numpy as np
import pytest

from relrep.analogy.evaluate import compare, evaluate
from relrep.analogy.logistic import logistic_regression
from relrep.analogy.questions import Protocol
from relrep.analogy.relation_sets import answer_relations, read_relations
from relrep.analogy.tables import result_tables
from relrep.analogy.terms import TermTable
from relrep.errors import RelrepError
from relrep.vectors.word_vectors import WordVectors

N = 12
FIRST, SECOND = [f"a{i}" for i in range(N)], [f"b{i}" for i in range(N)]
OTHERS = [f"x{i}" for i in range(100)]


def vectors_of_a_relation(seed: int = 0, noise: float = 0.6) -> WordVectors:
    """Pairs that a shared offset joins, more or less, among other words."""
    rng = np.random.default_rng(seed)
    first = rng.standard_normal((N, 10))
    second = first + 2 * np.eye(10)[0] + noise * rng.standard_normal((N, 10))
    rows = np.concatenate([first, second, rng.standard_normal((len(OTHERS), 10))])
    return WordVectors([*FIRST, *SECOND, *OTHERS], rows.astype(np.float32))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two sections; the second relation has a pair with an unknown answer, one with an unknown first word."""
    pairs = [f"{a}\t{b}/{b}s" for a, b in zip(FIRST, SECOND, strict=True)]
    for name, lines in {"1_One/A": pairs, "2_Two/B": [*pairs[:4], "a5\tnowhere", "nobody\tb6"]}.items():
        path = tmp_path / "bats" / f"{name}.txt"
        path.parent.mkdir(parents=True)
        path.write_text("\n".join(lines) + "\n")
    return tmp_path / "bats"


def answers_of_the_plain_loop(vectors: WordVectors, lines: list[tuple[str, str]], held: int) -> list[str]:
    """The best words for one pair under both measures, candidate by candidate, as the paper says it."""
    unit = {
        word: row / np.linalg.norm(row) for word, row in zip(vectors.words, vectors.vectors.astype(float), strict=True)
    }
    others = [pair for at, pair in enumerate(lines) if at != held and pair[0] in unit and pair[1] in unit]
    word = lines[held][0]
    offset = np.mean([unit[b] for _, b in others], axis=0) - np.mean([unit[a] for a, _ in others], axis=0)
    target = unit[word] + offset
    inside = {each for pair in lines for each in pair}
    outside = np.array([each for each in vectors.words if each not in inside])
    picked = np.random.default_rng(0).choice(len(outside), min(len(lines), len(outside)), replace=False)
    rows = [unit[b] for _, b in others] + 4 * [unit[a] for a, _ in others] + [unit[each] for each in outside[picked]]
    is_answer = np.arange(len(rows)) < len(others)
    weights = np.where(is_answer, len(rows) / 2 / len(others), len(rows) / 2 / (len(rows) - len(others)))
    found = logistic_regression(np.array(rows), is_answer, weights)
    candidates = [each for each in vectors.words if each != word]
    average = [unit[each] @ target / np.linalg.norm(target) for each in candidates]
    lrcos = [unit[each] @ unit[word] / (1 + np.exp(-(unit[each] @ found[:-1] + found[-1]))) for each in candidates]
    return [candidates[int(np.argmax(scores))] for scores in (average, lrcos)]


@pytest.mark.parametrize("block", [7, 4096])
def test_same_answers_as_the_plain_loop(folder: Path, block: int) -> None:
    vectors = vectors_of_a_relation()
    outcome = answer_relations(read_relations(folder), TermTable(vectors), Protocol(), block_size=block)
    wrong = {(each.measure, each.category, each.question): each.answered for each in outcome.mistakes()}
    pairs = list(zip(FIRST, SECOND, strict=True))
    second = [*pairs[:4], ("a5", "nowhere"), ("nobody", "b6")]
    for category, lines in (("A", pairs), ("B", second)):
        for held, (word, answer) in enumerate(lines):
            if word not in vectors.words:
                assert wrong["lrcos", category, f"{word} : ?"] == "(unknown: nobody)"
                continue
            expected = answers_of_the_plain_loop(vectors, lines, held)
            for name, best in zip(("3cosavg", "lrcos"), expected, strict=True):
                assert wrong.get((name, category, f"{word} : ?"), answer) == best
    assert 0 < outcome.total("3cosavg").right < 18 and 0 < outcome.total("lrcos").right < 18


def test_tables_json_and_unknown_words(folder: Path) -> None:
    found = evaluate(vectors_of_a_relation(noise=0.0), relations=folder)
    told = found.to_json()["relations"]["bats relations"]
    assert (told["questions"], told["covered"], told["candidates"]) == (18, 16, "all")
    assert set(told["lrcos"]) >= {"1_One", "2_Two", "total", "interval", "categories"}
    (table,) = result_tables(found, rate=50)
    assert "each pair held out in turn; candidates: all words (124); unknown words: wrong" in table.caption
    assert table.header == ("bats relations", "questions", "3CosAvg", "LRCos")
    skipped = evaluate(vectors_of_a_relation(noise=0.0), Protocol(oov="skip"), relations=folder)["bats relations"]
    assert skipped.total("3cosavg").questions == 16
    among = evaluate(vectors_of_a_relation(noise=0.0), Protocol("answers"), relations=folder)["bats relations"]
    assert among.candidates == N


def test_the_rank_is_that_of_the_right_answer(folder: Path) -> None:
    outcome = evaluate(vectors_of_a_relation(noise=1.5), relations=folder)["bats relations"]
    ranks = [each.rank for each in outcome.mistakes() if each.category == "A"]
    assert ranks and all(rank is not None and 1 < rank < 124 for rank in ranks)
    place = next(each.place for each in outcome.mistakes() if each.question == "nobody : ?")
    assert place == "B.txt:6"


def test_the_same_files_as_open_questions_and_as_relations(folder: Path) -> None:
    vectors = vectors_of_a_relation()
    first = evaluate(vectors, questions=folder, relations=folder)
    assert [each.name for each in first.outcomes] == ["bats", "bats relations"]
    second = evaluate(vectors_of_a_relation(1), questions=folder, relations=folder)
    assert {each.measure for each in compare(first, second) if each.set == "bats relations"} == {"3cosavg", "lrcos"}


def test_bad_files_are_one_clear_sentence(tmp_path: Path) -> None:
    path = tmp_path / "capitals.txt"
    path.write_text("paris\tfrance\nrome italy lazio\n")
    with pytest.raises(RelrepError, match=r"capitals.txt, line 2: a pair has two words, this line has 3"):
        read_relations(path)
    path.write_text("paris\tfrance\n")
    with pytest.raises(RelrepError, match="a relation needs at least two pairs"):
        read_relations(path)
    path.write_text("paris\tfrance\nrome\titaly\n")
    with pytest.raises(RelrepError, match=r"not one of the 2 questions .*unknown, for example: 'paris'"):
        evaluate(vectors_of_a_relation(), relations=path)
