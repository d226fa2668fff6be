"""How long the explorer takes to load a model and to answer each kind of question after warm-up.

    python benchmarks/explorer_speed.py MODEL [--rounds 7]

Each kind of question is asked with other words each time, in turn with the others. The processor's time of the whole
process stands beside the clock's: on a machine that is busy with something else only the former means much.
"""

import argparse
import statistics
import time
import warnings
from collections import defaultdict
from pathlib import Path

PAIRS = [("king", "queen"), ("paris", "france"), ("dog", "animal"), ("car", "engine"), ("water", "ice")]
PAIRS += [("oslo", "norway"), ("book", "author"), ("war", "peace"), ("doctor", "hospital"), ("city", "river")]
PATTERNS = ["such as", "capital of", "of", "known as", "part of", "and other", "in the", "is a", "and", "between"]


def main() -> None:
    """Measures and prints a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("--rounds", type=int, default=7)
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore", message=".*httpx.*")
    from fastapi.testclient import TestClient

    from relrep.model.model import Model
    from relrep.web.app import create_app
    from relrep.web.examples import Warming
    from relrep.web.explorer import Explorer

    taken: dict[str, list[tuple[float, float]]] = defaultdict(list)

    def measure(name: str, work):
        clock, processor = time.perf_counter(), time.process_time()
        result = work()
        taken[name].append((1000 * (time.perf_counter() - clock), 1000 * (time.process_time() - processor)))
        return result

    model = measure("load the model", lambda: Model.load(arguments.model))
    app = measure("make the application", lambda: create_app(model, warm=False))
    client = TestClient(app, base_url="http://127.0.0.1")
    for name in ("/", "/api/model"):
        measure(f"first {name}", lambda path=name: client.get(path))
    warm = Explorer(model)  # shares what is kept with the model; compiles the kernels
    measure("warm up, without the corpus", lambda: (Warming(warm)._ask_once(), Warming(warm).examples()))
    for number in range(-2, arguments.rounds):  # the first two rounds are not counted
        first, second = PAIRS[number % len(PAIRS)]
        other = PAIRS[(number + 1) % len(PAIRS)][0]
        pattern = PATTERNS[number % len(PATTERNS)]
        questions = {
            "analogy, three measures": ("analogy", {"a": first, "b": second, "c": other}),
            "pair: patterns, examples": ("pair", {"first": first, "second": second}),
            "pair: map": ("map", {"first": first, "second": second}),
            "word": ("word", {"word": first}),
            "pattern": ("pattern", {"text": pattern}),
            "suggestions": ("suggest", {"q": first[:2]}),
            "unknown word": ("word", {"word": f"{first}{second}"}),
        }
        for name, (path, parameters) in questions.items():
            measure(name, lambda path=path, parameters=parameters: client.get(f"/api/{path}", params=parameters))
            if number < 0:
                taken[name].clear()
    print(f"{len(model.vocabulary):,} words; milliseconds: median clock, least clock, median processor")
    for name, times in taken.items():
        clocks, processors = zip(*times, strict=True)
        print(f"{name:30}{statistics.median(clocks):9.0f}{min(clocks):9.0f}{statistics.median(processors):9.0f}")


if __name__ == "__main__":
    main()
