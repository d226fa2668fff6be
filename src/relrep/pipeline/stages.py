"""Stages in a work folder: what is done is not done again unless its settings, its inputs or its files have changed."""

import contextlib
import dataclasses
import fcntl
import hashlib
import json
import logging
import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from relrep.core.files import DAMAGE, checksum, disk_error, keep_safe, remove, remove_leftovers, written_whole
from relrep.core.threads import available_threads, run_in_threads
from relrep.errors import RelrepError
from relrep.text.given import GIVEN_FILE

Result = TypeVar("Result")
LOCK_FILE = "lock"
RECORD_SUFFIX = ".done.json"
DEFAULT_MEMORY = 4 << 30
_NAMES = (
    *("ids", "ids.blocks", "index", "counts", "paper-counts", "relations", "association", "training"),
    *("spark.log", GIVEN_FILE, LOCK_FILE),
)
_ENDINGS = (RECORD_SUFFIX, ".npz", ".safetensors", ".parts", ".part", ".gone")
"""What stages leave in a work folder, and what the names of temporary files end in."""
logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class RunSettings:
    """What changes the speed and the traces of a run, but never its bits."""

    threads: int = 1
    memory: int = DEFAULT_MEMORY
    keep_index: bool = True
    keep_text: bool = True
    force: bool = False


