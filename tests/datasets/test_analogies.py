"""Analogy questions from the small world's facts, and their files."""

import re
from collections import Counter

import pytest

from relrep.datasets import smallworld
from relrep.errors import RelrepError

WORD = re.compile(r"[a-z]+(?:[-'][a-z]+)*")


def test_relations_are_many_and_well_named():
    relations = smallworld.pairs()
    assert len(relations) >= 25
    assert sum(name.startswith("gram") for name in relations) >= 9
    assert all(len(facts) >= 19 and len(set(facts)) == len(facts) for facts in relations.values())
    assert all(WORD.fullmatch(word) for facts in relations.values() for pair in facts for word in pair)


@pytest.mark.parametrize(
    ("relation", "pair"),
    [
        ("capital-country", ("paris", "france")),
        ("country-currency", ("hungary", "forint")),
        ("country-language", ("iran", "persian")),
        ("family", ("monk", "nun")),
        ("animal-young", ("goose", "gosling")),
        ("product-source", ("cheese", "milk")),
        ("gram3-comparative", ("good", "better")),
        ("gram7-past-tense", ("singing", "sang")),
        ("gram8-plural", ("mouse", "mice")),
        ("gram10-past-participle", ("break", "broken")),
    ],
)
def test_some_facts(relation, pair):
    assert pair in smallworld.pairs()[relation]


def test_the_euro_is_no_answer():
    assert "euro" not in {word for pair in smallworld.pairs()["country-currency"] for word in pair}


def test_a_question_has_only_one_answer():
    for name, facts in smallworld.pairs().items():
        assert max(Counter(first for first, _ in facts).values()) == 1, name


def test_questions_follow_from_facts():
    relations = smallworld.pairs()
    asked = smallworld.questions()
    assert list(asked) == list(relations)
    for name, group in asked.items():
        facts = set(relations[name])
        assert 100 <= len(group) <= 200
        assert len(set(group)) == len(group)
        for a, b, c, d in group:
            assert (a, b) in facts
            assert (c, d) in facts
            assert len({a, b, c, d}) == 4


def test_questions_are_capped_and_always_the_same():
    few = smallworld.questions(per_category=5)
    assert {len(group) for group in few.values()} == {5}
    assert few == smallworld.questions(per_category=5)
    assert sum(map(len, smallworld.questions().values())) > 4000


def test_question_file_is_like_googles(tmp_path):
    path = tmp_path / "questions-words.txt"
    written = smallworld.write_questions(path, per_category=3)
    lines = path.read_bytes().decode("ascii").splitlines()
    headers = [line for line in lines if line.startswith(":")]
    assert headers == [f": {name}" for name in smallworld.pairs()]
    assert written == len(lines) - len(headers) == 3 * len(headers)
    assert lines[1].split(" ") == list(smallworld.questions(3)["capital-country"][0])


def test_choices_have_one_right_pair():
    relations = smallworld.pairs()
    asked = smallworld.choices()
    assert len(asked) > 300
    for relation, stem, options, answer in asked:
        facts = set(relations[relation])
        right = [option for option in options if option in facts]
        assert stem in facts
        assert right == [options["abcde".index(answer)]]
        assert len({*stem, *(word for option in options for word in option)}) == 12, "no word twice"
    letters = Counter(answer for *_, answer in asked)
    assert set(letters) == set("abcde")
    assert max(letters.values()) < 2 * min(letters.values())


def test_opposites_are_not_turned_round():
    backwards = {pair[::-1] for pair in smallworld.pairs()["opposites"]}
    for relation, _, options, _ in smallworld.choices():
        if relation == "opposites":
            assert not backwards.intersection(options)


def test_choice_file_is_like_the_sat_set(tmp_path):
    path = tmp_path / "choices.txt"
    written = smallworld.write_choices(path, per_relation=2)
    blocks = path.read_text(encoding="ascii").strip("\n").split("\n\n")
    assert written == len(blocks) == 2 * len(smallworld.pairs())
    for block, (relation, stem, options, answer) in zip(blocks, smallworld.choices(2), strict=True):
        source, *pairs, letter = block.split("\n")
        assert relation in source
        assert [tuple(pair.split("\t")) for pair in pairs] == [stem, *options]
        assert letter == answer


def test_files_cannot_be_written_below_a_file(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(RelrepError, match="cannot be written"):
        smallworld.write_questions(tmp_path / "file" / "questions.txt")
    with pytest.raises(RelrepError, match="cannot be written"):
        smallworld.write_choices(tmp_path / "file" / "choices.txt")
