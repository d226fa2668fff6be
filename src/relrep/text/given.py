"""Text from Python: any iterable of texts or of lists of tokens becomes a file, once, line by line."""

import filecmp
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any, TypeGuard

from relrep.core.files import written_whole
from relrep.errors import RelrepError
from relrep.text.readers import one_line

GIVEN_FILE = "given.txt"


def names_files(corpus: Any) -> TypeGuard[str | Path | list[str | Path]]:
    """Whether a corpus is one name, or a list of names, of files, folders or globs: text has white space in it.

    >>> names_files("corpus/"), names_files(["a.txt", "b.txt"]), names_files(["A cat sat.", "It left."])
    (True, True, False)
    """
    if isinstance(corpus, str | Path):
        return True
    return isinstance(corpus, list | tuple) and all(
        isinstance(each, Path) or (isinstance(each, str) and (not any(map(str.isspace, each)) or Path(each).exists()))
        for each in corpus
    )


def write_given(corpus: Iterable[Any], folder: Path) -> tuple[Path, bool]:
    """Writes texts, or lists of tokens, a line each, into `folder`; the file, and whether tokens were given.

    What is there already is left as it is if it says the same, so that nothing is done again.
    """
    items = iter(corpus)
    first = next(items, None)
    if first is None:
        raise RelrepError("the corpus is empty; give texts, lists of tokens, or names of files")
    tokens_given = not isinstance(first, str)
    folder.mkdir(parents=True, exist_ok=True)
    path, new = folder / GIVEN_FILE, folder / f"{GIVEN_FILE}.new"
    with written_whole(new) as part, part.open("wb") as file:
        for line in _lines(chain([first], items), tokens_given):
            file.write(line + b"\n")
    if path.exists() and filecmp.cmp(path, new, shallow=False):
        new.unlink()
    else:
        new.replace(path)
    return path, tokens_given


def _lines(items: Iterable[Any], tokens_given: bool) -> Iterator[bytes]:
    wanted = "a list of tokens" if tokens_given else "a string"
    for number, item in enumerate(items, 1):
        if isinstance(item, str) == tokens_given or isinstance(item, bytes | Mapping) or not isinstance(item, Iterable):
            kind = type(item).__name__
            raise RelrepError(f"item {number} of the corpus is of type {kind}, not {wanted}; give one or the other")
        if isinstance(item, str):
            yield one_line(item.encode("utf-8", errors="replace"))
            continue
        tokens = list(item)
        wrong = next((token for token in tokens if not isinstance(token, str) or token.split() != [token]), None)
        if wrong is not None:
            raise RelrepError(f"item {number} of the corpus has the token {wrong!r}; give strings without white space")
        yield " ".join(tokens).encode("utf-8", errors="replace")
