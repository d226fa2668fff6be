"""Stages in a work folder: what is done is not done again unless its settings or its inputs have changed."""

import contextlib
import fcntl
import hashlib
import json
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from relrep.errors import RelrepError
from relrep.files import disk_error, remove, written_whole

Result = TypeVar("Result")
LOCK_FILE = "lock"


@dataclass(frozen=True)
class Stage:
    """One stage: its name, what it depends on (plain values), and the stage whose result it takes, if any."""

    name: str
    depends: Any
    after: "Stage | None" = None

    @property
    def fingerprint(self) -> str:
        """Changes with anything that the result of this stage depends on."""
        before = self.after.fingerprint if self.after else ""
        text = json.dumps([self.name, self.depends, before], sort_keys=True, ensure_ascii=False)
        return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


@dataclass(frozen=True)
class Planned:
    """Whether a stage will run, and why."""

    name: str
    runs: bool
    why: str


class WorkFolder:
    """The folder that holds the results of stages and, for each that is done, a record of what it depended on."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Holds the folder for this run; a second run on it is told so."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            handle = (self.folder / LOCK_FILE).open("a+")
        except OSError as error:
            raise disk_error(error, self.folder) from error
        with handle:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                handle.seek(0)
                holder = handle.read().strip() or "unknown"
                raise RelrepError(
                    f"{self.folder}: another run (process {holder}) works here; wait for it or choose another --out"
                ) from None
            handle.truncate(0)
            handle.write(str(os.getpid()))
            handle.flush()
            yield

    def _record(self, stage: Stage) -> Path:
        return self.folder / f"{stage.name}.done.json"

    def _recorded(self, stage: Stage) -> dict[str, Any]:
        try:
            record = json.loads(self._record(stage).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return record if isinstance(record, dict) else {}

    def plan(self, stages: list[Stage], force: bool = False) -> list[Planned]:
        """What a run would do, and why."""
        planned = []
        for stage in stages:
            record = self._recorded(stage)
            if force:
                planned.append(Planned(stage.name, True, "all is done again"))
            elif not record:
                planned.append(Planned(stage.name, True, "not done yet"))
            elif record.get("fingerprint") == stage.fingerprint:
                planned.append(Planned(stage.name, False, f"done in {record.get('seconds', 0):.1f} s"))
            else:
                planned.append(Planned(stage.name, True, _what_changed(record.get("depends"), stage)))
        return planned

    def run(self, stage: Stage, build: Callable[[], Result], load: Callable[[], Result], force: bool = False) -> Result:
        """The stage's result: loaded where it is done, else built; then it is done."""
        if not force and self._recorded(stage).get("fingerprint") == stage.fingerprint:
            return load()
        remove(self._record(stage))
        started = time.monotonic()
        result = build()
        record = {
            "stage": stage.name,
            "fingerprint": stage.fingerprint,
            "depends": stage.depends,
            "seconds": round(time.monotonic() - started, 3),
        }
        with written_whole(self._record(stage)) as part:
            part.write_text(json.dumps(record, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        return result

    def seconds(self, stages: list[Stage]) -> dict[str, float]:
        """How long each stage took when it ran."""
        return {stage.name: float(self._recorded(stage).get("seconds", 0.0)) for stage in stages}


def _what_changed(before: Any, stage: Stage) -> str:
    if not isinstance(before, dict) or not isinstance(stage.depends, dict) or before == stage.depends:
        return f"{stage.after.name} is done again" if stage.after else "its input has changed"
    changed = [key for key in stage.depends if before.get(key) != stage.depends[key]]
    return f"changed: {', '.join(changed) or 'its settings'}"
