"""Answers one analogy: A is to B as C is to what?

Shows the best candidates of the whole vocabulary (A, B and C excepted) under CosAdd, CosMult and PairDiff side by side.
"""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from relrep.cli.console import add_output_arguments, print_json, show_progress
from relrep.errors import RelrepError

if TYPE_CHECKING:
    from relrep.analogy.single import Candidate

HELP = "answer an analogy: man is to woman as king is to …"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `relrep analogy`."""
    parser.add_argument("vectors", metavar="VECTORS", type=Path, help="a model folder or a vectors file")
    parser.add_argument("a", metavar="A", help="as in A is to B …")
    parser.add_argument("b", metavar="B")
    parser.add_argument("c", metavar="C", help="… as C is to what?")
    parser.add_argument("--top", metavar="N", type=int, default=10, help="how many candidates (default: 10)")
    parser.add_argument(
        "--measure",
        action="append",
        choices=("cosadd", "cosmult", "pairdiff"),
        help="only this measure; may be given several times (default: all three)",
    )
    parser.add_argument("--candidates", metavar="N", type=int, help="only the first N words may be answers")
    parser.add_argument("--limit", metavar="N", type=int, help="load only the first N words of the vectors")
    add_output_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Solves, prints."""
    from relrep.analogy.protocol import MEASURES
    from relrep.analogy.single import solve
    from relrep.vectors import WordVectors

    for name in ("top", "candidates", "limit"):
        value = getattr(arguments, name)
        if value is not None and value < 1:
            raise RelrepError(f"--{name} is {value}; it must be at least 1")
    measures = tuple(dict.fromkeys(arguments.measure or MEASURES))
    with show_progress(arguments.quiet) as progress:
        vectors = WordVectors.load(arguments.vectors, limit=arguments.limit, progress=progress)
    a, b, c = arguments.a, arguments.b, arguments.c
    found = solve(vectors, a, b, c, arguments.top, measures, arguments.candidates)
    if arguments.json:
        best = {
            name: [{"word": each.word, "score": each.score} for each in candidates]
            for name, candidates in found.items()
        }
        print_json({"a": a, "b": b, "c": c, **best})
    else:
        _print_table(f"{a} : {b} :: {c} : ?", {MEASURES[name]: best for name, best in found.items()})
    return 0


def _print_table(title: str, columns: dict[str, list["Candidate"]]) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    table = Table(title=escape(title), title_justify="left")
    table.add_column("", justify="right")
    for name in columns:
        table.add_column(name)
        table.add_column("score", justify="right")
    for place in range(max(map(len, columns.values()))):
        cells = [
            cell
            for best in columns.values()
            for cell in ((best[place].word, f"{best[place].score:.4f}") if place < len(best) else ("", ""))
        ]
        table.add_row(str(place + 1), *map(escape, cells))
    Console().print(table)
