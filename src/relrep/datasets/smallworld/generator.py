"""The text of the small world: paragraphs of simple English, the same for the same seed wherever it is made.

Of Python's generator only `random()` is used, whose sequence the language guarantees for an integer seed.
"""

import os
import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from random import Random as PythonRandom
from typing import TypeVar

from relrep.core.files import written_whole
from relrep.datasets.smallworld.facts import Record, Table, Value, read_data, table
from relrep.datasets.smallworld.grammar import Grammar, Random, Scene, Template, expand, parse_rules
from relrep.errors import RelrepError
from relrep.progress import Progress, ProgressCallback, ignore

DEFAULT_TOKENS = 2_000_000
SHORTEST, LONGEST = 3, 8
FILLER_SHARE = 0.09
DIGRESSION_SHARE = 0.10
CONTINUATION_SHARE = 0.15
VARIED_SHARE = 0.6
T = TypeVar("T")
_ARTICLE = re.compile(r"\b([Aa]) (?=([AEIOUaeiouHh]\w*))")
_AFTER_MARK = re.compile(r"(?<=[?!] )[a-z]")
_TAKES_AN = re.compile(
    "hour|honest|honour|heir|(?!univ|unif|uniq|union|use|usual|ukr|uru|uganda|utensil|eu|one|once)[aeiou]"
)
_YEARS = [str(year) for year in range(1861, 2019, 3)]


def generate(tokens: int = DEFAULT_TOKENS, seed: int = 1) -> Iterator[str]:
    """Paragraphs, one at a time, until there are at least that many tokens.

    A shorter text is the beginning of a longer one with the same seed.

    >>> text = list(generate(tokens=200, seed=1))
    >>> sum(len(paragraph.split()) for paragraph in text) >= 200
    True
    >>> text == list(generate(tokens=200, seed=1))
    True
    """
    if tokens < 1:
        raise RelrepError(f"tokens must be at least 1, not {tokens}.")
    random = PythonRandom(seed).random
    while tokens > 0:
        paragraph = _Story(random).paragraph()
        tokens -= len(paragraph.split())
        yield paragraph


def write_corpus(
    path: str | os.PathLike[str],
    tokens: int = DEFAULT_TOKENS,
    seed: int = 1,
    progress: ProgressCallback = ignore,
) -> int:
    """Write the text to a file, one paragraph a line; it appears when it is whole. Returns the number of tokens."""
    written = 0
    with written_whole(Path(path)) as part, part.open("w", encoding="utf-8", newline="\n") as file:
        for number, paragraph in enumerate(generate(tokens, seed)):
            file.write(paragraph + "\n")
            written += len(paragraph.split())
            if number % 1000 == 0:
                progress(Progress("writing the small world", written, tokens, "tokens"))
    progress(Progress("writing the small world", tokens, tokens, "tokens"))
    return written


