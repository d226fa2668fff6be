"""The small world's text: the same everywhere, true to its facts, and decent English."""

import hashlib
import os
import re
import subprocess
import sys
from collections import Counter

import pytest

from relrep.datasets import smallworld
from relrep.datasets.smallworld.generator import takes_an
from relrep.errors import RelrepError

SENTENCE_END = re.compile(r'(?<=[.?!])"? ')
WORD = re.compile(r"[^\W_]+(?:[-'][^\W_]+)*")


@pytest.fixture(scope="module")
def world():
    """The whole text of the default length."""
    return list(smallworld.generate())


@pytest.fixture(scope="module")
def paragraphs(world):
    """A part that is long enough for what is said about every sentence."""
    return world[:12_000]


@pytest.fixture(scope="module")
def sentences(world):
    return [WORD.findall(part.lower()) for text in world for part in SENTENCE_END.split(text)]


@pytest.fixture(scope="module")
def counts(sentences):
    return Counter(word for sentence in sentences for word in sentence)


def digest(paragraphs):
    return hashlib.sha256("\n".join(paragraphs).encode()).hexdigest()[:16]


def test_text_of_seed_1_never_changes():
    assert digest(smallworld.generate(tokens=50_000)) == "8c58b90fb5aeeef5"


def test_text_does_not_depend_on_the_hash_seed():
    code = "from relrep.datasets.smallworld import generate; import sys; sys.stdout.write(' '.join(generate(3000, 7)))"
    texts = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert texts == {" ".join(smallworld.generate(3000, 7)).encode()}


def test_a_shorter_text_begins_a_longer_one_and_seeds_differ():
    short, long = list(smallworld.generate(1000)), list(smallworld.generate(5000))
    assert long[: len(short)] == short
    assert list(smallworld.generate(1000, seed=2)) != short


def test_length_is_what_was_asked_for(world, counts):
    assert smallworld.DEFAULT_TOKENS <= counts.total() < smallworld.DEFAULT_TOKENS + 300
    assert sum(len(text.split()) for text in world) == counts.total(), "one token a blank-separated word"


def test_paragraphs_have_three_to_some_ten_sentences(paragraphs):
    lengths = [len(SENTENCE_END.split(text)) for text in paragraphs]
    assert min(lengths) == 3
    assert max(lengths) < 14, "a question and its answer are told as one"


def test_sentences_are_varied(world):
    told = [part for text in world for part in SENTENCE_END.split(text)]
    assert len(set(told)) / len(told) > 0.8


def test_nothing_of_the_templates_shows(paragraphs):
    text = "\n".join(paragraphs)
    assert not re.search(r"[{}\[\]|_+&~=<>]|  | [,.;:?!]|None|[.,;]{2}|^ | $", text)


def test_articles_fit_the_words_after_them(paragraphs):
    text = "\n".join(paragraphs[:8000])
    found = re.findall(r"\b([Aa]n?) (\w[\w-]*)", text)
    assert len(found) > 10_000
    assert not [(article, word) for article, word in found if (article.lower() == "an") != takes_an(word)]


@pytest.mark.parametrize("word", ["apple", "hour", "heiress", "Icelandic", "ox", "unusual", "egg", "umbrella"])
def test_an_stands_before_a_vowel_sound(word):
    assert takes_an(word)


@pytest.mark.parametrize("word", ["house", "university", "useful", "one", "Ukrainian", "yellow", "European"])
def test_a_stands_before_a_consonant_sound(word):
    assert not takes_an(word)


def test_sentences_begin_with_capitals_and_end_with_a_mark(paragraphs):
    for text in paragraphs[:8000]:
        assert text[-1] in '.?!"'
        for part in re.split(r"(?<=[.?!]) ", text):
            assert part.lstrip('"')[0].isupper() or part[0].isdigit(), part


def test_no_word_is_doubled_by_accident(paragraphs):
    doubled = Counter(re.findall(r"\b(\w+) \1\b", "\n".join(paragraphs).lower()))
    assert not doubled, doubled.most_common(5)


