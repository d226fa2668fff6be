"""`relrep clean`: work folders go, and nothing else ever."""

import json

import pytest

from relrep.cli.main import main
from relrep.pipeline.stages import Stage, WorkFolder


def make_work_folder(folder, content: bytes = b"x" * 1000):
    work = WorkFolder(folder)
    with work.locked():
        path = folder / "pairs.npz"
        work.run(Stage("pairs", {}), lambda: path.write_bytes(content), path.read_bytes, results=[path])
    return folder


def test_the_work_folder_goes_and_the_model_stays(tmp_path, capsys):
    model = tmp_path / "model"
    model.mkdir()
    (model / "config.json").write_text("{}")
    work = make_work_folder(tmp_path / "model.work")
    assert main(["clean", str(model), "--dry-run"]) == 0
    assert "would free 1." in capsys.readouterr().out and work.exists()
    assert main(["clean", str(model), "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["removed"] and shown["bytes"][str(work)] >= 1000
    assert not work.exists() and (model / "config.json").exists()
    assert list(tmp_path.iterdir()) == [model]


def test_a_work_folder_by_its_own_name(tmp_path, capsys):
    work = make_work_folder(tmp_path / "elsewhere")
    assert main(["clean", str(work)]) == 0
    assert not work.exists() and "freed 1." in capsys.readouterr().out


@pytest.mark.parametrize("what", ["nothing", "plain folder", "foreign file", "link", "file"])
def test_nothing_but_work_folders_goes(tmp_path, capsys, what):
    good, other = make_work_folder(tmp_path / "good.work"), tmp_path / "other.work"
    if what == "plain folder":
        other.mkdir()
        (other / "thesis.txt").write_text("precious")
    elif what == "foreign file":
        make_work_folder(other)
        (other / "thesis.txt").write_text("precious")
    elif what == "link":
        other.symlink_to(good)
    elif what == "file":
        other.write_text("precious")
    before = sorted(tmp_path.rglob("*"))
    assert main(["clean", str(tmp_path / "good"), str(tmp_path / "other")]) == 2
    told = capsys.readouterr().err
    assert "other" in told and told.count("\n") == 1
    assert sorted(tmp_path.rglob("*")) == before  # not even the good one


def test_a_folder_in_use_stays(tmp_path, capsys):
    work = make_work_folder(tmp_path / "model.work")
    with WorkFolder(work).locked():
        assert main(["clean", str(tmp_path / "model")]) == 2
    assert "another run" in capsys.readouterr().err and (work / "pairs.npz").exists()
