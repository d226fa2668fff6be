import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from relrep.corpus.encoded import EncodedCorpus
from relrep.errors import RelrepError
from relrep.model import write_model
from relrep.relations.search import SearchFilters, both_orders, complete_pairs, search_pairs
from relrep.relations.space import SPACE_FILE, RelationSpace, best, space_of
from relrep.relations.store import Relations
from relrep.tensors import write_tensors
from tiny_model import ANIMALS, CAPITALS, build, dense_f


def unit(model, word: str) -> np.ndarray:
    vector = model.vectors[word].astype(float)
    return vector / np.linalg.norm(vector)


def plain_cosine(model, first: str, second: str, query: np.ndarray) -> float:
    difference = unit(model, first) - unit(model, second)
    return float(difference @ query / np.linalg.norm(difference) / np.linalg.norm(query))


def plain_search(model, pairs, keep=lambda u, v: True) -> dict[tuple[str, str], float]:
    """Every mined pair in its better order, scored one by one."""
    words, relations = model.vocabulary.words, model.relations
    query = np.mean([unit(model, a) - unit(model, b) for a, b in pairs], axis=0)
    scores = {}
    for u, v in zip(relations.u.tolist(), relations.v.tolist(), strict=True):
        first, second = words[u], words[v]
        if {first, second} in [set(pair) for pair in pairs] or not keep(first, second):
            continue
        score = plain_cosine(model, first, second, query)
        scores[(first, second) if score >= 0 else (second, first)] = abs(score)
    return scores


@pytest.mark.parametrize(
    "pairs", [[("paris", "france")], [("paris", "france"), ("rome", "italy")], [("bird", "ostrich")]]
)
def test_search_against_plain_python(tiny_model, pairs):
    expected = plain_search(tiny_model, pairs)
    everything = SearchFilters(stop_words=True)
    found = search_pairs(tiny_model, pairs, 10_000, everything)
    assert {(pair.first, pair.second) for pair in found} == set(expected)
    for pair in found:
        assert pair.score == pytest.approx(expected[pair.first, pair.second], abs=1e-6)
    assert [pair.score for pair in found] == sorted((pair.score for pair in found), reverse=True)
    assert search_pairs(tiny_model, pairs, 3, everything) == found[:3]


def test_search_finds_the_relation(tiny_model):
    found = {(pair.first, pair.second) for pair in search_pairs(tiny_model, [("paris", "france")], n=4)}
    assert found == set(CAPITALS.items()) - {("paris", "france")}
    turned = {(pair.first, pair.second) for pair in search_pairs(tiny_model, [("bird", "ostrich")], n=4)}
    assert turned == {(kind, animal) for animal, kind in ANIMALS.items()} - {("bird", "ostrich")}


def test_sentences_of_both_orders_are_told(tiny_model):
    pair = next(p for p in search_pairs(tiny_model, [("paris", "france")], n=9) if p.first == "rome")
    assert (pair.second, pair.sentences, pair.sentences_reversed) == ("italy", 13, 0)
    relations = tiny_model.relations
    known = dict(
        zip(zip(relations.u.tolist(), relations.v.tolist(), strict=True), relations.sentences.tolist(), strict=True)
    )
    for (u, v), total in zip(known, both_orders(relations).tolist(), strict=True):
        assert total == known[u, v] + known.get((v, u), 0)


def test_stop_words_stay_out_unless_asked_for(tmp_path):
    corpus = EncodedCorpus.from_sentences([["the", "cat"], ["a", "dog"], ["cat", "dog"], ["dog", "cat", "mouse"]])
    ids = corpus.vocabulary.id_of
    rows = sorted((ids[a], ids[b]) for a, b in [("the", "cat"), ("a", "dog"), ("cat", "dog"), ("dog", "mouse")])
    one = np.zeros(1)
    relations = Relations(
        np.array([u for u, _ in rows], np.int32), np.array([v for _, v in rows], np.int32), np.full(4, 9), ["of"],
        ["unigram"], one.astype(bool), one.astype(np.int64), one, np.zeros(5, np.int64), np.zeros(0, np.int32),
        np.zeros(0, np.float32), np.zeros(0, np.int32),
    )  # fmt: skip
    vectors = np.random.default_rng(1).normal(size=(len(ids), 4)).astype(np.float32)
    model = write_model(
        tmp_path / "m", vocabulary=corpus.vocabulary, vectors=vectors, relations=relations, config={"settings": {}}
    )

    def found(query, **filters):
        return {frozenset((p.first, p.second)) for p in search_pairs(model, [query], 9, SearchFilters(**filters))}

    content = {frozenset(("cat", "dog")), frozenset(("dog", "mouse"))}
    assert found(("cat", "mouse")) == content
    assert found(("cat", "mouse"), stop_words=True) == found(("the", "mouse")) > content


def test_filters(tiny_model):
    query, words = [("paris", "france")], tiny_model.vocabulary.words

    def found(**filters):
        return {(p.first, p.second) for p in search_pairs(tiny_model, query, 10_000, SearchFilters(**filters))}

    everything = found()
    assert found(distinct=True) == {p for p in everything if not {"paris", "france"} & set(p)} != everything
    assert found(max_rank=30) == {p for p in everything if max(words.index(w) for w in p) < 30} != everything
    assert found(min_rank=20) == {p for p in everything if min(words.index(w) for w in p) >= 19} != everything
    assert 0 < len(found(min_sentences=15)) < len(everything)
    with_pattern = found(pattern="capital of")
    assert set(CAPITALS.items()) - {("paris", "france")} <= with_pattern < everything
    assert ("ostrich", "bird") not in with_pattern
    for bad in ({"min_rank": 0}, {"min_sentences": -1}, {"min_rank": 9, "max_rank": 3}):
        with pytest.raises(RelrepError, match="min_"):
            SearchFilters(**bad)
    with pytest.raises(RelrepError, match="did you mean"):
        found(pattern="capitol of")


