"""The reference figures with GloVe 6B; needs its files and the shared question sets, so it is a long form.

RELREP_GLOVE_100D and RELREP_GLOVE_50D name the vectors (docs/results/evaluation.md says where they come from).
"""

import os
from pathlib import Path

import pytest

from relrep.analogy.evaluate import evaluate
from relrep.analogy.questions import Protocol
from relrep.analogy.semeval import mean_scores
from relrep.vectors.word_vectors import WordVectors

SHARED = Path(__file__).parents[3] / "shared" / "data" / "benchmarks"
FIGURES = {
    "RELREP_GLOVE_100D": ("65.4 61.6 63.3", "74.6 73.5 40.1", "38.2", "44.3 0.323"),
    "RELREP_GLOVE_50D": ("48.5 44.4 46.2", "62.0 57.3 31.3", "35.3", "43.4 0.298"),
}


@pytest.mark.slow
@pytest.mark.parametrize("variable", FIGURES)
def test_reference_figures(variable: str) -> None:
    place = os.environ.get(variable)
    if not place or not SHARED.is_dir():
        pytest.skip(f"{variable} does not name GloVe's vectors, or the shared benchmarks are not here")
    whole, among_answers, sat, semeval = FIGURES[variable]
    vectors = WordVectors.load(place)
    found = evaluate(vectors, google=SHARED / "google", sat=SHARED / "sat" / "SAT.txt", semeval=SHARED / "semeval")
    google = found["google"]
    sections = [tally.percent for tally in google.by_section("cosadd").values()]
    assert " ".join(f"{score:.1f}" for score in [*sections, google.total("cosadd").percent]) == whole
    assert f"{found['sat'].total('pairdiff').percent:.1f}" == sat
    maxdiff, rho = mean_scores(found["gold"].relations["pairdiff"])
    assert f"{maxdiff:.1f} {rho:.3f}" == semeval
    answers = evaluate(vectors, Protocol(candidates="answers"), google=SHARED / "google")["google"]
    assert " ".join(f"{answers.total(name).percent:.1f}" for name in answers.measures) == among_answers
