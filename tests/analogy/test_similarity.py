"""Rated word pairs: every layout, one sentence for each way to get it wrong, and ρ as computed by hand."""

import math
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import spearmanr

from relrep.analogy.evaluate import evaluate
from relrep.analogy.outcomes import Tally
from relrep.analogy.questions import Protocol
from relrep.analogy.similarity import Similarity, read_similarity
from relrep.analogy.tables import result_tables
from relrep.errors import RelrepError
from relrep.vectors.word_vectors import WordVectors

WORDS = ["car", "auto", "tree", "oak", "sun", "moon"]
VECTORS = WordVectors(WORDS, np.random.default_rng(3).standard_normal((6, 4)).astype(np.float32))
PAIRS = [("car", "auto", 9.5), ("tree", "oak", 8.0), ("sun", "moon", 6.5), ("car", "moon", 1.0), ("oak", "sun", 2.0)]


def write(path: Path, text: str) -> Path:
    path.write_bytes(text.encode())
    return path


@pytest.mark.parametrize(
    "text",
    [
        "car\tauto\t9.5\noak\tnew tree\t2\n",
        "Word 1,Word 2,Human (mean)\ncar,auto,9.5\noak,new tree,2\n",
        '"car","auto","9.5"\n"oak","new tree","2"\n',
        "# a remark\ncar;auto;9.5\r\n#another\r\noak;new tree;2\r\n",
        "word1\tword2\tPOS\tSimLex999\tconc(w1)\ncar\tauto\tN\t9.5\t4.1\noak\tnew tree\tN\t2\t3\n",
    ],
)
def test_layouts(tmp_path: Path, text: str) -> None:
    asked = read_similarity(write(tmp_path / "mine.txt", text))
    assert (asked.name, asked.pairs) == ("mine", (("car", "auto"), ("oak", "new tree")))
    assert asked.ratings == (9.5, 2.0)


def test_spaces(tmp_path: Path) -> None:
    assert read_similarity(write(tmp_path / "men", "sun  sunlight 50.000\n")).ratings == (50.0,)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("car auto 9\ncar tree\n", r"mine.txt, line 2: a rated pair is two words and a number \('car tree'\)"),
        ("car auto 9\n\ncar tree much\n", r"mine.txt, line 3: a rated pair is two words and a number"),
        ("car auto 9\ncar tree nan\n", r"line 2: a rated pair"),
        ("one two three\ncar auto much\n", r"line 2: a rated pair"),
        ("car,auto,9\n,tree,2\n", r"line 2: a rated pair"),
        ("car auto\n", r"line 1: a rated pair"),
        ("word1 word2 rating\n", r"mine.txt: holds no rated pair"),
    ],
)
def test_bad_lines_are_one_clear_sentence(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(RelrepError, match=said):
        read_similarity(write(tmp_path / "mine.txt", text))


def test_correlation_and_unknown_words(tmp_path: Path) -> None:
    rows = [*PAIRS, ("snow", "sun", 4.0)]
    path = write(tmp_path / "mine.txt", "".join(f"{a}\t{b}\t{rating}\n" for a, b, rating in rows))
    cosines = [VECTORS.similarity(a, b) for a, b, _ in PAIRS]
    ratings = [rating for _, _, rating in rows]
    skipped = evaluate(VECTORS, Protocol(oov="skip"), similarity=path).similarity["mine"]
    assert skipped.spearman == pytest.approx(spearmanr(ratings[:-1], cosines).statistic)
    assert (skipped.counted, skipped.coverage) == (5, Tally(5, 6))
    found = evaluate(VECTORS, similarity=[path])
    assert found.similarity["mine"].spearman == pytest.approx(spearmanr(ratings, [*cosines, 0.0]).statistic)
    told = found.to_json()["similarity"]["mine"]
    assert (told["pairs"], told["covered"], told["counted"], told["oov"]) == (6, 5, 6, "wrong")
    assert told["interval"][0] < told["spearman"] < told["interval"][1]
    (table,) = result_tables(found)
    assert "cosine, 0 for unknown words; unknown words: wrong; case: auto; coverage: mine 83.33 %" in table.caption
    assert table.rows[0][:2] == ("mine", "5/6")


def test_the_interval_follows_bonett_and_wright() -> None:
    low, high = Similarity("x", Protocol(), 0.3, 353, Tally(353, 353)).interval
    half = 1.959964 * math.sqrt((1 + 0.3**2 / 2) / 350)
    assert (math.atanh(low), math.atanh(high)) == pytest.approx((math.atanh(0.3) - half, math.atanh(0.3) + half))
    assert Similarity("x", Protocol(), 1.0, 3, Tally(3, 3)).interval == (-1.0, 1.0)
    assert Similarity("x", Protocol(), 1.0, 9, Tally(9, 9)).interval == (1.0, 1.0)


def test_pairs_that_share_no_word(tmp_path: Path) -> None:
    with pytest.raises(RelrepError, match=r"mine.txt: not one of the 1 word pairs is known .* check the language"):
        evaluate(VECTORS, similarity=write(tmp_path / "mine.txt", "un deux 1\n"))
