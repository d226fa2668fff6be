"""A work folder that was damaged by hand: what is damaged is done again, and the bits are the same; never a crash."""

import json
import random
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from killed_runs import digests

from relrep.core.files import recover, remove
from relrep.errors import RelrepError
from relrep.pipeline.stages import RunSettings, Stage, WorkFolder
from relrep.pipeline.train import TrainingRun
from small_corpus import small_config, small_corpus

CONFIG = small_config(mining={"n_patterns": 100, "min_pair_sentences": 10}, training={"init": "random"})


@pytest.fixture(scope="module")
def finished(tmp_path_factory) -> Path:
    """A corpus, a model and its work folder."""
    folder = tmp_path_factory.mktemp("finished")
    corpus = small_corpus(folder, 40_000)
    TrainingRun([corpus], folder / "work", CONFIG, RunSettings(keep_index=False)).make(folder / "model")
    return folder


def copied(finished: Path, tmp_path: Path) -> Path:
    remove(tmp_path / "work")
    shutil.copytree(finished / "work", tmp_path / "work")
    return tmp_path / "work"


def made_again(finished: Path, work: Path) -> None:
    """The run after the damage gives the same model."""
    out = work.parent / "model"
    TrainingRun([finished / "world.txt"], work, CONFIG, RunSettings(keep_index=False)).make(out)
    assert digests(out) == digests(finished / "model")


def damaged(data: bytes, how: str, place: float, byte: int) -> bytes:
    at = int(place * len(data))
    if how == "cut":
        return data[:at]
    if how == "flip" and data:
        at = min(at, len(data) - 1)
        return data[:at] + bytes([data[at] ^ (byte or 1)]) + data[at + 1 :]
    if how == "grow":
        return data + bytes([byte]) * 8
    return b""


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.floats(0, 1, exclude_max=True),
    st.sampled_from(["cut", "flip", "grow", "empty", "missing"]),
    st.floats(0, 1),
    st.integers(0, 255),
)
def test_any_file_may_be_damaged(finished, tmp_path, which, how, place, byte):
    work = copied(finished, tmp_path)
    files = sorted(path for path in work.rglob("*") if path.is_file())
    path = files[int(which * len(files))]
    if how == "missing":
        path.unlink()
    else:
        path.write_bytes(damaged(path.read_bytes(), how, place, byte))
    made_again(finished, work)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_many_files_damaged_at_once(finished, tmp_path, seed):
    choice = random.Random(seed)
    work = copied(finished, tmp_path)
    for path in sorted(path for path in work.rglob("*") if path.is_file()):
        if choice.random() < 0.3:
            how = choice.choice(["cut", "flip", "grow", "empty"])
            path.write_bytes(damaged(path.read_bytes(), how, choice.random(), choice.randrange(256)))
    made_again(finished, work)


@pytest.mark.parametrize(
    "record", ["[]", "{}", '"x"', '{"seconds": "long"}', '{"fingerprint": 5, "files": 7}', "[" * 100_000, "\0"]
)
def test_any_record_can_be_planned(tmp_path, record):
    work, stage = WorkFolder(tmp_path), Stage("pairs", {"a": 1})
    (tmp_path / "pairs.done.json").write_text(record)
    assert work.plan([stage])[0].runs
    assert work.seconds([stage]) == {"pairs": 0.0}


@pytest.mark.parametrize("files", [7, {"x": 1}, {"x": ["a", 2]}, {"../../nowhere": [1, 2]}, {"x": None}])
def test_a_record_with_strange_files_means_the_stage_is_done_again(tmp_path, files):
    work, stage = WorkFolder(tmp_path), Stage("pairs", {"a": 1})
    (tmp_path / "x").write_text("y")
    record = {"fingerprint": stage.fingerprint, "files": files, "seconds": []}
    (tmp_path / "pairs.done.json").write_text(json.dumps(record))
    assert "missing or damaged" in work.plan([stage])[0].why
    assert work.run(stage, lambda: "built", lambda: "loaded") == "built"


def test_a_damaged_shard_or_checkpoint_is_made_again(finished, tmp_path):
    config = small_config(mining={"n_patterns": 100, "min_pair_sentences": 10}, training={"init": "random"})
    work = copied(finished, tmp_path)
    run = RunSettings(memory=1 << 18, keep_index=False)
    pipeline = TrainingRun([finished / "world.txt"], work, config, run)
    stages = pipeline.graph.stages
    (work / "paper-pairs.done.json").unlink()
    (work / "paper-counts.done.json").unlink()
    (work / "training.done.json").unlink()
    cut = pipeline.graph.engine.sharding_key(pipeline.graph.corpus)
    assert int(cut.split("x")[0]) > 3
    for name, shard in (("paper-pairs", "counting-pairs-{:05}/0"), ("paper-counts", "counts-{:05}")):
        parts = work / f"{name}-{stages[name].fingerprint}-{cut}.parts"
        for number, strange in enumerate(["columns.int32", "values.int32", "starts.npy"]):
            (parts / shard.format(number)).mkdir(parents=True)
            (parts / shard.format(number) / strange).write_bytes(b"abc")
    (work / f"checkpoint-{stages['training'].fingerprint}.safetensors").write_bytes(b"\xff" * 100)
    pipeline.make(tmp_path / "model")
    assert digests(tmp_path / "model") == digests(finished / "model")
    assert not list(work.glob("*.parts")) and not list(work.glob("checkpoint*"))


def test_a_model_set_aside_by_a_killed_run_comes_back(tmp_path):
    aside = tmp_path / ".model.replaced-999999999"
    aside.mkdir()
    (aside / "vocab.txt").write_text("old")
    for name in (".model.unfinished-999999999", ".other.unfinished-999999999", ".model.notes"):
        (tmp_path / name).mkdir()
    recover(tmp_path / "model")
    assert (tmp_path / "model" / "vocab.txt").read_text() == "old"
    assert sorted(p.name for p in tmp_path.iterdir()) == [".model.notes", ".other.unfinished-999999999", "model"]


def test_a_work_folder_that_cannot_be_one(tmp_path):
    (tmp_path / "file").write_text("mine")
    with pytest.raises(RelrepError, match="cannot be written"), WorkFolder(tmp_path / "file").locked():
        pass
