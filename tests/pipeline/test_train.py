"""The whole chain: the same bits whatever the threads and the memory; only what changed is done again."""

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

from relrep import Model, RelRep, WordVectors
from relrep.baselines.init import meta_embedding
from relrep.errors import RelrepError
from relrep.mining import chunks
from relrep.pipeline.stages import RunSettings
from relrep.pipeline.train import TrainingRun
from small_corpus import small_config, small_corpus


@pytest.fixture(scope="module")
def corpus(tmp_path_factory) -> Path:
    return small_corpus(tmp_path_factory.mktemp("world"))


def _bits(folder: Path) -> dict[str, str]:
    """A digest of every file of a model that must not depend on how it was made."""
    files = [p for p in sorted(folder.rglob("*")) if p.is_file() and p.name not in ("config.json", "README.md")]
    return {str(p.relative_to(folder)): hashlib.sha256(p.read_bytes()).hexdigest() for p in files}


@pytest.mark.parametrize(("solver", "all_threads"), [("batch", (1, 4)), ("sgd", (1,))])
def test_same_bits_for_any_threads_and_memory(corpus, tmp_path, monkeypatch, solver, all_threads):
    config = small_config(training={"solver": solver})
    found = []
    for threads in all_threads:
        RelRep(config).fit(corpus, tmp_path / f"m{threads}", threads=threads)
        found.append(_bits(tmp_path / f"m{threads}"))
    monkeypatch.setattr(chunks, "_MIN_CHUNK_TOKENS", 20_000)
    seen = []
    real = chunks.Chunks.__init__

    def counting(self, *arguments):
        real(self, *arguments)
        seen.append(len(self))

    monkeypatch.setattr(chunks.Chunks, "__init__", counting)
    RelRep(config).fit(corpus, tmp_path / "little", threads=2, memory=1 << 19)
    found.append(_bits(tmp_path / "little"))
    assert max(seen) > 5  # many shards indeed
    assert found[0].keys() >= {"model.safetensors", "vocab.txt", "relations/counts.safetensors", "index/tokens.i32"}
    assert found[1:] == [found[0]] * len(all_threads)


def test_pairs_objective_repeats_and_differs(corpus, tmp_path):
    start = {"init": "glove", "dim": 16}
    config = small_config(training={"objective": "coherence", **start}, coherence={"min_meetings": 5, "n_pairs": 2000})
    one = RelRep(config).fit(corpus, tmp_path / "one", threads=1)
    two = RelRep(config).fit(corpus, tmp_path / "two", threads=2)
    assert one.vectors.vectors.tobytes() == two.vectors.vectors.tobytes()
    random = RelRep(small_config(training={"objective": "coherence", "dim": 16, "init": "random"}))
    assert not np.array_equal(one.vectors.vectors, random.fit(corpus, tmp_path / "three").vectors.vectors)


def test_a_baseline_to_start_from_has_its_settings(corpus, tmp_path):
    few = {"training": {"init": "glove", "objective": "coherence"}, "coherence": {"min_meetings": 5, "n_pairs": 500}}
    work = tmp_path / "work"
    starts = []
    for iterations in (1, 2):
        config = small_config(**few, baselines={"glove": {"iterations": iterations}})
        pipeline = TrainingRun([corpus], work, config)
        assert {stage.name: stage.runs for stage in pipeline.plan()}["initial-glove"]
        pipeline.make(tmp_path / f"model{iterations}")
        starts.append(pipeline.initial[1])
        assert not {stage.name: stage.runs for stage in TrainingRun([corpus], work, config).plan()}["initial-glove"]
    assert not np.array_equal(*starts)


def test_several_baselines_are_united_to_start_from(corpus, tmp_path):
    few = {"objective": "coherence", "dim": 12}, {"min_meetings": 5, "n_pairs": 500}
    fast = {"glove": {"iterations": 2}, "ivlbl": {"epochs": 1}}
    starts, work = {}, tmp_path / "work"
    for init in ("glove", "ivlbl", "glove+ivlbl"):
        config = small_config(training={**few[0], "init": init}, coherence=few[1], baselines=fast)
        pipeline = TrainingRun([corpus], work, config)
        pipeline.make(tmp_path / init)
        starts[init] = pipeline.initial[1]
    runs = {stage.name: stage.runs for stage in pipeline.plan()}
    assert not runs["initial-glove"] and not runs["initial-ivlbl"]  # trained once, for all that start from them
    expected = meta_embedding([starts["glove"], starts["ivlbl"]], 12)
    assert starts["glove+ivlbl"].tobytes() == expected.tobytes()
    assert starts["glove+ivlbl"].shape == starts["glove"].shape


