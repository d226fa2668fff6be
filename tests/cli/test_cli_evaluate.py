"""`relrep evaluate` from the command line."""

import json
from pathlib import Path

import numpy as np
import pytest

from relrep.cli.main import main
from relrep.vectors.word_vectors import WordVectors

WORDS = ["man", "woman", "king", "queen", "boy", "girl", "other"]
ROWS = [[3, 0, 0], [3, 2, 0], [3, 0, 2], [3, 2, 2], [3, 0, 1], [3, 2, 1], [-1, -1, -1]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    WordVectors(WORDS, np.array(ROWS, dtype=np.float32)).save(tmp_path / "a.vec")
    WordVectors(WORDS, np.array(ROWS[::-1], dtype=np.float32)).save(tmp_path / "b.vec")
    (tmp_path / "questions-words.txt").write_text(": family\nman woman king queen\nman woman boy girl\n")
    return tmp_path


def run(folder: Path, *arguments: str) -> int:
    return main(["evaluate", str(folder / "a.vec"), "--quiet", *arguments])


def test_json(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(folder, "--google", str(folder / "questions-words.txt"), "--json", "--rate", "50") == 0
    result = json.loads(capsys.readouterr().out)
    assert result["google"]["cosadd"]["total"] == 100.0
    assert result["google"]["binomial"]["p"]["cosadd"] == 0.5
    assert result["vectors"] == {"name": "a.vec", "words": 7, "dimensions": 3}


def test_tables_and_sentences(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = str(folder / "questions-words.txt")
    assert run(folder, "--google", asked, "--against", str(folder / "b.vec"), "--candidates", "answers") == 0
    shown = capsys.readouterr().out
    assert "candidates: the answer words of the set (2)" in " ".join(shown.split())
    assert "google, CosAdd: no significant difference" in " ".join(shown.split())


def test_markdown_and_errors(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = str(folder / "questions-words.txt")
    errors = folder / "errors.tsv"
    assert run(folder, "--questions", asked, "--markdown", "--errors", str(errors), "--measure", "cosadd") == 0
    assert "| total | 2 | 100.00 |" in capsys.readouterr().out
    assert errors.read_text().startswith("set\tcategory\tmeasure\tquestion\texpected\tanswered\trank\tplace\n")


def test_against_in_json(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = str(folder / "questions-words.txt")
    assert run(folder, "--google", asked, "--against", str(folder / "b.vec"), "--json") == 0
    against = json.loads(capsys.readouterr().out)["against"]
    assert against["vectors"]["name"] == "b.vec"
    assert {each["measure"] for each in against["differences"]} == {"cosadd", "cosmult", "pairdiff"}


def test_choices_relations_and_similarity(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = '{"stem": ["man", "woman"], "choice": [["king", "other"], ["king", "queen"]], "answer": 1}\n'
    files = {"u2.jsonl": line, "u4.jsonl": line, "sex.txt": "man\twoman\nking\tqueen\nboy\tgirl\n", "ws.csv": "a,b,r\n"}
    files["ws.csv"] += "man,woman,8\nking,queen,9\nboy,other,1\nboy,girl,7\n"
    for name, text in files.items():
        (folder / name).write_text(text)
    asked = ["--choices", str(folder / "u2.jsonl"), str(folder / "u4.jsonl")]
    asked += ["--relations", str(folder / "sex.txt"), "--similarity", str(folder / "ws.csv")]
    assert run(folder, *asked, "--json", "--errors", str(folder / "errors.tsv")) == 0
    told = json.loads(capsys.readouterr().out)
    assert {name: each["pairdiff"] for name, each in told["choices"].items()} == {"u2": 100.0, "u4": 100.0}
    assert told["relations"]["sex relations"]["3cosavg"]["total"] == 100.0
    assert told["similarity"]["ws"]["spearman"] == pytest.approx(0.8)
    assert run(folder, *asked, "--markdown", "--against", str(folder / "b.vec")) == 0
    shown = capsys.readouterr().out
    assert "| sex relations | questions | 3CosAvg | LRCos |" in shown and "| ws | 4 | 0.8000 |" in shown
    assert "- sex relations, LRCos: " in shown
    assert run(folder, *asked[-2:], "--against", str(folder / "b.vec")) == 0  # no test between correlations
    assert "Spearman" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "no question set was given"),
        (["--google", "nowhere"], "nowhere: there is no such file or folder"),
        (["--choices", "nowhere.jsonl"], "nowhere.jsonl: there is no such file or folder"),
        (["--choices", "G"], "questions-words.txt, line 1: this is no JSON"),
        (["--google", "G", "--candidates", "few"], "candidates is 'few'"),
        (["--google", "G", "--rate", "120"], "--rate is 120"),
        (["--google", "G", "--threads", "0"], "--threads is 0"),
    ],
)
def test_bad_use_is_one_sentence(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    given = [str(folder / "questions-words.txt") if each == "G" else each for each in arguments]
    assert run(folder, *given) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


def test_a_model_with_its_text_gets_marked_columns(
    tiny_model_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = tmp_path / "questions.txt"
    asked.write_text("paris france rome italy\nlion cat salmon fish\n")
    choices = tmp_path / "sat.txt"
    choices.write_text(
        "190 FROM REAL SATs\nparis france n:n\nlion cat n:n\nrome italy n:n\noak tree n:n\nant insect n:n\n"
        "salmon fish n:n\nb\n\n"
    )
    command = ["evaluate", str(tiny_model_folder), "--quiet", "--questions", str(asked), "--sat", str(choices)]
    assert main([*command, "--markdown"]) == 0
    shown = capsys.readouterr().out
    assert "CosMix †" in shown and "PairMix †" in shown and "† reads the corpus at query time" in shown
    assert main([*command, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["questions"]["questions"]["reads_corpus"] == ["cosmix"]
    assert told["sat"]["reads_corpus"] == ["pairpattern", "pairmix", "cosmix"]
    assert told["sat"]["pairpattern"] == 100.0 and "pairdiff" in told["sat"]
    assert main([*command, "--json", "--no-evidence"]) == 0
    assert "cosmix" not in json.loads(capsys.readouterr().out)["sat"]


def test_inferred_words_open_questions_and_that_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    vectors, questions = tmp_path / "v.txt", tmp_path / "q.txt"
    vectors.write_text("walked 1 0 1\nwalking 0.8 1 0\ntalked 1 0.1 0.5\ntalking 0.7 1 0.2\nhammer -1 0 0\n")
    questions.write_text("walked walking talked talking\nbalked walking talked talking\n")
    asked = ["evaluate", str(vectors), "--questions", str(questions), "--quiet"]
    assert main([*asked, "--infer", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["opened"] == {"q": 1} and found["protocol"]["infer"] == "spelling"
    assert main([*asked, "--infer"]) == 0
    assert "opened 1 of 2 questions" in capsys.readouterr().out
