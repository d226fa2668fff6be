"""`evaluate` end to end on small vectors: the protocol's rules, the JSON, the comparison, the tables, the mistakes."""

import csv
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from rich.console import Console
from semeval_folder import write_semeval

from relrep.analogy.evaluate import compare, evaluate
from relrep.analogy.questions import Protocol
from relrep.analogy.tables import difference_table, result_tables, write_mistakes
from relrep.analogy.terms import TermTable
from relrep.compare.tables import TableOne
from relrep.errors import RelrepError
from relrep.vectors.word_vectors import WordVectors

FAMILY = ["man", "woman", "king", "queen", "boy", "girl", "prince", "princess"]
VECTORS = WordVectors(
    [*FAMILY, "other"],
    np.array(
        [[3, 0, 0], [3, 2, 0], [3, 0, 2], [3, 2, 2], [3, 0, 1], [3, 2, 1], [3, 0, 3], [3, 2, 3], [-1, -1, -1]],
        dtype=np.float32,
    ),
)
GOOGLE = (
    ": family\nman woman king queen\nMan Woman Boy Girl\nman woman duke duchess\n: gram1-odd\nman king woman queen\n"
)
SAT = "s\nman\twoman\nking\tqueen\nking\tprince\nduke\tduchess\na\n\ns\nduke\tduchess\nking\tqueen\nboy\tother\na\n"


@pytest.fixture
def google(tmp_path: Path) -> Path:
    path = tmp_path / "questions-words.txt"
    path.write_text(GOOGLE)
    return path


@pytest.fixture
def sat(tmp_path: Path) -> Path:
    path = tmp_path / "SAT.txt"
    path.write_text(SAT)
    return path


def test_json_has_the_promised_shape(google: Path, sat: Path) -> None:
    result = evaluate(VECTORS, google=google, sat=sat).to_json()
    assert result["google"]["candidates"] == "all"
    assert result["google"]["oov"] == "wrong"
    assert result["google"]["coverage"] == 75.0
    for measure in ("cosadd", "cosmult", "pairdiff"):
        assert set(result["google"][measure]) >= {"semantic", "syntactic", "total", "categories"}
        assert set(result["google"][measure]["categories"]) == {"family", "gram1-odd"}
        assert isinstance(result["sat"][measure], float)
    cosadd = result["google"]["cosadd"]
    assert (cosadd["semantic"], cosadd["syntactic"], cosadd["total"]) == (pytest.approx(200 / 3), 100.0, 75.0)
    assert result["sat"]["coverage"] == 50.0
    assert result["sat"]["pairdiff"] == 50.0


def test_unknown_words_are_wrong_or_skipped(google: Path, sat: Path) -> None:
    skipped = evaluate(VECTORS, Protocol(oov="skip"), google=google, sat=sat)
    assert skipped["google"].total("cosadd").questions == 3
    assert skipped["google"].total("cosadd").percent == 100.0
    assert skipped["sat"].total("pairdiff").questions == 1
    assert skipped["google"].coverage.percent == 75.0


def test_candidates(google: Path) -> None:
    assert evaluate(VECTORS, google=google)["google"].candidates == 9
    among_answers = evaluate(VECTORS, Protocol(candidates="answers"), google=google)["google"]
    assert among_answers.candidates == 2
    first_four = evaluate(VECTORS, Protocol(candidates=4), google=google)["google"]
    assert first_four.candidates == 4
    assert first_four.coverage.right == 2  # girl is not among the first four words


def test_case_rules(google: Path) -> None:
    assert evaluate(VECTORS, Protocol(case="keep"), google=google)["google"].coverage.right == 2


def test_several_words(tmp_path: Path) -> None:
    path = tmp_path / "mine.tsv"
    path.write_text("man\twoman\tboy king\tgirl queen\n")
    with pytest.raises(RelrepError, match=r"not one of the 1 questions can be answered"):
        evaluate(VECTORS, questions=path)
    composed = evaluate(VECTORS, Protocol(multiword=True), questions=path)["mine"]
    assert composed.candidates == 10
    assert composed.coverage.percent == 100.0
    among_answers = evaluate(VECTORS, Protocol("answers", multiword=True), questions=path)["mine"]
    assert among_answers.total("cosadd").right == 1


def test_vectors_that_share_no_word(google: Path, sat: Path, tmp_path: Path) -> None:
    strangers = WordVectors(["un", "deux"], np.eye(2, dtype=np.float32))
    for sets in ({"google": google}, {"sat": sat}, {"semeval": write_semeval(tmp_path / "semeval")}):
        with pytest.raises(RelrepError, match=r"not one of the .* check the language and the case"):
            evaluate(strangers, **sets)  # type: ignore[arg-type]


