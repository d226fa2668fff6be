"""Forty questions about relations, with the first ten pairs and the first five patterns as they come, good and bad.

python benchmarks/relation_queries.py MODEL > answers.md
"""

import argparse
import time

import relrep

QUERIES = {
    "Facts": "paris france, yen japan, darwin evolution, einstein physicist, nile egypt, hamlet shakespeare, "
    "toyota cars, lisbon portuguese, moon earth, gandhi india",
    "Parts and kinds": "ostrich bird, banana fruit, copper metal, wheel car, finger hand, tree forest, soldier army, "
    "piano instrument, petal flower, chapter book",
    "Acts and effects": "virus disease, bee honey, author book, earthquake damage, knife cut, doctor hospital, "
    "bread flour, teacher student, smoke fire, carpenter hammer",
    "Opposites and degrees": "hot cold, rich poor, buy sell, rise fall, male female, happy sad, warm hot, "
    "good excellent, before after, big large",
}


def main() -> None:
    """Prints Markdown."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    model = relrep.load(parser.parse_args().model)
    model.relation("king", "queen")  # everything is open before the clock starts
    seconds: dict[str, list[float]] = {"search": [], "relation": []}
    for group, queries in QUERIES.items():
        print(f"\n### {group}\n\n| asked | pairs | patterns |\n|---|---|---|")
        for query in queries.split(", "):
            first, second = query.split()
            begin = time.perf_counter()
            pairs = model.search(first, second, n=10)
            seconds["search"].append(time.perf_counter() - begin)
            begin = time.perf_counter()
            told = model.relation(first, second, n=5)
            seconds["relation"].append(time.perf_counter() - begin)
            shown = ", ".join(f"{pair.first}–{pair.second}" for pair in pairs)
            patterns = [f"{each.label} ({each.count or 'inferred'})" for each in told.patterns]
            contrast = ["*opposites or alternatives*"] if told.contrasts else []
            print(f"| {first} – {second} | {shown} | {'; '.join(contrast + patterns) or 'nothing to say'} |")
    for what, all_seconds in seconds.items():
        ordered = sorted(all_seconds)
        print(f"\n{what}: median {1000 * ordered[len(ordered) // 2]:.0f} ms, slowest {1000 * ordered[-1]:.0f} ms")


if __name__ == "__main__":
    main()
