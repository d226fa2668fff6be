"""Every layout of open and of SAT questions, and one clear sentence for each way to get them wrong."""

from pathlib import Path

import pytest

from relrep.analogy.questions import read_choices, read_google, read_questions, read_sat
from relrep.errors import RelrepError

PLAIN = "source\r\nostrich\tbird\r\nlion\tcat\r\ngoose\tflock\r\new\tsheep\r\ncub\tbear\r\nno\tchoice\r\na\r\n"
WITH_POS = "source\nlull trust v:n\nbalk fortitude v:n\nbetray loyalty v:n\ncajole compliance v:n\nc\n"


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


def test_google_in_one_cased_file(tmp_path: Path) -> None:
    text = "//Copyright\n: capital-world\r\nAthens Greece Oslo Norway\r\n\n: gram8-plural\ncat cats dog dogs\n"
    asked = read_google(write(tmp_path / "questions-words.txt", text))
    assert [(q.a, q.b, q.c, q.answers, q.category) for q in asked.questions] == [
        ("Athens", "Greece", "Oslo", ("Norway",), "capital-world"),
        ("cat", "cats", "dog", ("dogs",), "gram8-plural"),
    ]
    assert asked.section_of == {"capital-world": "semantic", "gram8-plural": "syntactic"}
    assert asked.questions[1].place == "questions-words.txt:6"


def test_google_as_a_folder_of_categories(tmp_path: Path) -> None:
    write(tmp_path / "family.txt", "boy girl brother sister\n")
    write(tmp_path / "gram2-opposite.txt", "aware unaware clear unclear\n")
    write(tmp_path / "FORMAT.md", "not a question\n")
    asked = read_google(tmp_path)
    assert [q.category for q in asked.questions] == ["family", "gram2-opposite"]
    assert asked.name == "google"


@pytest.mark.parametrize("line", ["man\twoman\tking\tqueen", "man, woman, king, queen", "man woman  king queen"])
def test_any_four_columns(tmp_path: Path, line: str) -> None:
    asked = read_questions(write(tmp_path / "mine.txt", line + "\n"))
    assert asked.name == "mine"
    assert asked.questions[0].text == "man : woman :: king : ?"
    assert asked.questions[0].answers == ("queen",)


def test_several_right_answers(tmp_path: Path) -> None:
    asked = read_questions(write(tmp_path / "mine.txt", "cat kitten dog puppy/whelp\n"))
    assert asked.questions[0].answers == ("puppy", "whelp")


def test_msr(tmp_path: Path) -> None:
    text = ",type,word1,word2,word3,target\n0,JJ_JJR,good,better,rough,rougher\n1,NN_NNS,year,years,law,laws\n"
    asked = read_questions(write(tmp_path / "msr.csv", text))
    assert asked.questions[1].answers == ("laws",)
    assert asked.section_of == {"JJ_JJR": "adjectives", "NN_NNS": "nouns"}


def test_bats_asks_every_ordered_pair_of_lines(tmp_path: Path) -> None:
    folder = tmp_path / "bats"
    write(folder / "1_Inflection" / "I01 [noun - plural].txt", "car\tcars\ndog\tdogs\nhat\thats\n")
    write(folder / "4_Lexicography" / "L01 [hypernyms].txt", "cat\tfeline/animal\noak\ttree/plant\n")
    asked = read_questions(folder)
    assert len(asked.questions) == 6 + 2
    last = asked.questions[-1]
    assert (last.a, last.b, last.c, last.answers) == ("oak", "tree", "cat", ("feline", "animal"))
    assert asked.section_of == {"I01 [noun - plural]": "1_Inflection", "L01 [hypernyms]": "4_Lexicography"}


@pytest.mark.parametrize(("line", "count"), [("a b c", 3), ("a b c d e", 5)])
def test_a_question_has_four_words(tmp_path: Path, line: str, count: int) -> None:
    path = write(tmp_path / "questions-words.txt", f": family\nboy girl he she\n{line}\n")
    with pytest.raises(RelrepError, match=rf"questions-words.txt, line 3: .*four words.*has {count}"):
        read_google(path)


