import json

import pytest

from relrep.cli.main import main
from relrep.model.model import Model
from tiny_model import ANIMALS, CAPITALS

pytest.importorskip("sklearn")


@pytest.fixture
def files(tmp_path) -> list[str]:
    lines = [f"{u}\t{v}\tcapital" for u, v in CAPITALS.items()] + [f"{u}\t{v}\tkind" for u, v in ANIMALS.items()]
    (tmp_path / "train.tsv").write_text("\n".join(lines[:4] + lines[5:9]) + "\n")
    (tmp_path / "test.tsv").write_text("\n".join([lines[4], lines[9]]) + "\n")
    return ["--train", str(tmp_path / "train.tsv"), "--test", str(tmp_path / "test.tsv"), "--quiet"]


def test_classify_prints_scores_and_baselines(tiny_model_folder, files, capsys):
    assert main(["classify", str(tiny_model_folder), *files, "--kinds", "diff,patterns"]) == 0
    shown = capsys.readouterr().out
    for word in ("precision", "capital", "majority", "random", "meet in the corpus"):
        assert word in shown


def test_classify_takes_a_vectors_file_with_evidence_of_a_model(tiny_model_folder, files, tmp_path, capsys):
    vectors = tmp_path / "vectors.txt"
    Model.load(tiny_model_folder).vectors.save(vectors)
    command = ["classify", str(vectors), *files, "--json", "--validation", files[1]]
    assert main([*command, "--kinds", "diff,patterns", "--evidence", str(tiny_model_folder)]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["scores"]["accuracy"] == 1.0 and report["coverage"] == 1.0
    assert main([*command, "--kinds", "patterns"]) == 2
    assert "name one as evidence" in capsys.readouterr().err
