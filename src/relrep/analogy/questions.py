"""What is asked: open questions, multiple-choice questions, and where they stand in their files."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """a is to b as c is to what? Any of `answers` is right.

    >>> OpenQuestion("man", "woman", "king", ("queen",), "family").text
    'man : woman :: king : ?'
    """

    a: str
    b: str
    c: str
    answers: tuple[str, ...]
    category: str
    place: str = ""

    @property
    def text(self) -> str:
        """The question as one reads it."""
        return f"{self.a} : {self.b} :: {self.c} : ?"


@dataclass(frozen=True, slots=True)
class ChoiceQuestion:
    """Which of the `choices` is related as the `stem` is? `answer` is the place of the right one."""

    stem: tuple[str, str]
    choices: tuple[tuple[str, str], ...]
    answer: int
    category: str = ""
    place: str = ""

    @property
    def text(self) -> str:
        """The question as one reads it."""
        return f"{self.stem[0]} : {self.stem[1]} :: ?"


@dataclass(frozen=True)
class OpenSet:
    """A named set of open questions; `section_of` sums categories up into sections."""

    name: str
    path: Path
    questions: Sequence[OpenQuestion]
    section_of: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class ChoiceSet:
    """A named set of multiple-choice questions."""

    name: str
    path: Path
    questions: Sequence[ChoiceQuestion]
