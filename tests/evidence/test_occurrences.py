import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from relrep.evidence._kernels import first_from, meetings, sentence_around
from relrep.evidence.occurrences import Readable, choose_examples, example_at, find_occurrences
from relrep.reference import arrays
from relrep.reference.paper import occurrences
from relrep.text.encoded import SENTENCE_END, EncodedCorpus
from relrep.text.index import CorpusIndex

SENTENCES = st.lists(st.lists(st.sampled_from("abcde"), max_size=9), max_size=8)


def plain_occurrences(tokens: list[int], u: int, v: int, max_gap: int) -> list[tuple[int, int]]:
    found, begin = [], 0
    for end in [at for at, token in enumerate(tokens) if token == SENTENCE_END]:
        for i, j in ((begin + i, begin + j) for i, j in occurrences(tokens[begin:end], max_gap)):
            if (tokens[i], tokens[j]) == (u, v):
                found.append((i, j))
            elif (tokens[i], tokens[j]) == (v, u):
                found.append((j, i))
        begin = end + 1
    return sorted(found, key=lambda o: (min(o), max(o)))


@given(st.lists(st.integers(-1, 3), min_size=1, max_size=30), st.data())
def test_the_sentence_around_a_place_equals_the_reference(tokens, data):
    begin = data.draw(st.integers(0, len(tokens) - 1))
    most = data.draw(st.integers(0, 6))
    if tokens[begin] != SENTENCE_END:
        found = sentence_around(np.array(tokens, np.int32), begin, begin + 1, most)
        assert found == arrays.sentence_around(tokens, begin, begin + 1, most)


@given(SENTENCES, st.integers(0, 4))
def test_occurrences_against_plain_python(sentences, max_gap):
    corpus = EncodedCorpus.from_sentences(sentences, min_count=2)
    index = CorpusIndex.of(corpus)
    for u in range(index.n_words):
        for v in (v for v in range(index.n_words) if v != u):
            found = find_occurrences(index, u, v, max_gap)
            places = list(zip(found.first.tolist(), found.second.tolist(), strict=True))
            assert places == plain_occurrences(corpus.tokens.tolist(), u, v, max_gap)


def test_a_damaged_index_is_not_followed():
    rows = [[0, 1, SENTENCE_END], [-5, 0, 2**30], [-3, 1, 2**30 + 1]]
    tokens, places, others = (np.array(row, np.int32) for row in rows)
    for array in (tokens, places, others):
        array.flags.writeable = False  # as in an index: no second compilation
    here, there = meetings(tokens, places, others, 5)
    assert (here.tolist(), there.tolist()) == ([0], [1])


@given(st.lists(st.integers(0, 300), max_size=200), st.integers(-5, 320), st.integers(0, 20))
def test_first_from_is_a_search_from_a_place_on(values, value, begin):
    places = np.array(sorted(values), np.int32)
    expected = next((i for i in range(begin, len(places)) if places[i] >= value), max(begin, len(places)))
    assert first_from(places, begin, value) == expected


@pytest.fixture(scope="module")
def corpus() -> EncodedCorpus:
    lines = ["one big cat saw the dog run", "cat dog", "dog and cat", "cat dog", "x cat saw the dog"]
    return EncodedCorpus.from_sentences([line.split() for line in lines], min_count=2)


def test_examples_show_the_sentence_and_the_places(corpus):
    index, words, ids = CorpusIndex.of(corpus), corpus.vocabulary.words, corpus.vocabulary.id_of
    found = find_occurrences(index, ids["cat"], ids["dog"])
    example = example_at(Readable(index, words), int(found.first[0]), int(found.second[0]))
    assert example.text == "… … cat saw the dog …" and example.text[slice(*example.first)] == "cat"
    assert example.text[slice(*example.second)] == "dog" and example.source == ""
    cut = example_at(Readable(index, words), int(found.first[0]), int(found.second[0]), reach=1)
    assert cut.text == "… … cat saw the dog … …" and cut.text[slice(*cut.second)] == "dog"


def test_examples_are_different_and_prefer_wanted_and_short_ones(corpus):
    index, words, ids = CorpusIndex.of(corpus), corpus.vocabulary.words, corpus.vocabulary.id_of
    found = find_occurrences(index, ids["cat"], ids["dog"])
    wanted = [((ids["saw"], ids["the"]), True, True)]
    texts = [example.text for example in choose_examples(Readable(index, words), found, 9, wanted)]
    assert texts[0] == "… cat saw the dog" and len(texts) == len(set(texts)) == 4
    assert len(choose_examples(Readable(index, words), found, 2)) == 2