@dataclass(frozen=True)
class Stage:
    """One stage: its name, what it depends on (plain values), and the stages whose results it takes."""

    name: str
    depends: Any
    inputs: "tuple[Stage, ...]" = ()

    @cached_property
    def fingerprint(self) -> str:
        """Changes with anything that the result of this stage depends on."""
        before = [stage.fingerprint for stage in self.inputs]
        text = json.dumps([self.name, self.depends, before], sort_keys=True, ensure_ascii=False)
        return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def plain(settings: Any) -> dict[str, Any]:
    """Settings as a stage depends on them: as they come back from its record, where tuples have become lists."""
    values = dataclasses.asdict(settings)
    return {key: list(value) if isinstance(value, tuple) else value for key, value in values.items()}


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
        self._seconds_within = 0.0

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Holds the folder for this run; a second run on it is told so. What killed runs left half done goes."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            handle = os.open(self.folder / LOCK_FILE, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise disk_error(error, self.folder) from error
        try:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                holder = os.read(handle, 20).decode("ascii", "replace").strip() or "unknown"
                raise RelrepError(
                    f"{self.folder}: another run (process {holder}) works here; wait for it or choose another --out"
                ) from None
            with contextlib.suppress(OSError):  # the number only helps a second run to name the first
                os.truncate(handle, 0)
                os.write(handle, str(os.getpid()).encode())
            remove_leftovers(self.folder)
            yield
        finally:
            os.close(handle)

    def _record(self, stage: Stage) -> Path:
        return self.folder / f"{stage.name}{RECORD_SUFFIX}"

    def _recorded(self, stage: Stage) -> dict[str, Any]:
        try:
            record = json.loads(self._record(stage).read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
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
            elif record.get("fingerprint") != stage.fingerprint:
                planned.append(Planned(stage.name, True, _what_changed(record, stage)))
            elif changed := self._changed_file(record, whole=False):
                planned.append(Planned(stage.name, True, f"{changed} is missing or damaged"))
            else:
                planned.append(Planned(stage.name, False, f"done in {_seconds(record):.1f} s"))
        return planned

    def run(
        self,
        stage: Stage,
        build: Callable[[], Result],
        load: Callable[[], Result],
        force: bool = False,
        results: Sequence[Path] = (),
    ) -> Result:
        """The stage's result: loaded where it is done, else built; then it is done.

        `results` are the files and folders that `build` leaves. Their checksums go into the record, so that damage
        is noticed before anything is made of it: a stage whose files have changed is built again.
        """
        record = self._recorded(stage)
        if not force and record.get("fingerprint") == stage.fingerprint:
            if changed := self._changed_file(record, whole=True):
                logger.warning("%s is missing or damaged; the stage %s is done again", changed, stage.name)
            else:
                with contextlib.suppress(*DAMAGE):
                    return load()
        remove(self._record(stage))
        started, before, self._seconds_within = time.monotonic(), self._seconds_within, 0.0
        try:
            result = build()
            elapsed = time.monotonic() - started
            seconds = elapsed - self._seconds_within  # a stage may ask for its inputs while it is built
            self._seconds_within = before + elapsed
            files = self._described(results)
        except OSError as error:
            raise disk_error(error, self.folder / stage.name) from error
        record = {
            "stage": stage.name,
            "fingerprint": stage.fingerprint,
            "depends": stage.depends,
            "inputs": {each.name: each.fingerprint for each in stage.inputs},
            "seconds": round(seconds, 3),
            "files": files,
        }
        with written_whole(self._record(stage)) as part:
            part.write_text(json.dumps(record, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
            keep_safe(part)
        return result

    def _described(self, results: Sequence[Path]) -> dict[str, list[int]]:
        """Size and checksum of each file. What a power cut takes is noticed by it, so nobody waits for the disk."""
        found = [file for path in results for file in (sorted(path.rglob("*")) if path.is_dir() else [path])]
        files = [file for file in found if file.is_file()]
        checksums = run_in_threads(checksum, files, available_threads())
        return {
            file.relative_to(self.folder).as_posix(): [file.stat().st_size, value]
            for file, value in zip(files, checksums, strict=True)
        }

    def _changed_file(self, record: dict[str, Any], whole: bool) -> str | None:
        """The first file that is not as the record says, by its size or, if `whole`, by all of its content."""
        files = record.get("files")
        if not isinstance(files, dict):
            return "its record"
        for name, facts in files.items():
            path = self.folder / name
            try:
                if not isinstance(facts, list) or [path.stat().st_size] != facts[:1]:
                    return str(name)
                if whole and [checksum(path)] != facts[1:]:
                    return str(name)
            except OSError:
                return str(name)
        return None

    def seconds(self, stages: list[Stage]) -> dict[str, float]:
        """How long each stage took when it ran."""
        return {stage.name: _seconds(self._recorded(stage)) for stage in stages}


def _seconds(record: dict[str, Any]) -> float:
    seconds = record.get("seconds")
    return float(seconds) if isinstance(seconds, (int, float)) else 0.0


def _what_changed(record: dict[str, Any], stage: Stage) -> str:
    before, inputs = record.get("depends"), record.get("inputs")
    if not isinstance(before, dict) or not isinstance(stage.depends, dict) or before == stage.depends:
        held = inputs if isinstance(inputs, dict) else {}
        changed = [each.name for each in stage.inputs if held.get(each.name) != each.fingerprint]
        return f"{changed[0]} is done again" if changed else "its input has changed"
    changed = [key for key in stage.depends if before.get(key) != stage.depends[key]]
    return f"changed: {', '.join(changed) or 'its settings'}"


def foreign_files(folder: Path) -> list[str]:
    """Names in `folder` that no stage makes."""
    names = sorted(path.name for path in folder.iterdir())
    stages = {name.removesuffix(RECORD_SUFFIX) for name in names if name.endswith(RECORD_SUFFIX)}
    return [name for name in names if name not in {*_NAMES, *stages} and not name.endswith(_ENDINGS)]


def find_work_folder(model: Path) -> Path:
    """The work folder of a model (or the one that `model` is itself); a RelrepError where there is none."""
    for folder in (model.with_name(f"{model.name}.work"), model):
        if folder.is_symlink() or not (folder / LOCK_FILE).is_file():
            continue
        if foreign := foreign_files(folder):
            raise RelrepError(
                f"{folder}: holds files that are not of relrep ({foreign[0]}); move them, or remove it yourself"
            )
        return folder
    raise RelrepError(f"{model}: there is no work folder of relrep here or beside it; nothing was removed")


def folder_size(folder: Path) -> int:
    """The bytes of all files in `folder`."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


def freed_by_removing(folder: Path) -> int:
    """The bytes that are free once `folder` is gone: those of files that have no other name outside it."""
    names: dict[int, int] = {}
    files = [path.stat() for path in folder.rglob("*") if path.is_file() and not path.is_symlink()]
    for status in files:
        names[status.st_ino] = names.get(status.st_ino, 0) + 1
    own = {status.st_ino: status.st_size for status in files if status.st_nlink == names[status.st_ino]}
    return sum(own.values())


def remove_work_folder(folder: Path) -> None:
    """Removes a work folder that no run works in."""
    with WorkFolder(folder).locked():
        remove(folder)
