"""The comparison and its report, on a tiny world."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from relrep.analogy.evaluation import evaluate
from relrep.corpus.encoded import EncodedCorpus
from relrep.corpus.encoding import CorpusFacts
from relrep.errors import RelrepError
from relrep.experiments.comparison import Comparison, run_comparison
from relrep.experiments.report import write_report
from relrep.experiments.settings import CompareSettings
from relrep.experiments.table_one import TableOne
from relrep.vectors import WordVectors

KINDS = 8
SETTINGS = CompareSettings(
    dim=12,
    systems=("ivlbl", "glove", "relrep"),
    init="glove",
    instances=(100, 200),
    dims=(8, 12),
    baseline_settings={"ivlbl": {"epochs": 3, "sample": 0.0}, "glove": {"iterations": 5}},
)


class Scaler:
    """Stands in for relrep's trainer: moves the vectors a little, the more instances the more."""

    trainings = 0

    def settings(self, objective: str, instances: int | None) -> dict[str, Any]:
        return {"instances": instances or 100, "objective": objective}

    def train(
        self, initial: WordVectors, objective: str, instances: int | None, work: Path, progress: Any
    ) -> WordVectors:
        self.trainings += 1
        random = np.random.default_rng(instances or 100)
        moved = initial.vectors + 0.05 * random.normal(size=initial.vectors.shape)
        return WordVectors(initial.index_to_key, moved.astype(np.float32))


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
def comparison(questions: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Comparison, Path, Scaler]:
    folder = tmp_path_factory.mktemp("comparison")
    return *run(questions, folder), folder  # type: ignore[return-value]


@pytest.fixture(scope="module")
def report(comparison, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("report")
    write_report(comparison[0], folder, "relrep compare a.txt --out report")
    return folder


def run(questions: Path, folder: Path) -> tuple[Comparison, Scaler]:
    corpus = EncodedCorpus.from_sentences(sentences())
    words = len(corpus.vocabulary)
    facts = CorpusFacts(["/somewhere/a.txt"], 1, 20_000, 5000, 0, words, words, 0, "0123")
    relrep = Scaler()

    def evaluator(vectors: WordVectors, name: str) -> Any:
        return evaluate(vectors, google=questions, name=name)

    return run_comparison(corpus, facts, folder, relrep, evaluator, SETTINGS), relrep


def test_every_system_is_trained_once_and_found_again(comparison, questions: Path) -> None:
    found, relrep, folder = comparison
    assert [run.system for run in found.table] == ["ivlbl", "glove", "relrep"]
    assert [run.instances for run in found.by_instances] == [100, 200]
    assert [(run.system, run.dim) for run in found.by_dim] == [
        ("glove", 8),
        ("relrep", 8),
        ("glove", 12),
        ("relrep", 12),
    ]
    assert relrep.trainings == 3  # 100 instances at 12 dimensions stand in the table already
    again, idle = run(questions, folder)
    assert idle.trainings == 0
    assert all(each.trained.reused for each in again.table)
    for old, new in zip(found.table, again.table, strict=True):
        assert np.array_equal(old.trained.vectors.vectors, new.trained.vectors.vectors)
        assert old.trained.record == new.trained.record
    assert not list((folder / "vectors").glob("*.work"))


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
    assert {each["system"] for each in described["systems"]} == {"ivlbl", "glove", "relrep"}
    assert described["systems"][1]["curve"][0][1] > described["systems"][1]["curve"][-1][1]
    assert described["corpus"]["sources"] == ["a.txt"]
    assert len(described["tests"]["relrep"]["GloVe"]) == 9
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


def test_the_best_of_each_column_is_bold(comparison) -> None:
    found, _, _ = comparison
    table = TableOne.of([run.evaluation for run in found.table])
    assert len(table.rows) == 9
    for at in range(len(table.columns)):
        bold = [row.values[at] for row in table.rows if table.cells(row)[at][1]]
        assert bold
        assert max(bold) == max(row.values[at] for row in table.rows)
    best_rows = sum(any(best for _, best in table.cells(row)) for row in table.rows)
    assert table.to_html().count("<b>") == sum(best for row in table.rows for _, best in table.cells(row))
    assert 1 <= best_rows < 9


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"dim": 1}, "dim is 1"),
        ({"dims": (50, 0)}, "dims is 0"),
        ({"systems": ("glove", "elmo")}, "systems has 'elmo'"),
        ({"init": "relrep"}, "init is 'relrep'"),
    ],
)
def test_settings_are_checked(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(RelrepError, match=message):
        CompareSettings(**changes)


def test_missing_matplotlib_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    from relrep.experiments import figures

    monkeypatch.setattr(figures, "find_spec", lambda name: None)
    with pytest.raises(RelrepError, match=r"pip install 'relrep\[compare\]'"):
        figures.require_matplotlib()
