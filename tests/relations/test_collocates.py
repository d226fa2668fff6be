"""Collocates against plain counting, and by what joins them."""

import math

import pytest

from relrep.errors import RelrepError
from relrep.model.model import Model
from relrep.relations.collocates import collocates
from tiny_model import build


def test_scores_are_those_of_the_formulas(tiny_model: Model) -> None:
    told = collocates(tiny_model, "paris")
    counts = dict(zip(tiny_model.vocabulary.words, tiny_model.vocabulary.counts.tolist(), strict=True))
    (country,) = [each for each in told.collocates if each.word == "france"]
    assert told.count == counts["paris"] and country.meetings == 16
    assert country.logdice == pytest.approx(14 + math.log2(2 * 16 / (counts["paris"] + counts["france"])))
    reach, total = tiny_model.max_gap + 1, sum(counts.values())
    assert country.pmi == pytest.approx(math.log(16 / (2 * reach * counts["paris"] * counts["france"] / total)))
    assert country.llr > 0
    scores = [each.logdice for each in told.collocates]
    assert scores == sorted(scores, reverse=True)


def test_patterns_join_a_word_and_its_collocates(tmp_path) -> None:
    more = [
        f"a {measure} of {drink}".split() for measure in ("cup", "mug") for drink in ("tea", "milk") for _ in range(6)
    ]
    more += [["strong", "tea"], ["weak", "tea"]] * 5
    model = build(tmp_path / "model", more=more)
    of = next(each for each in collocates(model, "tea").by_pattern if each.example is not None)
    assert of.collocates[0][0] in of.example.text.lower() and "tea" in of.example.text.lower()
    joined = {each.label: dict(each.collocates) for each in collocates(model, "tea").by_pattern}
    assert joined["Y of X"] == {"cup": 6, "mug": 6} and joined["Y X"] == {"strong": 5, "weak": 5}
    without = build(tmp_path / "bare", more=more, index=False)
    assert "Y X" not in {each.label for each in collocates(without, "tea").by_pattern}


def test_a_word_without_bound_pairs_and_bad_questions(tiny_model: Model) -> None:
    assert collocates(tiny_model, "emu").collocates == ()
    with pytest.raises(RelrepError, match="choose among logdice, llr, pmi"):
        collocates(tiny_model, "paris", by="dice")  # type: ignore[arg-type]
    with pytest.raises(RelrepError, match="holds no relation table"):
        collocates(Model(tiny_model.folder, {}, tiny_model.vocabulary, tiny_model.vectors, None, None), "paris")
