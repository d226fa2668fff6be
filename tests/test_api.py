"""The Python door: every question is a verb of the model."""

import gc

import pytest

import relrep
from relrep.errors import RelrepError


@pytest.fixture(scope="module")
def model(tiny_model_folder) -> relrep.Model:
    return relrep.load(tiny_model_folder)


def test_every_question_is_a_verb(model: relrep.Model) -> None:
    assert model.analogy("paris", "france", "rome", n=1)[0].word == "italy"
    assert "capital" in model.relation("paris", "france").summary
    assert {pair.second for pair in model.search("paris", "france", n=4)} == {"italy", "spain", "austria", "portugal"}
    assert {pair.first for pair in model.search("paris", "france", "rome", "italy", n=3)} >= {"madrid"}
    assert model.search("paris", "france", fix_first="rome", n=1)[0].second == "italy"
    assert model.search("france", "paris", fix_second="rome", n=1)[0].first == "italy"
    assert any(pair.first == "paris" for pair in model.patterns("is the capital of").pairs)
    assert model.collocates("paris").collocates[0].word == "france"
    assert model.concordance("paris", "france").total == 16
    assert len(model.neighbours("paris", 3)) == 3


def test_a_model_prints_in_a_line(model: relrep.Model) -> None:
    assert len(repr(model)) < 300 and "bound pairs" in repr(model)


def test_words_come_in_pairs(model: relrep.Model) -> None:
    with pytest.raises(RelrepError, match="two words for each pair"):
        model.search("paris", "france", "rome")


def test_public_names(model: relrep.Model) -> None:
    assert {"load", "train", "Model", "RelRep", "WordVectors", "evaluate"} <= set(dir(relrep))
    assert isinstance(model, relrep.Model) and relrep.load is not None


def test_tokens_from_python_are_taken_as_they_are() -> None:
    pairs = [("Paris|NP", "France|NP"), ("Rome|NP", "Italy|NP"), ("Wien|NP", "Österreich|NP")]
    corpus = ([u, "is", "capital_of", v] for u, v in pairs * 40)
    model = relrep.train(corpus, dim=8, init="random", min_pmi=0.0)
    assert "Paris|NP" in model.vectors and "capital_of" in model.vectors
    assert model.text is not None and model.relation("Paris|NP", "France|NP").meetings == 40
    folder = model.folder
    assert folder.exists()
    del model
    gc.collect()
    assert not folder.exists()  # a model without a place lives as long as the object


def test_texts_from_python_and_unknown_settings() -> None:
    model = relrep.train(["The cat sat on the mat. The dog sat on the rug."] * 20, dim=4, init="random")
    assert "cat" in model.vectors and model.vectors.vector_size == 4
    with pytest.raises(RelrepError, match="there is no setting 'dims'"):
        relrep.train(["a b"], dims=3)
