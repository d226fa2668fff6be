"""Our systems with evidence beside the baselines: rows, marks and pooled tests."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from relrep.analogy.evaluate import Evaluation, evaluate
from relrep.analogy.measures import VectorMeasure
from relrep.analogy.questions import Protocol
from relrep.compare.tables import TableOne, evidence_rows, pooled_tests
from relrep.compare.trainings import SystemRun, Trained
from relrep.vectors.word_vectors import WordVectors

KINDS = 12


class Knowing:
    """Stands in for a measure that reads the corpus: it knows which pairs belong together."""

    reads_corpus = True

    def __init__(self, name: str, title: str, reorders: str | None) -> None:
        self.name, self.title, self.reorders = name, title, reorders

    def score(self, terms, quadruples):
        words = [[terms.word(int(row)) for row in quadruple] for quadruple in quadruples]
        knows = [float(c[1:] == d[1:] and c[0] != d[0]) for _, _, c, d in words]
        return VectorMeasure("cosadd").score(terms, quadruples) + 3 * np.array(knows)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[SystemRun]:
    folder = tmp_path_factory.mktemp("sets")
    pairs = [(i, j) for i in range(KINDS) for j in range(KINDS) if i != j]
    google = folder / "family.txt"
    google.write_text(": family\n" + "".join(f"m{i} f{i} m{j} f{j}\n" for i, j in pairs))
    sat = folder / "sat.txt"
    sat.write_text("".join(f"here\nm{i} f{i} n:n\nm{j} f{i} n:n\nm{j} f{j} n:n\nb\n\n" for i, j in pairs[:40]))

    def ask(seed: int, name: str, extra: tuple[Knowing, ...] = ()) -> Evaluation:
        random = np.random.default_rng(seed)
        words = [f"{gender}{kind}" for gender in "mf" for kind in range(KINDS)]
        held = WordVectors(words, random.standard_normal((len(words), 6)).astype(np.float32))
        measures = ("cosadd", "pairdiff")
        return evaluate(held, Protocol(measures=measures), google=google, sat=sat, extra_measures=extra, name=name)

    def run(system: str, evaluation: Evaluation) -> SystemRun:
        trained = Trained(WordVectors(["a"], np.eye(1)), system, {}, 0.0, 0.0, [], False)
        return SystemRun(system, 6, None, trained, evaluation)

    knowing = (Knowing("cosmix", "CosMix", "cosadd"), Knowing("pairmix", "PairMix", None))
    ours = run("relrep-coherence", ask(2, "relrep (coherence)"))
    return [run("glove", ask(1, "GloVe")), replace(ours, evidence=ask(2, "relrep (coherence)", knowing))]


def test_rows_with_evidence_are_marked_and_stand_beside_vectors_alone(runs: list[SystemRun]) -> None:
    head, glove, alone, with_text = evidence_rows(runs)
    assert head[:2] == ("system", "measure") and len(head) == len(with_text)
    assert "†" not in glove[1] + alone[1] and with_text[1] == "CosMix, PairMix †"
    sat = head.index("SAT")
    assert with_text[sat] == "100.00" and float(alone[sat]) < 100


def test_the_given_pairs_are_tested_as_one_and_evidence_is_significant(runs: list[SystemRun]) -> None:
    found = pooled_tests(runs)
    assert [(each.set, "†" in each.title) for each in found] == [
        ("google", False),
        ("given pairs (sat)", False),
        ("google", True),
        ("given pairs (sat)", True),
    ]
    assert [each.questions for each in found] == [132, 40, 132, 40]
    assert found[3].first_percent == 100.0 and found[3].significant and found[3].only_first > found[3].only_second
    for each in found:
        assert each.first == "relrep (coherence)" and each.second == "GloVe"


def test_nothing_is_said_of_evidence_where_there_is_none(runs: list[SystemRun], tmp_path: Path) -> None:
    plain = [replace(run, evidence=None) for run in runs]
    assert len(evidence_rows(plain)) == 3 and len(pooled_tests(plain)) == 2


def test_multiple_choice_has_a_column(tmp_path: Path) -> None:
    path = tmp_path / "u2.jsonl"
    path.write_text('{"stem": ["a", "b"], "choice": [["c", "d"], ["d", "c"]], "answer": 0}\n')
    vectors = WordVectors(["a", "b", "c", "d"], np.array([[0, 1], [1, 1], [0, 2], [1, 2]], dtype=np.float32))
    found = evaluate(vectors, Protocol(measures=("pairdiff",)), choices=path)
    assert TableOne.of([found]).printed()[0] == ["system", "measure", "u2"]
    assert TableOne.of([found]).printed()[1] == ["vectors", "PairDiff", "**100.00**"]
