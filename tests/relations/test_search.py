"""Relational search against plain Python, its filters, and words for a free slot."""

import numpy as np
import pytest

from relrep.errors import RelrepError
from relrep.model.model import Model
from relrep.relations.search import ALPHA, BETA, RelationSearch, SearchFilters
from tiny_model import ANIMALS, CAPITALS, build


@pytest.fixture(scope="module")
def search(tiny_model: Model) -> RelationSearch:
    return RelationSearch(tiny_model)


def unit(model: Model, word: str) -> np.ndarray:
    vector = model.vectors[word].astype(float)
    return vector / np.linalg.norm(vector)


def whitened(search: RelationSearch, row: int, turned: bool) -> np.ndarray:
    """A pair's profile, centred and scaled by the spread over all pairs in both orientations."""
    profiles = search.table.space.fold(search.table.bound.counts)
    rows = [np.concatenate([profiles.even, sign * profiles.odd], axis=1).astype(float) for sign in (1, -1)]
    both = np.concatenate(rows)
    changed = (both - both.mean(axis=0)) * np.maximum(both.std(axis=0), 1e-6) ** (0.25 - 1)
    changed /= np.maximum(np.linalg.norm(changed, axis=1, keepdims=True), 1e-12)
    return changed[row + turned * search.table.n_pairs]


@pytest.mark.parametrize("pair", [("paris", "france"), ("france", "paris"), ("ostrich", "bird")])
def test_search_against_plain_python(tiny_model: Model, search: RelationSearch, pair: tuple[str, str]) -> None:
    ids, bound, words = tiny_model.vocabulary.id_of, search.table.bound, tiny_model.vocabulary.words
    u, v = (ids[word] for word in pair)
    own = search.table.row(u, v)
    query, profile = unit(tiny_model, pair[0]) - unit(tiny_model, pair[1]), whitened(search, own, u > v)
    totals = [int(search.table.entries(row)[1].sum()) for row in range(len(bound))]
    belief = [np.sqrt(total / (total + 5.0)) for total in totals]
    ranked = search.rank([(u, v)], 10_000)
    assert own not in ranked.rows and len(ranked.rows) > 10
    for at, row in enumerate(ranked.rows.tolist()):
        scores = []
        for turned in (False, True):
            two = (words[bound.first[row]], words[bound.second[row]])
            first, second = two[::-1] if turned else two
            difference = unit(tiny_model, first) - unit(tiny_model, second)
            cosine = difference @ query / np.linalg.norm(difference) / np.linalg.norm(query)
            text = belief[own] * belief[row] * float(whitened(search, row, turned) @ profile)
            kinds = unit(tiny_model, first) @ unit(tiny_model, pair[0]) + unit(tiny_model, second) @ unit(
                tiny_model, pair[1]
            )
            scores.append((1 - ALPHA) * cosine + ALPHA * text + BETA * kinds)
        assert ranked.scores[at] == pytest.approx(max(scores), abs=1e-2)
    assert ranked.scores.tolist() == sorted(ranked.scores.tolist(), reverse=True)


def test_search_finds_the_relation_in_either_orientation(search: RelationSearch) -> None:
    answers = search.search([("paris", "france")], 4)
    assert {(pair.first, pair.second) for pair in answers} == set(CAPITALS.items()) - {("paris", "france")}
    turned = search.search([("bird", "ostrich")], 4)
    kinds = {(kind, animal) for animal, kind in ANIMALS.items()} - {("bird", "ostrich")}
    assert {(pair.first, pair.second) for pair in turned} == kinds
    assert all(pair.evidence is not None and pair.cosine > 0.3 for pair in answers)


def test_several_pairs_are_one_query(search: RelationSearch) -> None:
    answers = search.search([("paris", "france"), ("rome", "italy")], 3)
    assert {pair.first for pair in answers} == {"madrid", "vienna", "lisbon"}


def test_no_word_stands_in_more_than_two_answers(search: RelationSearch) -> None:
    words = [word for pair in search.search([("paris", "france")], 50) for word in (pair.first, pair.second)]
    assert max(words.count(word) for word in words) == 2


def test_a_pair_that_never_meets_is_asked_by_vectors_and_near_words(search: RelationSearch) -> None:
    profile, confidence = search.query_profile([search_ids(search, "paris", "italy")])
    assert np.linalg.norm(profile) == pytest.approx(1, abs=1e-5) or confidence == 0
    assert search.search([("paris", "italy")], 3)


def search_ids(search: RelationSearch, first: str, second: str) -> tuple[int, int]:
    ids = search.model.vocabulary.id_of
    return ids[first], ids[second]


@pytest.mark.parametrize(
    ("filters", "keeps"),
    [
        (SearchFilters(distinct=True), lambda pair: not {"paris", "france"} & {pair.first, pair.second}),
        (SearchFilters(min_meetings=14), lambda pair: pair.meetings >= 14),
        (SearchFilters(pattern="such as"), lambda pair: {pair.first, pair.second} & set(ANIMALS)),
    ],
)
def test_filters(search: RelationSearch, filters: SearchFilters, keeps) -> None:
    everything = search.search([("paris", "france")], 1000)
    answers = search.search([("paris", "france")], 1000, filters)
    assert answers and all(keeps(pair) for pair in answers)
    assert len(answers) < len(everything) or filters.distinct


def test_ranks_limit_the_words(tiny_model: Model, search: RelationSearch) -> None:
    ranks = tiny_model.vocabulary.id_of
    for pair in search.search([("paris", "france")], 1000, SearchFilters(min_rank=5, max_rank=20)):
        assert all(4 <= ranks[word] < 20 for word in (pair.first, pair.second))


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"min_meetings": -1}, "min_meetings is -1"),
        ({"min_rank": 0}, "ranks start at 1"),
        ({"min_rank": 9, "max_rank": 3}, "no word is left"),
    ],
)
def test_wrong_filters_are_told(values: dict[str, int], sentence: str) -> None:
    with pytest.raises(RelrepError, match=sentence):
        SearchFilters(**values)


def test_a_free_slot_is_filled(search: RelationSearch) -> None:
    answers = search.complete([("paris", "france"), ("rome", "italy")], "madrid", "first", 3)
    assert answers[0].second == "spain" and answers[0].meetings == 18
    backwards = search.complete([("paris", "france")], "spain", "second", 3)
    assert backwards[0].first == "madrid"
    limited = search.complete([("paris", "france")], "madrid", "first", 50, SearchFilters(min_meetings=1))
    assert [pair.second for pair in limited] == ["spain"]


def test_bad_queries_are_told(search: RelationSearch, tmp_path) -> None:
    with pytest.raises(RelrepError, match="one word twice"):
        search.search([("paris", "paris")])
    with pytest.raises(RelrepError, match="no pair"):
        search.search([])
    with pytest.raises(RelrepError, match="atlantis"):
        search.search([("paris", "atlantis")])
    with pytest.raises(RelrepError, match="such ass"):
        search.search([("paris", "france")], 5, SearchFilters(pattern="such ass"))
    with pytest.raises(RelrepError, match="no relation table"):
        RelationSearch(build(tmp_path / "m", relations=False))
