import dataclasses
from pathlib import Path

import numpy as np
import pytest

from relrep.errors import RelrepError
from relrep.model import Model
from relrep.relations import evidence as evidence_module
from relrep.relations.evidence import gather_evidence
from relrep.relations.explanation import explain, nearest_patterns
from relrep.relations.mined_with import max_gap_of
from relrep.relations.space import space_of
from relrep.relations.store import Relations
from tiny_model import ANIMALS, CAPITALS, build


def test_both_directions_are_told(tiny_model):
    told = explain(tiny_model, "paris", "france")
    assert told.seen and told.mined
    assert (told.forward.meetings, told.backward.meetings) == (12, 4)
    forward = {phrase.label: phrase.count for phrase in told.forward.phrases}
    assert forward == {"X is the capital of Y": 6, "X , the capital of Y": 3, "X , Y": 3}
    assert [phrase.label for phrase in told.backward.phrases] == ["Y is X"]
    assert all(pattern.kind != "midfix" for pattern in told.forward.patterns + told.backward.patterns)
    assert told.forward.patterns[0].weight > 0


def test_words_side_by_side_are_counted(tiny_model):
    told = explain(tiny_model, "the", "emu")
    assert told.forward.adjacent == 3 and told.backward.adjacent == 0


def test_examples_are_sentences_of_the_corpus(tiny_model):
    told = explain(tiny_model, "ostrich", "bird", n_examples=3)
    assert {example.text for example in told.examples} == {
        "the ostrich is a large bird .",
        "a bird such as the ostrich lives here .",
        "the ostrich and some other bird .",
    }
    for example in told.examples:
        assert (example.words[example.first], example.words[example.second]) == ("ostrich", "bird")


def test_alike_pairs_share_the_relation_and_no_word(tiny_model):
    told = explain(tiny_model, "paris", "france", n=4)
    others = set(CAPITALS.items()) - {("paris", "france")}
    assert {(pair.first, pair.second) for pair in told.alike} == others
    assert {(pair.first, pair.second) for pair in told.alike_in_text} == others


def test_a_pair_below_the_threshold_is_read_from_the_text(tiny_model):
    told = explain(tiny_model, "emu", "vienna")
    assert told.seen and not told.mined
    assert [phrase.label for phrase in told.forward.phrases] == ["X in Y"]
    assert told.alike and told.alike_in_text == ()  # one meeting says too little
    assert told.forward.meetings == 1 and told.examples[0].text == "we saw the emu in vienna ."


def test_a_pair_never_seen_is_inferred(tiny_model):
    told = explain(tiny_model, "paris", "italy")
    assert not told.seen and not told.mined and told.examples == () and told.alike_in_text == ()
    assert len(told.inferred) == 10 and told.alike
    capital = explain(tiny_model, "madrid", "spain").inferred
    assert any("capital" in pattern.text for pattern in capital[:5])
    animal = nearest_patterns(tiny_model, space_of(tiny_model).difference(*ids(tiny_model, "lion", "cat")), 5)
    assert any("large" in pattern.text or "such" in pattern.text for pattern in animal)


def ids(model: Model, *words: str) -> list[int]:
    return [model.vocabulary.id_of[word] for word in words]


def without_reversed(relations: Relations) -> Relations:
    """The same relations in which no pattern is marked as reversed."""
    kept = np.flatnonzero(~relations.reversed)
    new_id = np.full(relations.n_patterns, -1)
    new_id[kept] = np.arange(len(kept))
    entries = np.flatnonzero(new_id[relations.pattern] >= 0)
    rows = np.repeat(np.arange(relations.n_pairs), np.diff(relations.indptr))[entries]
    return dataclasses.replace(
        relations,
        texts=[relations.texts[p] for p in kept],
        kinds=[relations.kinds[p] for p in kept],
        reversed=np.zeros(len(kept), bool),
        occurrences=relations.occurrences[kept],
        weights=relations.weights[kept],
        indptr=np.append(0, np.cumsum(np.bincount(rows, minlength=relations.n_pairs))),
        pattern=new_id[relations.pattern[entries]].astype(np.int32),
        weight=relations.weight[entries],
        count=relations.count[entries],
    )


