"""What a run will need, told before it starts: memory and disk, from the size of the text and the settings.

The rates were measured on Wikipedia text (402 MB, 64.4 million tokens, default settings); another language or corpus
may need twice or half as much. They say whether a run fits.
"""

import math
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from relrep.baselines.settings import BaselineSettings, FasttextSettings
from relrep.config import Config
from relrep.errors import RelrepError
from relrep.mining.chunks import BYTES_PER_TOKEN, chunk_tokens

TEXT_BYTES_PER_TOKEN = 6.2
COUNTS_PER_TOKEN, WEIGHTS_PER_TOKEN = 1.55, 1.4
"""Entries of g and of f, with the paper's default of 10,000 patterns."""
BOUND_COUNTS_PER_TOKEN = 0.55
"""Entries of g between bound pairs."""
WORDS_PER_ROOT_TOKEN = 22
"""The vocabulary grows with the square root of the text (Heaps): 175,000 words for 64.4 million tokens."""
PROCESS_BYTES = 250 << 20
"""Python, its packages and the compiled kernels."""
BLOCK_BYTES_PER_THREAD = 100 << 20
START = "initial-"
"""What the names of the stages begin with that train a baseline to start from."""


@dataclass(frozen=True)
class Estimate:
    """What one stage needs, in bytes; `disk` stays in use when the stage is done."""

    memory: int
    disk: int


def estimates(config: Config, text: int, threads: int, memory: int, stages: Sequence[str]) -> dict[str, Estimate]:
    """What each stage needs for so many bytes of text; "model" is the writing of the model folder.

    >>> estimates(Config(), 400_000_000, 2, 4 << 30, ["ids", "paper-counts"])["paper-counts"].disk // 10**8
    8
    """
    tokens = text / TEXT_BYTES_PER_TOKEN
    vectors = 4 * _words(tokens, config.corpus.max_words) * config.training.dim
    share = min(1.0, config.mining.n_patterns / 10_000) ** 0.5  # the frequent patterns have most of the entries
    counts, weights, bound = COUNTS_PER_TOKEN * share, WEIGHTS_PER_TOKEN * share, BOUND_COUNTS_PER_TOKEN
    chunks = 2 if tokens > chunk_tokens(memory) else 1
    disk = {
        "ids": 7 * tokens,  # with the text as written, compressed
        "index": 4 * tokens,
        "counts": 8 * bound * tokens * chunks,
        "relations": 5 * bound * tokens,
        "paper-counts": 8 * counts * tokens * chunks,
        "association": 8 * weights * tokens,
        "training": vectors * 3,
        "model": 8 * tokens + 5 * bound * tokens + 2 * vectors,
    }
    mining = min(memory, tokens * BYTES_PER_TOKEN)
    in_memory = {"ids": threads * BLOCK_BYTES_PER_THREAD, "training": 5 * vectors, "model": 2 * vectors}
    in_memory |= {f"{prefix}{name}": mining for prefix in ("", "paper-") for name in ("pairs", "patterns", "counts")}
    needs = {}
    for stage in [*stages, "model"]:
        if stage.startswith(START):
            system, training = stage.removeprefix(START), config.training
            settings = config.baselines.of(system, training.dim, training.seed)
            needs[stage] = baseline_estimate(system, settings, text, memory, config.corpus.max_words)
        else:
            needs[stage] = Estimate(PROCESS_BYTES + int(in_memory.get(stage, 0)), int(disk.get(stage, 0)))
    return needs


def baseline_estimate(system: str, settings: BaselineSettings, text: int, memory: int, max_words: int = 0) -> Estimate:
    """What the training of one baseline needs for so many bytes of text."""
    tokens = text / TEXT_BYTES_PER_TOKEN
    vectors = 4 * _words(tokens, max_words) * settings.dim
    scratch = 6 * tokens if system in ("skipgram", "cbow", "fasttext") else 4 * vectors  # ids as text, or a checkpoint
    beside = min(memory, 25 * tokens) if system == "glove" else 0  # counts
    if isinstance(settings, FasttextSettings):
        beside = 4 * settings.buckets * settings.dim
    return Estimate(PROCESS_BYTES + int(4 * vectors + beside), int(2 * vectors + scratch))


def _words(tokens: float, max_words: int) -> float:
    words = WORDS_PER_ROOT_TOKEN * math.sqrt(tokens)
    return min(words, max_words) if max_words else words


def check_limits(
    needs: Mapping[str, Estimate], text: int, memory: int, place: Path, free: int | None = None
) -> list[str]:
    """Sentences on what may not suffice; a RelrepError where the disk cannot even hold the token ids."""
    free = free_disk(place) if free is None else free
    warnings = []
    need = sum(each.disk for each in needs.values())
    least = int(2.5 * text / TEXT_BYTES_PER_TOKEN) if "ids" in needs else 0  # 4 bytes a token, for long words too
    if least > free:
        raise RelrepError(
            f"{place}: the disk has {size(free)} free, and the token ids of {size(text)} of text alone need about "
            f"{size(4 * text / TEXT_BYTES_PER_TOKEN)}; make room or choose another --out"
        )
    if need > free:
        warnings.append(
            f"{place}: the run may need about {size(need)} of disk and {size(free)} are free; make room soon"
        )
    machine = physical_memory()
    most = max((each.memory for each in needs.values()), default=0)
    if memory > machine:
        warnings.append(f"--memory is {size(memory)} and the machine has {size(machine)}; it would swap, give less")
    elif most > machine:
        warnings.append(
            f"the run may need about {size(most)} of memory and the machine has {size(machine)}; "
            "give fewer dimensions or a smaller max_words"
        )
    return warnings


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
