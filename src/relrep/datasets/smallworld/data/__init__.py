"""The small world's tables of facts, sentences and shared phrases: plain text, read by `smallworld.tables`."""

from importlib.resources import files


def read_data(*path: str) -> str:
    """The text of one file of this folder; the file's ending .txt is left out.

    >>> read_data("tables", "numbers").split()[:4]
    ['cardinal', 'ordinal', 'two', 'second']
    """
    *folders, name = path
    return files(__package__).joinpath(*folders, f"{name}.txt").read_text(encoding="utf-8")
