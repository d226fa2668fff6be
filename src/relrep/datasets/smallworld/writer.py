"""Writes the sentences of one topic: which record, which template, which other records beside it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from relrep.datasets.smallworld.grammar import Grammar, Random, Template
from relrep.datasets.smallworld.tables import Record, Value
from relrep.datasets.smallworld.topics import Topic


def zipf_draws(count: int) -> list[int]:
    """Ranks 0 … count-1 repeated in proportion to 1 / (rank + shift), to be drawn from uniformly.

    The shift flattens the head: the first rank is drawn about seven times as often as the last. Whole numbers
    only, so that every platform draws the same.

    >>> zipf_draws(3).count(0), zipf_draws(3).count(2)
    (60, 20)
    """
    shift = 1 + count // 6
    return [rank for rank in range(count) for _ in range(60 * shift // (rank + shift))]


def draw(choices: Sequence[int], random: Random) -> int:
    """One of the choices; only `random()` itself is the same in every version of Python."""
    return choices[int(random() * len(choices))]


@dataclass(frozen=True)
class Usable:
    """The templates that one record has all the fields for."""

    plain: list[Template]
    about_it: list[Template]
    about_person: list[Template]


class TopicWriter:
    """A topic with its templates parsed and its frequencies laid out."""

    def __init__(self, topic: Topic, grammar: Grammar) -> None:
        self.records = topic.table.records
        self._templates = [grammar.template(line, topic.table.fields) for line in topic.sentences]
        self._pools: dict[tuple[int, Value], list[int]] = {}
        self.usable = [self._usable(number) for number in range(len(self.records))]

    @cached_property
    def draws(self) -> list[int]:
        """Record numbers, the frequent ones more often."""
        return zipf_draws(len(self.records))

    def company(self, number: int, template: Template, random: Random) -> tuple[Record, Record]:
        """Two other records that the template may speak of beside record `number`."""
        if not template.others:
            return (), ()
        pool = self._pool(number, template)
        second = third = number
        while second == number:
            second = draw(pool, random)
        while third in (number, second):
            third = draw(pool, random)
        return self.records[second], self.records[third]

    def _usable(self, number: int) -> Usable:
        fitting = [template for template in self._templates if self._fits(number, template)]
        return Usable(
            plain=[template for template in fitting if not template.continues],
            about_it=[template for template in fitting if template.continues == "+"],
            about_person=[template for template in fitting if template.continues == "&"],
        )

    def _fits(self, number: int, template: Template) -> bool:
        if not _has(self.records[number], template.needs[0]):
            return False
        return not template.others or len({number, *self._pool(number, template)}) > 2

    def _pool(self, number: int, template: Template) -> list[int]:
        """Numbers of the records that may stand beside record `number`, the frequent ones more often.

        Records with the same value of the field that the template compares have one pool together.
        """
        compared = template.shares if template.shares is not None else template.differs
        value = self.records[number][compared] if compared is not None else None
        key = (id(template), value)
        pool = self._pools.get(key)
        if pool is None:
            needs = template.needs[1] | template.needs[2]
            fitting = [
                other
                for other, record in enumerate(self.records)
                if _has(record, needs)
                and (compared is None or (record[compared] == value) == (template.shares is not None))
            ]
            pool = self._pools[key] = [fitting[rank] for rank in zipf_draws(len(fitting))]
        return pool


def _has(record: Record, fields: frozenset[int]) -> bool:
    return all(record[field] is not None for field in fields)
