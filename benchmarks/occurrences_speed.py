"""How fast does a model with a corpus index find where two words meet? Against NumPy on the same index, in turn.

    python benchmarks/occurrences_speed.py MODEL --pairs 300

The twin cuts, for each place of the rarer word, the window out of the other word's places by binary search and
keeps what lies in the same sentence. Random pairs of words among the 30,000 most frequent (less the first 200).
"""

import argparse
import statistics
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from relrep.evidence.occurrences import find_occurrences
from relrep.evidence.profiles import ProfileMiner
from relrep.model.model import Model
from relrep.text.encoded import SENTENCE_END
from relrep.text.index import CorpusIndex

GAP = 5


def numpy_twin(index: CorpusIndex, sentences: NDArray[np.int32], u: int, v: int) -> int:
    """The number of meetings, without a kernel."""
    rarer, other = (u, v) if index.count(u) <= index.count(v) else (v, u)
    here, there = index.positions_of(rarer), index.positions_of(other)
    low = np.searchsorted(there, here - (GAP + 1))
    high = np.searchsorted(there, here + (GAP + 1), side="right")
    which = np.repeat(np.arange(len(here)), high - low)
    offset = np.arange(len(which)) - np.repeat(np.cumsum(high - low) - (high - low), high - low)
    found = there[low[which] + offset]
    return int(np.count_nonzero(sentences[found] == sentences[here[which]]))


def main() -> None:
    """Races the two and mines the profiles of all pairs at once."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("--pairs", type=int, default=300)
    parser.add_argument("--profiles", type=int, default=143_000)
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()
    index = Model.load(arguments.model).require_index()
    sentences = np.cumsum(np.asarray(index.tokens) == SENTENCE_END, dtype=np.int32)
    rng = np.random.default_rng(1)
    last = min(30_000, index.n_words)
    pairs = rng.integers(min(200, last // 2), last, size=(arguments.pairs, 2)).tolist()
    find_occurrences(index, 0, 1, GAP)  # compiles the kernel
    ours, twins = [], []
    for number, (u, v) in enumerate((u, v) for u, v in pairs if u != v):
        found = []
        for turn in (number, number + 1):  # who comes first meets cold memory: take turns
            start = time.perf_counter()
            found.append(numpy_twin(index, sentences, u, v) if turn % 2 else len(find_occurrences(index, u, v, GAP)))
            (twins if turn % 2 else ours).append(time.perf_counter() - start)
        assert found[0] == found[1], (u, v, found)
    print(f"{len(index.tokens):,} tokens, {len(ours)} pairs")
    print(f"a pair: mean {statistics.mean(ours) * 1e3:.2f} ms, median {statistics.median(ours) * 1e3:.2f} ms")
    print(f"NumPy twin: mean {statistics.mean(twins) * 1e3:.2f} ms; {sum(twins) / sum(ours):.1f} times ours")
    many = rng.integers(100, last, size=(arguments.profiles, 2))
    miner = ProfileMiner(index, GAP, arguments.threads)
    miner.mine(many[:10])
    start = time.perf_counter()
    mined = miner.mine(many)
    seconds = time.perf_counter() - start
    print(f"profiles of {len(mined):,} random pairs at once: {seconds:.1f} s, {arguments.threads} threads")


if __name__ == "__main__":
    main()
