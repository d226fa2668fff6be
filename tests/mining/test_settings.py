"""Stop words come from a language, from nowhere, or from a file."""

import pytest

from relrep.errors import RelrepError
from relrep.mining.stop_words import LANGUAGES, load_stop_words, resolve_stop_words


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_words_in_lower_case(language):
    words = load_stop_words(language)
    assert len(words) > 100 and all(word == word.strip().lower() for word in words)


def test_none_and_files(tmp_path):
    (tmp_path / "own.txt").write_text("der\n\n  die \n", encoding="utf-8")
    assert load_stop_words("none") == frozenset()
    assert load_stop_words(str(tmp_path / "own.txt")) == {"der", "die"}
    with pytest.raises(RelrepError, match="the stop words cannot be read"):
        load_stop_words(str(tmp_path / "nothing.txt"))


def test_a_text_tells_its_language_by_its_most_frequent_words():
    french = [*"de la le et les des en un du une que est pour qui dans a par plus".split(), "paris", "ville"]  # noqa: SIM905
    assert resolve_stop_words("auto", french) == "french"
    assert resolve_stop_words("auto", ["the", "of", "and", "cell", "protein"]) == "english"
    assert resolve_stop_words("auto", ["maji", "watu", "mtu", "nyumba"]) == "frequent"
    assert resolve_stop_words("none", french) == "none"


def test_where_the_language_is_not_known_the_most_frequent_words_stand_in():
    words = [f"w{chr(97 + at // 26 % 26)}{chr(97 + at % 26)}" for at in range(400)]
    words = [word.replace("w", "x" * (1 + at % 3)) for at, word in enumerate(words)]
    assert load_stop_words("frequent", words) == frozenset(words[:20])
    assert load_stop_words("frequent", ["a", "b"]) == frozenset()
