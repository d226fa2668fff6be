"""Reads open question sets: Google's, MSR's, BATS's, and any file of four columns."""

import csv
from collections.abc import Iterator
from pathlib import Path

from relrep.analogy.questions import OpenQuestion, OpenSet
from relrep.errors import RelrepError

MSR_SECTIONS = {"JJ": "adjectives", "NN": "nouns", "VB": "verbs"}


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
    first = _first_line(files[0])
    if first and {"word1", "word2", "word3", "target"} <= set(first[1].split(",")):
        return _read_msr(path)
    if first and len(_columns(first[1])) == 2 and not first[1].startswith(":"):
        return _read_pairs(path, files)
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


def _first_line(path: Path) -> tuple[int, str] | None:
    return next(numbered_lines(path), None)


def _columns(line: str) -> list[str]:
    """Columns between tabs, else commas, else spaces.

    >>> _columns("new york\\tusa"), _columns("a b c d")
    (['new york', 'usa'], ['a', 'b', 'c', 'd'])
    """
    for separator in ("\t", ","):
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
            words = _columns(line)
            if len(words) != 4 or not all(words):
                raise RelrepError(
                    f"{file}, line {number}: a question has four words (a b c d), this line has "
                    f"{len([word for word in words if word])} ({line[:60]!r}); mend or remove the line"
                )
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
                raise RelrepError(
                    f"{path}, line {number}: a question needs word1, word2, word3 and target, this line has "
                    f"{len([word for word in words if word])} of them; mend or remove the line"
                )
            kind = (row.get("type") or path.stem).strip()
            a, b, c, d = words
            questions.append(OpenQuestion(a, b, c, (d,), kind, f"{path.name}:{number}"))
    if not questions:
        raise RelrepError(f"{path}: holds no question under its heading; check the file")
    kinds = dict.fromkeys(question.category for question in questions)
    sections = {kind: MSR_SECTIONS[kind[:2]] for kind in kinds if kind[:2] in MSR_SECTIONS}
    return OpenSet(path.stem, path, questions, sections)


def _read_pairs(path: Path, files: list[Path]) -> OpenSet:
    """BATS: a file of pairs a relation; a question is every ordered pair of its lines.

    b is the first of its line's alternatives; any alternative of the other line is right.
    """
    questions: list[OpenQuestion] = []
    sections: dict[str, str] = {}
    for file in files:
        pairs: list[tuple[str, tuple[str, ...], int]] = []
        for number, line in numbered_lines(file):
            words = _columns(line)
            if len(words) != 2 or not all(words):
                raise RelrepError(
                    f"{file}, line {number}: a pair has two words, this line has {len(words)} ({line[:60]!r}); "
                    "mend or remove the line"
                )
            pairs.append((words[0], _alternatives(words[1]), number))
        category = file.stem
        if file.parent != path and file != path:
            sections[category] = file.parent.name
        questions += [
            OpenQuestion(a, bs[0], c, ds, category, f"{file.name}:{first}+{second}")
            for a, bs, first in pairs
            for c, ds, second in pairs
            if first != second
        ]
    if not questions:
        raise RelrepError(f"{path}: holds no question; a relation needs at least two pairs of words")
    return OpenSet(path.stem, path, questions, sections)
