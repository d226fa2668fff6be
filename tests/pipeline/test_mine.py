"""Mined counts as a folder: a model made of them is that of the text; what cannot be made of them is told at once."""

import json
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from relrep import Model
from relrep.cli.main import main
from small_corpus import small_corpus

MINING = ["--n-patterns", "200", "--min-pair-sentences", "20", "--quiet"]
BOTH = [*MINING, "--objective", "paper"]
LEARNING = ["--dim", "16", "--init", "random", "--objective", "paper", "--positives", "500", "--negatives", "500"]


@pytest.fixture(scope="module")
def world(tmp_path_factory) -> Path:
    """The text, and its counts without token ids."""
    folder = tmp_path_factory.mktemp("world")
    small_corpus(folder)
    assert main(["mine", str(folder / "world.txt"), "--out", str(folder / "mined"), *BOTH]) == 0
    return folder


def train(mined: Path, out: Path, *more: str) -> int:
    return main(["train", "--mined", str(mined), "--out", str(out), "--quiet", *LEARNING, *more])


def test_counts_alone_make_the_model_of_the_text(world, tmp_path):
    assert not (world / "mined" / "tokens.i32").exists()
    assert train(world / "mined", tmp_path / "one", "--no-index") == 0
    text = [str(world / "world.txt"), "--out", str(tmp_path / "two"), "--no-index", *MINING, *LEARNING]
    assert main(["train", *text]) == 0
    for path in sorted((tmp_path / "two").rglob("*")):
        if path.is_file() and path.name not in ("config.json", "README.md"):
            assert path.read_bytes() == (tmp_path / "one" / path.relative_to(tmp_path / "two")).read_bytes()
    records = [Model.load(tmp_path / name).config for name in ("one", "two")]
    assert records[0]["settings"] == records[1]["settings"] and records[0]["corpus"] == records[1]["corpus"]


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        ([], "the corpus index cannot be had of counts without token ids"),
        (["--no-index", "--init", "glove"], "init glove cannot be had of counts"),
        (["--no-index", "--max-gap", "4"], "was mined with max_gap = 5 and not 4"),
        (["--no-index", "--engine", "spark"], "leave --engine out"),
        (["--no-index", "text.txt"], "and not both"),
    ],
)
def test_what_cannot_be_is_told(world, tmp_path, capsys, flags, sentence):
    if "spark" in flags:
        pytest.importorskip("pyspark")
        if shutil.which("java") is None:
            pytest.skip("Spark needs Java")
    code = train(world / "mined", tmp_path / "model", *flags)
    told = capsys.readouterr().err
    assert code == 2 and sentence in told and told.strip().count("\n") == 0
    assert not (tmp_path / "model").exists()


def test_damaged_counts_are_told(world, tmp_path, capsys):
    def changed(name: str, content: bytes | pa.Table | None) -> str:
        shutil.rmtree(tmp_path / "mined", ignore_errors=True)
        shutil.copytree(world / "mined", tmp_path / "mined")
        path = tmp_path / "mined" / name
        if content is None:
            path.unlink()
        elif isinstance(content, bytes):
            path.write_bytes(content)
        else:
            pq.write_table(content, path)
        shutil.rmtree(tmp_path / "model.work", ignore_errors=True)
        assert train(tmp_path / "mined", tmp_path / "model", "--no-index") == 2
        return capsys.readouterr().err

    counts = pq.read_table(world / "mined" / "counts.parquet")
    pairs = pq.read_table(world / "mined" / "pairs.parquet")
    assert "no record of mined counts" in changed("mined.json", None)
    assert "no record of mined counts" in changed("mined.json", b'{"format": "other"}')
    assert "counts.parquet: cannot be read" in changed("counts.parquet", b"PAR1 nothing")
    assert "counts.parquet: does not fit" in changed("counts.parquet", counts.slice(0, 100))
    assert "counts.parquet: does not fit" in changed("counts.parquet", counts.take(list(range(100, 0, -1))))
    assert "pairs.parquet: does not fit" in changed("pairs.parquet", pairs.take([2, 1, 0]))
    assert "patterns.parquet: cannot be read" in changed("patterns.parquet", None)


def test_a_folder_of_something_else_is_left_alone(world, tmp_path, capsys):
    (tmp_path / "mine.txt").write_text("mine")
    assert main(["mine", str(world / "world.txt"), "--out", str(tmp_path), "--work", str(tmp_path / "w"), *BOTH]) == 2
    assert "holds no mined counts" in capsys.readouterr().err
    record = json.loads((world / "mined" / "mined.json").read_text())
    assert record["settings"]["mining"]["n_patterns"] == 200 and record["token_ids"] is False
