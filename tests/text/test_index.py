import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from relrep.core.threads import split_evenly
from relrep.errors import RelrepError
from relrep.reference import arrays as reference
from relrep.text.encoded import EncodedCorpus
from relrep.text.index import CorpusIndex, build_positions

CORPUS = EncodedCorpus.from_sentences([["a", "cat", "sat"], ["a", "dog"], ["rare"]], min_count=1)


@given(st.lists(st.integers(-2, 6), max_size=60), st.integers(1, 4))
def test_positions_against_plain_python(tokens, parts):
    starts, positions = build_positions(np.array(tokens, np.int32), 7, split_evenly(len(tokens), parts))
    assert positions.dtype == np.int32
    for word, expected in enumerate(reference.positions(tokens, 7)):
        assert positions[starts[word] : starts[word + 1]].tolist() == expected


@given(st.lists(st.lists(st.integers(-2, 6).filter(lambda token: token != -1), max_size=9), max_size=9), st.booleans())
def test_flagged_positions_tell_the_first_of_a_sentence(sentences, by_sentence):
    tokens = [token for sentence in sentences for token in [*sentence, -1]]
    ends = np.cumsum([0, *(len(sentence) + 1 for sentence in sentences)]).tolist()
    parts = list(itertools.pairwise(ends)) if by_sentence else [(0, len(tokens))]
    starts, positions = build_positions(np.array(tokens, np.int32), 7, parts, flagged=True)
    for word in range(7):
        expected = [
            2 * (begin + place) + (word not in sentence[:place])
            for begin, sentence in zip(ends, sentences, strict=False)
            for place, token in enumerate(sentence)
            if token == word
        ]
        assert positions[starts[word] : starts[word + 1]].tolist() == expected


def test_ids_outside_the_vocabulary_are_refused():
    with pytest.raises(ValueError, match="outside"):
        CorpusIndex.of(replace(CORPUS, tokens=np.array([0, 9], np.int32)))


def test_build_and_open(tmp_path):
    built = CorpusIndex.build(CORPUS, tmp_path / "index", threads=2)
    opened = CorpusIndex.open(tmp_path / "index", n_words=5)
    assert opened.tokens.tolist() == CORPUS.tokens.tolist() == built.tokens.tolist()
    assert opened.positions_of(0).tolist() == [0, 4] and opened.count(0) == 2 and opened.n_words == 5
    assert isinstance(opened.tokens, np.memmap) and isinstance(opened.positions, np.memmap)


def test_an_empty_corpus(tmp_path):
    index = CorpusIndex.build(EncodedCorpus.from_sentences([]), tmp_path / "index")
    assert index.n_words == 0 and len(index.tokens) == 0


@pytest.mark.parametrize("name", ["starts.npy", "positions.npy", "tokens.i32"])
def test_damage_is_told(tmp_path, name):
    CorpusIndex.build(CORPUS, tmp_path)
    path = tmp_path / name
    whole = path.read_bytes()
    for content in (whole[:-5], whole[:3], whole[: len(whole) // 2] + b"\xff" * (len(whole) // 2)):
        path.write_bytes(content)
        if name == "starts.npy" or len(content) != len(whole):
            with pytest.raises(RelrepError, match=r"the corpus index (cannot be read|is damaged)"):
                CorpusIndex.open(tmp_path)
    path.unlink()
    with pytest.raises(RelrepError, match="cannot be read"):
        CorpusIndex.open(tmp_path)


def test_another_vocabulary_is_told(tmp_path):
    CorpusIndex.build(CORPUS, tmp_path)
    with pytest.raises(RelrepError, match="does not fit 9 words"):
        CorpusIndex.open(tmp_path, n_words=9)