def test_given_vectors_and_a_baseline_are_united(corpus, tmp_path):
    given = WordVectors(["king", "zeppelinish"], np.arange(8, dtype=np.float32).reshape(2, 4))
    given.save(tmp_path / "given.txt", "glove")
    training = {"objective": "coherence", "dim": 6, "init": f"{tmp_path / 'given.txt'}+ivlbl"}
    config = small_config(training=training, coherence={"n_pairs": 500}, baselines={"ivlbl": {"epochs": 1}})
    run = TrainingRun([corpus], tmp_path / "work", config)
    model = run.make(tmp_path / "model")
    assert model.vectors.vector_size == 6 and model.vectors.index_to_key[-1] == "zeppelinish"
    lengths = {
        word: float(np.linalg.norm(run.initial[1][model.vocabulary.id_of[word]]))
        for word in ("king", "queen", "zeppelinish")
    }
    assert lengths["king"] > max(lengths["queen"], lengths["zeppelinish"]) > 0  # the others are known to one of the two
    assert model.config["initial"]["source"] == training["init"]


def test_only_what_changed_is_done_again(corpus, tmp_path):
    work = tmp_path / "work"
    TrainingRun([corpus], work, small_config()).make(tmp_path / "model")

    def planned(**tables) -> dict[str, bool]:
        return {stage.name: stage.runs for stage in TrainingRun([corpus], work, small_config(**tables)).plan()}

    assert not any(planned().values())
    assert planned(training={"iterations": 4}) == {name: name == "training" for name in planned()}
    later = {"paper-patterns", "paper-counts", "association", "instances", "training"}
    assert planned(mining={"n_patterns": 150}) == {name: name in later for name in planned()}
    assert all(planned(corpus={"min_count": 6}).values())
    reasons = {
        stage.name: stage.why for stage in TrainingRun([corpus], work, small_config(mining={"n_patterns": 150})).plan()
    }
    assert reasons["paper-patterns"] == "changed: n_patterns"
    assert reasons["paper-counts"] == "paper-patterns is done again"
    objective = {"training": {"objective": "coherence", "init": "random"}}
    TrainingRun([corpus], work, small_config(**objective)).make(tmp_path / "model")
    assert not any(planned(**objective, mining={"n_patterns": 150}).values())  # the paper's setting, not the default's
    assert not any(name.startswith("paper") or name in ("association", "instances") for name in planned(**objective))
    forced = TrainingRun([corpus], work, small_config(), RunSettings(force=True)).plan()
    assert all(stage.runs for stage in forced)


def test_redone_stages_give_the_same_bits_as_fresh_ones(corpus, tmp_path):
    work = tmp_path / "work"
    TrainingRun([corpus], work, small_config()).make(tmp_path / "model")
    changed = small_config(mining={"n_patterns": 150, "min_pair_sentences": 25})
    TrainingRun([corpus], work, changed).make(tmp_path / "model")
    TrainingRun([corpus], tmp_path / "fresh", changed).make(tmp_path / "other")
    assert _bits(tmp_path / "model") == _bits(tmp_path / "other")


def test_given_vectors_keep_words_that_the_corpus_does_not_know(corpus, tmp_path):
    words = ["king", "queen", "zeppelinish"]
    given = WordVectors(words, np.arange(12, dtype=np.float32).reshape(3, 4))
    given.save(tmp_path / "given.txt", "glove")
    config = small_config(training={"init": str(tmp_path / "given.txt")})
    model = RelRep(config).fit(corpus, tmp_path / "model")
    assert model.vectors["zeppelinish"].tolist() == given["zeppelinish"].tolist()
    assert model.vectors.vector_size == 4
    assert model.index is not None and model.relations is not None


def test_model_record_says_how_it_was_made(corpus, tmp_path):
    RelRep(small_config()).fit(corpus, tmp_path / "model")
    record = json.loads((tmp_path / "model" / "config.json").read_text())
    assert record["settings"]["mining"]["n_patterns"] == 200
    assert record["corpus"]["tokens"] > 140_000 and len(record["corpus"]["fingerprint"]) == 32
    assert [step["iteration"] for step in record["history"]] == [1, 2, 3]
    assert Model.load(tmp_path / "model").config == record


@pytest.mark.parametrize(
    ("text", "tables", "sentence"),
    [
        ("", {}, "holds no text"),
        ("a b c\n", {}, "no word occurs 5 times"),
        ("one two\n" * 10, {}, "no word pair co-occurs in 20 sentences"),
        ("cat sees dog and bird\n" * 30, {}, "set --n-patterns"),
    ],
)
def test_too_little_text_is_one_clear_sentence(tmp_path, text, tables, sentence):
    (tmp_path / "text.txt").write_text(text)
    with pytest.raises(RelrepError, match=sentence):
        RelRep(small_config(**tables)).fit(tmp_path / "text.txt", tmp_path / "model")
    assert not (tmp_path / "model").exists()


def test_second_run_on_a_work_folder_is_told_so(corpus, tmp_path):
    first = TrainingRun([corpus], tmp_path / "work", small_config())
    with first.graph.work.locked(), pytest.raises(RelrepError, match="another run"):
        TrainingRun([corpus], tmp_path / "work", small_config()).make(tmp_path / "model")
