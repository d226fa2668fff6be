"""`relrep demo`: the end-to-end quality gate on the embedded corpus."""

import json

from relrep.cli.main import main


def test_training_answers_more_analogies(tmp_path, capsys):
    assert main(["demo", "--out", str(tmp_path), "--tokens", "600000", "--no-report", "--quiet", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    rates = {(each["questions"], each["measure"]): each for each in shown["accuracies"]}
    for measure in ("cosadd", "cosmult", "pairdiff"):
        assert rates["google", measure]["after"] > rates["google", measure]["before"] + 5
    assert rates["google", "cosadd"]["after"] > 30
    assert rates["sat", "pairdiff"]["after"] > 60
    assert len(shown["patterns"]) == 8 and all(each["pairs"] for each in shown["patterns"])
    paris = shown["relations"][0]
    assert paris["first"] == "paris" and paris["meetings"]
    assert any("capital" in pattern["label"] for pattern in paris["patterns"])


def test_too_small_a_world_is_refused(tmp_path, capsys):
    assert main(["demo", "--out", str(tmp_path), "--tokens", "10"]) == 2
    assert "at least 100000" in capsys.readouterr().err
