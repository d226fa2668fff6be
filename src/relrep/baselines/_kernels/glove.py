"""GloVe's matrix cut into blocks that share no word, and the AdaGrad steps over one block.

Words are dealt into `groups` by frequency rank, back and forth, so that each group has as many frequent
words as any other. A block is a pair of groups: blocks without a common group touch different rows and can
run at once. Inside a block, a tile holds the entries whose more frequent word lies in one range of ranks:
these words stay in the cache while the rarer words pass by.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from relrep.baselines._kernels.sums import dot


@njit(cache=True, nogil=True, inline="always")
def group_of(word: int, groups: int) -> int:
    """The group of a word: 0 1 2 … G-1 G-1 … 2 1 0 0 1 2 …"""
    turn = word // groups
    place = word - turn * groups
    return place if turn % 2 == 0 else groups - 1 - place


@njit(cache=True, nogil=True, inline="always")
def bucket_of(rarer: int, other: int, groups: int, tile_words: int, tiles: int) -> int:
    """The place of an entry in the order (block, tile); a block (a, b), a <= b, has the number b (b + 1) / 2 + a."""
    a = group_of(rarer, groups)
    b = group_of(other, groups)
    if a > b:
        a, b = b, a
    tile = 0  # tiles of T, T, 2T, 4T, … words of a group: the rarer the words, the less a cache can help
    bound = tile_words
    rank = other // groups
    while rank >= bound and tile < tiles - 1:
        bound *= 2
        tile += 1
    return int((b * (b + 1) // 2 + a) * tiles + tile)


@njit(cache=True, nogil=True)
def measure_buckets(
    first: int,
    ends: NDArray[np.int64],
    columns: NDArray[np.int32],
    groups: int,
    tile_words: int,
    tiles: int,
    sizes: NDArray[np.int64],
) -> None:
    """Adds the number of entries of each bucket to `sizes`."""
    start = 0
    for index in range(ends.size):
        for k in range(start, ends[index]):
            sizes[bucket_of(first + index, columns[k], groups, tile_words, tiles)] += 1
        start = ends[index]


@njit(cache=True, nogil=True)
def fill_buckets(
    first: int,
    ends: NDArray[np.int64],
    columns: NDArray[np.int32],
    sums: NDArray[np.int64],
    unit: int,
    groups: int,
    tile_words: int,
    tiles: int,
    free: NDArray[np.int64],
    rarer: NDArray[np.int32],
    other: NDArray[np.int32],
    log_count: NDArray[np.float32],
) -> None:
    """Deals counted entries to their buckets; `free` says where a bucket's next entry goes and is moved on."""
    start = 0
    for index in range(ends.size):
        for k in range(start, ends[index]):
            bucket = bucket_of(first + index, columns[k], groups, tile_words, tiles)
            slot = free[bucket]
            rarer[slot] = first + index
            other[slot] = columns[k]
            log_count[slot] = np.float32(np.log(sums[k] / unit))
            free[bucket] = slot + 1
        start = ends[index]


@njit(cache=True, nogil=True, inline="always")
def next_random(state: np.uint64) -> np.uint64:
    """xorshift64*: one step of the generator."""
    state ^= state >> np.uint64(12)
    state ^= state << np.uint64(25)
    return state ^ (state >> np.uint64(27))


@njit(cache=True, nogil=True)
def shuffle_bucket(
    seed: int, rarer: NDArray[np.int32], other: NDArray[np.int32], log_count: NDArray[np.float32]
) -> None:
    """Shuffles a bucket in place: the rarer words among each other, and the entries of each of them.

    The entries of one rarer word stay together, so that its row is fetched once.
    """
    size = rarer.size
    state = np.uint64(seed) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(0x632BE59BD9B4E019)
    multiplier = np.uint64(0x2545F4914F6CDD1D)
    bounds = np.empty(size + 1, dtype=np.int64)
    runs = 0
    for k in range(size):
        if k == 0 or rarer[k] != rarer[k - 1]:
            bounds[runs] = k
            runs += 1
    bounds[runs] = size
    order = np.arange(runs)
    for k in range(runs - 1, 0, -1):
        state = next_random(state)
        pick = np.int64((state * multiplier) >> np.uint64(33)) % (k + 1)
        order[k], order[pick] = order[pick], order[k]
    old_rarer = rarer.copy()
    old_other = other.copy()
    old_log_count = log_count.copy()
    written = 0
    for run in order:
        start = bounds[run]
        length = bounds[run + 1] - start
        for k in range(length - 1, 0, -1):
            state = next_random(state)
            pick = np.int64((state * multiplier) >> np.uint64(33)) % (k + 1)
            i, j = start + k, start + pick
            old_other[i], old_other[j] = old_other[j], old_other[i]
            old_log_count[i], old_log_count[j] = old_log_count[j], old_log_count[i]
        rarer[written : written + length] = old_rarer[start : start + length]
        other[written : written + length] = old_other[start : start + length]
        log_count[written : written + length] = old_log_count[start : start + length]
        written += length


@njit(cache=True, nogil=True, error_model="numpy")
def train_block(
    rarer: NDArray[np.int32],
    other: NDArray[np.int32],
    log_count: NDArray[np.float32],
    word: NDArray[np.float32],
    context: NDArray[np.float32],
    word_squares: NDArray[np.float32],
    context_squares: NDArray[np.float32],
    bias: NDArray[np.float32],
    log_x_max: np.float32,
    alpha: np.float32,
    learning_rate: np.float32,
) -> float:
    """One AdaGrad step for each of the two directions of every entry; returns the loss before the steps.

    loss = 1/2 · min(1, (x / x_max)^alpha) · (w · c + b_w + b_c - log x)²

    A row of `bias` is (word's bias, context's bias, and the sums of the squares of their gradients).
    """
    loss = 0.0
    size = word.shape[1]
    for entry in range(rarer.size):
        u = rarer[entry]
        v = other[entry]
        target = log_count[entry]
        weight = np.float32(1)
        if target < log_x_max:
            weight = np.exp(alpha * (target - log_x_max))
        for _ in range(2):
            w = word[u]
            c = context[v]
            w_squares = word_squares[u]
            c_squares = context_squares[v]
            error = dot(w, c) + (bias[u, 0] + bias[v, 1] - target)
            slope = weight * error
            loss += 0.5 * slope * error
            slope *= learning_rate
            for k in range(size):
                for_w = slope * c[k]
                for_c = slope * w[k]
                w[k] -= for_w / np.sqrt(w_squares[k])
                c[k] -= for_c / np.sqrt(c_squares[k])
                w_squares[k] += for_w * for_w
                c_squares[k] += for_c * for_c
            bias[u, 0] -= slope / np.sqrt(bias[u, 2])
            bias[v, 1] -= slope / np.sqrt(bias[v, 3])
            bias[u, 2] += slope * slope
            bias[v, 3] += slope * slope
            if u == v:
                break
            u, v = v, u
    return loss
