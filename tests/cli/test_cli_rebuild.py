"""`relrep rebuild`: the record of a model is enough to make the same bits again."""

import json
import shutil

import pytest

from relrep import RelRep
from relrep.cli.main import main
from small_corpus import small_config, small_corpus


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """A corpus and a model of it."""
    folder = tmp_path_factory.mktemp("world")
    corpus = small_corpus(folder, 60_000)
    config = small_config(mining={"n_patterns": 100, "min_pair_sentences": 10}, training={"init": "random"})
    RelRep(config).fit(corpus, folder / "model", threads=1, keep_index=False)
    return folder


def rebuild(folder, corpus, *more: str) -> int:
    return main(["rebuild", str(folder / "model"), "--corpus", str(corpus), "--threads", "2", "--quiet", *more])


def test_same_bits(world, capsys):
    before = sorted(world.iterdir())
    assert rebuild(world, world / "world.txt") == 0
    assert "agree bit for bit" in capsys.readouterr().out
    assert sorted(world.iterdir()) == before  # the new model is thrown away


def test_other_bits_and_a_kept_model(world, tmp_path, capsys):
    shutil.copytree(world / "model", tmp_path / "model")
    path = tmp_path / "model" / "model.safetensors"
    changed = bytearray(path.read_bytes())
    changed[-2] ^= 1
    path.write_bytes(changed)
    record = json.loads((tmp_path / "model" / "config.json").read_text())
    record["packages"]["numba"] = "0.1"
    (tmp_path / "model" / "config.json").write_text(json.dumps(record))
    assert rebuild(tmp_path, world / "world.txt", "--json", "--out", str(tmp_path / "kept")) == 1
    shown = json.loads(capsys.readouterr().out)
    assert shown["different"] == ["model.safetensors"] and "vocab.txt" in shown["same"]
    assert shown["packages"]["numba"][0] == "0.1"
    assert (tmp_path / "kept" / "config.json").exists()


def test_mistakes_are_told_before_training(world, tmp_path, capsys):
    (tmp_path / "other.txt").write_text((world / "world.txt").read_text()[:-200])
    assert rebuild(world, tmp_path / "other.txt") == 2
    assert not (world / "model.rebuild.work").exists()
    assert "the corpus is not the one" in capsys.readouterr().err
    assert rebuild(tmp_path, world / "world.txt") == 2
    assert "no model folder" in capsys.readouterr().err
    assert rebuild(world, world / "world.txt", "--out", str(world / "model")) == 2
    assert "choose another --out" in capsys.readouterr().err


def test_given_vectors_are_checked_by_what_they_hold(world, tmp_path, capsys):
    text = (world / "model" / "vocab.txt").read_text().splitlines()
    vectors = tmp_path / "start.txt"
    vectors.write_text("".join(f"{line.split()[0]} {at}.5 {at % 7} 1\n" for at, line in enumerate(text[:500])))
    config = small_config(
        mining={"n_patterns": 100, "min_pair_sentences": 10}, training={"init": str(vectors), "dim": 3}
    )
    RelRep(config).fit(world / "world.txt", tmp_path / "model", threads=1, keep_index=False)
    held = json.loads((tmp_path / "model" / "config.json").read_text())["initial"]
    assert held["source"] == str(vectors) and len(held["fingerprint"]) == 32
    assert rebuild(tmp_path, world / "world.txt") == 0
    moved = tmp_path / "moved.txt"
    vectors.rename(moved)
    assert rebuild(tmp_path, world / "world.txt") == 2
    assert "start.txt" in capsys.readouterr().err
    assert rebuild(tmp_path, world / "world.txt", "--init", str(moved)) == 0
    moved.write_text(moved.read_text().replace(" 1\n", " 2\n", 1))
    assert rebuild(tmp_path, world / "world.txt", "--init", str(moved)) == 2
    assert "not those that" in capsys.readouterr().err
    assert rebuild(world, world / "world.txt", "--init", str(moved)) == 2
    assert "leave --init out" in capsys.readouterr().err


def test_an_interrupted_rebuild_goes_on(world, monkeypatch, capsys):
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("relrep.pipeline.train.write_model", interrupted)
        assert rebuild(world, world / "world.txt") == 130
    assert "run the same command again" in capsys.readouterr().err
    work = world / "model.rebuild.work"
    finished = (work / "counts.done.json").stat().st_mtime_ns
    with monkeypatch.context() as patch:
        patch.setattr("relrep.mining.engines.count_patterns", interrupted)  # it is not called again
        assert rebuild(world, world / "world.txt") == 0
    assert finished and not work.exists() and not (world / "model.rebuild").exists()
