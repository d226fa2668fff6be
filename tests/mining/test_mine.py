"""Mining against the slow reference: pairs, patterns and counts, whatever the memory, the threads and the options."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from relrep import reference
from relrep.corpus import EncodedCorpus
from relrep.errors import RelrepError
from relrep.mining import Mined, MiningSettings, mine
from relrep.mining import chunks as chunks_module

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
    from relrep.mining.stop_words import ENGLISH

    sentences = _as_words(corpus)
    rare = {w for w, n in zip(corpus.vocabulary.words, corpus.vocabulary.counts, strict=True)
            if n < options.min_pair_sentences}  # fmt: skip
    pairs = reference.select_pairs(
        sentences, options.max_gap, options.min_pair_sentences, ENGLISH, frozenset({","} | rare)
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
    chosen = MiningSettings(**options)
    expected = _expected(corpus, chosen)
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        if chunk_tokens:  # force many shards
            patch.setattr(chunks_module, "_MIN_CHUNK_TOKENS", chunk_tokens)
            patch.setattr(chunks_module, "_MAX_CHUNK_TOKENS", chunk_tokens)
        try:
            mined = mine(corpus, chosen, Path(folder), threads=threads)
        except RelrepError:
            assert not expected[0] or len(expected[1]) < 2
            return
        found = _found(corpus, mined)
        assert found[0] == expected[0]
        assert list(found[1].items()) == list(expected[1].items())
        assert found[2] == expected[2]
        assert list(Path(folder).iterdir()) == [Path(folder) / "counts"]
        del mined
