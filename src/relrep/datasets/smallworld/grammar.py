"""The template language of the small world and its expansion.

A template is one line of English with

    {field}        a field of the paragraph's record; {field2} and {field3} belong to other records of the table
    {rule}         a random phrase of the shared rules, where no field has that name
    {p} {he} ...   the paragraph's person and that person's pronouns; {q} is somebody else
    [one|two|]     one of the alternatives, which may be empty and may be nested
    + or & first   a line that only continues: about the record just spoken of, or about the person
    ~ first        an event, which nobody introduces with "it is well known that"
    =field first   the other records have the same value of the field; with !field, another one

Templates are parsed once into nested nodes, so that expanding one is a short walk.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from relrep.datasets.smallworld.facts import Record

Slot = tuple[int, int]
"""Which record of the scene, and which of its fields."""
Nodes = list["str | Slot | list[Nodes]"]
Scene = Sequence[Record]
"""The records in play: the paragraph's own, two others of its table, the person, somebody else."""
Random = Callable[[], float]

PERSON, SOMEBODY = 3, 4
PERSON_FIELDS = ("p", "he", "him", "his", "himself", "man", "boy")
_MARKS = re.compile(r"([+&~]?)(?:([=!])(\w+) )?")
_EVENT = re.compile(r"\{(?:p|q|he|then|when)\}|[?!;:\"]|\b(?:was|were|had|did)\b")
_TOKEN = re.compile(r"\{(\w+?)([23]?)\}|([\[\]|])")


@dataclass(frozen=True)
class Template:
    """A parsed template, and what must be there to use it."""

    nodes: Nodes
    needs: tuple[frozenset[int], frozenset[int], frozenset[int]]
    continues: str
    compares: int | None
    """The field that the other records share, or differ in, as `alike` says."""
    alike: bool
    plain: bool
    """A statement about the world and no event: it may be introduced, doubted or ascribed to somebody."""

    @property
    def others(self) -> int:
        """How many more records the template wants."""
        return 2 if self.needs[2] else 1 if self.needs[1] else 0


class Grammar:
    """Parses templates against shared rules, which may refer to one another in any order.

    >>> grammar = Grammar({"size": ["big", "small"]})
    >>> template = grammar.template("the {size} {animal}[| sleeps].", ["animal"])
    >>> expand(template.nodes, [("dog",), (), (), (), ()], lambda: 0.6)
    'the small dog sleeps.'
    """

    def __init__(self, rules: Mapping[str, Sequence[str]]) -> None:
        self.rules: dict[str, list[Nodes]] = {name: [] for name in rules}
        for name, lines in rules.items():
            self.rules[name].extend(_Parser(line, self.rules, []).nodes for line in lines)

    def template(self, line: str, fields: Sequence[str]) -> Template:
        """Parse one line for records with these fields."""
        marks = _MARKS.match(line)
        assert marks is not None  # every mark is optional
        parser = _Parser(line[marks.end() :], self.rules, fields)
        return Template(
            nodes=parser.nodes,
            needs=(frozenset(parser.needs[0]), frozenset(parser.needs[1]), frozenset(parser.needs[2])),
            continues=marks[1].strip("~"),
            compares=fields.index(marks[3]) if marks[2] else None,
            alike=marks[2] == "=",
            plain=not marks[1] and not _EVENT.search(line, marks.end()),
        )


def expand(nodes: Nodes, scene: Scene, random: Random) -> str:
    """One sentence or phrase made from parsed nodes."""
    words = []
    for node in nodes:
        if isinstance(node, str):
            words.append(node)
        elif isinstance(node, tuple):
            value = scene[node[0]][node[1]]
            # Several spellings: any of them, drawn anew at every mention.
            words.append(value if isinstance(value, str) else value[int(random() * len(value))])  # type: ignore[index,arg-type]
        else:
            words.append(expand(node[int(random() * len(node))], scene, random))
    return "".join(words)


class _Parser:
    """Recursive descent over one line."""

    def __init__(self, line: str, rules: Mapping[str, list[Nodes]], fields: Sequence[str]) -> None:
        self.line, self.rules, self.fields = line, rules, list(fields)
        self.needs: tuple[set[int], set[int], set[int]] = (set(), set(), set())
        self.position = 0
        self.nodes = self._alternatives(nested=False)[0]

    def _alternatives(self, nested: bool) -> list[Nodes]:
        found: list[Nodes] = [[]]
        while match := _TOKEN.search(self.line, self.position):
            if match.start() > self.position:
                found[-1].append(self.line[self.position : match.start()])
            self.position = match.end()
            mark = match[3]
            if mark is None:
                found[-1].append(self._slot(match[1], match[2]))
            elif mark == "[":
                found[-1].append(self._alternatives(nested=True))
            elif not nested:
                raise ValueError(f"stray {mark!r} in template: {self.line}")
            elif mark == "|":
                found.append([])
            else:
                return found
        if nested:
            raise ValueError(f"unclosed '[' in template: {self.line}")
        if self.position < len(self.line):
            found[-1].append(self.line[self.position :])
        return found

    def _slot(self, name: str, number: str) -> "Slot | list[Nodes]":
        which = int(number or 1) - 1
        if name in self.fields:
            field = self.fields.index(name)
            self.needs[which].add(field)
            return which, field
        if name in PERSON_FIELDS:
            return PERSON, PERSON_FIELDS.index(name)
        if name[:1] == "q" and (name[1:] or "p") in PERSON_FIELDS:
            return SOMEBODY, PERSON_FIELDS.index(name[1:] or "p")
        if name in self.rules:
            return self.rules[name]
        raise ValueError(f"no field or rule {name!r} for template: {self.line}")


def parse_rules(text: str) -> dict[str, list[str]]:
    """Rules by name: a line `name:`, then one indented phrase a line.

    >>> parse_rules("size:\\n    big\\n    small")
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
