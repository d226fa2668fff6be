"""Kernels that numba compiles when they are first called, so that importing them does not wait for numba.

Importing numba and loading its first kernel takes longer than answering one question without it. The modules of
kernels that a single question imports but does not call take their `njit` from here; those that need numba itself,
for intrinsics or to be inlined, take `njit_now`.
"""

import logging
from collections.abc import Callable
from functools import cache
from typing import Any

_listeners: list[Callable[[], None]] = []
logger = logging.getLogger(__name__)


def on_first_compile(tell: Callable[[], None]) -> None:
    """Has `tell` called once, when numba compiles a kernel in this process (not when it loads one from its cache)."""
    _listeners.append(tell)


@cache
def _numba() -> Any:
    """numba, imported, with an ear for its first compilation."""
    import numba
    from numba.core import event

    class FirstCompile(event.Listener):  # type: ignore[misc]
        def on_start(self, event: Any) -> None:
            while _listeners:
                _listeners.pop()()

        def on_end(self, event: Any) -> None:
            pass

    event.register("numba:compile", FirstCompile())
    return numba


@cache
def _warn_of_no_cache() -> None:
    logger.warning(
        "numba finds no folder for its cache that can be written, so every process compiles its kernels anew, which "
        "takes up to half a minute; set NUMBA_CACHE_DIR to such a folder"
    )


def njit_now(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """numba's decorator, which does without a cache where none can be written."""

    def decorate(function: Callable[..., Any]) -> Any:
        try:
            return _numba().njit(**options)(function)
        except RuntimeError as error:
            if "cannot cache" not in str(error):
                raise
            _warn_of_no_cache()
            return _numba().njit(**{**options, "cache": False})(function)

    return decorate


class Kernel:
    """A function with numba's options; its first call, or that of a kernel that calls it, compiles it (or loads it)."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        self._function = function
        self._options = options
        self._compiled: Any = None
        self.__name__, self.__doc__, self.__module__ = function.__name__, function.__doc__, function.__module__

    def __call__(self, *arguments: Any) -> Any:
        return (self._compiled or self.compiled)(*arguments)

    @property
    def compiled(self) -> Any:
        """What numba makes of the function. Two threads may both make it: they make the same."""
        if self._compiled is None:
            from numba.extending import typeof_impl

            # How numba sees this object in the kernels that call it: as the compiled function.
            typeof_impl.register(Kernel, lambda kernel, context: typeof_impl(kernel.compiled, context))
            self._compiled = njit_now(**self._options)(self._function)
        return self._compiled


def njit(**options: Any) -> Callable[[Callable[..., Any]], Kernel]:
    """numba's decorator, put off.

    >>> import numpy as np
    >>> total = njit(nogil=True)(lambda numbers: numbers.sum())
    >>> total(np.ones(3))
    3.0
    """
    return lambda function: Kernel(function, options)
