"""Arguments that commands which read a corpus share: threads, memory, and a flag for every setting."""

import argparse
import re
from collections.abc import Sequence
from dataclasses import Field, fields
from typing import Any

from relrep.errors import RelrepError

MEMORY_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def add_run_arguments(parser: argparse.ArgumentParser) -> None:
    """`--threads` and `--memory`."""
    parser.add_argument("--threads", metavar="N", type=int, help="how many threads (default: all cores)")
    parser.add_argument("--memory", metavar="SIZE", default="4GB", help="how much memory to use (default: 4GB)")


def thread_count(arguments: argparse.Namespace) -> int:
    """The number of threads asked for, or all cores."""
    from relrep.core.threads import available_threads

    if arguments.threads is not None and arguments.threads < 1:
        raise RelrepError(f"--threads is {arguments.threads}; it must be at least 1")
    return arguments.threads or available_threads()


def memory_size(text: str) -> int:
    """A number of bytes.

    >>> memory_size("4GB") == 4 * 2**30
    True
    """
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?)(?:I?B)?\s*", text.upper())
    size = int(float(match[1]) * MEMORY_UNITS[match[2]]) if match else 0
    if size < 1 << 20:
        raise RelrepError(f"--memory is {text!r}; give a size such as 4GB or 800MB, at least 1MB")
    return size


def _words(text: str) -> tuple[str, ...]:
    return tuple(word for word in text.split(",") if word)


def flag_of(setting: "Field[Any]", prefix: str = "") -> str:
    """The flag of a setting: --min-count for min_count."""
    return "--" + prefix + str(setting.metadata.get("flag", setting.name)).replace("_", "-")


def add_setting_flags(
    parser: argparse.ArgumentParser, table: str, title: str, settings: type, prefix: str = ""
) -> None:
    """A flag for every setting of one table; what is not given stays as the TOML file or the default has it."""
    group = parser.add_argument_group(title)
    for setting in fields(settings):
        default = ",".join(setting.default) if isinstance(setting.default, tuple) else setting.default
        text = f"{setting.metadata['help']} (default: {default})".replace("%", "%%")
        destination = f"{table}.{setting.name}"
        flag = flag_of(setting, prefix)
        if isinstance(setting.default, bool):
            group.add_argument(flag, dest=destination, action=argparse.BooleanOptionalAction, default=None, help=text)
        elif isinstance(setting.default, tuple):
            group.add_argument(flag, dest=destination, metavar="LIST", type=_words, default=None, help=text)
        else:
            kind = type(setting.default)
            shown = "TEXT" if kind is str else "N"
            group.add_argument(flag, dest=destination, metavar=shown, type=kind, default=None, help=text)


def given_settings(arguments: argparse.Namespace, tables: Sequence[str]) -> dict[str, dict[str, Any]]:
    """The settings given as flags, by table and key."""
    given: dict[str, dict[str, Any]] = {}
    for destination, value in vars(arguments).items():
        table, dot, key = destination.partition(".")
        if dot and table in tables and value is not None:
            given.setdefault(table, {})[key] = value
    return given
