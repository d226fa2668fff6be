"""Counting for GloVe against a plain double loop."""

import math
from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from relrep.baselines.glove_counts import GROUPS, arranged, count_cooccurrences, groups_of, rounds, unit_of
from relrep.reference.baselines import cooccurrences
from relrep.text.encoded import SENTENCE_END, EncodedCorpus

WORDS = "abcdefgh"
corpora = st.lists(st.lists(st.sampled_from(WORDS), max_size=12), min_size=1, max_size=12)


def plain_counts(corpus: EncodedCorpus, window: int) -> dict[tuple[int, int], Fraction]:
    """The counts of the reference, by ids."""
    sentences: list[list[str | None]] = [[]]
    for token in corpus.tokens.tolist():
        if token == SENTENCE_END:
            sentences.append([])
        else:
            sentences[-1].append(corpus.vocabulary.words[token] if token >= 0 else None)
    ids = corpus.vocabulary.id_of
    return {(ids[u], ids[v]): count for (u, v), count in cooccurrences(sentences, window).items()}


def fast_counts(corpus: EncodedCorpus, window: int, threads: int, memory: int) -> dict[tuple[int, int], Fraction]:
    unit = unit_of(window)
    counts = {}
    for run in count_cooccurrences(corpus, window, threads, memory):
        start = 0
        for index, end in enumerate(run.ends.tolist()):
            for k in range(start, end):
                u, v = run.first + index, int(run.columns[k])
                counts[u, v] = counts[v, u] = Fraction(int(run.sums[k]), unit)
            start = end
    return counts


@settings(max_examples=60, deadline=None)
@given(corpora, st.integers(1, 12), st.integers(1, 3), st.sampled_from([16, 200, 1 << 20]))
def test_counts_are_those_of_a_double_loop(sentences, window, min_count, memory):
    corpus = EncodedCorpus.from_sentences(sentences, min_count)
    expected = plain_counts(corpus, window)
    assert fast_counts(corpus, window, 1, memory) == expected
    assert fast_counts(corpus, window, 3, memory) == expected


@settings(max_examples=20, deadline=None)
@given(corpora, st.sampled_from([0, 1 << 20]))
def test_arranging_keeps_every_count_and_separates_blocks(tmp_path_factory, sentences, memory):
    corpus = EncodedCorpus.from_sentences(sentences)
    words = len(corpus.vocabulary)
    runs = count_cooccurrences(corpus, 3, 1, 1 << 20)
    scratch = tmp_path_factory.mktemp("scratch")
    with arranged(runs, words, unit_of(3), 64, 1, 2, memory, scratch) as blocks:
        entries = blocks.entries
        held = {
            (int(u), int(v)): float(x) for u, v, x in zip(entries.rarer, entries.other, entries.log_count, strict=True)
        }
        assert blocks.bounds[0] == 0
        assert blocks.bounds[-1] == len(entries.rarer)
        for block in range(len(blocks.bounds) - 1):
            part = slice(int(blocks.bounds[block]), int(blocks.bounds[block + 1]))
            a, b = np.sort([groups_of(entries.rarer[part]), groups_of(entries.other[part])], axis=0)
            assert (b * (b + 1) // 2 + a == block).all()
    assert not list(scratch.iterdir())
    expected = {pair: x for pair, x in plain_counts(corpus, 3).items() if pair[1] <= pair[0]}
    assert held.keys() == expected.keys()
    for pair, x in expected.items():
        assert math.isclose(held[pair], math.log(x), rel_tol=1e-6, abs_tol=1e-6)


def test_rounds_play_every_block_once_and_share_no_group():
    seen = []
    names = {b * (b + 1) // 2 + a: {a, b} for b in range(GROUPS) for a in range(b + 1)}
    for blocks in rounds():
        groups = [group for block in blocks for group in names[block]]
        assert len(groups) == len(set(groups))
        seen += blocks
    assert sorted(seen) == sorted(names)


def test_groups_share_the_frequent_words():
    sizes = np.bincount(groups_of(np.arange(10 * GROUPS, dtype=np.int32)))
    assert sizes.tolist() == [10] * GROUPS
