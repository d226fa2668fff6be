"""What training does to each section of the Google questions, drawn from the report of a comparison.

    python benchmarks/sections_figure.py REPORT.json OUT.svg

A line a section: from the vectors that relrep started from to those that it made of them, CosAdd.
"""

import argparse
import json
from pathlib import Path
from typing import Any

from matplotlib import rc_context
from matplotlib.figure import Figure

from relrep.compare.settings import title_of


def sections(report: dict[str, Any], system: str) -> dict[str, float]:
    """The accuracy of a system in each section of the Google set, in percent."""
    found = next(each for each in report["systems"] if each["system"] == system)
    categories: dict[str, float] = found["evaluation"]["google"]["cosadd"]["categories"]
    return categories


def main() -> None:
    """Reads, draws."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("report", type=Path)
    parser.add_argument("out", type=Path)
    arguments = parser.parse_args()
    report = json.loads(arguments.report.read_text(encoding="utf-8"))
    start = report["settings"]["init"]
    before, after = sections(report, start), sections(report, "relrep-pairs")
    names = sorted(before, key=lambda name: after[name] - before[name])
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "sections", "font.size": 9}):
        figure = Figure(figsize=(7, 4.2), layout="constrained")
        axes = figure.subplots()
        heights = range(len(names))
        axes.hlines(heights, [before[n] for n in names], [after[n] for n in names], color="0.75", linewidth=3)
        axes.plot([before[n] for n in names], heights, "o", label=f"{title_of(start)}, the start")
        axes.plot([after[n] for n in names], heights, "D", label="relrep (pairs)")
        axes.set_yticks(heights, names)
        axes.set_xlim(0, 100)
        axes.set_xlabel(f"Google, CosAdd, percent ({report['corpus']['tokens'] / 1e6:.1f} M tokens)")
        axes.grid(axis="x", alpha=0.3)
        axes.legend(loc="upper left")
        figure.savefig(arguments.out, metadata={"Date": None})


if __name__ == "__main__":
    main()
