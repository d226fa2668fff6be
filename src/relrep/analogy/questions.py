"""What is asked: open and multiple-choice questions, their files, and the protocol they are put under."""

import csv
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from relrep.analogy.measures import ALL_MEASURES, MEASURES
from relrep.errors import RelrepError
from relrep.vectors.word_vectors import CASE_RULES

OOV_RULES = ("wrong", "skip")
MSR_SECTIONS = {"JJ": "adjectives", "NN": "nouns", "VB": "verbs"}
LETTERS = "abcdefghijklmnopqrstuvwxyz"
NO_CHOICE = ("no", "choice")


@dataclass(frozen=True)
class Protocol:
    """How questions are put and counted.

    `candidates`: where open questions look for d: "all" words, the distinct "answers" of the set, or the first n words.
    `oov`: a question that cannot be answered for an unknown word is "wrong" (the paper's rule) or left out ("skip").
    `case`: words are looked up as written and else in lower case ("auto"), in "lower" case, or as written ("keep").
    `multiword`: an unknown term of several words is the mean of its words' unit vectors.
    `infer`: an unknown word gets a vector from its spelling (no candidate, as it is no word of the vocabulary).

    >>> Protocol(candidates=30_000).candidates_in_words
    'the first 30,000 words'
    """

    candidates: str | int = "all"
    oov: str = "wrong"
    case: str = "auto"
    multiword: bool = False
    measures: tuple[str, ...] = tuple(ALL_MEASURES)
    infer: bool = False

    def __post_init__(self) -> None:
        if isinstance(self.candidates, int):
            if self.candidates < 1:
                raise RelrepError(f"candidates is {self.candidates}; the first n words need n of at least 1")
        elif self.candidates not in ("all", "answers"):
            raise RelrepError(f"candidates is {self.candidates!r}; it must be 'all', 'answers' or a number of words")
        if self.oov not in OOV_RULES:
            raise RelrepError(f"oov is {self.oov!r}; it must be one of {', '.join(OOV_RULES)}")
        if self.case not in CASE_RULES:
            raise RelrepError(f"case is {self.case!r}; it must be one of {', '.join(CASE_RULES)}")
        unknown = [name for name in self.measures if name not in ALL_MEASURES]
        if unknown or not self.measures:
            raise RelrepError(f"measures are {', '.join(unknown) or 'none'}; choose from {', '.join(ALL_MEASURES)}")

    @property
    def open_measures(self) -> tuple[str, ...]:
        """The measures that can look for d among candidates."""
        return tuple(name for name in self.measures if name in MEASURES)

    @property
    def candidates_in_words(self) -> str:
        """The candidate set as a table's caption says it."""
        if isinstance(self.candidates, int):
            return f"the first {self.candidates:,} words"
        return {"all": "all words", "answers": "the answer words of the set"}[self.candidates]

    @property
    def rules(self) -> dict[str, Any]:
        """The rules that hold for every set."""
        inferred = {"infer": "spelling"} if self.infer else {}
        return {"oov": self.oov, "case": self.case, "multiword": "mean" if self.multiword else "unknown", **inferred}

    @property
    def rules_in_words(self) -> str:
        """The same for a table's caption."""
        several = "; terms of several words: mean" if self.multiword else ""
        several += "; words without a vector: inferred from their spelling" if self.infer else ""
        return f"unknown words: {'wrong' if self.oov == 'wrong' else 'skipped'}; case: {self.case}{several}"


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """a is to b as c is to what? Any of `answers` is right."""

    a: str
    b: str
    c: str
    answers: tuple[str, ...]
    category: str
    place: str = ""

    @property
    def text(self) -> str:
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
        return f"{self.stem[0]} : {self.stem[1]} :: ?"


@dataclass(frozen=True, slots=True)
class RelationPair:
    """A pair of a relation: any of `answers` stands in the relation to `word`."""

    word: str
    answers: tuple[str, ...]
    category: str
    place: str = ""


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


def read_google(path: Path) -> OpenSet:
    """Google's set: `questions-words.txt` with `: category` lines, or a folder of category files."""
    questions = list(_four_column_questions(path))
    names = dict.fromkeys(question.category for question in questions)
    return OpenSet("google", path, questions, {name: google_section(name) for name in names})


def google_section(category: str) -> str:
    """Google's syntactic categories are those called gram….

    >>> google_section("gram3-comparative"), google_section("family")
    ('syntactic', 'semantic')
    """
    return "syntactic" if category.startswith("gram") else "semantic"


def read_questions(path: Path) -> OpenSet:
    """Any set of open questions; whether MSR's CSV, BATS's folders of pairs or four columns is found out by looking."""
    files = question_files(path)
    first = next(numbered_lines(files[0]), None)
    if first and {"word1", "word2", "word3", "target"} <= set(first[1].split(",")):
        return _read_msr(path)
    if first and len(columns(first[1])) == 2 and not first[1].startswith(":"):
        return _read_pairs(path)
    questions = list(_four_column_questions(path))
    return OpenSet(path.stem, path, questions)


