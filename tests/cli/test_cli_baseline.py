"""relrep baseline."""

import json
from pathlib import Path

import numpy as np
import pytest

from relrep.cli.arguments import memory_size
from relrep.cli.main import main
from relrep.errors import RelrepError
from relrep.vectors.word_vectors import WordVectors

TEXT = "The cat sees the dog. The dog sees the cat.\nA bird sees the cat and the dog sees a bird.\n" * 5


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "corpus.txt"
    path.write_text(TEXT, encoding="utf-8")
    return path


@pytest.mark.parametrize("system", ["glove", "ivlbl", "skipgram", "cbow", "fasttext"])
def test_it_trains_and_says_what_it_wrote(corpus: Path, tmp_path: Path, capsys, system: str) -> None:
    if system in ("skipgram", "cbow", "fasttext"):
        pytest.importorskip("gensim")
    out = tmp_path / f"{system}.safetensors"
    fewer = ["--buckets", "1000"] if system == "fasttext" else []
    assert main(["baseline", system, str(corpus), "--out", str(out), "--dim", "8", "--json", "--quiet", *fewer]) == 0
    result = json.loads(capsys.readouterr().out)
    vectors = WordVectors.load(out)
    assert vectors.index_to_key == ["the", "sees", "cat", "dog", "a", "bird", "and"]
    assert (result["words"], result["dimensions"], result["system"]) == (7, 8, system)
    assert result["settings"]["dim"] == 8
    assert result["corpus"]["tokens"] == 105
    assert np.isfinite(vectors.vectors).all()
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([corpus.name, out.name, f"{out.name}.work"])
    assert not list(tmp_path.rglob("*.parts"))


def test_what_is_done_is_not_done_again(corpus: Path, tmp_path: Path, capsys) -> None:
    out, flags = tmp_path / "v.safetensors", ["--iterations", "2", "--quiet", "--json"]

    def plan(*more: str) -> dict[str, tuple[bool, str]]:
        assert main(["baseline", "glove", str(corpus), "--out", str(out), *flags, *more, "--plan"]) == 0
        return {each["name"]: (each["runs"], each["why"]) for each in json.loads(capsys.readouterr().out)}

    assert plan() == {"ids": (True, "not done yet"), "glove": (True, "not done yet")}
    assert not out.exists()
    assert main(["baseline", "glove", str(corpus), "--out", str(out), *flags, "--dim", "8"]) == 0
    capsys.readouterr()
    bits = out.read_bytes()
    assert [runs for runs, _ in plan("--dim", "8").values()] == [False, False]
    assert plan("--dim", "9") == {"ids": plan()["ids"], "glove": (True, "changed: dim")}
    assert [runs for runs, _ in plan("--min-count", "2").values()] == [True, True]
    assert [why for _, why in plan("--dim", "8", "--force").values()] == ["all is done again"] * 2
    out.unlink()
    record = (tmp_path / "v.safetensors.work" / "glove.done.json").read_bytes()
    assert main(["baseline", "glove", str(corpus), "--out", str(out), *flags, "--dim", "8"]) == 0
    assert out.read_bytes() == bits
    assert (tmp_path / "v.safetensors.work" / "glove.done.json").read_bytes() == record
    assert main(["baseline", "glove", str(corpus), "--out", str(out), *flags, "--dim", "8", "--force"]) == 0
    assert out.read_bytes() == bits
    capsys.readouterr()
    assert main(["clean", str(out)]) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([corpus.name, out.name])


def test_text_output_and_settings_of_the_system(corpus: Path, tmp_path: Path, capsys) -> None:
    out = tmp_path / "v.txt"
    flags = ["--dim", "4", "--x-max", "5", "--iterations", "2", "--min-count", "11", "--threads", "2"]
    work = ["--work", str(tmp_path / "work")]
    assert main(["baseline", "glove", str(corpus), "--out", str(out), *flags, *work, "--quiet"]) == 0
    assert "4 words × 4 dimensions" in capsys.readouterr().out
    assert out.read_text(encoding="utf-8").startswith("4 4\nthe ")
    assert (tmp_path / "work" / "ids" / "vocab.txt").exists()


def test_mistakes_are_one_sentence_and_code_2(corpus: Path, tmp_path: Path, capsys) -> None:
    out = str(tmp_path / "v.txt")
    for arguments, message in (
        (["glove", "--negative", "3"], "glove has no setting --negative; it belongs to skipgram, cbow"),
        (["glove", "--dim", "0"], "dim is 0; give a whole number"),
        (["ivlbl", "--threads", "0"], "--threads is 0"),
        (["ivlbl", "--memory", "lots"], "--memory is 'lots'"),
        (["ivlbl", "--min-count", "1000"], "no word occurs 1000 times"),
    ):
        assert main(["baseline", arguments[0], str(corpus), "--out", out, *arguments[1:], "--quiet"]) == 2
        captured = capsys.readouterr()
        assert message in captured.err
        assert captured.out == ""


def test_sizes_of_memory() -> None:
    assert [memory_size(text) for text in ("2g", "1.5 GB", "1048576", "3MiB")] == [2**31, 3 * 2**29, 2**20, 3 * 2**20]
    with pytest.raises(RelrepError, match="--memory is '12B'; give a size such as"):
        memory_size("12B")
