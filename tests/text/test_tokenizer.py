"""The tokeniser's kernel against its readable twin, and the rules by example."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from relrep.reference.text import given_tokens, sentences
from relrep.text.settings import CorpusSettings
from relrep.text.tokenizer import (
    MAX_WORD_BYTES,
    NEVER,
    NOT_BEFORE_DIGIT,
    STARTERS,
    UNLESS_STARTER,
    Tokeniser,
    spellings,
    tokenise,
)

_MARKS = ". .. ... ! ? … ?! .” .) .] [1] [2 ] [ ( ) \" ' ’ ” “ « » , ; : - – — ‐ / & % 。 । ！"
_SPECIAL = "U.S. e.g. i.e. p.m. 3.14 .5 1,000 x-ray o'clock ’tis rock’n’roll A a I i v E c 5 12 VIII 2nd ² Ⅳ ०"
_WORDS = "Smith smith McDonald é É ß İ ı Ⱥ Ǆ ǅ 中 文字 ไทย की Ω 𝔘 𐐀 𐐨 e\u0301 \ufffd"
ATOMS = [
    *_MARKS.split(),
    *_SPECIAL.split(),
    *_WORDS.split(),
    *[" ", "  ", "\n", "\r\n", "\t", "\u00a0", "\u00ad", "\u200b", "\u200d", "\u2028", "\x85", "\ufeff", "\x00"],
    *[spelling for word in sorted(NEVER) for spelling in spellings(word)],
    *[spelling for word in sorted(NOT_BEFORE_DIGIT)[:6] for spelling in spellings(word)],
    *[spelling for word in sorted(UNLESS_STARTER)[::9] for spelling in spellings(word)],
    *[spelling for word in sorted(STARTERS)[::9] for spelling in spellings(word)],
]
"""What sentence boundaries are made of."""

tricky_text = st.lists(st.sampled_from(ATOMS) | st.sampled_from([" ", ". ", "."]), max_size=40).map("".join)
any_text = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)

_TOKENISERS = {
    (lowercase, punctuation): Tokeniser(CorpusSettings(lowercase=lowercase, punctuation=punctuation))
    for lowercase in (True, False)
    for punctuation in (True, False)
}


def kernel_sentences(text: str, lowercase: bool, punctuation: bool) -> list[list[str]]:
    return _TOKENISERS[lowercase, punctuation](text.encode() + b"\n").sentences()


@given(any_text | tricky_text, st.booleans(), st.booleans())
@settings(max_examples=1500, deadline=None)
def test_kernel_agrees_with_its_twin(text: str, lowercase: bool, punctuation: bool) -> None:
    assert kernel_sentences(text, lowercase, punctuation) == sentences(text, lowercase, punctuation)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@given(any_text | tricky_text, st.booleans(), st.booleans())
@settings(max_examples=20_000, deadline=None)
def test_kernel_agrees_with_its_twin_at_length(text: str, lowercase: bool, punctuation: bool) -> None:
    assert kernel_sentences(text, lowercase, punctuation) == sentences(text, lowercase, punctuation)


@given(st.lists(tricky_text | any_text, min_size=200, max_size=300), st.booleans())
@settings(max_examples=5, deadline=None)
def test_long_texts_agree_too(texts: list[str], punctuation: bool) -> None:
    """More words than wait to be numbered at once, with sentences that end across that border."""
    text = " ".join(texts)
    assert kernel_sentences(text, True, punctuation) == sentences(text, True, punctuation)


def test_every_character_alone_and_between_letters() -> None:
    codes = [*range(0x3100), *range(0xA000, 0xAC00), *range(0xF900, 0x10800), *range(0x10800, 0x30000, 101)]
    characters = map(chr, codes)
    text = "\n".join(f"{character} a{character}a{character}" for character in characters)
    assert kernel_sentences(text, True, True) == sentences(text, True, True)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The cat sat. It slept.", ["The cat sat", "It slept"]),
        ("The cat sat\nand slept", ["The cat sat", "and slept"]),
        ("What? Yes! And so… It went", ["What", "Yes", "And so", "It went"]),
        ("He said no. maybe", ["He said no maybe"]),
        ('He said "Stop." She did.', ["He said Stop", "She did"]),
        ('He said (twice.) "Then" she left.', ["He said twice", "Then she left"]),
        ("Mr. Fox met Dr. Hare in St. Louis.", ["Mr Fox met Dr Hare in St Louis"]),
        ("J. R. R. Tolkien and C. S. Lewis", ["J R R Tolkien and C S Lewis"]),
        ("It has 3.5 legs. 4 would do.", ["It has 3 5 legs", "4 would do"]),
        ("See No. 5 and p. 7, Fig. B and Vol. II.", ["See No 5 and p 7 Fig B and Vol II"]),
        ("He said no. She agreed.", ["He said no", "She agreed"]),
        ("After World War I. The treaty", ["After World War I", "The treaty"]),
        ("made in the U.S. Army", ["made in the U S Army"]),
        ("made in the U.S. In 1989", ["made in the U S", "In 1989"]),
        ("J. A. Smith came. A cat left.", ["J A Smith came", "A cat left"]),
        ("Apple Inc. The firm. Apple Inc. Chairman", ["Apple Inc", "The firm", "Apple Inc Chairman"]),
        ("Reds vs. The Rest, e.g. The Who", ["Reds vs The Rest e g The Who"]),
        ("It was so.[1] Then not.[2][3–5] Now it is.", ["It was so 1", "Then not 2 3 5", "Now it is"]),
        ("It was so.[sic] Then", ["It was so sic Then"]),
        ("well-known o'clock rock’n’roll -- 'tis", ["well-known o'clock rock'n'roll tis"]),
        ("co\u00adopera\u00adtion Dr\u00ad. No", ["cooperation Dr No"]),
        ("Well... Then ... Good . . . Bye", ["Well", "Then", "Good", "Bye"]),
        ("一つ。二つ。", ["一つ", "二つ"]),
        ("", []),
        (" . ? ! ", []),
    ],
)
def test_rules_by_example(text: str, expected: list[str]) -> None:
    settings_ = CorpusSettings(lowercase=False)
    assert [" ".join(sentence) for sentence in tokenise(text, settings_).sentences()] == expected


def test_punctuation_goes_to_the_sentence_it_closes_or_opens() -> None:
    block = tokenise('He said: "Go!" "Why?" (She left.) 3.5%', CorpusSettings(punctuation=True))
    assert [" ".join(sentence) for sentence in block.sentences()] == [
        'he said : " go ! "',
        '" why ? "',
        "( she left . )",
        "3 . 5 %",
    ]


def test_too_long_tokens_keep_their_place() -> None:
    longest = "x" * MAX_WORD_BYTES
    block = tokenise(f"a {longest} {longest}x b", CorpusSettings())
    assert block.sentences() == [["a", longest, "", "b"]]
    assert block.ids.tolist() == [0, 1, -2, 2, -1]


def test_a_full_table_grows() -> None:
    """More different words than the first hash table has room for."""
    words = [f"w{number}" for number in range(300_000)]
    block = tokenise(" ".join(words), CorpusSettings())
    assert block.words() == words
    assert block.ids.tolist() == [*range(300_000), -1]


def test_a_tokeniser_forgets_the_text_before() -> None:
    tokeniser = Tokeniser(CorpusSettings())
    first = tokeniser(b"one two two\n").sentences()
    assert tokeniser(b"two three\n" * 5000).counts.tolist() == [5000, 5000]
    assert tokeniser(b"one two two\n").sentences() == first == [["one", "two", "two"]]


def test_the_lists_of_abbreviations_do_not_overlap() -> None:
    assert len(NEVER | UNLESS_STARTER | NOT_BEFORE_DIGIT) == len(NEVER) + len(UNLESS_STARTER) + len(NOT_BEFORE_DIGIT)


_GIVEN = Tokeniser(CorpusSettings(tokens="whitespace"))


@given(any_text | tricky_text | st.text(st.sampled_from("aZ_|0 -'\u2019.\n\t\x1c\x85\u3000é"), max_size=30))
@settings(max_examples=600, deadline=None)
def test_given_tokens_stay_as_they_are(text: str) -> None:
    assert _GIVEN(text.encode() + b"\n").sentences() == given_tokens(text)


def test_a_capital_i_with_a_dot_is_an_i() -> None:
    assert tokenise("İyi iyi İSTANBUL", CorpusSettings()).sentences() == [["iyi", "iyi", "istanbul"]]


def test_elisions_are_cut_where_asked_for() -> None:
    text = "L'homme n’a qu'une x-ray."
    assert tokenise(text, CorpusSettings(elisions=True)).sentences() == [["l", "homme", "n", "a", "qu", "une", "x-ray"]]
    assert tokenise(text, CorpusSettings()).sentences() == [["l'homme", "n'a", "qu'une", "x-ray"]]
