"""Names that a package offers but imports only when they are used, so that its small modules load at once."""

import importlib
from collections.abc import Callable, Mapping
from typing import Any


def lazy_names(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """A `__getattr__` for `package`, which offers the names in `homes`, each from the module that it stands in.

    >>> lazy_names("relrep", {"RelrepError": "relrep.errors"})("RelrepError").__name__
    'RelrepError'
    """

    def find(name: str) -> Any:
        if name in homes:
            return getattr(importlib.import_module(homes[name]), name)
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return find
