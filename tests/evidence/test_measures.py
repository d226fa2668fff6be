"""Measures that read the corpus: against plain counting on the tiny model, and in answering questions."""

import math
from dataclasses import replace

import numpy as np
import pytest

import tiny_model as tiny
from relrep.analogy.measures import PairBoth, VectorMeasure
from relrep.analogy.terms import TermTable
from relrep.coherence.profiles import PatternSpace
from relrep.evidence.evidence import SHRINKAGE, Evidence, NeighbourBackoff
from relrep.evidence.measures import CosMix, PairMix, PairPattern, evidence_measures
from relrep.model.model import Model
from relrep.reference.coherence import profile, turned_round


@pytest.fixture(scope="module")
def evidence(tiny_model: Model) -> Evidence:
    """Evidence of the tiny model, without folding."""
    return Evidence.of(tiny_model)


def evidence_with(model: Model, rank: int, threads: int = 1) -> Evidence:
    """Evidence of the tiny model, its space learnt anew: folded to `rank` dimensions, or as it is (0)."""
    plain = Evidence.of(model, threads)
    learnt = replace(plain, space=PatternSpace.learn(model.require_relations().bound.counts, max(rank, 1), threads))
    return learnt.folded_with() if rank else learnt


def rows_of(model: Model, terms: TermTable, *quadruples: str) -> np.ndarray:
    """`"paris france rome italy"` as rows of terms."""
    return np.array([[terms.row(word) for word in text.split()] for text in quadruples], dtype=np.int64)


def test_the_same_relation_scores_above_another_and_its_reverse(tiny_model: Model, evidence: Evidence) -> None:
    terms = TermTable(tiny_model.vectors)
    asked = rows_of(tiny_model, terms, "paris france rome italy", "paris france lion cat", "paris france italy rome")
    same, other, turned = PairPattern(evidence).score(terms, asked)
    assert same > 0.5
    assert same > other and same > turned


def plain_similarity(model: Model, evidence: Evidence, one: tuple[str, str], other: tuple[str, str]) -> float:
    """The cosine of two profiles, counted in plain Python, with the weights that the space learnt."""
    sentences = tiny.sentences()
    words, bound = model.vocabulary.words, model.require_relations().bound
    background = [(words[u], words[v]) for u, v in zip(bound.first, bound.second, strict=True)]
    spread: dict[object, list[int]] = {}
    for pair in background:
        seen: dict[object, list[int]] = {}
        for (kind, tokens, _), n in profile(sentences, pair, 5).items():
            if tokens:
                seen.setdefault((kind, tokens), []).append(n)
        for pattern, numbers in seen.items():
            spread.setdefault(pattern, []).append(numbers)  # type: ignore[arg-type]
    importance = {}
    for pattern, rows in spread.items():
        numbers = [n for row in rows for n in row]  # type: ignore[attr-defined]
        shares = [n / sum(numbers) for n in numbers]
        importance[pattern] = 1 + sum(s * math.log(s) for s in shares) / math.log(2 * len(background))
    weighted = []
    for pair in (one, other):
        row = {p: math.log(1 + n) * importance.get(p[:2], 0) for p, n in profile(sentences, pair, 5).items()}
        weighted.append(row)
    product = sum(weight * weighted[1].get(p, 0) for p, weight in weighted[0].items())
    lengths = [math.sqrt(sum(w * w for w in row.values())) for row in weighted]
    return product / (lengths[0] * lengths[1]) if all(lengths) else 0.0


def test_pairpattern_is_the_cosine_of_plainly_counted_profiles(tiny_model: Model, evidence: Evidence) -> None:
    terms = TermTable(tiny_model.vectors)
    for text in ("paris france rome italy", "lion cat salmon fish", "paris france oak tree", "rome italy fish salmon"):
        a, b, c, d = text.split()
        found = PairPattern(evidence).score(terms, rows_of(tiny_model, terms, text))[0]
        assert found == pytest.approx(plain_similarity(tiny_model, evidence, (a, b), (c, d)), abs=1e-5)


