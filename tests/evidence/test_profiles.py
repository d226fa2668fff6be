from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from relrep.evidence import profiles as module
from relrep.evidence.occurrences import find_occurrences
from relrep.evidence.profiles import ProfileMiner
from relrep.mining.bound import KIND_SHIFT, MIDFIX_MASK, OFFSET, UNIGRAM
from relrep.reference.paper import KINDS, patterns_of
from relrep.text.encoded import EncodedCorpus
from relrep.text.index import CorpusIndex
from tiny_model import sentences

SENTENCES = st.lists(st.lists(st.sampled_from("abcdef"), max_size=12), max_size=8)


@settings(max_examples=40)
@given(SENTENCES, st.integers(0, 5))
def test_profiles_agree_with_the_occurrences_of_each_pair(lines, max_gap):
    """The counts are those of the patterns found pair by pair, and the keys of a row rise."""
    index = CorpusIndex.of(EncodedCorpus.from_sentences(lines, min_count=2))
    pairs = [(u, v) for u in range(index.n_words) for v in range(index.n_words)]
    mined = ProfileMiner(index, max_gap).mine(pairs)
    for row, (u, v) in enumerate(pairs):
        if u == v:
            assert mined.row(row) == {}
            continue
        found = find_occurrences(index, u, v, max_gap)
        for forward in (True, False):
            kept = found.is_forward == forward
            places = zip(found.first[kept], found.second[kept], strict=True)
            midfixes = [index.tokens[min(place) + 1 : max(place)].tolist() for place in places]
            expected = Counter(pattern for midfix in midfixes for pattern in patterns_of(midfix, KINDS, not forward))
            got = {key: n for key, n in mined.row(row).items() if (key & 1 == 0) == forward}
            assert Counter(got.values()) == Counter(expected.values())
        at = slice(mined.indptr[row], mined.indptr[row + 1])
        assert (np.diff(mined.keys[at]) > 0).all()


def test_the_same_pattern_has_the_same_key_in_all_pairs():
    corpus = EncodedCorpus.from_sentences([line.split() for line in ["a x b", "c x d", "d x c"]])
    ids = corpus.vocabulary.id_of
    mined = ProfileMiner(CorpusIndex.of(corpus)).mine(
        [(ids["a"], ids["b"]), (ids["c"], ids["d"]), (ids["d"], ids["c"])]
    )
    assert set(mined.row(0)) < set(mined.row(1))
    assert mined.row(1) == {key ^ 1: n for key, n in mined.row(2).items()} == mined.row(2)


@pytest.fixture(scope="module")
def index() -> CorpusIndex:
    return CorpusIndex.of(EncodedCorpus.from_sentences(sentences()))


def test_order_company_threads_and_cache_change_nothing(index, monkeypatch):
    monkeypatch.setattr(module, "_TASK_PLACES", 20)
    rng = np.random.default_rng(1)
    pairs = rng.integers(-1, index.n_words, size=(300, 2))
    alone = ProfileMiner(index).mine(pairs)
    for miner in (ProfileMiner(index, threads=3), ProfileMiner(index, remembered=50)):
        for _ in range(2):
            again = miner.mine(pairs)
            for name in ("indptr", "keys", "counts"):
                np.testing.assert_array_equal(getattr(again, name), getattr(alone, name))
    reverse = ProfileMiner(index).mine(pairs[::-1])
    assert all(reverse.row(i) == alone.row(299 - i) for i in range(300))


def test_turning_a_pair_turns_its_directions(index):
    pairs = np.array([(u, v) for u in range(20) for v in range(20)])
    miner = ProfileMiner(index)
    there, back = miner.mine(pairs), miner.mine(pairs[:, ::-1])
    for row in range(len(pairs)):
        assert back.row(row) == {key ^ 1: n for key, n in there.row(row).items()}
        assert (np.diff(back.keys[back.indptr[row] : back.indptr[row + 1]]) > 0).all()


def test_words_side_by_side_count_when_told():
    corpus = EncodedCorpus.from_sentences([["a", "b"], ["b", "a"], ["a", "b"], ["a", "x", "b"]])
    index = CorpusIndex.of(corpus)
    pair = [(corpus.vocabulary.id_of["a"], corpus.vocabulary.id_of["b"])]
    without = ProfileMiner(index).mine(pair).row(0)
    with_adjacent = ProfileMiner(index, adjacent=True).mine(pair).row(0)
    added = {key: count for key, count in with_adjacent.items() if key not in without}
    assert sorted(added.values()) == [1, 2] and len({key >> 1 for key in added}) == 1


def test_matrix_with_given_columns(index):
    mined = ProfileMiner(index).mine([(0, 5), (1, 6), (2, 7), (-1, 3)])
    keys = np.unique(mined.keys)
    matrix = mined.matrix(keys)
    assert matrix.shape == (4, len(keys)) and matrix.sum() == mined.counts.sum()
    np.testing.assert_array_equal(mined.matrix(keys[::2]).toarray(), matrix.toarray()[:, ::2])
    assert ProfileMiner(index).mine([]).matrix(keys[:0]).shape == (0, 0)


def test_bad_requests_are_told(index):
    with pytest.raises(ValueError, match="beyond"):
        ProfileMiner(index).mine([(0, index.n_words)])


def test_places_and_ids_that_cannot_be_are_left_out(index):
    asked = [(u, v) for u in range(3) for v in range(3, index.n_words)]
    beyond = CorpusIndex(index.tokens, index.starts, index.positions + 10**6)
    before = CorpusIndex(index.tokens, index.starts, index.positions - 10**6)
    assert len(ProfileMiner(beyond).mine(asked).keys) == len(ProfileMiner(before).mine(asked).keys) == 0
    strange = np.where(index.tokens >= 0, index.tokens + 10**6, index.tokens).astype(np.int32)
    strange.flags.writeable = False
    keys = ProfileMiner(CorpusIndex(strange, index.starts, index.positions)).mine(asked).keys
    unigrams = keys[keys >> KIND_SHIFT == UNIGRAM]
    assert (
        len(unigrams) and ((unigrams >> 1 & MIDFIX_MASK) - OFFSET >= 10**6).all()
    )  # named as they are, never followed
