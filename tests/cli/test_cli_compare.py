"""relrep compare, from text to report."""

import json
from pathlib import Path

import pytest

from relrep.cli.compare import chosen_settings
from relrep.cli.main import build_parser, main
from relrep.datasets import smallworld


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("world")
    smallworld.write_corpus(folder / "corpus.txt", tokens=150_000)
    smallworld.write_questions(folder / "questions.txt", per_category=10)
    return folder


def test_it_leaves_a_report_and_uses_vectors_again(world: Path, capsys) -> None:
    out = world / "report"
    command = ["compare", str(world / "corpus.txt"), "--out", str(out), "--google", str(world / "questions.txt")]
    sizes = [
        "--quick",
        "--systems",
        "glove,relrep-paper,relrep-coherence",
        "--init",
        "glove",
        "--dim",
        "16",
        "--instances",
        "200,400",
        "--dims",
        "8",
    ]
    sizes += ["--n-patterns", "100", "--min-pair-sentences", "10"]

    def plan(*more: str) -> dict[str, tuple[bool, str]]:
        assert main([*command, *sizes, *more, "--plan", "--json"]) == 0
        return {each["name"]: (each["runs"], each["why"]) for each in json.loads(capsys.readouterr().out)}

    first = plan()
    assert list(first)[:5] == ["ids", "paper-pairs", "paper-patterns", "paper-counts", "association"]
    assert {"glove d=16", "relrep-paper d=16", "relrep-paper d=16 n=400", "relrep-coherence d=8"} < set(first)
    assert all(runs for runs, _ in first.values()) and not out.exists()
    assert main([*command, *sizes, "--threads", "2", "--quiet"]) == 0
    shown = capsys.readouterr().out
    assert "| GloVe | CosAdd |" in shown
    assert str(out / "report.html") in shown
    trained = sorted(path.name for path in (out / "work").glob("*-*.done.json") if "paper-" not in path.name[:7])
    vectors = [name for name in trained if name.startswith(("glove-", "relrep-"))]
    assert len(vectors) == 2 + 4 + 2  # all at two sizes; the paper's objective with two more numbers of instances
    assert main([*command, *sizes, "--threads", "1", "--quiet", "--json"]) == 0
    described = json.loads(capsys.readouterr().out)
    runs = described["systems"] + described["by_instances"] + described["by_dimensions"]
    assert [run["system"] for run in runs if not run["reused"]] == []
    assert described["settings"]["dim"] == 16
    assert described["table"]["columns"] == ["google, semantic", "google, syntactic", "google"]
    assert sorted(path.name for path in (out / "work").glob("*-*.done.json") if path.name in vectors) == vectors
    assert not any(runs for runs, _ in plan().values())
    assert [name for name, (runs, _) in plan("--dims", "8,4").items() if runs] == [
        "glove d=4", "relrep-paper d=4", "relrep-coherence d=4"
    ]  # fmt: skip
    assert all(why == "all is done again" for _, why in plan("--force").values())
    _damage_one_and_compare_again(out, [*command, *sizes, "--threads", "2", "--quiet", "--json"], capsys)


def _damage_one_and_compare_again(out: Path, command: list[str], capsys) -> None:
    """Vectors with a changed byte, and a record cut short, are noticed and trained again."""
    vectors = sorted((out / "work").glob("glove-*/vectors.safetensors"))[0]
    whole = vectors.read_bytes()
    vectors.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    record = sorted((out / "work").glob("relrep-coherence-*.done.json"))[0]
    record.write_bytes(record.read_bytes()[:40])
    assert main(command) == 0
    described = json.loads(capsys.readouterr().out)
    runs = described["systems"] + described["by_instances"] + described["by_dimensions"]
    assert sum(not run["reused"] for run in runs) == 2
    assert vectors.read_bytes() == whole


def test_sizes_become_settings() -> None:
    def settings(*flags: str):
        return chosen_settings(build_parser().parse_args(["compare", "a.txt", "--out", "b", *flags]))

    assert settings().dim == 300
    assert settings().instances == (10_000, 30_000, 100_000, 300_000)
    assert settings("--quick").dim == 50
    assert settings("--quick", "--dims", "", "--instances", "5, 6").dims == ()
    assert settings("--instances", "5, 6").instances == (5, 6)
    assert settings("--n-patterns", "7").relrep_settings == {"mining": {"n_patterns": 7}}
    assert settings("--quick", "--n-patterns", "7").relrep_settings["instances"]["positives"] == 5_000
    assert settings("--systems", "cbow,relrep-paper", "--init", "cbow").systems == ("cbow", "relrep-paper")


