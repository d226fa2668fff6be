"""Mining against the slow reference: pairs, patterns and counts, whatever the memory, the threads and the options."""

import math
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from miner import Mined, mine
from relrep.errors import RelrepError
from relrep.mining.bound import bound_pairs
from relrep.mining.settings import PATTERN_KINDS, MiningSettings
from relrep.mining.stop_words import load_stop_words
from relrep.reference import paper as reference
from relrep.reference.coherence import profile
from relrep.text.encoded import EncodedCorpus

WORDS = [*"abcdefg", ",", "the", "of"]
SENTENCES = st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=12), min_size=1, max_size=25)
OPTIONS = st.fixed_dictionaries(
    {
        "min_pair_sentences": st.integers(1, 3),
        "max_gap": st.sampled_from([1, 2, 5, 9]),
        "n_patterns": st.sampled_from([3, 10, 1000]),
        "pattern_kinds": st.sampled_from(
            [("unigram", "bigram"), ("unigram",), ("bigram",), ("midfix",), ("unigram", "bigram", "midfix")]
        ),
        "both_directions": st.booleans(),
    }
)


def _as_words(corpus: EncodedCorpus) -> list[list[str | None]]:
    sentences: list[list[str | None]] = [[]]
    for token in corpus.tokens.tolist():
        if token == -1:
            sentences.append([])
        else:
            sentences[-1].append(corpus.vocabulary.words[token] if token >= 0 else None)
    return sentences[:-1]


def _expected(corpus: EncodedCorpus, options: MiningSettings):
    sentences = _as_words(corpus)
    rare = {w for w, n in zip(corpus.vocabulary.words, corpus.vocabulary.counts, strict=True)
            if n < options.min_pair_sentences}  # fmt: skip
    pairs = reference.select_pairs(
        sentences, options.max_gap, options.min_pair_sentences, load_stop_words("english"), frozenset({","} | rare)
    )
    counts = reference.count_patterns(sentences, pairs, options.max_gap, options.pattern_kinds, options.both_directions)
    patterns = reference.select_patterns(counts, options.n_patterns)
    return pairs, patterns, {key: n for key, n in counts.items() if key[0] in patterns}


def _found(corpus: EncodedCorpus, mined: Mined):
    words = corpus.vocabulary.words
    names = [(words[u], words[v]) for u, v in zip(mined.pairs.u, mined.pairs.v, strict=True)]
    pairs = dict(zip(names, mined.pairs.sentences.tolist(), strict=True))
    patterns = {
        (kind, tuple(words[w] for w in ngram), bool(turned)): int(total)
        for kind, ngram, turned, total in zip(
            mined.patterns.kinds, mined.patterns.ngrams, mined.patterns.reversed, mined.patterns.occurrences,
            strict=True,
        )
    }  # fmt: skip
    keys = list(patterns)
    counts = {}
    for row, name in enumerate(names):
        for entry in range(mined.counts.starts[row], mined.counts.starts[row + 1]):
            counts[keys[mined.counts.columns[entry]], name] = int(mined.counts.values[entry])
    return pairs, patterns, counts


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(SENTENCES, OPTIONS, st.integers(1, 2), st.sampled_from([1, 3]), st.sampled_from([None, 7, 40]))
def test_mining_equals_the_reference(sentences, options, min_count, threads, chunk_tokens):
    corpus = EncodedCorpus.from_sentences(sentences, min_count)
    chosen = MiningSettings(stop_words="english", **options)
    expected = _expected(corpus, chosen)
    with TemporaryDirectory() as folder:
        try:
            mined = mine(corpus, chosen.paper, Path(folder), threads=threads, most_tokens=chunk_tokens)
        except RelrepError:
            assert not expected[0] or len(expected[1]) < 2
            return
        found = _found(corpus, mined)
        assert found[0] == expected[0]
        assert list(found[1].items()) == list(expected[1].items())
        assert found[2] == expected[2]
        assert list(Path(folder).iterdir()) == [Path(folder) / "counts"]
        del mined


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(SENTENCES, st.integers(1, 3), st.sampled_from([1, 2, 5]), st.sampled_from([1, 3]), st.sampled_from([None, 7]))
def test_bound_pairs_equal_plain_counting(sentences, min_meetings, max_gap, threads, chunk_tokens):
    corpus = EncodedCorpus.from_sentences(sentences)
    words, counts = corpus.vocabulary.words, corpus.vocabulary.counts
    chosen = MiningSettings(
        stop_words="english", min_meetings=min_meetings, min_pmi=-1e-6, max_gap=max_gap, bound_patterns=1000
    )
    content = {word for word in words if word not in load_stop_words("english") and word.isalpha()}
    expected = {}
    for first, one in enumerate(words):
        for second in range(first + 1, len(words)):
            met = sum(_meet(sentence, one, words[second], max_gap) for sentence in sentences)
            chance = counts[first] * counts[second] * 2 * (max_gap + 1) / counts.sum()
            if {one, words[second]} <= content and met >= min_meetings and met >= chance * math.exp(-1e-6):
                expected[first, second] = met
    with TemporaryDirectory() as folder:
        try:
            mined = mine(corpus, chosen.bound, Path(folder), threads=threads, most_tokens=chunk_tokens)
        except RelrepError:
            return
        bound, patterns = bound_pairs(mined.pairs, mined.counts, mined.patterns, max_gap + 1)
    found = dict(
        zip(zip(bound.first.tolist(), bound.second.tolist(), strict=True), bound.meetings.tolist(), strict=True)
    )
    assert found == expected
    for row, (first, second) in enumerate(found):
        own = {}
        for key, n in zip(*(array[bound.counts.ends[row] : bound.counts.ends[row + 1]].tolist()
                            for array in (bound.counts.keys, bound.counts.counts)), strict=True):  # fmt: skip
            tokens = tuple(words[token] for token in patterns.tokens(key >> 1))
            own[PATTERN_KINDS[patterns.kinds[key >> 1]], tokens, bool(key & 1)] = n
        plain = profile(sentences, (words[first], words[second]), max_gap)
        assert own == {key: n for key, n in plain.items() if key[1]}
    assert (np.diff(patterns.codes) > 0).all()


def _meet(sentence: list[str], one: str, other: str, max_gap: int) -> bool:
    places = {word: [at for at, each in enumerate(sentence) if each == word] for word in (one, other)}
    return any(abs(i - j) <= max_gap + 1 for i in places[one] for j in places[other])
