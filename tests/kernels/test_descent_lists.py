"""Lists of the words that an instance needs, against sets and dictionaries."""

import numpy as np
import pytest

from relrep.kernels.descent_lists import list_all, list_words

N_WORDS = 40  # the last is in no pattern


def _entries(words, weights):
    return np.array(words, np.uint64) << np.uint64(32) | np.array(weights, np.float32).view(np.uint32)


@pytest.mark.parametrize("sizes", [(0, 0), (0, 5), (7, 0), (9, 12), (39, 20), (39, 39)])
def test_words_of_two_patterns_with_what_was_due(sizes):
    rng = np.random.default_rng(sizes)
    last_in, due = np.zeros(N_WORDS, np.uint32), np.zeros(N_WORDS, np.uint64)
    listed, weights = np.empty(N_WORDS + 1, np.uint64), np.empty(2 * (N_WORDS + 1), np.uint64)
    held = dict.fromkeys(range(N_WORDS), (0, 0.0, 0.0))

    def check(n, own):
        assert n % 2 == 0
        words = (listed[:n] & np.uint64(0xFFFFFFFF)).tolist()
        if len(own) % 2:
            assert words.pop() == N_WORDS - 1
        assert words == sorted(own)
        for at, word in enumerate(words):
            assert (int(listed[at]) >> 32, *weights.view(np.float32)[4 * at : 4 * at + 2]) == held[word]
            assert tuple(weights.view(np.float32)[4 * at + 2 : 4 * at + 4]) == own[word]

    for number in (1, 2, 3):
        rows = [np.sort(rng.permutation(N_WORDS - 1)[:size]) for size in sizes]
        values = [rng.normal(size=size).astype(np.float32) for size in sizes]
        entries = np.concatenate([_entries(row, value) for row, value in zip(rows, values, strict=True)])
        left, right = (dict(zip(row.tolist(), value, strict=True)) for row, value in zip(rows, values, strict=True))
        own = {word: (left.get(word, 0.0), right.get(word, 0.0)) for word in {*left, *right}}
        n = list_words(0, sizes[0], sizes[0], sum(sizes), entries, number, last_in, due, listed, weights)
        check(n, own)
        held |= {word: (number, *of_word) for word, of_word in own.items()}
    if sum(sizes):
        held[N_WORDS - 1] = (int(last_in[-1]), 0.0, 0.0)  # it may have filled up
    check(list_all(last_in, due, listed, weights), dict.fromkeys(range(N_WORDS), (0.0, 0.0)))
    assert not last_in.any()
    assert not due.any()
