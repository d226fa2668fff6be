"""SAT questions in both layouts."""

from pathlib import Path

import pytest

from relrep.analogy.sat import read_sat
from relrep.errors import RelrepError

PLAIN = "source\r\nostrich\tbird\r\nlion\tcat\r\ngoose\tflock\r\new\tsheep\r\ncub\tbear\r\nno\tchoice\r\na\r\n"
WITH_POS = "source\nlull trust v:n\nbalk fortitude v:n\nbetray loyalty v:n\ncajole compliance v:n\nc\n"


def write(path: Path, text: str) -> Path:
    path.write_bytes(text.encode())
    return path


def test_no_choice_is_not_a_choice(tmp_path: Path) -> None:
    question = read_sat(write(tmp_path / "sat.txt", PLAIN)).questions[0]
    assert question.stem == ("ostrich", "bird")
    assert question.choices == (("lion", "cat"), ("goose", "flock"), ("ew", "sheep"), ("cub", "bear"))
    assert question.answer == 0


def test_parts_of_speech_are_passed_over(tmp_path: Path) -> None:
    questions = read_sat(write(tmp_path / "sat.txt", PLAIN + "\r\n" + WITH_POS)).questions
    assert len(questions) == 2
    assert questions[1].choices[questions[1].answer] == ("cajole", "compliance")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (PLAIN.replace("\r\na\r\n", "\r\ne\r\n"), r"line 8: the answer is 'e', but the question has no choice 'e'"),
        (WITH_POS.replace("\nc\n", "\nd\n"), r"line 6: the answer is 'd', but the question has no choice 'd'"),
        (WITH_POS.replace("\nc\n", "\ncajole\n"), r"line 6: 'cajole' is not an answer letter"),
        (WITH_POS.replace("lull trust v:n", "lull"), r"line 2: a pair has two words, 'lull' has 1"),
        ("source\nlull trust\na\n", r"line 1: .*this one has 3 lines"),
        ("\n\n", r"holds no SAT question"),
    ],
)
def test_bad_questions_are_one_clear_sentence(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(RelrepError, match=said):
        read_sat(write(tmp_path / "sat.txt", text))


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(RelrepError, match=r"nowhere\.txt: cannot be read"):
        read_sat(tmp_path / "nowhere.txt")
