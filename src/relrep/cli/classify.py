"""Trains and tests a relation classifier: logistic regression over features of word pairs.

The pairs are lines of word1<TAB>word2<TAB>relation. With --validation the regularisation is chosen on these pairs.
"""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from relrep.cli.console import show, show_progress

if TYPE_CHECKING:
    from relrep.relations.classify import ClassificationReport


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("vectors", metavar="VECTORS", type=Path, help="a model folder or a vectors file")
    parser.add_argument("--train", metavar="TSV", type=Path, required=True, help="pairs to learn from")
    parser.add_argument("--test", metavar="TSV", type=Path, required=True, help="pairs to test on")
    parser.add_argument("--validation", metavar="TSV", type=Path, help="pairs to choose the regularisation on")
    parser.add_argument(
        "--kinds",
        default="diff,concat,product",
        help="features, joined by commas: diff, concat, product, patterns (default: diff,concat,product)",
    )
    parser.add_argument("--evidence", metavar="MODEL", type=Path, help="the model whose corpus the patterns come from")
    parser.add_argument("--patterns", metavar="N", type=int, default=20_000, help="use the N patterns that join most")
    parser.add_argument("--seed", type=int, default=1, help="of the random baseline (default: 1)")


def run(arguments: argparse.Namespace) -> int:
    """Loads vectors and pairs, trains, tests, prints."""
    from dataclasses import asdict

    from relrep.model.model import Model
    from relrep.relations.features import PairFeatures  # first: it tells where scikit-learn is missing
    from relrep.vectors.formats.safetensors import is_model

    from relrep.relations.classify import classify, read_labelled_pairs  # isort: skip
    from relrep.vectors.word_vectors import WordVectors

    train, test = read_labelled_pairs(arguments.train), read_labelled_pairs(arguments.test)
    validation = read_labelled_pairs(arguments.validation) if arguments.validation else None
    with show_progress(arguments.quiet) as progress:
        vectors: Model | WordVectors
        if is_model(arguments.vectors):
            vectors = Model.load(arguments.vectors)
        else:
            wanted = {word for part in (train, test, validation) if part for pair in part.pairs for word in pair}
            vectors = WordVectors.load(arguments.vectors, words=wanted, progress=progress)
        features = PairFeatures(
            vectors,
            kinds=tuple(kind.strip() for kind in arguments.kinds.split(",") if kind.strip()),
            evidence=Model.load(arguments.evidence) if arguments.evidence else None,
            n_patterns=arguments.patterns,
        )
        report = classify(features, train, test, validation, arguments.seed, progress)
    return show(arguments, asdict(report), _lines(report))


def _lines(report: "ClassificationReport") -> list[str]:
    width = max(len(scores.label) for scores in report.classes)
    lines = [f"{'':{width}}  precision  recall      f1   pairs"]
    for c in report.classes:
        lines.append(f"{c.label:{width}}  {c.precision:9.3f} {c.recall:7.3f} {c.f1:7.3f} {c.support:7,}")
    lines += ["", "            accuracy  macro f1  weighted f1"]
    for name, scores in (("classifier", report.scores), ("majority", report.majority), ("random", report.random)):
        lines.append(f"{name:10}  {scores.accuracy:8.3f}  {scores.macro_f1:8.3f}  {scores.weighted_f1:11.3f}")
    seen = f", {report.seen:.1%} meet in the corpus" if report.seen is not None else ""
    lines += [
        "",
        f"features {' + '.join(report.kinds)} ({report.n_features:,}), C = {report.strength:g}, "
        f"{report.n_train:,} training and {report.n_test:,} test pairs; "
        f"of these {report.coverage:.1%} have both vectors{seen}",
    ]
    return lines
