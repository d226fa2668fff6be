"""How long questions about relations take: relational search, its free slot, explanation and patterns.

    python benchmarks/search_speed.py MODEL [--queries 9]

The first question of each kind, which computes what the others share, stands beside the median of the later ones. The
queries are pairs of the model's table, evenly drawn; a plain loop over blocks that forms every difference and ranks by
PairDiff alone answers them too, for comparison.
"""

import argparse
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from relrep.core.linalg import top_rows
from relrep.core.threads import available_threads
from relrep.model.model import Model
from relrep.relations.explain import explain
from relrep.relations.patterns import ask_pattern
from relrep.relations.search import RelationSearch

BLOCK = 65_536
TOP = 20


def plain_search(search: RelationSearch, pair: tuple[int, int]) -> list[int]:
    """The rows of the pairs with the greatest |cos(u - v, q)|, every difference formed, a block at a time."""
    bound, unit = search.table.bound, search.unit
    query = unit[pair[0]] - unit[pair[1]]
    scores = np.empty(len(bound), dtype=np.float32)
    for low in range(0, len(bound), BLOCK):
        some = slice(low, low + BLOCK)
        differences = unit[bound.first[some]] - unit[bound.second[some]]
        scores[some] = np.abs(differences @ query) / np.maximum(np.linalg.norm(differences, axis=1), 1e-12)
    return [int(row) for row in top_rows(scores, TOP)]


def seconds(work: Callable[[], object]) -> float:
    """How long it takes."""
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def main() -> None:
    """Asks and prints a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("--queries", type=int, default=9)
    arguments = parser.parse_args()
    model = Model.load(arguments.model)
    search = RelationSearch(model, available_threads())
    bound, words, texts = search.table.bound, model.vocabulary.words, search.table.texts
    print(f"{len(bound):,} bound pairs, {len(words):,} words, d = {model.vectors.vector_size}")
    taken: dict[str, list[float]] = {}
    for number, row in enumerate(np.linspace(0, len(bound) - 1, arguments.queries + 1).astype(int).tolist()):
        ids = int(bound.first[row]), int(bound.second[row])
        first, second = words[ids[0]], words[ids[1]]
        questions: dict[str, Callable[[], object]] = {
            "search": lambda first=first, second=second: search.search([(first, second)], TOP),
            "the plain loop": lambda ids=ids: plain_search(search, ids),
            "a free slot": lambda first=first, second=second: search.complete([(first, second)], first, "first", TOP),
            "explanation": lambda first=first, second=second: explain(search, first, second),
            "pattern": lambda number=number: ask_pattern(model, texts[number % len(texts)], TOP),
        }
        for name, ask in questions.items():
            taken.setdefault(name, []).append(1000 * seconds(ask))
    print("milliseconds: first, median of the others")
    for name, times in taken.items():
        print(f"{name:20}{times[0]:9.1f}{statistics.median(times[1:]):9.1f}")


if __name__ == "__main__":
    main()