def test_pronouns_follow_the_person(paragraphs):
    text = "\n".join(paragraphs)
    assert re.search(r"\bAnna \w+ .*\bshe\b", text)
    assert not re.search(r"\b(?:king|husband|monk)\b[^.,;]* to herself\b", text)
    assert not re.search(r"\b(?:queen|wife|nun)\b[^.,;]* to himself\b", text)


def test_facts_are_told_and_not_contradicted(paragraphs):
    text = "\n".join(paragraphs)
    told = set(re.findall(r"\b(?!What)([A-Z]\w+) is the capital(?: city)? of ([A-Z]\w+)", text))
    true = set(smallworld.pairs()["capital-country"])
    assert {(capital.lower(), country.lower()) for capital, country in told} <= true
    assert len(told) > 50
    kinds = set(re.findall(r"\b[Aa]n? (\w+) is an? (?:kind of |sort of )?(\w+)[.,;]", text))
    known = {pair for name in ("member-kind", "animal-class") for pair in smallworld.pairs()[name]}
    members = {member for member, _ in known}
    assert {(member, kind) for member, kind in kinds if member in members and kind in dict(known).values()} <= known


def test_pairs_of_most_relations_meet_in_many_sentences(sentences):
    wanted = {pair for facts in smallworld.pairs().values() for pair in facts}
    words = {word for pair in wanted for word in pair}
    met: Counter[tuple[str, str]] = Counter()
    for sentence in sentences:
        places = [(place, word) for place, word in enumerate(sentence) if word in words]
        near = {
            pair
            for here, one in places
            for there, two in places
            if 0 < abs(there - here) <= 6 and (pair := (one, two)) in wanted
        }
        met.update(near)
    assert sum(count >= 50 for count in met.values()) > 400
    capitals = smallworld.pairs()["capital-country"]
    assert all(met[pair] >= 15 for pair in capitals)
    assert met[capitals[0]] > 3 * met[capitals[-1]], "some facts are frequent, others rare"


def test_question_words_are_frequent_enough_to_be_learnt(counts):
    asked = {word for group in smallworld.questions().values() for question in group for word in question}
    asked |= {word for _, stem, options, _ in smallworld.choices() for pair in (stem, *options) for word in pair}
    assert len(asked) > 1500
    assert not {word: counts[word] for word in asked if counts[word] < 15}


def test_corpus_file(tmp_path):
    seen = []
    path = tmp_path / "world.txt"
    written = smallworld.write_corpus(path, tokens=2000, seed=3, progress=seen.append)
    lines = path.read_bytes().decode("utf-8").split("\n")
    assert lines.pop() == ""
    assert lines == list(smallworld.generate(2000, 3))
    assert written == sum(len(line.split()) for line in lines)
    assert seen[-1].fraction == 1
    assert list(tmp_path.iterdir()) == [path], "nothing temporary is left"


def test_unwritable_corpus_file_is_one_clear_sentence(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(RelrepError, match=r"world.txt: cannot be written .*; choose another place"):
        smallworld.write_corpus(tmp_path / "file" / "world.txt", tokens=100)


def test_no_tokens_is_refused(tmp_path):
    with pytest.raises(RelrepError, match="tokens must be at least 1, not 0"):
        smallworld.write_corpus(tmp_path / "world.txt", tokens=0)
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_skip_gram_learns_a_good_part_of_the_analogies(sentences):
    """Neither trivial nor hopeless: the margin within which an embedded corpus shows something."""
    models = pytest.importorskip("gensim.models")
    model = models.Word2Vec(sentences, vector_size=50, window=5, epochs=5, min_count=5, sg=1, workers=2, seed=1)
    vectors, index = model.wv.get_normed_vectors(), model.wv.key_to_index
    right = total = 0
    for group in smallworld.questions().values():
        for a, b, c, d in group:
            scores = vectors @ (vectors[index[b]] - vectors[index[a]] + vectors[index[c]])
            scores[[index[a], index[b], index[c]]] = -9
            right += scores.argmax() == index[d]
            total += 1
    assert 0.4 < right / total < 0.8