def test_mixes_are_what_they_say_and_pairs_without_evidence_keep_their_vectors(
    tiny_model: Model, evidence: Evidence
) -> None:
    terms = TermTable(tiny_model.vectors)
    asked = rows_of(tiny_model, terms, "paris france rome italy", "paris france emu oak")
    pattern = PairPattern(evidence).score(terms, asked)
    cosine = VectorMeasure("cosadd").score(terms, asked)
    assert pattern[1] == 0
    both = PairBoth().score(terms, asked)
    mixed = PairMix(evidence, 0.4).score(terms, asked)
    ids = [[tuple(map(evidence.ids, pair.split()))] for pair in ("paris france", "rome italy")]
    meetings = [evidence.counts(np.array(pair)).counts.sum() for pair in ids]
    sure = math.sqrt(math.prod(n / (n + SHRINKAGE) for n in meetings))
    told = np.array([sure * pattern[0] + (1 - sure) * 0.27, 0.27])
    np.testing.assert_allclose(mixed, 0.6 * both + 0.4 * told)
    np.testing.assert_allclose(CosMix(evidence, 0.4).score(terms, asked), cosine + 0.4 * np.array([sure, 0]) * pattern)


def test_an_answer_does_not_depend_on_its_company(tiny_model: Model) -> None:
    terms = TermTable(tiny_model.vectors)
    texts = ["paris france rome italy", "lion cat salmon fish", "oak tree ant insect", "france paris lion cat"]
    for rank in (0, 4):
        together = PairPattern(evidence_with(tiny_model, rank)).score(terms, rows_of(tiny_model, terms, *texts))
        fresh = evidence_with(tiny_model, rank, threads=2)
        alone = [PairPattern(fresh).score(terms, rows_of(tiny_model, terms, text))[0] for text in texts]
        assert together.tolist() == alone


def test_turning_both_pairs_round_changes_nothing(tiny_model: Model) -> None:
    terms = TermTable(tiny_model.vectors)
    for rank in (0, 4):
        measure = PairPattern(evidence_with(tiny_model, rank))
        there = measure.score(terms, rows_of(tiny_model, terms, "paris france oak tree"))[0]
        back = measure.score(terms, rows_of(tiny_model, terms, "france paris tree oak"))[0]
        assert there == pytest.approx(back, abs=1e-6)


def test_the_plain_twin_turns_profiles_round() -> None:
    sentences = tiny.sentences()
    assert turned_round(profile(sentences, ("paris", "france"), 5)) == profile(sentences, ("france", "paris"), 5)


def test_the_recommended_measures_mark_themselves_and_answer(tiny_model: Model) -> None:
    terms = TermTable(tiny_model.vectors)
    asked = rows_of(tiny_model, terms, "paris france rome italy", "paris france lion cat")
    measures = evidence_measures(tiny_model)
    assert [(m.name, m.reads_corpus, m.reorders) for m in measures] == [
        ("pairpattern", True, None),
        ("pairmix", True, None),
        ("cosmix", True, "cosadd"),
    ]
    for measure in measures:
        same, other = measure.score(terms, asked)
        assert same > other


def test_neighbours_lend_a_pair_that_never_meets_what_joins_their_kind(tiny_model: Model, evidence: Evidence) -> None:
    terms = TermTable(tiny_model.vectors)
    ids = tiny_model.vocabulary.id_of
    vectors = np.random.default_rng(0).standard_normal((len(ids), 30)).astype(np.float32)
    vectors[ids["emu"]] = vectors[ids["ostrich"]] + 0.1 * vectors[ids["emu"]]
    helped = replace(evidence, counted=NeighbourBackoff(vectors, n_words=1).counts)
    asked = rows_of(tiny_model, terms, "emu bird salmon fish", "emu bird paris france")
    assert PairPattern(evidence).score(terms, asked).tolist() == [0, 0]
    same, other = PairPattern(helped).score(terms, asked)
    assert same > 0.5 and same > other


def test_neighbours_count_by_their_nearness(tiny_model: Model, evidence: Evidence) -> None:
    ids = tiny_model.vocabulary.id_of
    vectors = np.zeros((len(ids), 2), dtype=np.float32)
    vectors[ids["emu"]], vectors[ids["ostrich"]], vectors[ids["bird"]] = (1, 0), (0.6, 0.8), (-1, -1)
    backoff = NeighbourBackoff(vectors, n_words=3, discount=2.0)
    lent = backoff.counts(evidence, np.array([[ids["emu"], ids["bird"]], [-1, ids["bird"]]]))
    own = evidence.counts_of(evidence.miner.mine([(ids["ostrich"], ids["bird"])]))
    assert lent.keys.tolist() == own.keys.tolist()
    np.testing.assert_allclose(lent.counts, 0.36 / 2 * own.counts, rtol=1e-6)
    assert lent.ends.tolist() == [0, len(own.keys), len(own.keys)]
