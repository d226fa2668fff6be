"""What a run will need, told before it starts: time, memory and disk, from the size of the text and the settings.

The rates were measured on Wikipedia text (402 MB, 64.7 million tokens, default settings, two cores); another language
or corpus may need twice or half as much. They say whether a run fits, not when it ends.
"""

import math
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from relrep.baselines.settings import BaselineSettings
from relrep.config import Config
from relrep.errors import RelrepError
from relrep.mining.chunks import BYTES_PER_TOKEN, chunk_tokens

TEXT_BYTES_PER_TOKEN = 6.2
COUNTS_PER_TOKEN, WEIGHTS_PER_TOKEN = 1.55, 1.4
"""Entries of g and of f, with the default 10,000 patterns."""
WORDS_PER_ROOT_TOKEN = 22
"""The vocabulary grows with the square root of the text (Heaps): 175,000 words for 64.7 million tokens."""
PROCESS_BYTES = 250 << 20
"""Python, its packages and the compiled kernels."""
BLOCK_BYTES_PER_THREAD = 100 << 20
_SECONDS_PER_MILLION_TOKENS = {
    "ids": 0.08,
    "pairs": 0.085,
    "patterns": 0.1,
    "counts": 0.19,
    "association": 0.06,
    "instances": 0.45,
}
START = "initial-"
"""What the names of the stages begin with that train a baseline to start from."""
_SECONDS_PER_MILLION_VALUES = {"training": 1.4, "glove": 10.0}
"""Of trained numbers, words × dimensions: a whole training of relrep, and of a baseline (GloVe)."""
_BASELINE_SECONDS = {"ivlbl": 2.6, "skipgram": 9.0, "cbow": 1.9}
"""Of one pass over a million tokens with 100 dimensions; gensim's two with one worker."""
_DIMENSIONS_MEASURED, _DIMENSIONS_FREE = 100, 40
"""Twice the dimensions take less than twice the time: about as if so many came on top."""
_THREADS_MEASURED, _MOST_THREADS = 2, 16


@dataclass(frozen=True)
class Estimate:
    """What one stage needs; `disk` stays in use when the stage is done."""

    seconds: float
    memory: int
    disk: int


def estimates(config: Config, text: int, threads: int, memory: int, stages: Sequence[str]) -> dict[str, Estimate]:
    """What each stage needs for so many bytes of text; "model" is the writing of the model folder.

    >>> found = estimates(Config(), 400_000_000, 2, 4 << 30, ["ids", "counts"])
    >>> found["counts"].disk // 10**8
    8
    """
    tokens = text / TEXT_BYTES_PER_TOKEN
    vectors = 4 * _words(tokens, config.corpus.max_words) * config.training.dim
    share = min(1.0, config.mining.n_patterns / 10_000) ** 0.5  # the frequent patterns have most of the entries
    counts, weights = COUNTS_PER_TOKEN * tokens * share, WEIGHTS_PER_TOKEN * tokens * share
    several_chunks = tokens > chunk_tokens(memory)
    disk = {
        "ids": 4.2 * tokens * 2,  # the blocks wait until all is numbered
        "counts": 8 * counts * (2 if several_chunks else 1),
        "association": 12 * weights,
        "training": vectors * 3,
        "model": 8 * tokens + 20 * weights + 2 * vectors,
    }
    mining = min(memory, tokens * BYTES_PER_TOKEN)
    held = {
        "ids": threads * BLOCK_BYTES_PER_THREAD,
        "pairs": mining,
        "patterns": mining,
        "counts": mining,
        "training": 5 * vectors,
        "model": 2 * vectors,
    }
    speed = min(threads, _MOST_THREADS) / _THREADS_MEASURED
    found = {}
    for stage in [*stages, "model"]:
        if stage.startswith(START):
            system, training = stage.removeprefix(START), config.training
            settings = config.baselines.of(system, training.dim, training.seed)
            found[stage] = baseline_estimate(system, settings, text, threads, memory, config.corpus.max_words)
            continue
        seconds = _SECONDS_PER_MILLION_TOKENS.get(stage, 0.05) * tokens / 1e6
        if stage in _SECONDS_PER_MILLION_VALUES:
            seconds = _SECONDS_PER_MILLION_VALUES[stage] * vectors / 4e6
        found[stage] = Estimate(
            round(seconds / speed, 1), PROCESS_BYTES + int(held.get(stage, 0)), int(disk.get(stage, 0))
        )
    return found


