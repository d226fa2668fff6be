"""Without PySpark or Java, --engine spark is one sentence and exit code 2, and nothing else of relrep asks for them."""

import subprocess
import sys

import pytest

from relrep.cli.main import main
from relrep.errors import RelrepError
from relrep.mining.spark.session import SparkSettings


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("one two three\n" * 100)
    return path


@pytest.mark.parametrize("package", ["pyspark", "pandas"])
@pytest.mark.parametrize("command", ["train", "mine"])
def test_missing_package_is_told(text, tmp_path, monkeypatch, capsys, package, command):
    monkeypatch.setitem(sys.modules, package, None)
    assert main([command, str(text), "--out", str(tmp_path / "out"), "--engine", "spark"]) == 2
    told = capsys.readouterr().err
    assert told == f"relrep: --engine spark needs PySpark 4 ({package} is missing); pip install 'relrep[spark]'\n"


@pytest.mark.parametrize("home", [None, "/no/java/here"])
def test_missing_java_is_told(text, tmp_path, monkeypatch, capsys, home):
    pytest.importorskip("pyspark")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    if home:
        monkeypatch.setenv("JAVA_HOME", home)
    assert main(["mine", str(text), "--out", str(tmp_path / "out"), "--engine", "spark"]) == 2
    told = capsys.readouterr().err
    assert told.startswith("relrep: --engine spark needs Java 17 or newer") and told.count("\n") == 1


def test_nothing_else_needs_spark():
    code = "import sys, relrep, relrep.pipeline.train, relrep.pipeline.mine, relrep.cli.main as m; m.build_parser()"
    check = "assert not {'pyspark', 'pandas', 'py4j'} & {name.split('.')[0] for name in sys.modules}"
    subprocess.run([sys.executable, "-c", f"{code}; {check}"], check=True, timeout=120)


def test_arguments_that_do_not_fit_are_told(text, tmp_path, capsys):
    out = ["--out", str(tmp_path / "out")]
    assert main(["mine", str(text), *out, "--spark-master", "local[2]"]) == 2
    assert "go with --engine spark" in capsys.readouterr().err
    with pytest.raises(RelrepError, match=r"--spark-conf is 'memory'"):
        SparkSettings.of(None, ["memory"])
