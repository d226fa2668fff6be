"""relrep convert."""

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from relrep.cli.main import main
from relrep.vectors.word_vectors import WordVectors


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "glove.txt"
    path.write_text("the 0.5 1\ncat -2 3.25\nice cream 4 5\ndog 6 7\n", encoding="utf-8")
    return path


def test_it_converts_and_says_what(source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "out.safetensors"
    assert main(["convert", str(source), str(target), "--quiet"]) == 0
    assert capsys.readouterr().out == f"{target}: 4 words × 2 dimensions, safetensors\n"
    assert WordVectors.load(target).index_to_key == ["the", "cat", "ice cream", "dog"]


def test_limit_words_format_and_json(source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = tmp_path / "words.txt"
    words.write_text("dog\t12\r\n\nthe\nunicorn\n", encoding="utf-8")
    target = tmp_path / "out.anything"
    arguments = ["convert", str(source), str(target), "--words", str(words), "--format", "glove", "--json", "--quiet"]
    assert main(arguments) == 0
    assert json.loads(capsys.readouterr().out) == {
        "path": str(target),
        "format": "glove",
        "words": 2,
        "dimensions": 2,
        "words_not_found": 1,
    }
    assert target.read_text() == "the 0.5 1.0\ndog 6.0 7.0\n"
    assert main([*arguments, "--limit", "1"]) == 0
    assert target.read_text() == "the 0.5 1.0\n"


def test_spaces_become_underscores_on_request(source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "out.bin"
    assert main(["convert", str(source), str(target), "--quiet"]) == 2
    assert "'ice cream'" in capsys.readouterr().err
    assert not target.exists()
    assert main(["convert", str(source), str(target), "--quiet", "--underscores"]) == 0
    assert WordVectors.load(target)["ice_cream"].tolist() == [4, 5]


def test_bad_entries_are_an_error_or_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, target = tmp_path / "bad.vec", tmp_path / "good.vec"
    source.write_bytes(b"3 2\na 1 2\nb nan 2\nc 3 4\n")
    assert main(["convert", str(source), str(target), "--quiet"]) == 2
    error = capsys.readouterr().err
    assert f"{source}, line 3: number 1 is nan" in error
    assert error.count("\n") == 1
    assert main(["convert", str(source), str(target), "--quiet", "--skip-bad"]) == 0
    assert target.read_bytes() == b"2 2\na 1.0 2.0 \nc 3.0 4.0 \n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["{source}", "{folder}/out.xyz"], "the suffix names no format"),
        (["{source}", "{folder}/no/out.txt"], "cannot be written"),
        (["{folder}/none.txt", "{folder}/out.txt"], "cannot be read"),
        (["{source}", "{folder}/out.txt", "--limit", "0"], "--limit is 0"),
        (["{source}", "{folder}/out.txt", "--words", "{folder}/none"], "cannot be read"),
        (["{source}", "{folder}/out.txt", "--words", "{folder}/latin1"], "line 2: not UTF-8"),
        (["{source}", "{folder}/out.txt", "--words", "{folder}/blank"], "holds no words"),
    ],
)
def test_mistakes_are_one_sentence_and_code_2(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    (tmp_path / "latin1").write_bytes(b"ok\n\xe9\n")
    (tmp_path / "blank").write_bytes(b"\n\n")
    filled = [argument.format(source=source, folder=tmp_path) for argument in arguments]
    assert main(["convert", *filled, "--quiet"]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert not (tmp_path / "out.txt").exists()


def test_every_format_is_offered() -> None:
    from relrep.cli.convert import FORMATS
    from relrep.vectors.files import FORMATS as WRITTEN

    assert sorted(FORMATS) == sorted(WRITTEN)


def test_a_chain_of_conversions_keeps_every_bit(tmp_path: Path) -> None:
    vectors = np.random.default_rng(7).normal(size=(50, 6)).astype(np.float32)
    WordVectors([f"w{i}" for i in range(50)], vectors).save(tmp_path / "0.safetensors")
    names = ["0.safetensors", "1.bin", "2.txt", "3.glove.gz", "4.vec", "5.safetensors"]
    for before, after in pairwise(names):
        assert main(["convert", str(tmp_path / before), str(tmp_path / after), "--quiet"]) == 0
    assert (tmp_path / names[0]).read_bytes() == (tmp_path / names[-1]).read_bytes()