def baseline_estimate(
    system: str, settings: BaselineSettings, text: int, threads: int, memory: int, max_words: int = 0
) -> Estimate:
    """What the training of one baseline needs for so many bytes of text."""
    tokens = text / TEXT_BYTES_PER_TOKEN
    words = _words(tokens, max_words)
    vectors = 4 * words * settings.dim
    passes = int(getattr(settings, "epochs", 0) or getattr(settings, "iterations", 1))
    speed = min(threads, _MOST_THREADS) / _THREADS_MEASURED
    if system == "glove":
        seconds = _SECONDS_PER_MILLION_VALUES["glove"] * vectors / 4e6 * passes / 25 / speed
    else:
        size = (_DIMENSIONS_FREE + settings.dim) / (_DIMENSIONS_FREE + _DIMENSIONS_MEASURED)
        seconds = _BASELINE_SECONDS[system] * tokens / 1e6 * passes * size
        seconds /= 1 if getattr(settings, "reproducible", False) else speed
    scratch = 6 * tokens if system in ("skipgram", "cbow") else 4 * vectors  # ids as text, or a checkpoint
    held = 4 * vectors + (min(memory, 25 * tokens) if system == "glove" else 0)
    return Estimate(round(seconds, 1), PROCESS_BYTES + int(held), int(2 * vectors + scratch))


def _words(tokens: float, max_words: int) -> float:
    words = WORDS_PER_ROOT_TOKEN * math.sqrt(tokens)
    return min(words, max_words) if max_words else words


def check_limits(
    needs: Mapping[str, Estimate], text: int, memory: int, place: Path, free: int | None = None
) -> list[str]:
    """Sentences on what may not suffice; a RelrepError where the disk cannot even hold the token ids."""
    free = free_disk(place) if free is None else free
    told = []
    need = sum(each.disk for each in needs.values())
    least = int(2.5 * text / TEXT_BYTES_PER_TOKEN) if "ids" in needs else 0  # 4 bytes a token, for long words too
    if least > free:
        raise RelrepError(
            f"{place}: the disk has {size(free)} free, and the token ids of {size(text)} of text alone need about "
            f"{size(4 * text / TEXT_BYTES_PER_TOKEN)}; make room or choose another --out"
        )
    if need > free:
        told.append(f"{place}: the run may need about {size(need)} of disk and {size(free)} are free; make room soon")
    machine = physical_memory()
    most = max((each.memory for each in needs.values()), default=0)
    if memory > machine:
        told.append(f"--memory is {size(memory)} and the machine has {size(machine)}; it would swap, give less")
    elif most > machine:
        told.append(f"the run may need about {size(most)} of memory and the machine has {size(machine)}; give fewer "
                    "dimensions or a smaller max_words")  # fmt: skip
    return told


def free_disk(place: Path) -> int:
    """The free bytes where `place` is or will be."""
    place = place.absolute()
    while not place.exists() and place != place.parent:
        place = place.parent
    return shutil.disk_usage(place).free


def physical_memory() -> int:
    """The bytes of memory of this machine."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def size(number: float) -> str:
    """A number of bytes to be read.

    >>> size(2_300_000_000)
    '2.3 GB'
    """
    for unit, least in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if number >= least:
            return f"{number / least:.3g} {unit}"
    return f"{int(number)} bytes"