def question_files(path: Path) -> list[Path]:
    """The file itself, or all .txt files under a folder, by name."""
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise RelrepError(f"{path}: there is no such file or folder; give the questions' place")
    files = sorted(file for file in path.rglob("*.txt") if not file.name.startswith("."))
    if not files:
        raise RelrepError(f"{path}: this folder holds no .txt file; give the questions' file or folder")
    return files


def numbered_lines(path: Path) -> Iterator[tuple[int, str]]:
    """The lines that say something, stripped, with their numbers; Google's own file opens with a // line."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise RelrepError(f"{path}: not UTF-8 text (byte {error.start}); convert the file to UTF-8") from None
    except OSError as error:
        raise RelrepError(f"{path}: cannot be read ({error.strerror}); check the path") from None
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip() and not line.startswith("//"):
            yield number, line.strip()


def bad_line(path: Path, number: int, what: str, line: str = "") -> RelrepError:
    """A line that is not as it should be; `line` is shown."""
    shown = f" ({line[:60]!r})" if line else ""
    return RelrepError(f"{path}, line {number}: {what}{shown}; mend or remove it")


def columns(line: str, separators: str = "\t,") -> list[str]:
    """Columns between tabs, else commas (the first of the `separators` that is there), else spaces.

    >>> columns("new york\\tusa"), columns("a b c d")
    (['new york', 'usa'], ['a', 'b', 'c', 'd'])
    """
    for separator in separators:
        if separator in line:
            return [column.strip() for column in line.split(separator)]
    return line.split()


def _alternatives(words: str) -> tuple[str, ...]:
    """Several right answers stand between slashes."""
    return tuple(word.strip() for word in words.split("/") if word.strip()) or (words,)


def _four_column_questions(path: Path) -> Iterator[OpenQuestion]:
    found = False
    for file in question_files(path):
        category = file.stem
        for number, line in numbered_lines(file):
            if line.startswith(":"):
                category = line[1:].strip()
                continue
            words = columns(line)
            if len(words) != 4 or not all(words):
                known = len([word for word in words if word])
                raise bad_line(file, number, f"a question has four words (a b c d), this line has {known}", line)
            found = True
            a, b, c, d = words
            yield OpenQuestion(a, b, c, _alternatives(d), category, f"{file.name}:{number}")
    if not found:
        raise RelrepError(f"{path}: holds no question; a question is a line of four words, a b c d")


def _read_msr(path: Path) -> OpenSet:
    questions: list[OpenQuestion] = []
    with path.open(encoding="utf-8-sig", newline="") as stream:
        for row in csv.DictReader(stream):
            number = len(questions) + 2
            words = [(row.get(column) or "").strip() for column in ("word1", "word2", "word3", "target")]
            if not all(words) or None in row:
                known = len([word for word in words if word])
                needed = "a question needs word1, word2, word3 and target"
                raise bad_line(path, number, f"{needed}, this line has {known} of them")
            kind = (row.get("type") or path.stem).strip()
            a, b, c, d = words
            questions.append(OpenQuestion(a, b, c, (d,), kind, f"{path.name}:{number}"))
    if not questions:
        raise RelrepError(f"{path}: holds no question under its heading; check the file")
    kinds = dict.fromkeys(question.category for question in questions)
    sections = {kind: MSR_SECTIONS[kind[:2]] for kind in kinds if kind[:2] in MSR_SECTIONS}
    return OpenSet(path.stem, path, questions, sections)


def _read_pairs(path: Path) -> OpenSet:
    """BATS: a file of pairs a relation; a question is every ordered pair of its lines.

    b is the first of its line's alternatives; any alternative of the other line is right.
    """
    lists = pair_lists(path)
    questions = [
        OpenQuestion(one.word, one.answers[0], other.word, other.answers, one.category, _place_of_both(one, other))
        for pairs in lists.values()
        for one in pairs
        for other in pairs
        if one is not other
    ]
    return OpenSet(path.stem, path, questions, section_of_files(path, lists))


def _place_of_both(one: RelationPair, other: RelationPair) -> str:
    return f"{one.place}+{other.place.rpartition(':')[2]}"


def pair_lists(path: Path) -> dict[Path, list[RelationPair]]:
    """The pairs of each file: `word<TAB>answer/answer2`, at least two pairs in one of the files."""
    lists: dict[Path, list[RelationPair]] = {}
    for file in question_files(path):
        lists[file] = []
        for number, line in numbered_lines(file):
            words = columns(line)
            if len(words) != 2 or not all(words):
                raise bad_line(file, number, f"a pair has two words, this line has {len(words)}", line)
            lists[file].append(RelationPair(words[0], _alternatives(words[1]), file.stem, f"{file.name}:{number}"))
    if all(len(pairs) < 2 for pairs in lists.values()):
        raise RelrepError(f"{path}: holds no question; a relation needs at least two pairs of words")
    return lists


def section_of_files(path: Path, files: Iterable[Path]) -> dict[str, str]:
    """The folder of each file below `path`, by the file's category."""
    return {file.stem: file.parent.name for file in files if path not in (file, file.parent)}


