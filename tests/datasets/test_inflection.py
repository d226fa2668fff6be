"""English inflection."""

import pytest

from relrep.datasets.smallworld import inflection


@pytest.mark.parametrize(
    ("function", "word", "form"),
    [
        (inflection.plural, "dog", "dogs"),
        (inflection.plural, "day", "days"),
        (inflection.plural, "wolf", "wolves"),
        (inflection.plural, "roof", "roofs"),
        (inflection.plural, "bus", "buses"),
        (inflection.plural, "policewoman", "policewomen"),
        (inflection.plural, "basketball player", "basketball players"),
        (inflection.third_person, "mow", "mows"),
        (inflection.third_person, "dry", "dries"),
        (inflection.past_tense, "chop", "chopped"),
        (inflection.past_tense, "moo", "mooed"),
        (inflection.past_tense, "bray", "brayed"),
        (inflection.past_tense, "listen", "listened"),
        (inflection.past_tense, "tie", "tied"),
        (inflection.gerund, "dig", "digging"),
        (inflection.gerund, "bleat", "bleating"),
        (inflection.gerund, "forget", "forgetting"),
        (inflection.gerund, "answer", "answering"),
        (inflection.gerund, "fly", "flying"),
        (inflection.comparative, "good", "better"),
        (inflection.comparative, "hot", "hotter"),
        (inflection.comparative, "dry", "drier"),
        (inflection.comparative, "clean", "cleaner"),
        (inflection.superlative, "noble", "noblest"),
        (inflection.superlative, "lazy", "laziest"),
        (inflection.adverb, "gentle", "gently"),
        (inflection.adverb, "angry", "angrily"),
        (inflection.adverb, "dry", "dryly"),
    ],
)
def test_forms(function, word, form):
    assert function(word) == form


@pytest.mark.parametrize("word", ["apple", "hour", "heiress", "Icelandic", "ox", "unusual", "egg", "umbrella"])
def test_an_stands_before_a_vowel_sound(word):
    assert inflection.takes_an(word)


@pytest.mark.parametrize("word", ["house", "university", "useful", "one", "Ukrainian", "yellow", "European"])
def test_a_stands_before_a_consonant_sound(word):
    assert not inflection.takes_an(word)
