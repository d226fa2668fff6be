"""Evaluates word vectors on analogy questions (Google, SAT, SemEval-2012 Task 2, MSR, BATS, your own) and similarity.

VECTORS is a relrep model or any vectors file. A model with its corpus index is also asked with measures that read
the corpus at query time (†): PairPattern, PairMix, CosMix. Each score is printed with its protocol: among which
candidates the answer was sought, what became of unknown words, and how many questions could be answered at all.
"""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from relrep.cli.arguments import (
    BASE_OF,
    VECTOR_MEASURES,
    add_measure_arguments,
    add_question_arguments,
    add_set_argument,
    check_at_least,
    chosen_measures,
    model_with_evidence,
    question_sets,
)
from relrep.cli.console import print_json, show_progress
from relrep.errors import RelrepError

if TYPE_CHECKING:
    from relrep.analogy.evaluate import Evaluation
    from relrep.analogy.outcomes import Difference

ALONE = (*VECTOR_MEASURES, "pairboth")
"""The measures that read nothing but vectors; the last is for given pairs only."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("vectors", metavar="VECTORS", type=Path, help="a model folder or a vectors file")
    sets = parser.add_argument_group("question sets")
    add_question_arguments(sets)
    add_set_argument(
        sets, "relations", "BATS's folder, or a file of pairs: each pair held out in turn (3CosAvg, LRCos)"
    )
    add_set_argument(sets, "similarity", "word pairs with ratings (WordSim, SimLex, MEN …): Spearman's correlation")
    protocol = parser.add_argument_group("protocol")
    protocol.add_argument(
        "--case",
        choices=("auto", "lower", "keep"),
        default="auto",
        help="look words up as written and else in lower case (auto), in lower case, or as written",
    )
    protocol.add_argument(
        "--infer", action="store_true", help="words without a vector get one from their spelling; says what that opens"
    )
    protocol.add_argument("--multiword", action="store_true", help="terms of several words are the mean of their words")
    add_measure_arguments(protocol, tuple(BASE_OF), ALONE)
    more = parser.add_argument_group("more")
    more.add_argument("--against", metavar="B", type=Path, help="test the differences to these vectors (McNemar)")
    more.add_argument(
        "--rate", metavar="PERCENT", type=float, help="test each total against this rate (exact binomial)"
    )
    more.add_argument(
        "--errors", metavar="F", type=Path, help="write the wrong answers, with ranks, to F (tab-separated)"
    )
    more.add_argument("--limit", metavar="N", type=int, help="load only the first N words of the vectors")
    more.add_argument("--threads", metavar="N", type=int, help="how many threads (default: all cores)")
    more.add_argument("--markdown", action="store_true", help="print tables in Markdown")


def run(arguments: argparse.Namespace) -> int:
    """Evaluates, compares, prints."""
    if arguments.rate is not None and not 0 <= arguments.rate <= 100:
        raise RelrepError(f"--rate is {arguments.rate:g}; it is a percentage between 0 and 100")
    check_at_least(arguments, 1, "threads", "limit")
    first = _evaluate(arguments, arguments.vectors, arguments.errors)
    opened = _opened(arguments, first) if arguments.infer else {}
    second, differences = None, []
    if arguments.against is not None:
        from relrep.analogy.evaluate import compare

        second = _evaluate(arguments, arguments.against)
        differences = compare(first, second)
    if not arguments.json:
        _print_tables(first, second, differences, arguments)
        for name, (n, total) in opened.items():
            print(f"{name}: words inferred from their spelling opened {n:,} of {total:,} questions")
        return 0
    result = first.to_json(arguments.rate)
    if opened:
        result["opened"] = {name: n for name, (n, _) in opened.items()}
    if second is not None:
        tests = [each.to_json() for each in differences]
        result["against"] = {**second.to_json(arguments.rate), "differences": tests}
    print_json(result)
    return 0


def _opened(arguments: argparse.Namespace, inferred: "Evaluation") -> dict[str, tuple[int, int]]:
    """For each set how many questions inferred vectors opened, and of how many."""
    plain = _evaluate(argparse.Namespace(**{**vars(arguments), "infer": False, "evidence": False}), arguments.vectors)
    before = {outcome.name: outcome.covered for outcome in plain.outcomes}
    return {
        outcome.name: (int(outcome.covered.sum()) - int(before[outcome.name].sum()), len(outcome.covered))
        for outcome in inferred.outcomes
    }


def _evaluate(arguments: argparse.Namespace, path: Path, errors: Path | None = None) -> "Evaluation":
    from relrep.analogy.evaluate import evaluate
    from relrep.analogy.questions import Protocol
    from relrep.analogy.tables import write_mistakes
    from relrep.core.threads import available_threads
    from relrep.evidence.measures import evidence_measures
    from relrep.vectors.word_vectors import WordVectors

    sets = question_sets(arguments)
    measures, reading = chosen_measures(arguments, tuple(BASE_OF), ALONE)
    with show_progress(arguments.quiet) as progress:
        model = model_with_evidence(path, arguments) if reading and arguments.limit is None else None
        vectors = WordVectors.load(path, limit=arguments.limit, progress=progress) if model is None else model.vectors
        threads = arguments.threads or available_threads()
        offered = [] if model is None else evidence_measures(model, threads)
        found = evaluate(
            vectors,
            Protocol(
                arguments.candidates, arguments.oov, arguments.case, arguments.multiword, measures, arguments.infer
            ),
            extra_measures=[measure for measure in offered if measure.name in reading],
            threads=arguments.threads,
            name=path.name,
            progress=progress,
            **sets,
        )
        if errors is not None:
            write_mistakes(found, errors)
    return found


def _print_tables(
    first: "Evaluation",
    second: "Evaluation | None",
    differences: list["Difference"],
    arguments: argparse.Namespace,
) -> None:
    from relrep.analogy.tables import difference_table, result_tables

    tables = result_tables(first, arguments.rate)
    if second is not None:
        tables += [*result_tables(second, arguments.rate), *([difference_table(differences)] if differences else [])]
    said = [each.sentence for each in differences if each.section == "total"]
    if arguments.markdown:
        print("\n".join(table.to_markdown() for table in tables))
        print("\n".join(f"- {sentence}" for sentence in said), end="\n" if said else "")
        return
    from rich.console import Console

    console = Console()
    for table in tables:
        console.print(table.to_rich())
        console.print()
    for sentence in said:
        console.print(sentence, highlight=False, markup=False)
    if arguments.errors is not None:
        console.print(f"The wrong answers are in {arguments.errors}.", highlight=False, markup=False)
