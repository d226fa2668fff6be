"""Stop words come from a language, from nowhere, or from a file."""

import pytest

from relrep.errors import RelrepError
from relrep.mining.settings import LANGUAGES, load_stop_words


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