def test_bad_files_are_one_clear_sentence(tmp_path: Path) -> None:
    with pytest.raises(RelrepError, match=r"nowhere: there is no such file or folder"):
        read_google(tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    with pytest.raises(RelrepError, match=r"holds no \.txt file"):
        read_questions(tmp_path / "empty")
    with pytest.raises(RelrepError, match="holds no question"):
        read_google(write(tmp_path / "heading.txt", ": family\n"))
    with pytest.raises(RelrepError, match=r"msr.csv, line 3: .*has 3"):
        text = ",type,word1,word2,word3,target\n0,JJ_JJR,a,b,c,d\n1,JJ_JJR,a,b,c,\n"
        read_questions(write(tmp_path / "msr.csv", text))
    with pytest.raises(RelrepError, match=r"pairs.txt, line 2: a pair has two words, this line has 3"):
        read_questions(write(tmp_path / "pairs.txt", "a b\nc d e\n"))
    (tmp_path / "latin.txt").write_bytes(b"caf\xe9 b c d\n")
    with pytest.raises(RelrepError, match="not UTF-8"):
        read_questions(tmp_path / "latin.txt")


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
        (WITH_POS.replace("lull trust v:n", "lull"), r"line 2: a pair has two words, this line has 1"),
        ("source\nlull trust\na\n", r"line 1: .*this one has 3 lines"),
        ("\n\n", r"holds no SAT question"),
    ],
)
def test_bad_sat_questions_are_one_clear_sentence(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(RelrepError, match=said):
        read_sat(write(tmp_path / "sat.txt", text))


def test_missing_sat_file(tmp_path: Path) -> None:
    with pytest.raises(RelrepError, match=r"nowhere\.txt: cannot be read"):
        read_sat(tmp_path / "nowhere.txt")


def test_choices_as_json_lines(tmp_path: Path) -> None:
    lines = [
        '{"stem": ["new york", "city"], "answer": 1, "choice": [["oak", "fish"], ["oak", "tree"]], "prefix": "u"}',
        '{"stem": ["a", "b"], "answer": 0, "choice": [["c", "d"], ["e", "f"], ["g", "h"]], "more": null}',
    ]
    asked = read_choices(write(tmp_path / "mine.jsonl", "\r\n".join(lines) + "\n\n"))
    first, second = asked.questions
    assert asked.name == "mine"
    assert (first.stem, first.choices, first.answer) == (("new york", "city"), (("oak", "fish"), ("oak", "tree")), 1)
    assert (first.category, first.place) == ("u", "mine.jsonl:1")
    assert len(second.choices) == 3 and second.category == ""


CHOICE = '{"stem": ["a", "b"], "choice": [["c", "d"], ["e", "f"]], "answer": 0}'


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "this is no JSON"),
        (CHOICE.replace('"e"', '"\\ud800"'), "this is no JSON"),
        ("[1]", "a question has a stem, a choice"),
        (CHOICE.replace("stem", "stam"), "a question has a stem, a choice"),
        (CHOICE.replace(', ["e", "f"]', ""), "two pairs or more"),
        (CHOICE.replace('["e", "f"]', '["e"]'), r"a pair is a list of two words \('\[\"e\"\]'\)"),
        (CHOICE.replace('"e"', "5"), "a pair is a list of two words"),
        (CHOICE.replace('["a", "b"]', '["a", " "]'), "a pair is a list of two words"),
        (CHOICE.replace(": 0", ": 2"), "the answer is 2; it must be a number from 0 to 1"),
        (CHOICE.replace(": 0", ": true"), "the answer is true"),
        (CHOICE.replace(": 0", ': "a"'), 'the answer is "a"'),
    ],
)
def test_bad_choices_are_one_clear_sentence(tmp_path: Path, line: str, said: str) -> None:
    with pytest.raises(RelrepError, match=rf"mine.jsonl, line 2: .*{said}.*; mend or remove it"):
        read_choices(write(tmp_path / "mine.jsonl", f"{CHOICE}\n{line}\n"))
    with pytest.raises(RelrepError, match="holds no question"):
        read_choices(write(tmp_path / "empty.jsonl", "\n"))
