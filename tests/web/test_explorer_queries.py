import pytest

from relrep.errors import RelrepError
from relrep.web.queries import PatternReading, Spellings, interpret


@pytest.mark.parametrize(
    "query",
    [
        "man woman king ?",
        "man woman king",
        "man : woman :: king : ?",
        "man: woman king?",
        "man is to woman as king is to",
    ],
)
def test_three_words_are_an_analogy(query):
    meant = interpret(query)
    assert (meant.kind, meant.words, meant.answer) == ("analogy", ("man", "woman", "king"), None)


def test_a_fourth_word_is_the_answer_in_question():
    assert interpret("man woman king queen").answer == "queen"


def test_two_words_are_a_pair_and_one_is_a_word(tiny_model):
    assert interpret("  ostrich   bird ", tiny_model.relations).words == ("ostrich", "bird")
    assert interpret("ostrich : bird").kind == "pair"
    assert interpret("ostrich").kind == "word"


def test_a_known_pattern_with_a_small_word_is_a_pattern_and_a_colon_makes_it_a_pair(tiny_model):
    meant = interpret("such as", tiny_model.relations)
    assert (meant.kind, meant.pattern, meant.also) == ("pattern", PatternReading("such as"), "such : as")
    assert interpret("such : as", tiny_model.relations).kind == "pair"
    assert interpret("such as").kind == "pair"  # a model without patterns
    assert interpret("capital", tiny_model.relations).also == '"capital"'


@pytest.mark.parametrize(
    ("query", "reading"),
    [
        ('"such as"', PatternReading("such as")),
        ("“such as”", PatternReading("such as")),
        ("X … such as … Y", PatternReading("such as", False, False)),
        ("Y ... such ... X", PatternReading("such", False, True)),
        ("X is a large Y", PatternReading("is a large", True, False)),
    ],
)
def test_patterns_are_written_in_quotes_or_as_they_are_shown(query, reading):
    assert interpret(query).pattern == reading


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("", "this one has 0"),
        ("   ", "this one has 0"),
        ("x" * 201, "between 1 and 200 characters; this one has 201"),
        ("one two three four five", "ask with one word, two for their relation"),
        ("X of X", "with one X and one Y"),
    ],
)
def test_what_cannot_be_understood_is_refused_in_one_sentence(query, said):
    with pytest.raises(RelrepError, match=said):
        interpret(query)


def test_completions_go_by_frequency_and_long_unknown_words_find_their_like():
    spellings = Spellings(["the", "then", "theatre", "ostrich", "international"])
    assert spellings.completions("the", 2) == ["the", "then"]
    assert spellings.completions("zz", 2) == []
    assert spellings.closest("Ostritch") == ["ostrich"]
    assert spellings.closest("internatoinal") == ["international"]
    assert spellings.closest("xyzzyxyzzy") == []
