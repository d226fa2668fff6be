"""Meetings and patterns of a few pairs: NumPy finds what the kernels find, to the bit."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from relrep.corpus.encoded import EncodedCorpus
from relrep.kernels import index_occurrences, index_profiles
from relrep.kernels.pair_profiles import midfix_keys
from relrep.relations import few_meetings, occurrences, profiles
from relrep.relations.index import CorpusIndex
from relrep.relations.occurrences import find_occurrences
from relrep.relations.profiles import ProfileMiner
from tiny_model import sentences

SENTENCES = st.lists(st.lists(st.sampled_from("abcde"), max_size=12), max_size=8)


def assert_same(found, expected):
    for one, other in zip(found, expected, strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)


@given(SENTENCES, st.integers(0, 5), st.booleans())
def test_the_same_meetings_and_patterns_as_the_kernels(lines, max_gap, adjacent):
    index = CorpusIndex.of(EncodedCorpus.from_sentences(lines, min_count=2))  # what is rarer is unknown
    pairs = [(word, partner) for word in range(index.n_words) for partner in range(word)]
    for word, partner in pairs:
        places = index.positions_of(word), index.positions_of(partner)
        found = few_meetings.meetings(index.tokens, *places, max_gap)
        assert_same(found, index_occurrences.meetings(index.tokens, *places, max_gap))
    if not pairs:
        return
    words, partners = np.array(pairs, dtype=np.int32).T.copy()
    given_pairs = index.tokens, index.starts, index.positions, words, partners, max_gap
    met, here, there = few_meetings.meetings_of_pairs(*given_pairs)
    expected = index_profiles.meetings_of_pairs(*given_pairs)
    assert sorted(zip(met, here, there, strict=True)) == sorted(zip(*expected, strict=True))
    assert_same(
        few_meetings.patterns_of_meetings(index.tokens, met, here, there, len(pairs), max_gap, adjacent),
        index_profiles.patterns_of_meetings(index.tokens, *expected, len(pairs), max_gap, adjacent),
    )


@given(st.lists(st.integers(-9, 30), max_size=9, unique=True), st.lists(st.integers(-9, 30), max_size=9, unique=True))
def test_places_outside_the_text_are_left_out_as_in_the_kernel(places, others):
    tokens = np.array([0, 1, -1, 0, 1, 1, -2, 0, -1], dtype=np.int32)
    rows = (np.array(sorted(each), dtype=np.int32) for each in (places, others))
    given_places = tokens, *rows, 3
    assert_same(few_meetings.meetings(*given_places), index_occurrences.meetings(*given_places))


@given(st.lists(st.integers(-2, 2**28 - 4), min_size=1, max_size=5))
def test_the_key_of_a_whole_midfix(tokens):
    midfix = np.array(tokens, dtype=np.int32)
    room = np.empty(11, dtype=np.int64)
    size = midfix_keys(midfix, 0, len(midfix), 0, room, 0)  # the key of the whole comes last
    assert few_meetings.whole_keys(midfix[None, :], np.array([len(midfix)])).tolist() == [room[size - 1]]


@pytest.mark.parametrize("places", [0, 1 << 20])
def test_few_and_many_places_give_the_same(places, monkeypatch):
    index = CorpusIndex.of(EncodedCorpus.from_sentences(sentences()))
    pairs = [(u, v) for u in range(8) for v in range(8)]
    expected = ProfileMiner(index).mine(pairs)
    met = [find_occurrences(index, *pair) for pair in pairs]
    monkeypatch.setattr(few_meetings, "FEW_PLACES", places)
    for module in (occurrences, profiles):
        assert module.few_meetings is few_meetings
    again = ProfileMiner(index).mine(pairs)
    assert_same(vars(again).values(), vars(expected).values())
    for pair, before in zip(pairs, met, strict=True):
        assert_same(vars(find_occurrences(index, *pair)).values(), vars(before).values())
