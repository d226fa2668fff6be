"""How good relational search is, on the development sets: recall of BATS's pairs, precision among BLESS's.

    python benchmarks/relation_search.py MODEL --sets BENCHMARKS [--alpha 0 0.25 0.45] [--beta 0 0.1]

recall: one pair of a semantic relation of BATS is asked; which share of its other pairs that are bound is among the
first 50 answers? MAP: one pair of BLESS is asked, and all bound pairs of BLESS without its words are ranked; the mean
average precision of those of its relation. Means over relations; the same queries for every mix.
"""

import argparse
from pathlib import Path

import numpy as np

from relrep.model.model import Model
from relrep.relations.search import ALPHA, BETA, RelationSearch

SECTIONS = ("3_Encyclopedic_semantics", "4_Lexicographic_semantics")
FIRST = 50
BATS_QUERIES, BLESS_QUERIES = 8, 25
"""Of each relation."""
Pairs = dict[str, list[tuple[int, int]]]


def bound_only(search: RelationSearch, pairs: list[tuple[str, str]]) -> list[tuple[int, int]]:
    """The pairs whose words are bound, as ids."""
    ids = search.model.vocabulary.id_of
    known = [(ids[u], ids[v]) for u, v in pairs if u in ids and v in ids and u != v]
    return [pair for pair in known if search.table.row(*pair) is not None]


def bats(search: RelationSearch, sets: Path) -> Pairs:
    """The bound pairs of each semantic relation with at least three."""
    relations = {}
    for path in sorted(path for section in SECTIONS for path in (sets / "bats" / section).glob("*.txt")):
        lines = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]
        pairs = bound_only(search, [(line[0], line[1]) for line in lines if len(line) == 2])
        if len(pairs) >= 3:
            relations[path.stem] = pairs
    return relations


def bless(search: RelationSearch, sets: Path) -> Pairs:
    """The bound pairs of each relation, random ones too."""
    relations: dict[str, list[tuple[str, str]]] = {}
    for part in ("train", "val", "test"):
        for line in (sets / "bless" / f"{part}.tsv").read_text(encoding="utf-8").splitlines():
            u, v, relation = line.split("\t")
            relations.setdefault(relation, []).append((u, v))
    return {name: bound_only(search, pairs) for name, pairs in sorted(relations.items())}


def chosen(pairs: list[tuple[int, int]], n: int) -> list[tuple[int, int]]:
    """The same `n` of them each time."""
    order = np.random.default_rng(0).permutation(len(pairs))[:n]
    return [pairs[at] for at in sorted(order.tolist())]


def recall(search: RelationSearch, relations: Pairs) -> float:
    """The mean share of a relation's other pairs among the first answers to one of them."""
    of_relations = []
    for pairs in relations.values():
        shares = []
        for pair in chosen(pairs, BATS_QUERIES):
            straight, turned, *_ = search.scores([pair])
            scores, own = np.maximum(straight, turned), search.table.row(*pair)
            scores[own] = -np.inf
            best = set(np.argpartition(-scores, FIRST)[:FIRST].tolist())
            others = {search.table.row(*other) for other in pairs} - {own}
            shares.append(len(others & best) / len(others))
        of_relations.append(float(np.mean(shares)))
    return float(np.mean(of_relations))


def average_precision(search: RelationSearch, relations: Pairs) -> dict[str, float]:
    """By relation the mean average precision over its queries."""
    pairs = np.array([pair for some in relations.values() for pair in some])
    labels = np.array([name for name, some in relations.items() for _ in some])
    rows = np.array([search.table.row(*pair) for pair in pairs.tolist()])
    is_turned = pairs[:, 0] > pairs[:, 1]
    means = {}
    for name in (name for name in relations if name != "random"):
        precisions = []
        for pair in chosen(relations[name], BLESS_QUERIES):
            straight, turned, *_ = search.scores([pair])
            apart = ~np.isin(pairs, pair).any(axis=1)
            scores = np.where(is_turned, turned[rows], straight[rows])[apart]
            right = (labels[apart] == name)[np.argsort(-scores, kind="stable")]
            precision = np.cumsum(right) / np.arange(1, len(right) + 1)
            precisions.append(float(precision[right].mean()))
        means[name] = float(np.mean(precisions))
    return means


def main() -> None:
    """Prints a table of mixes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("--sets", type=Path, required=True)
    parser.add_argument("--alpha", type=float, nargs="+", default=[ALPHA])
    parser.add_argument("--beta", type=float, nargs="+", default=[BETA])
    given = parser.parse_args()
    search = RelationSearch(Model.load(given.model))
    of_bats, of_bless = bats(search, given.sets), bless(search, given.sets)
    print(f"{search.table.n_pairs:,} bound pairs; BATS {sum(map(len, of_bats.values()))} of {len(of_bats)} relations, "
          f"BLESS {sum(map(len, of_bless.values()))}")  # fmt: skip
    names = [name for name in of_bless if name != "random"]
    print("| α | β | recall at 50 | MAP | " + " | ".join(names) + " |\n" + "|---" * (4 + len(names)) + "|")
    for alpha in given.alpha:
        for beta in given.beta:
            search.alpha, search.beta = alpha, beta
            precision = average_precision(search, of_bless)
            overall = (recall(search, of_bats), float(np.mean([*precision.values()])))
            cells = [alpha, beta, *(f"{100 * share:.1f}" for share in overall)]
            cells += [f"{100 * precision[name]:.1f}" for name in names]
            print("| " + " | ".join(map(str, cells)) + " |", flush=True)


if __name__ == "__main__":
    main()