def test_a_file_has_settings_for_all_systems_and_flags_win(tmp_path: Path) -> None:
    file = tmp_path / "systems.toml"
    file.write_text(
        "[corpus]\nmin_count = 20\nlowercase = false\n[mining]\nn_patterns = 70\nmax_gap = 3\n"
        "[baselines.skipgram]\nepochs = 1\n[baselines.glove]\nx_max = 100\n",
        encoding="utf-8",
    )

    def parsed(*flags: str):
        command = ["compare", "a.txt", "--out", "b", "--config", str(file), *flags]
        arguments = build_parser().parse_args(command)
        return chosen_settings(arguments)

    settings = parsed("--n-patterns", "7", "--min-count", "2")
    assert settings.relrep_settings == {
        "corpus": {"min_count": 2, "lowercase": False},
        "mining": {"n_patterns": 7, "max_gap": 3},
    }
    assert settings.baseline_settings == {"skipgram": {"epochs": 1}, "glove": {"x_max": 100.0}}
    quick = parsed("--quick")
    assert quick.baseline_settings["skipgram"] == {"epochs": 1}
    assert quick.baseline_settings["cbow"] == {"epochs": 3}
    assert quick.relrep_settings["mining"] == {"min_pair_sentences": 20, "n_patterns": 70, "max_gap": 3}


def test_baselines_are_trained_with_the_settings_of_the_file(world: Path, tmp_path: Path, capsys) -> None:
    file = tmp_path / "systems.toml"
    file.write_text("[baselines.glove]\niterations = 2\n[corpus]\nmin_count = 50\n", encoding="utf-8")
    command = ["compare", str(world / "corpus.txt"), "--out", str(tmp_path / "report")]
    command += ["--google", str(world / "questions.txt"), "--config", str(file), "--systems", "glove", "--dim", "8"]
    assert main([*command, "--dims", "", "--threads", "1", "--quiet", "--json"]) == 0
    described = json.loads(capsys.readouterr().out)
    (glove,) = described["systems"]
    assert glove["settings"]["iterations"] == 2
    assert len(glove["curve"]) == 2
    assert str(tmp_path) not in json.dumps(described)
    file.write_text("[baselines.glove]\nepochs = 2\n", encoding="utf-8")
    assert main([*command, "--quiet"]) == 2
    assert "[baselines.glove]: there is no setting 'epochs'" in capsys.readouterr().err


def test_mistakes_are_one_sentence_and_code_2(world: Path, capsys) -> None:
    corpus, questions = str(world / "corpus.txt"), str(world / "questions.txt")
    for flags, message in (
        ([], "no question set was given"),
        (["--google", str(world / "absent.txt")], "no such file or folder of questions"),
        (["--google", questions, "--dims", "a"], "--dims is 'a'"),
        (["--google", questions, "--systems", "elmo"], "systems has 'elmo'"),
        (["--google", questions, "--threads", "0"], "--threads is 0"),
    ):
        assert main(["compare", corpus, "--out", str(world / "no"), *flags, "--quiet"]) == 2
        captured = capsys.readouterr()
        assert message in captured.err
        assert captured.out == ""
    assert not (world / "no").exists()


def test_relrep_goes_on_from_several_systems_at_once(world: Path, capsys) -> None:
    out = world / "united"
    command = ["compare", str(world / "corpus.txt"), "--out", str(out), "--google", str(world / "questions.txt")]
    sizes = ["--quick", "--systems", "glove,relrep-coherence", "--init", "ivlbl+glove", "--dim", "12"]
    sizes += ["--instances", "", "--dims", "", "--n-patterns", "100", "--min-pair-sentences", "10"]
    assert main([*command, *sizes, "--plan", "--json"]) == 0
    planned = [each["name"] for each in json.loads(capsys.readouterr().out)]
    assert planned == [
        *("ids", "pairs", "patterns", "counts", "relations", "index"),
        *("glove d=12", "ivlbl d=12", "ivlbl+glove d=12", "relrep-coherence d=12"),
    ]
    assert main([*command, *sizes, "--quiet"]) == 0
    shown = capsys.readouterr().out
    assert [name for name in ("| GloVe |", "| ivLBL + GloVe |", "| relrep (coherence) |") if name not in shown] == []
    assert "the vectors of ivLBL + GloVe" in (out / "report.md").read_text(encoding="utf-8")


def test_a_start_that_no_baseline_is_called_is_named(world: Path, capsys) -> None:
    command = ["compare", str(world / "corpus.txt"), "--out", str(world / "no"), "--google", str(world)]
    assert main([*command, "--init", "glove+bert"]) == 2
    assert "init is 'glove+bert'; choose among ivlbl, skipgram, cbow, glove" in capsys.readouterr().err
