"""Relation classification on BLESS, as in docs/results/bless.md: vectors and mined patterns, two splits.

    python benchmarks/bless.py BLESS_DIR --vectors glove.100d.txt --vectors MODEL --evidence MODEL

BLESS_DIR holds train.tsv, val.tsv and test.tsv, a random split in which words are shared between the parts, so
that a classifier can learn words by heart. The second, lexical, split parts all words (60 / 10 / 30 %) and keeps
the pairs whose two words fell into the same part. Prints a Markdown table, one row as soon as it is there.
"""

import argparse
import random
from collections import defaultdict
from pathlib import Path

from relrep.model.model import Model
from relrep.relations.classify import LabelledPairs, classify, read_labelled_pairs
from relrep.relations.features import PairFeatures
from relrep.vectors.formats.safetensors import is_model
from relrep.vectors.word_vectors import WordVectors

PARTS = ("train", "val", "test")
KINDS = (
    ("diff",),
    ("concat",),
    ("diff", "concat", "product"),
    ("patterns",),
    ("diff", "concat", "product", "patterns"),
)
Split = dict[str, LabelledPairs]


def lexical_split(split: Split, seed: int = 1) -> Split:
    """The same pairs with no word in two parts; pairs across parts are left out."""
    rows = [(*pair, label) for part in PARTS for pair, label in zip(split[part].pairs, split[part].labels, strict=True)]
    concepts = sorted({u for u, _, _ in rows})
    others = sorted({v for _, v, _ in rows} - set(concepts))
    generator = random.Random(seed)
    part_of = {}
    for words in (concepts, others):
        generator.shuffle(words)
        for place, word in enumerate(words):
            share = place / len(words)
            part_of[word] = "train" if share < 0.6 else "val" if share < 0.7 else "test"
    kept = defaultdict(list)
    for u, v, label in rows:
        if part_of[u] == part_of[v]:
            kept[part_of[u]].append((u, v, label))
    return {
        part: LabelledPairs(tuple((u, v) for u, v, _ in kept[part]), tuple(label for _, _, label in kept[part]))
        for part in PARTS
    }


def main() -> None:
    """Runs all vectors, splits and kinds of features."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bless", type=Path)
    parser.add_argument("--vectors", type=Path, action="append", required=True)
    parser.add_argument("--evidence", type=Path, required=True)
    arguments = parser.parse_args()
    shared = {part: read_labelled_pairs(arguments.bless / f"{part}.tsv") for part in PARTS}
    splits = {"random": shared, "lexical": lexical_split(shared)}
    words = {word for part in PARTS for pair in shared[part].pairs for word in pair}
    evidence = Model.load(arguments.evidence)
    labels = sorted(set(shared["test"].labels))
    print(f"| split | vectors | features | accuracy | macro F1 | {' | '.join(labels)} |")
    print("|---" * (5 + len(labels)) + "|")
    for path in arguments.vectors:
        vectors = Model.load(path) if is_model(path) else WordVectors.load(path, words=words)
        for name, split in splits.items():
            for kinds in KINDS:
                features = PairFeatures(vectors, kinds, evidence)
                report = classify(features, split["train"], split["test"], split["val"])
                cells = [name, path.name, " + ".join(kinds)]
                cells += [f"{100 * value:.1f}" for value in (report.scores.accuracy, report.scores.macro_f1)]
                cells += [f"{100 * scores.f1:.1f}" for scores in report.classes]
                print(f"| {' | '.join(cells)} |", flush=True)
            for guess in ("majority", "random"):
                scores = getattr(report, guess)
                print(f"| {name} | | {guess} | {100 * scores.accuracy:.1f} | {100 * scores.macro_f1:.1f} |", flush=True)


if __name__ == "__main__":
    main()
