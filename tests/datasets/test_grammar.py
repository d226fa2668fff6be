"""The template language."""

import itertools

import pytest

from relrep.datasets.smallworld.facts import Table
from relrep.datasets.smallworld.generator import TopicWriter
from relrep.datasets.smallworld.grammar import Grammar, expand

PERSON = ("Anna", "she", "her", "her", "herself", "woman", "girl")
FRIEND = ("Otto", "he", "him", "his", "himself", "man", "boy")


def expansions(line, record=("dog", ("bones", "meat")), fields=("animal", "food"), rules=None):
    """All texts that a template can give, found by walking through a fine grid of random numbers."""
    grammar = Grammar(rules or {"time": ["today", "at {hour}"], "hour": ["noon"]})
    template = grammar.template(line, list(fields))
    scene = (record, ("cat", "fish"), ("cow", "hay"), PERSON, FRIEND)
    grid = [(step + 0.5) / 6 for step in range(6)]
    return {expand(template.nodes, scene, iter(numbers).__next__) for numbers in itertools.product(grid, repeat=3)}


def test_fields_of_all_records_and_persons():
    assert expansions("{animal} {animal2} {animal3} {p} {his} {q} {qhis}") == {"dog cat cow Anna her Otto his"}


def test_alternatives_may_be_empty_and_nested():
    assert expansions("a[| b[c|d]].") == {"a.", "a bc.", "a bd."}


def test_one_of_several_spellings_is_drawn():
    assert expansions("{food}") == {"bones", "meat"}


def test_rules_refer_to_later_rules():
    assert expansions("{time}!") == {"today!", "at noon!"}


@pytest.mark.parametrize("line", ["a]", "a|b", "a [b|c", "{nothing}"])
def test_broken_templates_are_refused_with_their_text(line):
    with pytest.raises(ValueError, match="template: "):
        expansions(line)


def writer(sentences, table):
    return TopicWriter(Table.parse(table), sentences, Grammar({}))


def test_only_templates_whose_fields_a_record_has_are_used():
    topic = writer(["{a} is.", "{b} was."], "a b\nx y\nz -")
    assert [len(usable[""]) for usable in topic.usable] == [2, 1]


def test_others_share_or_differ_in_a_field():
    table = "a b\none odd\ntwo even\nthree odd\nfour even\nfive odd"
    topic = writer(["=b {a} and {a2}, {a3}.", "!b {a} not {a2}, {a3}."], table)
    numbers = itertools.cycle([0.05, 0.95, 0.35, 0.65]).__next__
    same, other = topic.usable[0][""]
    assert {record[1] for record in topic.company(0, same, numbers)} == {"odd"}
    assert {record[1] for record in topic.company(0, other, numbers)} == {"even"}
    assert [len(usable[""]) for usable in topic.usable] == [2, 1, 2, 1, 2], "two alone have no two fellows"


def test_events_and_continuations_are_told_from_plain_statements():
    grammar = Grammar({"then": ["once"]})
    lines = ["a dog barks.", "+it barks.", "&{he} barks.", "~a dog bit.", "it was so.", "{p} barks {then}."]
    assert [grammar.template(line, []).plain for line in lines] == [True] + [False] * 5
    assert [grammar.template(line, []).continues for line in lines] == ["", "+", "&", "", "", ""]
