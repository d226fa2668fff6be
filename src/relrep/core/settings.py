"""Settings: frozen dataclasses whose fields tell what they are for and which values they take, checked when made."""

import math
from collections.abc import Callable, Iterable
from dataclasses import field, fields
from typing import Any

from relrep.errors import RelrepError

Allowed = tuple[Callable[[Any], bool], str]
"""A test, and what to give instead of a value that fails it."""


def setting(default: Any, help: str, allowed: Allowed | None = None, **more: Any) -> Any:
    """A field of a class of settings; `help` is that of its flag."""
    return field(default=default, metadata={"help": help, "allowed": allowed, **more})


def whole(least: int, most: float = math.inf) -> Allowed:
    """Whole numbers of a range."""
    bounds = f"of {least} or more" if most == math.inf else f"from {least} to {most}"
    return lambda value: type(value) is int and least <= value <= most, f"give a whole number {bounds}"


def between(least: float, most: float, meaning: str = "") -> Allowed:
    """Numbers of a range, both ends included."""
    return lambda value: least <= value <= most, meaning or f"give a number from {least:g} to {most:g}"


def one_of(names: Iterable[str]) -> Allowed:
    """Any of these names."""
    known = tuple(names)
    return lambda value: value in known, f"choose among {', '.join(known)}"


POSITIVE: Allowed = (lambda value: math.isfinite(value) and value > 0, "give a number above 0")
NOT_NEGATIVE: Allowed = (lambda value: value >= 0, "give 0 or more")
SHARE: Allowed = between(0, 1, "give a share between 0 and 1")


class Settings:
    """What classes of settings have in common: a value that is not allowed is a RelrepError that names it."""

    def __post_init__(self) -> None:
        for each in fields(self):  # type: ignore[arg-type]
            allowed, value = each.metadata.get("allowed"), getattr(self, each.name)
            if allowed is not None and not allowed[0](value):
                raise RelrepError(f"{each.metadata.get('flag', each.name)} is {value!r}; {allowed[1]}")