def test_semeval(tmp_path: Path) -> None:
    words = ["weapon", "knife", "tool", "hammer", "fork", "utensil", "home", "tree", "gun", "vehicle", "car"]
    rng = np.random.default_rng(1)
    vectors = WordVectors(words, rng.standard_normal((len(words), 6)).astype(np.float32))
    folder = write_semeval(tmp_path / "semeval")
    result = evaluate(vectors, semeval=folder).to_json()["semeval"]
    assert {name: each["relations"] for name, each in result.items()} == {"gold": 1, "gold_all": 2, "platinum": 2}
    assert result["gold"]["coverage"] == 80.0  # seat:chair is unknown
    assert set(result["gold"]["pairdiff"]) >= {"maxdiff", "spearman"}
    assert result["gold"]["pairdiff"]["counted"] == 4
    skipped = evaluate(vectors, Protocol(oov="skip"), semeval=folder).to_json()["semeval"]
    assert skipped["gold"]["pairdiff"]["counted"] == 2


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"candidates": "some"}, "candidates is 'some'"),
        ({"candidates": 0}, "candidates is 0"),
        ({"oov": "mean"}, "oov is 'mean'"),
        ({"case": "upper"}, "case is 'upper'"),
        ({"measures": ("cosinus",)}, "measures are cosinus"),
    ],
)
def test_settings_are_named_when_wrong(google: Path, wrong: dict[str, object], said: str) -> None:
    with pytest.raises(RelrepError, match=said):
        evaluate(VECTORS, Protocol(**wrong), google=google)  # type: ignore[arg-type]


def test_nothing_to_ask() -> None:
    with pytest.raises(RelrepError, match="no question set"):
        evaluate(VECTORS)


def test_comparison_counts_question_by_question(google: Path, sat: Path) -> None:
    shuffled = WordVectors(VECTORS.index_to_key, VECTORS.vectors[::-1].copy())
    first = evaluate(VECTORS, google=google, sat=sat, name="good")
    second = evaluate(shuffled, google=google, sat=sat, name="bad")
    differences = compare(first, second)
    assert len(differences) == 3 * 3 + 4  # google: total, semantic, syntactic; sat: total, PairBoth too
    for each in differences:
        outcome, other = first[each.set], second[each.set]
        if each.section == "total":
            right, against = outcome.right[each.measure], other.right[each.measure]
            assert each.only_first == sum(a and not b for a, b in zip(right, against, strict=True))
            assert each.only_second == sum(b and not a for a, b in zip(right, against, strict=True))
    assert "no significant difference" in differences[0].sentence
    assert difference_table(differences).to_markdown().count("\n| google") == 9


def test_comparison_says_who_is_better(tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    path.write_text("man woman king queen\n" * 6)
    other = WordVectors(VECTORS.index_to_key, VECTORS.vectors[[8, 1, 2, 4, 3, 5, 6, 7, 0]].copy())
    good, bad = evaluate(VECTORS, questions=path, name="A"), evaluate(other, questions=path, name="B")
    said = {each.measure: each.sentence for each in compare(good, bad)}
    assert "mine, CosAdd: A is significantly better than B (100.00 against 0.00; 6 of 6" in said["cosadd"]
    assert "B is significantly better" not in " ".join(said.values())
    assert "A is significantly better than B" in compare(bad, good)[0].sentence
    with pytest.raises(RelrepError, match="different protocols"):
        compare(good, evaluate(VECTORS, Protocol(oov="skip"), questions=path))


def test_tables_carry_the_protocol(google: Path, sat: Path) -> None:
    for table in result_tables(evaluate(VECTORS, google=google, sat=sat, name="small"), rate=20.0):
        markdown = table.to_markdown()
        assert "unknown words: wrong" in markdown
        assert "coverage: " in markdown
        assert "small, 9 words, 3 dimensions" in markdown
        assert "against 20 %" in markdown
    first = result_tables(evaluate(VECTORS, google=google))[0].to_markdown()
    assert "candidates: all words (9)" in first
    assert "| total | 3/4 | 75.00 |" in first


def test_names_in_brackets_are_not_markup(tmp_path: Path) -> None:
    for name in ("I01 [noun - plural]", "I02 [bold]"):
        (tmp_path / f"{name}.txt").write_text("man woman king queen\n")
    console = Console(width=120, record=True, file=StringIO())
    console.print(result_tables(evaluate(VECTORS, questions=tmp_path))[0].to_rich())
    shown = console.export_text()
    assert "I01 [noun - plural]" in shown
    assert "I02 [bold]" in shown


def test_mistakes_tell_what_was_asked_expected_and_answered(google: Path, sat: Path, tmp_path: Path) -> None:
    found = evaluate(VECTORS, Protocol(measures=("pairdiff", "cosadd")), google=google, sat=sat)
    count = write_mistakes(found, tmp_path / "errors.tsv")
    with (tmp_path / "errors.tsv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t"))
    assert len(rows) == count
    assert count == sum(int((~flags).sum()) for each in found.outcomes for flags in each.right.values())
    unknown = next(row for row in rows if row["measure"] == "CosAdd" and "duke" in row["question"])
    assert (unknown["expected"], unknown["answered"], unknown["rank"]) == ("duchess", "(unknown: duke)", "")
    assert unknown["place"] == "questions-words.txt:4"
    for row in rows:
        assert row["rank"] != "1"


