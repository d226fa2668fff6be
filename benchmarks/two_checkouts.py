"""Two checkouts of relrep on the same text, in turns: each stage of training, evaluating, one search, a page.

    python benchmarks/two_checkouts.py OLD NEW --text enwiki.txt --vectors glove.txt --google questions/ [--rounds 3]

Every round trains with both from the given vectors, each in a process and a folder of its own, old first in odd rounds
and new first in even ones; a first run of each, which compiles the kernels, does not count. Prints medians and ratios.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

GROUPS = {
    "reading": ("ids",),
    "mining": ("pairs", "patterns", "counts", "relations", "association"),
    "index": ("index",),
    "training": ("training",),
}
_PAGE = """
import sys, time
from fastapi.testclient import TestClient
from relrep.web.app import create_app
try:
    from relrep.model.model import Model
except ImportError:
    from relrep.model import Model
client = TestClient(create_app(Model.load(sys.argv[1]), hosts=("*",), warm=False))
ask = lambda: client.get("/api/pair", params={"first": "paris", "second": "france"}).raise_for_status()
ask()
seconds = []
for _ in range(5):
    begin = time.perf_counter(); ask(); seconds.append(time.perf_counter() - begin)
print(sorted(seconds)[2])
"""


def relrep(checkout: Path, *arguments: str) -> float:
    """Runs a command of that checkout; seconds by the clock."""
    begin = time.perf_counter()
    _run(checkout, ["-m", "relrep", *arguments])
    return time.perf_counter() - begin


def _run(checkout: Path, arguments: list[str]) -> str:
    environment = {**os.environ, "PYTHONPATH": str(checkout / "src")}
    done = subprocess.run([sys.executable, *arguments], env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{checkout}: {' '.join(arguments[:4])}: {done.stderr[-500:]}")
    return done.stdout


def one_round(checkout: Path, given: argparse.Namespace, folder: Path) -> dict[str, float]:
    """Seconds by name."""
    shutil.rmtree(folder, ignore_errors=True)
    model = folder / "model"
    train = ["train", str(given.text), "--out", str(model), "--init", str(given.vectors), "--threads", "2", "--quiet"]
    seconds = {"whole training run": relrep(checkout, *train)}
    records = [json.loads(path.read_text()) for path in (folder / "model.work").glob("*.done.json")]
    stages = {record["stage"]: record["seconds"] for record in records}
    for name, parts in GROUPS.items():
        seconds[name] = sum(stages.get(part, 0.0) for part in parts)
    google = ["--google", str(given.google), "--threads", "2", "--quiet", "--no-evidence"]
    seconds["evaluating Google"] = relrep(checkout, "evaluate", str(model), *google)
    seconds["one search, command line"] = relrep(checkout, "search", str(model), "paris", "france")
    seconds["one pair's page, warm"] = float(_run(checkout, ["-c", _PAGE, str(model)]))
    return seconds


def main() -> None:
    """Prints a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("old", "new"):
        parser.add_argument(name, type=Path)
    for flag in ("--text", "--vectors", "--google"):
        parser.add_argument(flag, type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--work", type=Path, default=Path("two-checkouts"))
    given = parser.parse_args()
    small = given.work / "small.txt"
    given.work.mkdir(parents=True, exist_ok=True)
    with given.text.open("rb") as text:
        small.write_bytes(text.read(20_000_000))
    warm = argparse.Namespace(**{**vars(given), "text": small})
    rounds: dict[str, list[dict[str, float]]] = {"old": [], "new": []}
    for name in rounds:
        one_round(getattr(given, name), warm, given.work / name)
    for number in range(given.rounds):
        for name in ("old", "new") if number % 2 == 0 else ("new", "old"):
            rounds[name].append(one_round(getattr(given, name), given, given.work / name))
            print(name, {key: round(value, 2) for key, value in rounds[name][-1].items()}, file=sys.stderr, flush=True)
    print("| | old, s | new, s | new / old |\n|---|---|---|---|")
    for what in rounds["old"][0]:
        old, new = (statistics.median(each[what] for each in rounds[name]) for name in ("old", "new"))
        print(f"| {what} | {old:.2f} | {new:.2f} | {new / old if old else float('nan'):.2f} |")


if __name__ == "__main__":
    main()
