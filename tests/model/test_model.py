import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from relrep.errors import RelrepError
from relrep.model.model import Model, write_model
from relrep.text.encoded import EncodedCorpus
from relrep.text.index import CorpusIndex
from relrep.text.vocabulary import Vocabulary
from tiny_model import build


def small(folder: Path, **changes) -> Model:
    corpus = EncodedCorpus.from_sentences([["a", "cat"], ["a", "dog"]])
    arguments = {
        "vocabulary": corpus.vocabulary,
        "vectors": np.arange(6, dtype=np.float32).reshape(3, 2),
        "relations": None,
        "index": CorpusIndex.of(corpus),
        "config": {"settings": {"dim": 2}},
    }
    return write_model(folder, **{**arguments, **changes})


def copy_of(source: Path, target: Path) -> Path:
    return Path(shutil.copytree(source, target))


def test_a_model_comes_back_as_it_was_written(tmp_path):
    model = small(tmp_path / "m")
    loaded = Model.load(str(tmp_path / "m"))
    assert loaded.vectors["dog"].tolist() == [4, 5]
    assert isinstance(loaded.vectors.vectors, np.memmap)
    assert loaded.vocabulary.counts.tolist() == [2, 1, 1]
    assert loaded.index is not None and loaded.index.positions_of(0).tolist() == [0, 3]
    assert loaded.relations is None
    assert loaded.config == model.config
    assert loaded.config["settings"] == {"dim": 2} and loaded.config["packages"]["numpy"]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["m"]


def test_the_tiny_model_is_whole(tiny_model):
    relations = tiny_model.require_relations()
    ids = tiny_model.vocabulary.id_of
    row = relations.row(ids["paris"], ids["france"])
    assert row is not None and relations.bound.meetings[row] == 16
    assert tiny_model.require_index().count(ids["paris"]) == 16


def test_files_hold_no_pickle_and_have_the_promised_names(tiny_model_folder):
    names = sorted(str(p.relative_to(tiny_model_folder)) for p in tiny_model_folder.rglob("*") if p.is_file())
    assert names == [
        "README.md",
        "config.json",
        "index/positions.npy",
        "index/starts.npy",
        "index/tokens.i32",
        "model.safetensors",
        "relations/counts.safetensors",
        "relations/pairs.safetensors",
        "relations/patterns.safetensors",
        "relations/profiles.safetensors",
        "vocab.txt",
    ]


def test_a_model_is_replaced_whole(tmp_path):
    small(tmp_path / "m")
    small(tmp_path / "m", vectors=np.ones((3, 5), np.float32), index=None)
    loaded = Model.load(tmp_path / "m")
    assert loaded.vectors.vector_size == 5 and loaded.index is None
    assert [p.name for p in tmp_path.iterdir()] == ["m"]


def test_a_failed_write_leaves_the_old_model(tmp_path):
    small(tmp_path / "m")
    with pytest.raises(RelrepError, match="infinite"):
        small(tmp_path / "m", vectors=np.full((3, 2), np.nan, np.float32))
    assert Model.load(tmp_path / "m").vectors["dog"].tolist() == [4, 5]
    assert [p.name for p in tmp_path.iterdir()] == ["m"]


def test_a_rename_that_fails_brings_the_old_model_back(tmp_path, monkeypatch):
    small(tmp_path / "m")
    rename = Path.rename

    def failing(self, target):
        if "unfinished" in self.name:
            raise OSError("no")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", failing)
    with pytest.raises(RelrepError, match="cannot be written"):
        small(tmp_path / "m", vectors=np.ones((3, 5), np.float32))
    assert Model.load(tmp_path / "m").vectors.vector_size == 2


@pytest.mark.parametrize("what", ["file", "other folder", "other json", "link"])
def test_nothing_but_a_model_is_replaced(tmp_path, what):
    target = tmp_path / "m"
    if what == "file":
        target.write_text("mine")
    elif what == "link":
        target.symlink_to(tmp_path)
    else:
        target.mkdir()
        (target / ("config.json" if what == "other json" else "thesis.txt")).write_text("{}")
    with pytest.raises(RelrepError, match="choose another"):
        small(target)
    assert target.is_symlink() or target.is_file() or len(list(target.iterdir())) == 1


def test_an_empty_folder_becomes_the_model(tmp_path):
    (tmp_path / "m").mkdir()
    assert len(small(tmp_path / "m").vectors) == 3


def test_wrong_arguments_are_told():
    with pytest.raises(ValueError, match="do not fit"):
        small(Path("never-written"), vectors=np.ones((2, 2), np.float32))
    assert not Path("never-written").exists()


def test_no_model_there(tmp_path):
    with pytest.raises(RelrepError, match="no model folder"):
        Model.load(tmp_path / "nowhere")
    with pytest.raises(RelrepError, match="not a relrep model"):
        Model.load(tmp_path)


def test_a_future_format_is_refused(tmp_path):
    small(tmp_path / "m")
    path = tmp_path / "m" / "config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "format_version": 99}))
    with pytest.raises(RelrepError, match="model format 99"):
        Model.load(tmp_path / "m")


@pytest.mark.parametrize(
    "name",
    [
        "model.safetensors",
        "vocab.txt",
        "relations/counts.safetensors",
        "relations/pairs.safetensors",
        "index/tokens.i32",
    ],
)
def test_a_cut_file_is_told(tmp_path, tiny_model_folder, name):
    path = copy_of(tiny_model_folder, tmp_path / "m") / name
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(RelrepError, match=rf"{Path(name).name}.*(cut short|cut off|damaged)"):
        Model.load(tmp_path / "m")


def test_missing_parts_are_told_when_needed(tmp_path):
    model = build(tmp_path / "bare", index=False, relations=False)
    with pytest.raises(RelrepError, match="no relation table"):
        model.require_relations()
    with pytest.raises(RelrepError, match="no corpus index"):
        model.require_index()


def test_vocabulary_round_trip_and_damage(tmp_path):
    path = tmp_path / "vocab.txt"
    Vocabulary(["naïve", "x\r", "\u2028"], np.array([3, 2, 1])).write(path)
    assert list(Vocabulary.read(path).words) == ["naïve", "x\r", "\u2028"]
    for text, told in [
        ("a\t1\nb\n", "line 2"),
        ("a\tone\n", "line 1"),
        ("a\t1\nb\t1\na\t2\n", "line 3: the word .a. stands in line 1 already"),
        ("7\n8\t9\t10\n", "line 1: expected"),
        ("a\t1", "cut off"),
        ("\t1\n", "line 1"),
    ]:
        path.write_text(text)
        with pytest.raises(RelrepError, match=told):
            Vocabulary.read(path)
    path.write_bytes(b"\xff\t1\n")
    with pytest.raises(RelrepError, match="UTF-8"):
        Vocabulary.read(path)
    with pytest.raises(RelrepError, match="holds a tab"):
        Vocabulary(["a\tb"], np.array([1])).write(path)


def test_the_card_tells_and_escapes(tmp_path):
    corpus = EncodedCorpus.from_sentences([["cat", "dog"]])
    model = small(
        tmp_path / "m",
        vocabulary=corpus.vocabulary,
        vectors=np.ones((2, 3), np.float32),
        index=None,
        config={
            "corpus": {"path": "<script>|x"},
            "settings": {"mining": {"max_gap": 5}},
            "history": [{"iteration": 1, "loss": 0.5}],
        },
    )
    card = (model.folder / "README.md").read_text(encoding="utf-8")
    assert "2 words, 3 dimensions" in card and "<script>" not in card and "| 1 | 0.5 |" in card
    assert "| mining · max\\_gap | 5 |" in card