def test_weights_on_request_are_those_of_mining(tiny_model, monkeypatch):
    """For a mined pair the f computed from the index equals the stored one (both are PPMI)."""
    relations = tiny_model.relations
    monkeypatch.setattr(Relations, "pair_id", lambda self, u, v: None)
    for row in range(0, relations.n_pairs, 7):
        u, v = int(relations.u[row]), int(relations.v[row])
        at = slice(relations.indptr[row], relations.indptr[row + 1])
        expected = dict(zip(relations.pattern[at].tolist(), relations.weight[at].tolist(), strict=True))
        got = {p: w for p, w in gather_evidence(tiny_model, u, v, 5, 0).weights if w > 1e-6}
        assert got == pytest.approx(expected, rel=1e-5)


def test_the_models_own_measure_weighs_on_request(tiny_model):
    pair = ids(tiny_model, "austria", "old")  # three times ", is": not mined
    ppmi = dict(gather_evidence(tiny_model, *pair, 5, 0).weights)
    assert ppmi
    for settings in ({"association": {"measure": "lmi"}}, {"association": "lmi"}):
        lmi = dataclasses.replace(tiny_model, config={"settings": settings})
        assert dict(gather_evidence(lmi, *pair, 5, 0).weights) == pytest.approx({p: 3 * w for p, w in ppmi.items()})
    llr = dataclasses.replace(tiny_model, config={"settings": {"measure": "llr"}})
    weights = dict(gather_evidence(llr, *pair, 5, 0).weights)
    assert weights.keys() == ppmi.keys() and weights != pytest.approx(ppmi)


def test_without_reversed_patterns_each_direction_is_its_own_pair(tiny_model):
    model = dataclasses.replace(tiny_model, relations=without_reversed(tiny_model.relations), folder=Path("none"))
    there = gather_evidence(model, *ids(model, "ostrich", "bird"), 10, 2)
    back = gather_evidence(model, *ids(model, "bird", "ostrich"), 10, 2)
    assert there.backward.meetings == back.forward.meetings == 4
    assert [p.weight for p in there.backward.patterns] == [p.weight for p in back.forward.patterns]
    told = explain(model, "here", "lives", n=3)  # only ever met as "lives here": side by side, no pattern
    assert told.seen and told.forward.patterns == () and told.alike_in_text == ()
    turned = explain(model, "old", "austria")  # only "austria , is old"
    assert not turned.forward.meetings and turned.backward.meetings
    found = turned.alike_in_text[0]  # mined as (paris, france), shown the way the question goes
    assert (found.first, found.second, found.sentences, found.sentences_reversed) == ("france", "paris", 0, 12)


def test_without_index_the_stored_patterns_are_told(tiny_model):
    model = dataclasses.replace(tiny_model, index=None)
    told = explain(model, "paris", "france")
    assert told.seen and told.examples == () and told.forward.meetings == 12
    assert "X is the capital of Y" in [phrase.label for phrase in told.forward.phrases]
    assert "Y is X" in [phrase.label for phrase in told.backward.phrases]
    plain = dataclasses.replace(model, relations=without_reversed(tiny_model.relations), folder=Path("none"))
    assert explain(plain, "bird", "ostrich").backward.patterns
    assert not explain(model, "paris", "italy").seen


def test_with_neither_index_nor_relations_nothing_is_told(tmp_path):
    told = explain(build(tmp_path / "bare", index=False, relations=False), "paris", "france")
    assert not told.seen and told.inferred == () and told.alike == ()


def test_very_frequent_pairs_are_thinned(tiny_model, monkeypatch):
    monkeypatch.setattr(evidence_module, "MOST_READ", 5)
    told = explain(tiny_model, "ostrich", "bird")
    assert told.forward.meetings == 7 and told.forward.read == 5
    assert sum(phrase.count for phrase in told.forward.phrases) == 5


def test_unknown_words_and_gaps(tiny_model):
    with pytest.raises(RelrepError, match="did you mean 'ostrich'"):
        explain(tiny_model, "ostritch", "bird")
    assert max_gap_of(tiny_model) == 5
    nested = dataclasses.replace(tiny_model, config={"settings": {"mining": {"max_gap": 2}}})
    assert max_gap_of(nested) == 2
    assert explain(nested, "ostrich", "bird").forward.meetings == 0
    assert set(ANIMALS) <= set(tiny_model.vocabulary.words)
