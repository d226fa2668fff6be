"""Phrases that the sentences of all topics share, such as times of the year and ways to introduce a fact."""

from relrep.datasets.smallworld.data import read_data

_YEARS = [str(year) for year in range(1861, 2019, 3)]


def _parse(text: str) -> dict[str, list[str]]:
    """Rules by name: a line `name:`, then one indented phrase a line.

    >>> _parse("size:\\n    big\\n    small")
    {'size': ['big', 'small']}
    """
    rules: dict[str, list[str]] = {}
    phrases: list[str] = []
    for line in text.splitlines():
        if line.startswith(" "):
            phrases.append(line[4:])
        else:
            phrases = rules[line.removesuffix(":")] = []
    return rules


RULES = {"year": _YEARS, **_parse(read_data("phrases"))}
