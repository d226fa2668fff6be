import json

from relrep.cli.main import main


def test_patterns_prints_neighbours_and_pairs(tiny_model_folder, capsys):
    assert main(["patterns", str(tiny_model_folder), "capital of"]) == 0
    shown = capsys.readouterr().out
    assert "X … capital of … Y" in shown and "Most similar in use" in shown and "lisbon – portugal" in shown


def test_patterns_of_one_reading_as_json(tiny_model_folder, capsys):
    command = ["patterns", str(tiny_model_folder), "such as", "--part", "--reversed", "--json", "--top", "3"]
    assert main(command) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["pattern"]["label"] == "Y … such as … X" and len(told["neighbours"]) == 3


def test_unknown_pattern_gets_suggestions(tiny_model_folder, capsys):
    assert main(["patterns", str(tiny_model_folder), "capitol of"]) == 2
    assert "did you mean" in capsys.readouterr().err
    assert main(["patterns", str(tiny_model_folder), "of", "--top", "-1"]) == 2
