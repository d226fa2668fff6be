"""The whole chain on the embedded corpus, a small world in simple English; nothing is downloaded.

Mines word pairs and patterns, trains, shows the strongest patterns, a few relations, and how many analogy questions are
answered before and after training; then compares four systems on the same text in a report. The files stay in --out.
"""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from relrep.cli.arguments import thread_count
from relrep.cli.console import show, show_progress
from relrep.errors import RelrepError

if TYPE_CHECKING:
    from relrep.demo import Demonstration

DEFAULT_TOKENS = 2_000_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--out", metavar="DIR", type=Path, default=Path("relrep-demo"), help="where the files go")
    parser.add_argument("--tokens", metavar="N", type=int, default=DEFAULT_TOKENS, help="size of the text")
    parser.add_argument("--threads", metavar="N", type=int, help="how many threads (default: all cores)")
    parser.add_argument("--no-report", action="store_true", help="leave the comparison of systems out")


def run(arguments: argparse.Namespace) -> int:
    """Runs the demonstration and shows it."""
    from relrep.demo import demonstrate

    if arguments.tokens < 100_000:
        raise RelrepError(f"--tokens is {arguments.tokens}; the small world needs at least 100000 to say anything")
    with show_progress(arguments.quiet) as progress:
        shown = demonstrate(arguments.out, arguments.tokens, thread_count(arguments), not arguments.no_report, progress)
    return show(arguments, _as_json(shown), _lines(shown, arguments.out))


def _lines(shown: "Demonstration", out: Path) -> list[str]:
    corpus = shown.model.config["corpus"]
    relations = shown.model.require_relations()
    lines = [
        f"A small world of {corpus['tokens']:,} tokens: {relations.n_pairs:,} bound pairs, "
        f"{relations.n_patterns:,} patterns.",
        "",
        "The most frequent patterns of two words, and the pairs they are most telling of",
    ]
    lines += [f"  {label:24} {count:7,}  {', '.join(pairs)}" for label, count, pairs in shown.patterns]
    for explained in shown.relations:
        lines += ["", f"How are {explained.first} and {explained.second} related?"]
        lines += [f"  {pattern.label}  ({pattern.count:,} times)" for pattern in explained.patterns]
        lines += ["  like " + ", ".join(f"{pair.first}–{pair.second}" for pair in explained.alike)]
    lines += ["", "Analogy questions answered right (%)     before   after training"]
    names = {"google": "what completes a : b :: c : ?", "sat": "which pair is related alike?"}
    measures = {"cosadd": "CosAdd", "cosmult": "CosMult", "pairdiff": "PairDiff"}
    for each in shown.accuracies:
        lines.append(f"  {names[each.questions]:30} {measures[each.measure]:9}{each.before:6.1f}  {each.after:6.1f}")
    lines += ["", f"The model is in {out / 'model'}: try  relrep relation {out / 'model'} kitten cat"]
    if shown.report is not None:
        lines.append(f"Four systems on this text, side by side: {shown.report}")
    return lines


def _as_json(shown: "Demonstration") -> dict[str, object]:
    from dataclasses import asdict

    return {
        "model": str(shown.model.folder),
        "patterns": [{"pattern": p, "occurrences": n, "pairs": pairs} for p, n, pairs in shown.patterns],
        "relations": [asdict(explained) for explained in shown.relations],
        "accuracies": [asdict(each) for each in shown.accuracies],
        "report": str(shown.report) if shown.report else None,
    }