@pytest.mark.parametrize("slot", ["first", "second"])
def test_completion_against_plain_python(tiny_model, slot):
    query = unit(tiny_model, "paris") - unit(tiny_model, "france")
    fixed = "rome" if slot == "first" else "italy"
    found = complete_pairs(tiny_model, [("paris", "france")], fixed, slot, n=10_000)
    words = [w for w in tiny_model.vocabulary.words if w not in (fixed, ".", ",")]
    expected = {}
    for word in words:
        pair = (fixed, word) if slot == "first" else (word, fixed)
        expected[pair] = plain_cosine(tiny_model, *pair, query)
    assert {(p.first, p.second) for p in found} == set(expected)
    for pair in found:
        assert pair.score == pytest.approx(expected[pair.first, pair.second], abs=1e-6)
    assert (found[0].first, found[0].second) == ("rome", "italy")


def test_completion_with_filters(tiny_model):
    def found(fixed, **filters):
        pairs = complete_pairs(tiny_model, [("paris", "france")], fixed, "first", 10_000, SearchFilters(**filters))
        return {p.second for p in pairs}

    assert found("rome", pattern="capital of") == {"italy"}
    assert "france" not in found("paris") and "france" in found("rome")
    assert not {"paris", "france"} & found("rome", distinct=True)
    assert all(tiny_model.vocabulary.id_of[w] < 12 for w in found("rome", max_rank=12))


def test_completion_works_without_relations(tmp_path):
    bare = build(tmp_path / "bare", index=False, relations=False)
    assert complete_pairs(bare, [("paris", "france")], "rome", "first", 1)[0].second == "italy"
    with pytest.raises(RelrepError, match="no mined relations"):
        search_pairs(bare, [("paris", "france")])


def test_bad_queries_are_told(tiny_model):
    with pytest.raises(RelrepError, match="did you mean 'paris'"):
        search_pairs(tiny_model, [("parris", "france")])
    with pytest.raises(RelrepError, match="one word twice"):
        search_pairs(tiny_model, [("paris", "paris")])
    with pytest.raises(RelrepError, match="no pair"):
        search_pairs(tiny_model, [])


def test_threads_never_change_a_bit(tiny_model):
    one = RelationSpace(tiny_model.vectors, tiny_model.relations, threads=1)
    three = RelationSpace(tiny_model.vectors, tiny_model.relations, threads=3)
    query = one.difference(5, 9)
    assert one.pair_cosines(query).tobytes() == three.pair_cosines(query).tobytes()
    assert one.slot_cosines(query, 3).tobytes() == three.slot_cosines(query, 3).tobytes()
    assert one.pattern_vectors.tobytes() == three.pattern_vectors.tobytes()


def test_pattern_vectors_are_weighted_means_of_differences(tiny_model):
    space, relations = space_of(tiny_model), tiny_model.relations
    f = dense_f(relations)
    differences = space.unit[relations.u].astype(float) - space.unit[relations.v]
    expected = (f.T @ differences) / np.where(f.sum(axis=0) > 0, f.sum(axis=0), 1)[:, None]
    np.testing.assert_allclose(space.pattern_vectors, expected, atol=1e-6)
    query = differences[0]
    lengths = np.linalg.norm(expected, axis=1)
    cosines = expected @ query / np.where(lengths > 0, lengths, 1) / np.linalg.norm(query)
    np.testing.assert_allclose(space.pattern_cosines(query), cosines, atol=1e-5)


def test_the_stored_space_is_the_computed_one_and_is_checked(tiny_model, tmp_path):
    computed = RelationSpace(tiny_model.vectors, tiny_model.relations)
    stored = space_of(tiny_model)
    assert "pattern_vectors" in vars(stored) and "pattern_vectors" not in vars(computed)
    assert stored.pattern_vectors.tobytes() == computed.pattern_vectors.tobytes()
    assert stored.pair_lengths.tobytes() == computed.pair_lengths.tobytes()
    write_tensors(tmp_path / SPACE_FILE, {"pair_lengths": computed.pair_lengths[:-1]})
    with pytest.raises(RelrepError, match="pair_lengths does not fit"):
        RelationSpace(tiny_model.vectors, tiny_model.relations).read(tmp_path)


def test_best_breaks_ties_by_place_and_leaves_infinities_out():
    scores = np.array([1, 3, 3, -np.inf, 2, 3], np.float32)
    assert best(scores, 2).tolist() == [1, 2]
    assert best(scores, 99).tolist() == [1, 2, 5, 4, 0]
    assert best(scores, 0).tolist() == [] and best(scores[3:4], 5).tolist() == []


@given(st.lists(st.sampled_from([0.5, -1.0, 2.0, 0.25, -np.inf, 3.5, 1.0]), max_size=60), st.integers(0, 70))
def test_best_is_a_stable_sort(values, n):
    scores = np.array(values, dtype=np.float32)
    order = np.lexsort((np.arange(len(scores)), -scores))
    assert best(scores, n).tolist() == [at for at in order.tolist() if scores[at] > -np.inf][:n]
