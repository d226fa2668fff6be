"""How fast is relational search over millions of pairs? Exact search against a blocked NumPy twin and usearch.

    python benchmarks/search_speed.py --pairs 2000000 --words 200000 --dim 100

All answer the same queries in one run, in turn; the twin forms every difference, block by block, as one
would write it down. Printed are seconds a query (median), the ratio to the twin, and how many of the twin's
best 20 pairs are found.
"""

import argparse
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from relrep.relations.approximate import ApproximatePairs
from relrep.relations.space import RelationSpace, best, space_of

from relrep.model.model import Model
from relrep.model.relations import Relations
from relrep.relations.search import search_pairs
from relrep.text.vocabulary import Vocabulary
from relrep.vectors.word_vectors import WordVectors

BLOCK = 65_536
TOP = 20


def random_model(n_pairs: int, n_words: int, dim: int) -> Model:
    """Words in clusters; pairs of words drawn by Zipf's law, as text would have them."""
    rng = np.random.default_rng(1)
    centres = rng.normal(size=(300, dim)).astype(np.float32)
    vectors = centres[rng.integers(300, size=n_words)] + 0.6 * rng.normal(size=(n_words, dim)).astype(np.float32)
    codes = np.zeros(0, dtype=np.int64)
    while len(codes) < n_pairs:
        drawn = (n_words ** rng.random((2, n_pairs))).astype(np.int64) - 1
        codes = np.unique(np.concatenate([codes, (drawn[0] * n_words + drawn[1])[drawn[0] != drawn[1]]]))
    codes = np.sort(rng.permutation(codes)[:n_pairs])
    relations = Relations(
        u=(codes // n_words).astype(np.int32),
        v=(codes % n_words).astype(np.int32),
        sentences=np.full(n_pairs, 50),
        texts=["of"],
        kinds=["unigram"],
        reversed=np.zeros(1, dtype=np.bool_),
        occurrences=np.array([n_pairs]),
        weights=np.array([float(n_pairs)]),
        indptr=np.arange(n_pairs + 1),
        pattern=np.zeros(n_pairs, dtype=np.int32),
        weight=np.ones(n_pairs, dtype=np.float32),
        count=np.ones(n_pairs, dtype=np.int64),
    )
    vocabulary = Vocabulary([f"w{word}" for word in range(n_words)], np.arange(n_words, 0, -1))
    words = WordVectors(vocabulary.words, vectors)
    return Model(Path(), {}, vocabulary, words, None, relations, None)


def blocked_twin(space: RelationSpace, query: NDArray[np.float64]) -> NDArray[np.float32]:
    """cos(u − v, q) for all pairs with every difference formed, a block at a time."""
    u, v, unit = space.mined.u, space.mined.v, space.unit
    direction = (query / np.linalg.norm(query)).astype(np.float32)
    scores = np.empty(len(u), dtype=np.float32)
    for begin in range(0, len(u), BLOCK):
        part = slice(begin, begin + BLOCK)
        differences = unit[u[part]] - unit[v[part]]
        scores[part] = differences @ direction / np.maximum(np.linalg.norm(differences, axis=1), 1e-12)
    return scores


def timed(answer: Callable[[], object]) -> tuple[float, object]:
    """Seconds and answer."""
    start = time.perf_counter()
    value = answer()
    return time.perf_counter() - start, value


def main() -> None:
    """Builds the random model and races the three."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=2_000_000)
    parser.add_argument("--words", type=int, default=200_000)
    parser.add_argument("--dim", type=int, default=100)
    parser.add_argument("--queries", type=int, default=9)
    parser.add_argument("--approximate", action="store_true", help="also build and race usearch (minutes)")
    arguments = parser.parse_args()
    model = random_model(arguments.pairs, arguments.words, arguments.dim)
    search_pairs(random_model(1000, 1000, 8), [("w0", "w1")])  # compiles the kernels
    space = space_of(model)
    first, _ = timed(lambda: search_pairs(model, [("w0", "w1")], TOP))
    print(f"{arguments.pairs:,} pairs, {arguments.words:,} words, d = {arguments.dim}, {space.threads} threads")
    print(f"first exact query, with the lengths of all differences: {first:.3f} s")
    approximate = None
    if arguments.approximate:
        seconds, approximate = timed(lambda: ApproximatePairs.build(model))
        print(f"building the approximate index: {seconds:.0f} s")
    times: dict[str, list[float]] = {"twin": [], "exact": [], "approximate": []}
    found = {"exact": 0, "approximate": 0}
    total = 0
    for number in range(arguments.queries):
        pair = [(f"w{17 * number + 5}", f"w{31 * number + 1000}")]
        query = space.mean_difference([(17 * number + 5, 31 * number + 1000)])
        seconds, scores = timed(lambda query=query: blocked_twin(space, query))  # type: ignore[misc]
        times["twin"].append(seconds)
        order = best(np.abs(scores), TOP)  # type: ignore[call-overload]
        wanted = {frozenset((f"w{space.mined.u[row]}", f"w{space.mined.v[row]}")) for row in order}
        wanted.discard(frozenset(pair[0]))
        total += len(wanted)
        contestants = {"exact": lambda pair=pair: search_pairs(model, pair, TOP)}
        if approximate is not None:
            contestants["approximate"] = lambda pair=pair: approximate.search(pair, TOP)  # type: ignore[attr-defined]
        for name, answer in contestants.items():
            seconds, pairs = timed(answer)
            times[name].append(seconds)
            found[name] += len(wanted & {frozenset((p.first, p.second)) for p in pairs})  # type: ignore[attr-defined]
    twin = statistics.median(times["twin"])
    print(f"NumPy twin, blocks of {BLOCK:,}: {twin:.3f} s a query")
    for name in found:
        if times[name]:
            median = statistics.median(times[name])
            share = found[name] / total
            print(f"{name}: {median:.3f} s a query, {twin / median:.1f} times the twin's speed, finds {share:.1%}")


if __name__ == "__main__":
    main()
