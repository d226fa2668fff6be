"""relrep neighbours."""

import json
from pathlib import Path

import pytest

from relrep.cli.main import main


@pytest.fixture
def vectors(tmp_path: Path) -> Path:
    path = tmp_path / "v.txt"
    path.write_text("bird 1 0\nostrich 1 1\nemu 1 0.5\nhammer -1 0\n", encoding="utf-8")
    return path


def test_it_lists_words_and_cosines(vectors: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["neighbours", str(vectors), "bird", "--top", "2", "--quiet"]) == 0
    assert capsys.readouterr().out == " 0.8944  emu\n 0.7071  ostrich\n"


def test_json(vectors: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["neighbours", str(vectors), "bird", "--json", "--quiet"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["word"] == "bird"
    assert [entry["word"] for entry in result["neighbours"]] == ["emu", "ostrich", "hammer"]
    assert result["neighbours"][2]["similarity"] == -1.0


def test_mistakes_are_one_sentence_and_code_2(vectors: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, message in (
        (["ostritch"], "the word 'ostritch' has no vector; did you mean 'ostrich'?"),
        (["bird", "--top", "0"], "--top is 0"),
        (["bird", "--limit", "-1"], "--limit is -1"),
    ):
        assert main(["neighbours", str(vectors), *arguments, "--quiet"]) == 2
        captured = capsys.readouterr()
        assert message in captured.err
        assert captured.out == ""


def test_a_word_without_a_vector_may_have_one_inferred(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "v.txt"
    path.write_text("walked 1 0\nwalking 0.8 1\ntalked 1 0.1\nhammer -1 0\n", encoding="utf-8")
    assert main(["neighbours", str(path), "balked", "--infer", "--top", "1", "--quiet"]) == 0
    told = capsys.readouterr().out.splitlines()
    assert told[0] == "balked has no vector of its own; inferred from its spelling:" and told[1].endswith("ked")
    assert main(["neighbours", str(path), "balked", "--quiet"]) == 2
