"""Wrong answers in a file, for reading."""

import csv
from pathlib import Path

from relrep.analogy.evaluate import Evaluation
from relrep.core.files import written_whole

COLUMNS = ("set", "category", "measure", "question", "expected", "answered", "rank", "place")


def write_mistakes(evaluation: Evaluation, path: Path) -> int:
    """Writes one tab-separated line a wrong answer; returns how many there are.

    `rank` is the rank of the best right answer among the candidates or choices; empty where it has none.
    """
    count = 0
    with written_whole(path) as temporary, temporary.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, delimiter="\t", lineterminator="\n")
        writer.writerow(COLUMNS)
        for outcome in evaluation.outcomes:
            for wrong in outcome.mistakes():
                rank = "" if wrong.rank is None else wrong.rank
                writer.writerow(
                    (
                        outcome.name,
                        wrong.category,
                        outcome.titles[wrong.measure],
                        wrong.question,
                        wrong.expected,
                        wrong.answered,
                        rank,
                        wrong.place,
                    )
                )
                count += 1
    return count
