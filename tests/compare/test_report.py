"""The comparison and its report, on a tiny world."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from relrep.analogy.evaluate import evaluate
from relrep.compare.report import compare_on_corpus, trainings_of, write_report
from relrep.compare.settings import CompareSettings
from relrep.compare.tables import TableOne
from relrep.compare.trainings import Comparison, run_comparison
from relrep.errors import RelrepError
from relrep.vectors.word_vectors import WordVectors

KINDS = 8
SETTINGS = CompareSettings(
    dim=12,
    systems=("ivlbl", "glove", "relrep-paper"),
    init="glove",
    instances=(100, 200),
    dims=(8, 12),
    baseline_settings={"ivlbl": {"epochs": 3, "sample": 0.0}, "glove": {"iterations": 5}},
    relrep_settings={
        "mining": {"n_patterns": 40, "min_pair_sentences": 5, "stop_words": "none"},
        "instances": {"positives": 50, "negatives": 50},
        "training": {"iterations": 2},
    },
)


def sentences() -> list[list[str]]:
    random = np.random.default_rng(0)
    held = []
    for _ in range(5000):
        kind, gender = int(random.integers(KINDS)), int(random.integers(2))
        shown = kind if random.random() < 0.7 else int(random.integers(KINDS))
        words = [f"n{kind}{'mf'[gender]}", f"k{shown}", f"g{gender}{random.integers(3)}", f"x{random.integers(9)}"]
        random.shuffle(words)
        held.append(words)
    return held


@pytest.fixture(scope="module")
def questions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("google")
    pairs = [(i, j) for i in range(KINDS) for j in range(KINDS) if i != j]
    semantic = "".join(f"n{i}m n{i}f n{j}m n{j}f\n" for i, j in pairs)
    syntactic = "".join(f"n{i}f n{i}m n{j}f n{j}m\n" for i, j in pairs)
    (folder / "family.txt").write_text(semantic, encoding="utf-8")
    (folder / "gram1-made-up.txt").write_text(syntactic, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def comparison(questions: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Comparison, Path]:
    folder = tmp_path_factory.mktemp("comparison")
    (folder / "a.txt").write_text("\n".join(" ".join(words) for words in sentences()), encoding="utf-8")
    return run(questions, folder), folder


@pytest.fixture(scope="module")
def report(comparison, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("report")
    write_report(comparison[0], folder, "relrep compare a.txt --out report")
    return folder


def run(questions: Path, folder: Path) -> Comparison:
    trainings = trainings_of([folder / "a.txt"], folder, SETTINGS)

    def evaluator(vectors: WordVectors, name: str) -> Any:
        return evaluate(vectors, google=questions, name=name)

    return run_comparison(trainings, evaluator)


def test_every_system_is_trained_once_and_found_again(comparison, questions: Path) -> None:
    first, folder = comparison
    assert [run.system for run in first.table] == ["ivlbl", "glove", "relrep-paper"]
    assert [run.instances for run in first.by_instances] == [100, 200]
    assert [(run.system, run.dim) for run in first.by_dim] == [
        ("glove", 8),
        ("relrep-paper", 8),
        ("glove", 12),
        ("relrep-paper", 12),
    ]
    assert (
        len(list((folder / "work").glob("relrep-paper-*.done.json"))) == 3
    )  # 100 instances stand in the table already
    again = run(questions, folder)
    assert all(each.trained.reused for each in again.table)
    for old, new in zip(first.table, again.table, strict=True):
        assert np.array_equal(old.trained.vectors.vectors, new.trained.vectors.vectors)
        assert (old.trained.curve, old.trained.seconds) == (new.trained.curve, new.trained.seconds)
    assert not list((folder / "work").glob("*.parts"))


def test_the_report_has_all_forms_and_parts(report: Path) -> None:
    figures = [f"{name}.{form}" for name in ("instances", "dimensions", "training") for form in ("svg", "png")]
    texts = ["report.md", "report.json", "report.html"]
    assert sorted(path.name for path in report.iterdir()) == sorted([*texts, *figures])
    text = (report / "report.md").read_text(encoding="utf-8")
    assert "| system | measure | google sem. | google synt. | google total |" in text
    assert "candidates of open questions: all words" in text.lower()
    assert "Against GloVe: google, semantic, " in text
    assert "![Accuracy against the dimensionality" in text
    described = json.loads((report / "report.json").read_text(encoding="utf-8"))
    assert described["table"]["columns"] == ["google, semantic", "google, syntactic", "google"]
    assert {each["system"] for each in described["systems"]} == {"ivlbl", "glove", "relrep-paper"}
    assert described["systems"][1]["curve"][0][1] > described["systems"][1]["curve"][-1][1]
    assert described["corpus"]["sources"] == ["a.txt"]
    assert len(described["tests"]["relrep (paper)"]["GloVe"]) == 9
    point = described["by_instances"][0]
    assert set(point["scores"]) == set(described["table"]["columns"])
    assert point["scores"]["google"]["cosadd"] == described["table"]["rows"][6]["values"][2]  # 100 instances in both


def test_the_page_stands_alone(report: Path) -> None:
    page = (report / "report.html").read_text(encoding="utf-8")
    assert page.count("<svg") == 3
    assert not re.search(r"<(script|link|img|iframe)\b", page)
    assert not re.search(r'(?:src|(?<!xlink:)href)="(?!#)', page)
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids))


def test_reports_repeat(comparison, report: Path, tmp_path: Path) -> None:
    write_report(comparison[0], tmp_path, "relrep compare a.txt --out report")
    for path in report.iterdir():
        assert path.read_bytes() == (tmp_path / path.name).read_bytes(), path.name


def test_the_best_of_each_column_is_bold(comparison, report: Path) -> None:
    found, _ = comparison
    table = TableOne.of([run.evaluation for run in found.table])
    assert len(table.rows) == 9
    printed = [row[2:] for row in table.printed()[1:]]
    for at in range(len(table.columns)):
        bold = [row.values[at] for row, cells in zip(table.rows, printed, strict=True) if "**" in cells[at]]
        assert bold
        assert max(bold) == max(row.values[at] for row in table.rows)
    page = (report / "report.html").read_text(encoding="utf-8")
    assert page.count("<b>") == sum("**" in cell for cells in printed for cell in cells)
    assert 1 <= sum(any("**" in cell for cell in cells) for cells in printed) < 9


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"dim": 1}, "dim is 1"),
        ({"dims": (50, 0)}, "dims is 0"),
        ({"systems": ("glove", "elmo")}, "systems has 'elmo'"),
        ({"init": "relrep-paper"}, "init is 'relrep-paper'"),
    ],
)
def test_settings_are_checked(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(RelrepError, match=message):
        CompareSettings(**changes)


def test_missing_matplotlib_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    from relrep.compare import figures

    monkeypatch.setattr(figures, "find_spec", lambda name: None)
    with pytest.raises(RelrepError, match=r"pip install 'relrep\[compare\]'"):
        figures.require_matplotlib()


def test_a_comparison_has_no_tables_for_relations(tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("a b\nc d\n")
    trainings = trainings_of([tmp_path / "text.txt"], tmp_path / "report", SETTINGS)
    with pytest.raises(RelrepError, match="no tables for relations and similarity; evaluate its vectors on them"):
        compare_on_corpus(trainings, tmp_path / "report", {"relations": tmp_path / "text.txt"})
