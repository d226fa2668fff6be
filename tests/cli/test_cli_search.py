import json

from relrep.cli.main import main


def pairs_of(capsys) -> list[tuple[str, str]]:
    return [(pair["first"], pair["second"]) for pair in json.loads(capsys.readouterr().out)["pairs"]]


def test_search_prints_pairs(tiny_model_folder, capsys):
    assert main(["search", str(tiny_model_folder), "paris", "france", "--top", "4"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 4 and any("lisbon – portugal" in line and "20 sentences" in line for line in lines)


def test_like_takes_several_pairs(tiny_model_folder, capsys):
    model = str(tiny_model_folder)
    assert main(["search", model, "paris", "france", "--like", "rome", "italy", "--json", "--top", "3"]) == 0
    assert set(pairs_of(capsys)) == {("madrid", "spain"), ("vienna", "austria"), ("lisbon", "portugal")}
    assert main(["search", model, "paris", "france", "--like", "rome"]) == 2
    assert "in pairs" in capsys.readouterr().err


def test_fixed_slots(tiny_model_folder, capsys):
    model = str(tiny_model_folder)
    assert main(["search", model, "ostrich", "bird", "--fix-first", "lion", "--json", "--top", "1"]) == 0
    assert pairs_of(capsys) == [("lion", "cat")]
    assert main(["search", model, "ostrich", "bird", "--fix-second", "cat", "--json", "--top", "1"]) == 0
    assert pairs_of(capsys) == [("lion", "cat")]


def test_filters_reach_the_search(tiny_model_folder, capsys):
    model = str(tiny_model_folder)
    assert main(["search", model, "paris", "france", "--pattern", "such as", "--distinct", "--json"]) == 0
    assert ("rome", "italy") not in pairs_of(capsys)
    assert main(["search", model, "paris", "france", "--min-meetings", "9999"]) == 0
    assert "no pair passes" in capsys.readouterr().out
    assert main(["search", model, "paris", "france", "--top", "0"]) == 2