@cache
def zipf_draws(count: int) -> list[int]:
    """Ranks 0 … count-1 repeated in proportion to 1 / (rank + shift), to be drawn from uniformly.

    The shift flattens the head: the first rank is drawn about seven times as often as the last. Whole numbers
    only, so that every platform draws the same.

    >>> zipf_draws(3).count(0), zipf_draws(3).count(2)
    (60, 20)
    """
    shift = 1 + count // 6
    return [rank for rank in range(count) for _ in range(60 * shift // (rank + shift))]


def draw(choices: Sequence[T], random: Random) -> T:
    """One of the choices; only `random()` itself is the same in every version of Python."""
    return choices[int(random() * len(choices))]


class TopicWriter:
    """A table of facts with the templates of its sentences.

    `usable` are the templates that each record has all the fields for, by how they continue ("", "+" or "&").
    """

    def __init__(self, table: Table, sentences: Sequence[str], grammar: Grammar) -> None:
        self.records = table.records
        self._pools: dict[tuple[int, Value], list[int]] = {}
        templates = [grammar.template(line, table.fields) for line in sentences]
        self.usable: list[dict[str, list[Template]]] = []
        for number in range(len(self.records)):
            fitting = [template for template in templates if self._fits(number, template)]
            self.usable.append({mark: [each for each in fitting if each.continues == mark] for mark in ("", "+", "&")})

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

    def _fits(self, number: int, template: Template) -> bool:
        if not _has(self.records[number], template.needs[0]):
            return False
        return not template.others or len({number, *self._pool(number, template)}) > 2

    def _pool(self, number: int, template: Template) -> list[int]:
        """Numbers of the records that may stand beside record `number`, the frequent ones more often.

        Records with the same value of the field that the template compares have one pool together.
        """
        compared = template.compares
        value = self.records[number][compared] if compared is not None else None
        key = (id(template), value)
        pool = self._pools.get(key)
        if pool is None:
            needs = template.needs[1] | template.needs[2]
            fitting = [
                other
                for other, record in enumerate(self.records)
                if _has(record, needs) and (compared is None or (record[compared] == value) == template.alike)
            ]
            pool = self._pools[key] = [fitting[rank] for rank in zipf_draws(len(fitting))]
        return pool


def _has(record: Record, fields: frozenset[int]) -> bool:
    return all(record[field] is not None for field in fields)


@cache
def _grammar() -> Grammar:
    """The shared phrases, such as times of the year and ways to introduce a fact."""
    return Grammar({"year": _YEARS, **parse_rules(read_data("phrases"))})


@cache
def _writers() -> list[TopicWriter]:
    """One entry for every unit of a topic's share of the paragraphs, to be drawn from uniformly."""
    writers: list[TopicWriter] = []
    for record in table("topics").records:
        name, share = map(str, record)
        writers += [TopicWriter(table(name), read_data("sentences", name).splitlines(), _grammar())] * int(share)
    return writers


@cache
def _fillers() -> dict[str, list[Template]]:
    """Sentences about nothing: those that can stand anywhere, those that go on about the person."""
    return TopicWriter(Table([], [()]), read_data("sentences", "filler").splitlines(), _grammar()).usable[0]


class _Story:
    """One paragraph about one record of one topic, with one person: what was said last, and who has been named."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.writer = draw(_writers(), random)
        self.number = self._record_number()
        self.person = self._person()
        self.topic_is_fresh = False
        self.person_is_named = False
        self.told: set[int] = set()

    def paragraph(self) -> str:
        """A few sentences."""
        length = SHORTEST + int(self.random() * (LONGEST - SHORTEST + 1))
        return _polish(" ".join([self.sentence() for _ in range(length)]))

    def _record_number(self) -> int:
        return draw(zipf_draws(len(self.writer.records)), self.random)

    def _person(self) -> Record:
        persons = table("persons").records
        return persons[draw(zipf_draws(len(persons)), self.random)]

    def _persons(self) -> tuple[Record, Record]:
        """The paragraph's person and somebody else."""
        somebody = self._person()
        while somebody is self.person:
            somebody = self._person()
        return self.person, somebody

    def sentence(self) -> str:
        """The next sentence."""
        chance = self.random()
        if self.told and chance < FILLER_SHARE:
            return self._filler()
        if self.told and chance < FILLER_SHARE + DIGRESSION_SHARE:
            return self._tell(self._record_number(), may_continue=False)
        return self._tell(self.number, may_continue=True)

    def _tell(self, number: int, may_continue: bool) -> str:
        template = self._template(number, may_continue)
        self.told.add(id(template))
        random = self.random
        scene = (self.writer.records[number], *self.writer.company(number, template, random), *self._persons())
        sentence = expand(template.nodes, scene, random)
        if template.plain:
            sentence = self._varied(sentence, number, scene)
        self.topic_is_fresh = number == self.number
        return self._noted(sentence)

    def _varied(self, sentence: str, number: int, scene: Scene) -> str:
        """The statement as it is, or introduced, ascribed to somebody or joined with another one."""
        random = self.random
        chance = random() / VARIED_SHARE
        if chance < 0.35:
            return f"{self._phrase('opener', scene)} {sentence}"
        if chance < 0.7:
            return f"{sentence[:-1]}{self._phrase('tail', scene)}."
        if chance < 1:
            template = self._template(number, may_continue=False)
            if template.plain and id(template) not in self.told:
                self.told.add(id(template))
                scene = (scene[0], *self.writer.company(number, template, random), *scene[3:])
                more = expand(template.nodes, scene, random)
                return f"{sentence[:-1]}{self._phrase('link', scene)} {more}"
        return sentence

    def _phrase(self, rule: str, scene: Scene) -> str:
        return expand([_grammar().rules[rule]], scene, self.random)

    def _template(self, number: int, may_continue: bool) -> Template:
        """A template for the record, which may go on about it or about the person if that makes sense."""
        usable, random = self.writer.usable[number], self.random
        choices = usable[""]
        if may_continue:
            chance = random()
            if chance < CONTINUATION_SHARE and self.topic_is_fresh:
                choices = usable["+"] or choices
            elif chance > 1 - CONTINUATION_SHARE and self.person_is_named:
                choices = usable["&"] or choices
        return self._untold(choices)

    def _untold(self, choices: list[Template]) -> Template:
        """A template that this paragraph has not used yet, if a few draws find one."""
        for _ in range(6):
            template = draw(choices, self.random)
            if id(template) not in self.told:
                break
        return template

    def _filler(self) -> str:
        goes_on = self.person_is_named and self.random() < 0.25
        template = self._untold(_fillers()["&" if goes_on else ""])
        self.told.add(id(template))
        scene = ((), (), (), *self._persons())
        self.topic_is_fresh = False
        return self._noted(expand(template.nodes, scene, self.random))

    def _noted(self, sentence: str) -> str:
        """The sentence ready for print; from now on the person it names may be a mere "she"."""
        self.person_is_named = self.person_is_named or str(self.person[0]) in sentence
        return _capitalise(sentence)


def _capitalise(sentence: str) -> str:
    first = 1 if sentence[0] in ' "' else 0
    return sentence[:first].strip() + sentence[first].upper() + sentence[first + 1 :]


def _polish(text: str) -> str:
    """Choose a or an, capitalise after a question, and close the gaps that empty alternatives leave."""
    text = text.replace("  ", " ")
    text = _ARTICLE.sub(lambda match: f"{match[1]}n " if takes_an(match[2]) else match[0], text)
    return _AFTER_MARK.sub(lambda match: match[0].upper(), text)


def takes_an(word: str) -> bool:
    """Whether the indefinite article before the word is "an".

    >>> [takes_an(word) for word in ("owl", "university", "hour", "dog", "Estonian")]
    [True, False, True, False, True]
    """
    return _TAKES_AN.match(word.lower()) is not None
