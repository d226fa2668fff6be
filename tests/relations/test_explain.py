"""Explanation by relational duality: against plain counting, and what it says of pairs that meet and that do not."""

import math

import pytest

from relrep.model.model import Model
from relrep.relations.explain import explain, own_counts
from relrep.relations.search import RelationSearch, SearchFilters
from tiny_model import CAPITALS, build


@pytest.fixture(scope="module")
def search(tiny_model: Model) -> RelationSearch:
    return RelationSearch(tiny_model)


def test_it_begins_with_what_joins_the_pairs_most_alike(search: RelationSearch) -> None:
    told = explain(search, "paris", "france", 6)
    assert told.summary.startswith("paris … france: ") and "capital" in told.summary
    assert (told.meetings, told.meetings_reversed, told.is_bound, told.has_text) == (12, 4, True, True)
    assert {(pair.first, pair.second) for pair in told.alike[:4]} == set(CAPITALS.items()) - {("paris", "france")}
    assert any(each.is_reversed for each in told.patterns) and not all(each.is_reversed for each in told.patterns)


def test_scores_are_support_times_lift(search: RelationSearch) -> None:
    told = explain(search, "rome", "italy", 20)
    ids, table = search.model.vocabulary.id_of, search.table
    pair = (ids["rome"], ids["italy"])
    ranked = search.rank([pair], 3, SearchFilters(distinct=True))
    own = own_counts(search, *pair)
    for each in told.patterns:
        (key,) = [
            2 * pattern + each.is_reversed
            for pattern in table.ids_by_text[each.text]
            if (table.patterns.kinds[pattern] == 2) == each.is_whole
        ]
        joined = sum(
            key ^ turned in table.entries(row)[0]
            for row, turned in zip(ranked.rows.tolist(), ranked.turned.tolist(), strict=True)
        )
        usual = table.pairs_per_pattern[key >> 1] / (2 * table.n_pairs)
        support = joined / len(ranked.rows)
        expected = support * math.log(support / usual) ** 2 * (1 + math.log1p(own.get(key, 0)))
        assert each.score == pytest.approx(expected) and each.count == own.get(key, 0)
        assert each.inferred == (key not in own)


def test_nothing_is_said_twice(search: RelationSearch) -> None:
    told = explain(search, "paris", "france", 20)
    for one in told.patterns:
        for other in told.patterns:
            if one is not other and one.is_reversed == other.is_reversed:
                assert f" {one.text} " not in f" {other.text} "


def test_examples_are_sentences_of_the_corpus(search: RelationSearch) -> None:
    told = explain(search, "ostrich", "bird", n_examples=3)
    assert {example.text for example in told.examples} == {
        "the ostrich is a large bird .",
        "a bird such as the ostrich lives here .",
        "the ostrich and some other bird .",
    }
    for example in told.examples:
        assert (example.text[slice(*example.first)], example.text[slice(*example.second)]) == ("ostrich", "bird")


def test_a_pair_that_never_meets_gets_inferred_patterns_only(search: RelationSearch) -> None:
    told = explain(search, "paris", "italy", coherent=0.4)
    assert (told.meetings, told.meetings_reversed, told.is_bound) == (0, 0, False)
    assert told.patterns and all(each.inferred for each in told.patterns) and told.examples == ()


def test_a_pair_that_is_not_bound_is_read_from_the_text(search: RelationSearch) -> None:
    told = explain(search, "emu", "vienna")
    assert told.meetings == 1 and not told.is_bound
    assert told.examples[0].text == "we saw the emu in vienna ."


def test_without_text_the_table_tells(tmp_path) -> None:
    search = RelationSearch(build(tmp_path / "m", index=False))
    told = explain(search, "paris", "france")
    assert not told.has_text and told.is_bound and told.examples == ()
    assert any(each.count and "capital" in each.text for each in told.patterns)
    assert explain(search, "emu", "vienna").meetings == 0


def test_the_other_orientation_turns_the_patterns(search: RelationSearch) -> None:
    one, other = (explain(search, *pair, 50) for pair in (("paris", "france"), ("france", "paris")))
    assert {(each.text, each.is_whole, each.is_reversed, each.count) for each in one.patterns} == {
        (each.text, each.is_whole, not each.is_reversed, each.count) for each in other.patterns
    }


def test_nothing_is_said_of_words_that_never_meet_and_are_like_no_pair(search: RelationSearch) -> None:
    told = explain(search, "paris", "bird")
    assert told.summary == "paris … bird: nothing to say" and not told.patterns and not told.alike


def test_a_contrast_is_told_with_its_frames(tmp_path) -> None:
    more = ["both hot and cold food"] * 3 + ["either hot or cold", "from hot to cold", "hot and cold"] * 2
    model = build(tmp_path / "model", more=[line.split() for line in more])
    told = explain(RelationSearch(model), "hot", "cold")
    assert told.contrasts == (("both X and Y", 3), ("either X or Y", 2), ("from X to Y", 2))
    assert "opposites or alternatives" in told.summary
    assert explain(RelationSearch(model), "paris", "france").contrasts == ()


def test_words_of_grammar_have_nothing_to_say(search: RelationSearch) -> None:
    words = [
        word for word, stops in zip(search.model.vocabulary.words, search.model.is_stop_word, strict=True) if stops
    ]
    assert len(words) >= 2
    told = explain(search, words[0], words[1])
    assert not told.patterns and not told.alike
