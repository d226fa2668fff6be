"""Checkpoints: one file, replaced whole, from which a training goes on bit by bit."""

import hashlib
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from relrep.core.files import remove, written_whole

_PAUSE_PER_COST, _SHORTEST_PAUSE, _LONGEST_PAUSE = 50, 0.2, 60.0
Arrays = dict[str, NDArray[Any]]


def training_key(name: str, settings: Any, words: Sequence[str], tokens: NDArray[np.int32]) -> str:
    """Says which training a checkpoint belongs to: the system, its settings (a dataclass), vocabulary and tokens."""
    digest = hashlib.blake2b(json.dumps([name, asdict(settings)], sort_keys=True).encode(), digest_size=16)
    digest.update("\n".join(words).encode())
    digest.update(np.ascontiguousarray(tokens).data)
    return digest.hexdigest()


class Checkpoints:
    """Saves the state of one training now and then; does nothing without a path."""

    def __init__(self, path: Path | None, key: str) -> None:
        self.path, self.key = path, key
        self.pause = 0.0
        self.last = time.monotonic()

    def load(self) -> tuple[Arrays, dict[str, Any]] | None:
        """The arrays and the record of the last save, or None where there is none of this very training."""
        if self.path is None or not self.path.exists():
            return None
        try:
            with safe_open(self.path, framework="numpy") as file:
                record = json.loads((file.metadata() or {}).get("record", "{}"))
                if record.get("key") != self.key:
                    return None
                return {name: file.get_tensor(name) for name in file.keys()}, record["state"]  # noqa: SIM118
        except (SafetensorError, OSError, ValueError, KeyError, AttributeError):
            remove(self.path)  # not whole: start again
            return None

    def save(self, arrays: Mapping[str, NDArray[Any]], state: Mapping[str, Any], now: bool = False) -> None:
        """Saves if the last save is long enough ago (or `now`): as often as costs 2 % of the time."""
        begin = time.monotonic()
        if self.path is None or not (now or begin - self.last >= self.pause):
            return
        record = json.dumps({"key": self.key, "state": dict(state)})
        with written_whole(self.path) as temporary:
            save_file(dict(arrays), temporary, metadata={"record": record})
        self.last = time.monotonic()
        self.pause = min(max(_PAUSE_PER_COST * (self.last - begin), _SHORTEST_PAUSE), _LONGEST_PAUSE)
