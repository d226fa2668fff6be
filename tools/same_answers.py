"""Compares two checkouts on the small world: every artefact of training and every JSON answer, by its digest.

    python tools/same_answers.py OTHER_CHECKOUT [--tokens 60000] [--only paper-batch] [--keep DIR]

Each checkout runs in processes of its own with `PYTHONPATH=CHECKOUT/src`, so that both use the packages of this
environment. Exits with 1 where anything differs, and names it. Times, versions and paths do not count.
"""

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent.parent
SMALL = ["--dim", "20", "--min-count", "3"]
PAPER = [
    "--n-patterns",
    "300",
    "--min-pair-sentences",
    "10",
    "--positives",
    "2000",
    "--negatives",
    "2000",
    "--iterations",
    "3",
]
TRAININGS = {
    "coherence": ["--init", "ivlbl", "--objective", "COHERENCE"],
    "coherence-threads": ["--init", "ivlbl", "--objective", "COHERENCE", "--threads", "2"],
    "glove+ivlbl": ["--init", "glove+ivlbl", "--objective", "COHERENCE", "--threads", "2"],
    "paper-batch": ["--init", "random", "--objective", "paper", *PAPER],
    "paper-threads": ["--init", "random", "--objective", "paper", *PAPER, "--threads", "2"],
    "paper-sgd": ["--init", "random", "--objective", "paper", "--solver", "sgd", *PAPER],
}
QUESTIONS = {
    "evaluate": ["evaluate", "MODEL", "--google", "QUESTIONS"],
    "analogy": ["analogy", "MODEL", "man", "woman", "king"],
    "neighbours": ["neighbours", "MODEL", "dog"],
    "relation": ["relation", "MODEL", "paris", "france"],
    "search": ["search", "MODEL", "paris", "france"],
}
UNSTABLE = {"seconds", "model", "source", "relrep_version", "packages", "work", "folder", "vectors", "settings"}


def command(checkout: Path, arguments: list[str], cache: Path) -> str:
    """What `relrep ARGUMENTS` of that checkout prints."""
    environment = {**os.environ, "PYTHONPATH": str(checkout / "src"), "NUMBA_CACHE_DIR": str(cache)}
    done = subprocess.run(
        [sys.executable, "-m", "relrep", *arguments, "--quiet"],
        env=environment, cwd=checkout, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        return f"exit {done.returncode}: {done.stderr.strip().splitlines()[-1:]}"
    return done.stdout


def coherence_name(checkout: Path) -> str:
    """What the checkout calls the default objective."""
    return "coherence" if (checkout / "src/relrep/coherence").is_dir() else "pairs"


def stable(value: Any) -> Any:
    """JSON without what may differ between two runs of the same code."""
    if isinstance(value, dict):
        return {key: stable(each) for key, each in value.items() if key not in UNSTABLE}
    return [stable(each) for each in value] if isinstance(value, list) else value


def digest(data: bytes) -> str:
    """A short name for bytes."""
    return hashlib.blake2b(data, digest_size=8).hexdigest()


def answers(checkout: Path, folder: Path, tokens: int, only: str | None) -> dict[str, str]:
    """From the name of an artefact or answer to its digest."""
    cache, found = folder / "numba", {}
    text, questions = folder / "world.txt", folder / "questions.txt"
    module = "relrep.datasets.smallworld" if coherence_name(checkout) == "coherence" else "relrep.smallworld"
    script = (
        f"from pathlib import Path; import {module} as w; w.write_corpus(Path({str(text)!r}), {tokens}); "
        f"w.write_questions(Path({str(questions)!r}))"
    )
    subprocess.run([sys.executable, "-c", script], env={**os.environ, "PYTHONPATH": str(checkout / "src")}, check=True)
    found["world.txt"], found["questions.txt"] = digest(text.read_bytes()), digest(questions.read_bytes())
    for name, flags in TRAININGS.items():
        if only and name != only:
            continue
        model = folder / name
        flags = [coherence_name(checkout) if flag == "COHERENCE" else flag for flag in flags]
        told = command(checkout, ["train", str(text), "--out", str(model), *SMALL, *flags], cache)
        if told.startswith("exit"):
            found[f"{name}: train"] = told
            continue
        for file in sorted(path for path in model.rglob("*") if path.is_file()):
            if file.name not in ("config.json", "README.md"):
                found[f"{name}/{file.relative_to(model)}"] = digest(file.read_bytes())
        for question, arguments in QUESTIONS.items():
            places = {"MODEL": str(model), "QUESTIONS": str(questions)}
            told = command(checkout, [*(places.get(each, each) for each in arguments), "--json"], cache)
            if not told.startswith("exit"):
                told = digest(json.dumps(stable(json.loads(told)), sort_keys=True).encode())
            found[f"{name}: {question}"] = told
    return found


def main() -> int:
    """Runs both checkouts and prints what differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("other", type=Path)
    parser.add_argument("--tokens", type=int, default=60_000)
    parser.add_argument("--only", choices=TRAININGS)
    parser.add_argument("--keep", type=Path, help="leave the runs here; the other checkout's are not run again")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        keep = options.keep or Path(temporary)
        shutil.rmtree(keep / "here", ignore_errors=True)
        (keep / "here").mkdir(parents=True, exist_ok=True)
        (keep / "other").mkdir(exist_ok=True)
        remembered = keep / "other.json"
        if remembered.exists():
            other = json.loads(remembered.read_text())
        else:
            other = answers(options.other.resolve(), keep / "other", options.tokens, None)
            remembered.write_text(json.dumps(other, indent=2))
        here = answers(HERE, keep / "here", options.tokens, options.only)
    chosen = [name for name in {**other, **here} if not options.only or name.startswith((options.only, "world"))]
    differing = [name for name in chosen if other.get(name) != here.get(name)]
    for name in differing:
        print(f"{name}: {other.get(name, 'not there')} there, {here.get(name, 'not there')} here")
    print(f"{len(chosen) - len(differing)} of {len(chosen)} are the same")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
