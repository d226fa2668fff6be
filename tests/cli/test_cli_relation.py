import json
from functools import partial

from relrep.cli.main import main
from relrep.relations.explain import explain
from tiny_model import build


def test_relation_tells_both_directions_and_examples(tiny_model_folder, capsys):
    assert main(["relation", str(tiny_model_folder), "ostrich", "bird"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("ostrich … bird: ") and "they meet 11 times" in shown
    assert "is a large" in shown and "such as" in shown
    assert "the [ostrich] is a large [bird] ." in shown
    assert "Pairs related alike" in shown and "lion – cat" in shown


def test_relation_says_what_is_inferred(tiny_model_folder, capsys, monkeypatch):
    command = ["relation", str(tiny_model_folder), "paris", "italy", "--examples", "0"]
    assert main(command) == 0
    assert "nothing to say" in capsys.readouterr().out  # the pairs most alike are not alike enough
    monkeypatch.setattr("relrep.relations.explain.explain", partial(explain, coherent=0.4))
    assert main(command) == 0
    shown = capsys.readouterr().out
    assert "never meet in the corpus" in shown and "inferred" in shown and "Examples" not in shown
    assert main(["relation", str(tiny_model_folder), "emu", "vienna"]) == 0
    assert "they meet once" in capsys.readouterr().out


def test_a_model_without_text_does_not_say_that_two_words_never_meet(tmp_path, capsys):
    build(tmp_path / "model", index=False)
    assert main(["relation", str(tmp_path / "model"), "paris", "italy"]) == 0
    shown = capsys.readouterr().out
    assert "the model keeps no text" in shown and "never meet" not in shown


def test_relation_as_json(tiny_model_folder, capsys):
    assert main(["relation", str(tiny_model_folder), "ostrich", "bird", "--json", "--top", "2"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["meetings"], told["meetings_reversed"], len(told["patterns"])) == (7, 4, 2)
    example = told["examples"][0]
    assert example["text"][slice(*example["first"])] == "ostrich"


def test_unknown_words_and_bad_numbers_exit_with_2(tiny_model_folder, capsys):
    assert main(["relation", str(tiny_model_folder), "ostritch", "bird"]) == 2
    assert "did you mean 'ostrich'" in capsys.readouterr().err
    assert main(["relation", str(tiny_model_folder), "ostrich", "bird", "--top", "0"]) == 2
    assert main(["relation", str(tiny_model_folder / "nowhere"), "ostrich", "bird"]) == 2


def test_a_second_pair_is_held_against_the_first(tiny_model_folder, capsys):
    model = str(tiny_model_folder)
    assert main(["relation", model, "paris", "france", "--against", "rome", "italy", "--quiet"]) == 0
    shown = capsys.readouterr().out
    assert "Against rome – italy († reads the corpus at query time)" in shown
    assert "PairDiff" in shown and "PairPattern †" in shown and "rome … italy: " in shown
    alike = {}
    for other in (["rome", "italy"], ["italy", "rome"], ["lion", "cat"]):
        assert main(["relation", model, "paris", "france", "--against", *other, "--json", "--quiet"]) == 0
        told = json.loads(capsys.readouterr().out)
        assert told["reads_corpus"] == ["pairpattern", "pairmix"]
        alike[tuple(other)] = told["against"]
    same = alike["rome", "italy"]
    assert same["pairpattern"] > max(alike["italy", "rome"]["pairpattern"], alike["lion", "cat"]["pairpattern"])
    assert same["shared"] and same["pairmix"] != same["pairdiff"]
