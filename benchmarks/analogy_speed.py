"""How long one question takes on the command line, from the start of Python to its end, and where the time goes.

    python benchmarks/analogy_speed.py MODEL [--vectors VECTORS.safetensors] [--rounds 9]

Each command runs in a process of its own, in turn with the others. The bytecode of all modules is kept (in a temporary
folder, whatever the environment says), as it is in an installed package; the first round, which fills it and the file
cache, is not counted. The processor's time stands beside the clock's: on a busy machine only the former means much.
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

STEPS = """
import json, sys, time
taken, last = {}, time.perf_counter()
def step(name):
    global last
    now = time.perf_counter()
    taken[name], last = 1000 * (now - last), time.perf_counter()
import numpy
step("import NumPy")
from relrep.cli.main import build_parser
build_parser("analogy")
step("the command line's modules")
from relrep.analogy.solve import best_rows, question_rows
from relrep.analogy.terms import TermTable
from relrep.evidence.evidence import Evidence
from relrep.evidence.rerank import rerank_candidates
from relrep.model.model import Model
step("the library's modules")
model = Model.load(sys.argv[1])
step("open and check the model")
terms = TermTable(model.vectors)
rows = question_rows(terms, *sys.argv[2:5])
step("find the three words, zero vectors")
best = best_rows(terms, rows, 30)
step("search")
evidence = Evidence.of(model)
rerank_candidates(model, evidence, terms, rows.tolist(), best["cosadd"][0], 10)
step("mine and compare 31 pairs")
from rich.console import Console
from rich.table import Table
Console(file=open("/dev/null", "w")).print(Table())
step("rich")
print(json.dumps(taken))
"""


def main() -> None:
    """Measures and prints two tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("--vectors", type=Path)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--words", nargs=3, default=["man", "woman", "king"])
    arguments = parser.parse_args()
    model, words = str(arguments.model), arguments.words
    relrep = [sys.executable, "-m", "relrep"]
    commands = {
        "python -c pass": [sys.executable, "-c", "pass"],
        "relrep analogy MODEL": [*relrep, "analogy", model, *words],
        "relrep analogy MODEL --no-evidence": [*relrep, "analogy", model, *words, "--no-evidence"],
        "relrep neighbours MODEL": [*relrep, "neighbours", model, words[0]],
    }
    if arguments.vectors:
        commands["relrep analogy VECTORS"] = [*relrep, "analogy", str(arguments.vectors), *words]
    taken: dict[str, list[tuple[float, float]]] = defaultdict(list)
    steps: dict[str, list[float]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as bytecode:
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        environment["PYTHONPYCACHEPREFIX"] = bytecode
        for number in range(arguments.rounds + 1):
            for name, command in commands.items():
                times = run(command, environment)[0]
                if number:
                    taken[name].append(times)
            told = json.loads(run([sys.executable, "-c", STEPS, model, *words], environment)[1])
            for name, milliseconds in told.items():
                if number:
                    steps[name].append(milliseconds)
    print("milliseconds: least clock, median clock, least processor")
    for name, every in taken.items():
        clocks, processors = zip(*every, strict=True)
        print(f"{name:38}{min(clocks):8.0f}{statistics.median(clocks):8.0f}{min(processors):8.0f}")
    print("\nwithin the analogy: least clock, median clock")
    for name, milliseconds in steps.items():
        print(f"{name:38}{min(milliseconds):8.0f}{statistics.median(milliseconds):8.0f}")


def run(command: list[str], environment: dict[str, str]) -> tuple[tuple[float, float], str]:
    """((clock, processor) in milliseconds, what it printed)."""
    before, clock = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    clock = time.perf_counter() - clock
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return (1000 * clock, 1000 * processor), done.stdout


if __name__ == "__main__":
    main()
