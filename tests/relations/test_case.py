"""One rule of case everywhere: a word as it is written, else in lower case."""

import json

import pytest

import relrep
from relrep.cli.main import main
from relrep.errors import RelrepError
from relrep.relations.explain import compare_pairs
from relrep.relations.features import PairFeatures
from relrep.web.explorer import Explorer
from tiny_model import build


@pytest.fixture(scope="module")
def model(tmp_path_factory) -> relrep.Model:
    folder = tmp_path_factory.mktemp("case") / "model"
    build(folder)
    return relrep.load(folder)


def verbs(paris: str, france: str, lion: str, such_as: str):
    """Every verb of a model that takes words."""
    return {
        "analogy": lambda model: model.analogy(paris, france, "rome", 3),
        "neighbours": lambda model: model.neighbours(paris, 3),
        "relation": lambda model: model.relation(paris, france, 3, 1),
        "search": lambda model: model.search(paris, france, n=3),
        "fix_first": lambda model: model.search(paris, france, fix_first=lion, n=3),
        "fix_second": lambda model: model.search(paris, france, fix_second=lion, n=3),
        "pattern": lambda model: model.search(lion, "cat", pattern=such_as, n=3),
        "patterns": lambda model: model.patterns(such_as, 3),
        "collocates": lambda model: model.collocates(paris, 3),
        "concordance": lambda model: model.concordance(paris, france),
        "against": lambda model: compare_pairs(model, (paris, france), ("rome", "italy")),
        "features": lambda model: PairFeatures(model, kinds=("concat",)).fit_transform([(paris, france)]).tolist(),
        "explorer": lambda model: (Explorer(model).pair(paris, france), Explorer(model).ids(lion)),
    }


@pytest.mark.parametrize("name", list(verbs("", "", "", "")))
def test_every_verb_finds_a_word_in_lower_case(model, name):
    asked = verbs("Paris", "FRANCE", "Lion", "Such As")[name](model)
    assert asked == verbs("paris", "france", "lion", "such as")[name](model)


@pytest.mark.parametrize(
    "command",
    [
        ["neighbours", "{model}", "{Paris}"],
        ["neighbours", "{model}", "{Paris}", "--collocates"],
        ["analogy", "{model}", "{Paris}", "{France}", "{Lion}"],
        ["relation", "{model}", "{Paris}", "{France}"],
        ["relation", "{model}", "{Paris}", "{France}", "--concordance"],
        ["relation", "{model}", "rome", "italy", "--against", "{Paris}", "{France}"],
        ["search", "{model}", "{Paris}", "{France}", "--like", "rome", "{Italy}"],
        ["search", "{model}", "{Paris}", "{France}", "--fix-first", "{Lion}"],
        ["patterns", "{model}", "{Such as}"],
    ],
)
def test_every_command_finds_a_word_in_lower_case(model, command, capsys):
    def answer(change) -> dict:
        filled = [change(part[1:-1]) if part[0] == "{" and part != "{model}" else part for part in command]
        arguments = [part.replace("{model}", str(model.folder)) for part in filled]
        assert main([*arguments, "--json"]) == 0
        return {key: value for key, value in json.loads(capsys.readouterr().out).items() if key not in "abcquery"}

    assert answer(str) == answer(str.lower)


@pytest.mark.parametrize("name", ["analogy", "neighbours", "relation", "search", "fix_first", "collocates"])
def test_an_unknown_word_suggests_spellings_in_any_case(model, name):
    with pytest.raises(RelrepError, match=r"the word 'Pariss?x' has no vector; did you mean 'paris'"):
        verbs("Parisx", "france", "Parisx", "such as")[name](model)


def test_names_of_gensim_stay_exact(model):
    assert "Paris" not in model.vectors
    for ask in (lambda word: model.vectors[word], model.vectors.most_similar, model.vectors.index_of):
        with pytest.raises(KeyError, match="did you mean 'paris'"):
            ask("Paris")
