"""`relrep demo`: the end-to-end quality gate on the embedded corpus, vectors and relations."""

import json

import numpy as np
import pytest

import relrep
from relrep.cli.main import main
from relrep.datasets import smallworld


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """Where a demonstration on a smaller world was left."""
    folder = tmp_path_factory.mktemp("demo")
    flags = ["--tokens", "600000", "--no-report", "--quiet", "--json"]
    with pytest.MonkeyPatch.context() as patch, (folder / "shown.json").open("w", encoding="utf-8") as shown:
        patch.setattr("sys.stdout", shown)
        assert main(["demo", "--out", str(folder), *flags]) == 0
    return folder


def test_training_answers_more_analogies(demo):
    shown = json.loads((demo / "shown.json").read_text(encoding="utf-8"))
    rates = {(each["questions"], each["measure"]): each for each in shown["accuracies"]}
    for measure in ("cosadd", "cosmult", "pairdiff"):
        assert rates["google", measure]["after"] > rates["google", measure]["before"] + 5
    assert rates["google", "cosadd"]["after"] > 30
    assert rates["sat", "pairdiff"]["after"] > 60
    assert len(shown["patterns"]) == 8 and all(each["pairs"] for each in shown["patterns"])
    paris = shown["relations"][0]
    assert paris["first"] == "paris" and paris["meetings"]
    assert any("capital" in pattern["label"] for pattern in paris["patterns"])


@pytest.fixture(scope="module")
def facts(demo):
    """The model, and the small world's pairs by relation, those whose words it knows and that meet."""
    model = relrep.load(demo / "model")
    table, words = model.require_relations(), model.vectors.key_to_index
    known = {
        name: [
            pair for pair in pairs if all(w in words for w in pair) and table.row(*(words[w] for w in pair)) is not None
        ]
        for name, pairs in smallworld.pairs().items()
    }
    return model, {name: pairs for name, pairs in known.items() if len(pairs) >= 8}


def test_pairs_alike_are_those_of_the_same_fact(facts):
    """Of the ten pairs found for two examples most are of the same relation, in the same order."""
    model, known = facts
    assert len(known) >= 5
    right = {}
    for name, pairs in known.items():
        gold = set(smallworld.pairs()[name])
        found = [(each.first, each.second) for each in model.search(*pairs[0], *pairs[1], n=10)]
        right[name] = np.mean([pair in gold for pair in found])
    assert np.mean(list(right.values())) > 0.5, right


def test_capitals_are_explained_as_capitals(facts):
    model, known = facts
    pairs = next(pairs for name, pairs in known.items() if ("paris", "france") in smallworld.pairs()[name])
    told = [model.relation(*pair) for pair in pairs[:10]]
    assert np.mean(["capital" in " ".join(each.label for each in one.patterns[:5]) for one in told]) > 0.7
    assert all(pair[0].lower() in one.examples[0].text.lower() for pair, one in zip(pairs, told, strict=False))


def test_words_that_have_nothing_to_do_with_each_other_are_not_explained(facts):
    model, known = facts
    first, second = list(known.values())[:2]
    told = [model.relation(a, d) for (a, _), (_, d) in zip(first[:8], second[::-1][:8], strict=True) if a != d]
    assert np.mean([not one.patterns for one in told if not one.is_bound]) > 0.5


def test_too_small_a_world_is_refused(tmp_path, capsys):
    assert main(["demo", "--out", str(tmp_path), "--tokens", "10"]) == 2
    assert "at least 100000" in capsys.readouterr().err
