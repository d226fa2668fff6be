"""Work in threads, in order: the kernels release the lock, and results never depend on how many threads there are."""

import itertools
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")


def available_threads() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run_in_threads(function: Callable[[Task], Result], tasks: Iterable[Task], threads: int) -> Iterator[Result]:
    """`map` with `threads` threads: results in the order of the tasks, only a few tasks ahead of them.

    >>> list(run_in_threads(abs, [-1, 2, -3], threads=2))
    [1, 2, 3]
    """
    if threads <= 1:
        yield from map(function, tasks)
        return
    with ThreadPoolExecutor(threads) as pool:
        waiting: deque[Future[Result]] = deque()
        try:
            for task in tasks:
                waiting.append(pool.submit(function, task))
                if len(waiting) > threads + 1:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()


def split_evenly(weights_sum: int, parts: int) -> list[tuple[int, int]]:
    """Cuts range(weights_sum) into at most `parts` runs of about the same length.

    >>> split_evenly(10, 3)
    [(0, 4), (4, 7), (7, 10)]
    """
    parts = max(1, min(parts, weights_sum))
    bounds = [-(-weights_sum * part // parts) for part in range(parts + 1)]
    return list(itertools.pairwise(bounds))
