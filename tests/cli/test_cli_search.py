import json
import shutil

import pytest

from relrep.cli.main import main


def pairs_of(capsys) -> list[tuple[str, str]]:
    return [(pair["first"], pair["second"]) for pair in json.loads(capsys.readouterr().out)["pairs"]]


def test_search_prints_pairs(tiny_model_folder, capsys):
    assert main(["search", str(tiny_model_folder), "paris", "france", "--top", "4"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 4 and any("lisbon – portugal  (16 sentences)" in line for line in lines)


def test_like_takes_several_pairs(tiny_model_folder, capsys):
    model = str(tiny_model_folder)
    assert main(["search", model, "paris", "france", "--like", "rome", "italy", "--json", "--top", "3"]) == 0
    assert set(pairs_of(capsys)) == {("madrid", "spain"), ("vienna", "austria"), ("lisbon", "portugal")}
    assert main(["search", model, "paris", "france", "--like", "rome"]) == 2
    assert "in pairs" in capsys.readouterr().err


def test_fixed_slots(tiny_model_folder, capsys):
    model = str(tiny_model_folder)
    assert main(["search", model, "ostrich", "bird", "--fix-first", "lion", "--json", "--top", "1"]) == 0
    assert pairs_of(capsys) == [("lion", "cat")]
    assert main(["search", model, "ostrich", "bird", "--fix-second", "cat", "--json", "--top", "1"]) == 0
    assert pairs_of(capsys) == [("lion", "cat")]


def test_filters_reach_the_search(tiny_model_folder, capsys):
    model = str(tiny_model_folder)
    assert main(["search", model, "paris", "france", "--pattern", "such as", "--distinct", "--json"]) == 0
    assert ("rome", "italy") not in pairs_of(capsys)
    assert main(["search", model, "paris", "france", "--min-sentences", "9999"]) == 0
    assert "no pair passes" in capsys.readouterr().out
    assert main(["search", model, "paris", "france", "--top", "0"]) == 2


def test_approximate(tiny_model_folder, tmp_path, capsys):
    pytest.importorskip("usearch")
    model = str(shutil.copytree(tiny_model_folder, tmp_path / "m"))
    assert main(["search", model, "paris", "france", "--top", "4", "--json"]) == 0
    exact = pairs_of(capsys)
    assert main(["search", model, "paris", "france", "--top", "4", "--json", "--approximate", "--quiet"]) == 0
    assert pairs_of(capsys) == exact


def test_evidence_reorders_the_pairs_and_says_why(tiny_model_folder, capsys):
    model = str(tiny_model_folder)
    assert main(["search", model, "paris", "france", "--evidence", "--top", "3", "--distinct", "--quiet"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("PairMix † (reads the corpus at query time)") and "evidence 0." in shown
    assert "paris … france:" in shown
    assert (
        main(["search", model, "paris", "france", "--evidence", "--top", "3", "--distinct", "--json", "--quiet"]) == 0
    )
    told = json.loads(capsys.readouterr().out)
    assert told["reads_corpus"] and len(told["pairs"]) == 3
    scores = [pair["score"] for pair in told["pairs"]]
    assert scores == sorted(scores, reverse=True)
    best = told["pairs"][0]
    assert best["evidence"] > 0 and best["shared"][0]["count"] > 0 and best["shared"][0]["count_given"] > 0
    assert best["score"] == pytest.approx(0.5 * best["cosine"] + 0.5 * best["evidence"], abs=0.5)


def test_evidence_needs_the_corpus_index(tiny_model_folder, tmp_path, capsys):
    bare = tmp_path / "bare"
    shutil.copytree(tiny_model_folder, bare, ignore=shutil.ignore_patterns("index"))
    assert main(["search", str(bare), "paris", "france", "--evidence"]) == 2
    assert "has no corpus index" in capsys.readouterr().err
