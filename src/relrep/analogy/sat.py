"""Reads SAT analogy questions, with and without parts of speech."""

from pathlib import Path

from relrep.analogy.questions import ChoiceQuestion, ChoiceSet
from relrep.errors import RelrepError

LETTERS = "abcdefghijklmnopqrstuvwxyz"
NO_CHOICE = ("no", "choice")


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


def _question(path: Path, block: list[tuple[int, str]]) -> ChoiceQuestion:
    start = block[0][0]
    if len(block) < 5:
        raise RelrepError(
            f"{path}, line {start}: a question has a source, a stem, two choices or more and an answer letter, "
            f"this one has {len(block)} lines; mend or remove it"
        )
    stem, *pairs = (_pair(path, number, line) for number, line in block[1:-1])
    number, letter = block[-1]
    answer = LETTERS.find(letter.lower()) if len(letter) == 1 else -1
    if answer < 0:
        raise RelrepError(f"{path}, line {number}: {letter[:40]!r} is not an answer letter; a question ends with one")
    if answer >= len(pairs) or pairs[answer] == NO_CHOICE:
        raise RelrepError(
            f"{path}, line {number}: the answer is {letter!r}, but the question has no choice {letter!r}; "
            "mend the letter or the choices"
        )
    right = pairs[answer]
    choices = tuple(pair for pair in pairs if pair != NO_CHOICE)
    source = block[0][1]
    return ChoiceQuestion(stem, choices, choices.index(right), source, f"{path.name}:{start}")


def _pair(path: Path, number: int, line: str) -> tuple[str, str]:
    words = [word.strip() for word in line.split("\t")] if "\t" in line else line.split()
    if len(words) == 3 and ":" in words[2]:
        words = words[:2]
    if len(words) != 2 or not all(words):
        raise RelrepError(f"{path}, line {number}: a pair has two words, {line[:60]!r} has {len(words)}; mend the line")
    return words[0], words[1]
