"""How a run is made: what changes its speed and its traces, but never its bits."""

from dataclasses import dataclass

DEFAULT_MEMORY = 4 << 30


@dataclass(frozen=True)
class RunSettings:
    """Threads, memory, whether the index is kept and whether everything is done again."""

    threads: int = 1
    memory: int = DEFAULT_MEMORY
    keep_index: bool = True
    force: bool = False
