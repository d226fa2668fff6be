"""Kernels that numba compiles when they are first called, so that importing them does not wait for numba.

Importing numba and loading its first kernel takes longer than answering one question without it. The modules of
kernels that a single question imports but does not call take their `njit` from here; those that need numba itself,
for intrinsics, import it.
"""

from collections.abc import Callable
from typing import Any


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
            import numba
            from numba.extending import typeof_impl

            # How numba sees this object in the kernels that call it: as the compiled function.
            typeof_impl.register(Kernel, lambda kernel, context: typeof_impl(kernel.compiled, context))
            self._compiled = numba.njit(**self._options)(self._function)
        return self._compiled


def njit(**options: Any) -> Callable[[Callable[..., Any]], Kernel]:
    """numba's decorator, put off.

    >>> import numpy as np
    >>> total = njit(nogil=True)(lambda numbers: numbers.sum())
    >>> total(np.ones(3))
    3.0
    """
    return lambda function: Kernel(function, options)