@dataclass(frozen=True)
class PrefersLaterWords:
    """A measure beside the three, as those of `relrep.evidence`: it reorders the best candidates of CosAdd."""

    name: str = "later"
    title: str = "Later"
    reads_corpus: bool = True
    reorders: str | None = "cosadd"

    def score(self, terms: TermTable, quadruples: NDArray[np.int64]) -> NDArray[np.float64]:
        return quadruples[:, 3].astype(np.float64)


def test_measures_that_read_a_corpus_stand_beside_the_three(google: Path, sat: Path) -> None:
    found = evaluate(VECTORS, google=google, sat=sat, extra_measures=[PrefersLaterWords()])
    assert found["google"].measures == ["cosadd", "cosmult", "pairdiff", "later"]
    assert found["google"].total("later").right == 0  # it answers "other", the last word
    wrong = [each for each in found["google"].mistakes() if each.measure == "later"]
    assert wrong[0].answered == "other"
    assert wrong[0].rank == 6
    assert "Later †" in result_tables(found)[0].to_markdown()
    assert "† reads the corpus at query time" in result_tables(found)[0].to_markdown()


def test_given_pairs_are_asked_with_pairboth_too_and_open_questions_are_not(google: Path, sat: Path) -> None:
    found = evaluate(VECTORS, google=google, sat=sat)
    assert found["google"].measures == ["cosadd", "cosmult", "pairdiff"]
    assert found["sat"].measures == ["cosadd", "cosmult", "pairdiff", "pairboth"]
    with pytest.raises(RelrepError, match="pairboth is for given pairs"):
        evaluate(VECTORS, Protocol(measures=("pairboth",)), google=google)
    (row,) = [row for row in TableOne.of([found]).rows if row.measure == "PairBoth"]
    assert row.values[:-1] == (None, None, None) and row.values[-1] == found["sat"].total("pairboth").percent
    assert [printed[2] for printed in TableOne.of([found]).printed() if printed[1] == "PairBoth"] == ["–"]


CHOICES = (
    '{"stem": ["man", "woman"], "choice": [["king", "queen"], ["king", "prince"]], "answer": 0}\n'
    '{"stem": ["duke", "duchess"], "choice": [["king", "queen"], ["boy", "other"]], "answer": 0}\n'
)


def test_choices_are_asked_as_sat_is(sat: Path, tmp_path: Path) -> None:
    files = [tmp_path / "u2.jsonl", tmp_path / "u4.jsonl"]
    for file in files:
        file.write_text(CHOICES)
    found = evaluate(VECTORS, sat=sat, choices=files)
    told = found.to_json()
    assert list(told["choices"]) == ["u2", "u4"]
    assert told["choices"]["u2"] == {**told["sat"], "questions": 2}
    assert [each.name for each in found.outcomes] == ["sat", "u2", "u4"]
    assert "| u4 | questions |" in result_tables(found)[2].to_markdown()
    assert evaluate(VECTORS, choices=str(files[0]))["u2"].coverage.right == 1
    several = tmp_path / "several.jsonl"
    several.write_text(CHOICES.replace('"woman"', '"old woman"') + CHOICES)
    assert evaluate(VECTORS, Protocol(multiword=True), choices=several)["several"].coverage.right == 1


def test_sets_have_names_of_their_own(sat: Path, tmp_path: Path) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "sat.jsonl").write_text(CHOICES)
    with pytest.raises(RelrepError, match="two question sets are called 'sat'; rename one of the files"):
        evaluate(VECTORS, choices=[tmp_path / "one" / "sat.jsonl", tmp_path / "two" / "sat.jsonl"])
    with pytest.raises(RelrepError, match="two question sets are called 'sat'"):
        evaluate(VECTORS, sat=sat, choices=tmp_path / "one" / "sat.jsonl")
    assert "sat" not in evaluate(VECTORS, choices=tmp_path / "one" / "sat.jsonl").to_json()