def read_sat(path: Path) -> ChoiceSet:
    """Blocks of source, stem, choices and answer letter, with a blank line between them.

    A pair is `word1<TAB>word2` or `word1 word2 pos1:pos2`; "no choice" is not a choice.
    """
    try:
        lines = path.read_bytes().decode("utf-8", errors="replace").splitlines()
    except OSError as error:
        raise RelrepError(f"{path}: cannot be read ({error.strerror}); give the file of SAT questions") from None
    questions: list[ChoiceQuestion] = []
    block: list[tuple[int, str]] = []
    for number, line in enumerate([*lines, ""], start=1):
        if line.startswith("#"):
            continue
        if line.strip():
            block.append((number, line.strip()))
        elif block:
            questions.append(_question(path, block))
            block = []
    if not questions:
        raise RelrepError(f"{path}: holds no SAT question; see the format in docs/evaluation.md")
    return ChoiceSet("sat", path, questions)


def read_choices(path: Path) -> ChoiceSet:
    """Multiple choice as JSON lines: {"stem": ["a", "b"], "choice": [["c", "d"], …], "answer": 0, "prefix": "source"}.

    This is how the field shares such sets; `answer` counts from 0, and what else a line says is passed over.
    """
    questions = [_choice_question(path, number, line) for number, line in numbered_lines(path)]
    if not questions:
        raise RelrepError(f"{path}: holds no question; a question is a line of JSON, see docs/evaluation.md")
    return ChoiceSet(path.stem, path, questions)


def _choice_question(path: Path, number: int, line: str) -> ChoiceQuestion:
    try:
        told = json.loads(line)
        json.dumps(told, ensure_ascii=False).encode()  # half a character (\ud800) could not be written anywhere
    except (ValueError, RecursionError):
        raise bad_line(path, number, "this is no JSON", line) from None
    parts = [told.get(key) for key in ("stem", "choice", "answer")] if isinstance(told, dict) else []
    if not parts or None in parts:
        raise bad_line(path, number, "a question has a stem, a choice (a list of pairs) and an answer", line)
    stem, choices, answer = parts
    if not isinstance(choices, list) or len(choices) < 2:
        raise bad_line(path, number, "a question's choice is a list of two pairs or more", line)
    for pair in (stem, *choices):
        if not (isinstance(pair, list) and len(pair) == 2 and all(isinstance(w, str) and w.strip() for w in pair)):
            raise bad_line(path, number, "a pair is a list of two words", json.dumps(pair, ensure_ascii=False))
    if type(answer) is not int or not 0 <= answer < len(choices):
        last = len(choices) - 1
        raise bad_line(path, number, f"the answer is {json.dumps(answer)}; it must be a number from 0 to {last}")
    first, *others = ((pair[0].strip(), pair[1].strip()) for pair in (stem, *choices))
    return ChoiceQuestion(first, tuple(others), answer, str(told.get("prefix") or ""), f"{path.name}:{number}")


def _question(path: Path, block: list[tuple[int, str]]) -> ChoiceQuestion:
    start = block[0][0]
    if len(block) < 5:
        parts = "a source, a stem, two choices or more and an answer letter"
        raise bad_line(path, start, f"a question has {parts}, this one has {len(block)} lines")
    stem, *pairs = (_pair(path, number, line) for number, line in block[1:-1])
    number, letter = block[-1]
    answer = LETTERS.find(letter.lower()) if len(letter) == 1 else -1
    if answer < 0:
        raise RelrepError(f"{path}, line {number}: {letter[:40]!r} is not an answer letter; a question ends with one")
    if answer >= len(pairs) or pairs[answer] == NO_CHOICE:
        raise bad_line(path, number, f"the answer is {letter!r}, but the question has no choice {letter!r}")
    right = pairs[answer]
    choices = tuple(pair for pair in pairs if pair != NO_CHOICE)
    source = block[0][1]
    return ChoiceQuestion(stem, choices, choices.index(right), source, f"{path.name}:{start}")


def _pair(path: Path, number: int, line: str) -> tuple[str, str]:
    words = [word.strip() for word in line.split("\t")] if "\t" in line else line.split()
    if len(words) == 3 and ":" in words[2]:
        words = words[:2]
    if len(words) != 2 or not all(words):
        raise bad_line(path, number, f"a pair has two words, this line has {len(words)}", line)
    return words[0], words[1]
