"""Jobs of Spark with progress: how many of their tasks are done."""

import contextlib
import itertools
import threading
from collections.abc import Iterator
from typing import Any

from relrep.progress import Progress, ProgressCallback

_POLL_SECONDS = 0.3
_numbers = itertools.count(1)


@contextlib.contextmanager
def watched(context: Any, step: str, progress: ProgressCallback) -> Iterator[None]:
    """Within, the tasks of this thread's jobs are reported as the progress of `step`."""
    group = f"relrep-{next(_numbers)}"
    context.setJobGroup(group, step)
    over = threading.Event()
    progress(Progress(step, 0, None, "tasks"))
    watcher = threading.Thread(target=_watch, args=(context, group, step, progress, over), daemon=True)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join(5)
    progress(Progress(step, 1, 1, "tasks"))


def _watch(context: Any, group: str, step: str, progress: ProgressCallback, over: threading.Event) -> None:
    tracker = context.statusTracker()
    stages: dict[int, tuple[int, int]] = {}
    while not over.wait(_POLL_SECONDS):
        with contextlib.suppress(Exception):  # the session may be on its way down
            for job in tracker.getJobIdsForGroup(group):
                info = tracker.getJobInfo(job)
                for stage in info.stageIds if info else ():
                    found = tracker.getStageInfo(stage)
                    if found:
                        stages[stage] = (found.numCompletedTasks, found.numTasks)
            done, total = (sum(each) for each in zip(*stages.values(), strict=True)) if stages else (0, 0)
            if total and done < total:
                progress(Progress(step, done, total, "tasks"))
