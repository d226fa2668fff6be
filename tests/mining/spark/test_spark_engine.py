"""The Spark engine leaves the bytes of the local one, whatever the partitions; its sentences are the local one's."""

import bz2
import gzip
import json
import lzma
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from spark_here import need_spark

from relrep.cli.main import main
from relrep.errors import RelrepError
from relrep.mining.engines import LocalEngine
from relrep.mining.spark.engine import SparkEngine
from relrep.mining.spark.session import SparkSettings, start_session, stop_session
from relrep.pipeline.graph import PAPER
from relrep.pipeline.train import TrainingRun
from relrep.text.store import PAGES_FILE, TEXT_FILE
from small_corpus import small_config, small_corpus

need_spark()


@pytest.fixture(scope="module", autouse=True)
def session(tmp_path_factory):
    """One session for all tests: engines use the one that is there."""
    settings = SparkSettings("local[2]", {"spark.driver.memory": "1g"})
    session, _ = start_session(settings, tmp_path_factory.mktemp("spark") / "spark.log")
    yield session
    stop_session(session)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory) -> Path:
    return small_corpus(tmp_path_factory.mktemp("world"), tokens=40_000)  # Spark's own time grows with it


def spark_pipeline(names, work: Path, config, conf: dict[str, str], **more) -> TrainingRun:
    engine = SparkEngine(names, config.corpus, SparkSettings("local[2]", conf), work, **more)
    return TrainingRun(names, work, config, engine=engine)


_TEXT = (TEXT_FILE, PAGES_FILE)


def mined(pipeline: TrainingRun) -> dict[str, bytes]:
    """All files that reading and mining leave but the text as written, which Spark does not keep; and the records."""
    graph = pipeline.graph
    with graph.work.locked():
        graph.counts(PAPER)
        graph.counts()
    files = {}
    for path in sorted(graph.folder.rglob("*")):
        if path.is_file() and path.name not in ("lock", "spark.log", TEXT_FILE, PAGES_FILE):
            data = path.read_bytes()
            if path.name.endswith(".done.json"):
                record = json.loads(data)
                kept = {name: facts for name, facts in record["files"].items() if not name.endswith(_TEXT)}
                data = json.dumps(record | {"seconds": 0, "files": kept}).encode()
            files[path.relative_to(graph.folder).as_posix()] = data
    return files


PLAIN = {"n_patterns": 200, "min_pair_sentences": 8}
ALL_KINDS = {
    "n_patterns": 300,
    "min_pair_sentences": 8,
    "pattern_kinds": ["unigram", "bigram", "midfix"],
    "both_directions": True,
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mining", "splits", "partitions"), [(PLAIN, 1 << 27, 1), (PLAIN, 1 << 17, 3), (ALL_KINDS, 1 << 15, 7)]
)
def test_same_bytes_for_any_number_of_partitions(corpus, tmp_path, mining, splits, partitions):
    config = small_config(mining=mining)
    conf = {"spark.sql.files.maxPartitionBytes": str(splits), "spark.sql.shuffle.partitions": str(partitions)}
    there = spark_pipeline([corpus], tmp_path / "spark", config, conf)
    found = mined(there)
    assert found == mined(TrainingRun([corpus], tmp_path / "local", config))
    assert {
        "ids/tokens.i32",
        "ids/facts.json",
        "pairs.npz",
        "paper-patterns.npz",
        "paper-counts/starts.npy",
    } <= found.keys()


@pytest.mark.slow
def test_little_memory_makes_many_chunks_and_the_same_bytes(corpus, tmp_path):
    config = small_config()
    conf = {"spark.sql.files.maxPartitionBytes": str(1 << 17), "spark.sql.shuffle.partitions": "2"}
    small = mined(spark_pipeline([corpus], tmp_path / "spark", config, conf, memory=1 << 18))
    assert small == mined(TrainingRun([corpus], tmp_path / "local", config))


def write_odd_files(folder: Path) -> None:
    """Every format and compression, and everything that can be odd about lines and names."""
    lines = [f"the cat number {n % 7} saw a dog near the house . it ran away" for n in range(60)]
    text = "\n".join(lines).encode()
    folder.mkdir()
    (folder / "01 mark%20[a].txt").write_bytes(b"\xef\xbb\xbfThe first\r\nsecond line\rthird\x0bfourth\n\n\n" + text)
    (folder / "02 bad.txt").write_bytes(b"caf\xe9 \xff\xfe here\xe2\x82\nand \xed\xa0\x80 \xf0\x9f\n" + text + b"\n")
    (folder / "03 breaks.txt").write_text("one\u2028two\u2029three\x85four\u00a0five\n" * 50, encoding="utf-8")
    (folder / "04 empty.txt").write_bytes(b"")
    (folder / "05.txt.gz").write_bytes(gzip.compress(text) + gzip.compress(b"\nanother member\n"))
    (folder / "06.txt.bz2").write_bytes(bz2.compress(text * 20, 1))
    (folder / "07.txt.xz").write_bytes(lzma.compress(b"\xef\xbb\xbf" + text))
    (folder / "08.txt.zst").write_bytes(pa.compress(text, "zstd", asbytes=True))
    records = [json.dumps({"text": line + "\nwith\u2028a break"}) for line in lines]
    (folder / "09.jsonl").write_text("\ufeff" + "\n\n".join(records), encoding="utf-8")
    (folder / "10.jsonl.gz").write_bytes(gzip.compress("\n".join(records).encode() + b"\n  \n"))
    (folder / "11.jsonl.zst").write_bytes(pa.compress("\n".join(records).encode(), "zstd", asbytes=True))
    rows = pa.table({"other": range(60), "text": pa.array([*lines[:59], None])})
    pq.write_table(rows, folder / "12.parquet", row_group_size=20)
    pq.write_table(pa.table({"text": [b"", *text.split(b"\n")[:20], b"caf\xe9"]}), folder / "13.parquet")
    (folder / "deep").mkdir()
    (folder / "deep" / "a.txt").write_bytes(b"deep down the cat saw a dog\n" * 30)
    (folder / "notes.md").write_bytes(b"no corpus file\n")


def test_every_format_is_read_as_the_local_engine_reads_it(tmp_path):
    write_odd_files(tmp_path / "texts")
    config = small_config()
    names = [tmp_path / "texts", tmp_path / "texts" / "05.txt.gz"]
    engine = LocalEngine(names, config.corpus, 2, 1 << 30)
    local = engine.encode(tmp_path / "local")[1]
    for splits in (1 << 27, 1_000):  # and nothing of it stays for the tests that follow
        conf = {"spark.sql.files.maxPartitionBytes": str(splits), "spark.sql.files.openCostInBytes": "0"}
        spark = SparkEngine(names, config.corpus, SparkSettings("local[2]", conf), tmp_path)
        assert spark.depends() == engine.depends()
        assert spark.encode(tmp_path / "spark")[1] == local
        for name in ("tokens.i32", "vocab.txt", "facts.json"):
            assert (tmp_path / "spark" / name).read_bytes() == (tmp_path / "local" / name).read_bytes()
        spark.release()


def test_remote_names_are_listed_by_spark(tmp_path):
    write_odd_files(tmp_path / "texts")
    config = small_config()
    local = LocalEngine([tmp_path / "texts"], config.corpus, 1, 1 << 30).encode(tmp_path / "local")[1]
    conf = SparkSettings("local[2]", {})
    spark = SparkEngine([f"file://{tmp_path}/texts"], config.corpus, conf, tmp_path).encode(tmp_path / "spark")[1]
    assert spark.fingerprint == local.fingerprint and spark.tokens == local.tokens
    globbed = SparkEngine([f"file://{tmp_path}/texts/0[23]*"], config.corpus, conf, tmp_path)
    assert [file.name for file in globbed.files] == [
        f"file:{tmp_path}/texts/02 bad.txt", f"file:{tmp_path}/texts/03 breaks.txt"
    ]  # fmt: skip
    with pytest.raises(RelrepError, match="no such file, folder or glob"):
        _ = SparkEngine([f"file://{tmp_path}/nothing"], config.corpus, conf, tmp_path).files


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("a.jsonl", b'{"text": "fine"}\n{"txt": 1}\n', r'a\.jsonl(, line 2| from byte 14, line 1): no field "text"'),
        ("a.txt.gz", gzip.compress(b"some text " * 9000)[:-20], "a.txt.gz: cannot be read to its end"),
        ("a.txt.zst", b"no zstd", "a.txt.zst: cannot be read to its end"),
        ("a.txt", b"", "a.txt: the corpus holds no text"),
        ("a.txt", b"a b c\n", "a.txt: no word occurs 5 times"),
        ("_a.txt", b"a b c\n", "_a.txt: Spark leaves out files whose names begin with _"),
        ("a.parquet", b"no parquet", "a.parquet"),
    ],
)
def test_bad_corpora_are_one_sentence(tmp_path, name, content, sentence):
    (tmp_path / name).write_bytes(content)
    engine = SparkEngine([tmp_path / name], small_config().corpus, SparkSettings("local[2]", {}), tmp_path / "work")
    with pytest.raises(RelrepError, match=sentence) as told:
        engine.encode(tmp_path / "ids")
    assert "\n" not in str(told.value)
    assert not (tmp_path / "ids").exists()
    engine.release()


def test_parquet_without_text_is_told(tmp_path):
    pq.write_table(pa.table({"text": ["fine"]}), tmp_path / "a.parquet")
    pq.write_table(pa.table({"Text": ["a text"]}), tmp_path / "b.parquet")
    names = [tmp_path / "a.parquet", tmp_path / "b.parquet"]
    engine = SparkEngine(names, small_config().corpus, SparkSettings("local[2]", {}), tmp_path / "work")
    with pytest.raises(RelrepError, match=r'b\.parquet: not one column "text"'):
        engine.encode(tmp_path / "ids")
    with pytest.raises(RelrepError, match="cannot read standard input"):
        SparkEngine(["-"], small_config().corpus, SparkSettings("local[2]", {}), tmp_path).depends()


FLAGS = ["--n-patterns", "200", "--min-pair-sentences", "20"]


def test_mine_on_spark_and_train_from_it(corpus, tmp_path, capsys):
    """The command on either engine leaves the same folder, and a model trained from it is that of the text."""
    spark = ["--engine", "spark", "--spark-master", "local[2]", "--spark-conf", "spark.sql.shuffle.partitions=3"]
    both = ["--objective", "paper"]
    assert (
        main(["mine", str(corpus), "--out", str(tmp_path / "spark"), "--keep-ids", "--json", *both, *spark, *FLAGS])
        == 0
    )
    assert json.loads(capsys.readouterr().out)["pairs"] > 0
    assert main(["mine", str(corpus), "--out", str(tmp_path / "local"), "--keep-ids", *both, *FLAGS]) == 0
    names = sorted(path.name for path in (tmp_path / "local").iterdir())
    assert names == sorted(path.name for path in (tmp_path / "spark").iterdir())
    for name in names:
        assert (tmp_path / "spark" / name).read_bytes() == (tmp_path / "local" / name).read_bytes(), name
    learning = ["--dim", "16", "--init", "random", "--objective", "paper", "--positives", "500", "--negatives", "500"]
    assert main(["train", "--mined", str(tmp_path / "spark"), "--out", str(tmp_path / "m1"), *learning]) == 0
    assert main(["train", str(corpus), "--out", str(tmp_path / "m2"), *spark, *FLAGS, *learning]) == 0
    assert main(["train", str(corpus), "--out", str(tmp_path / "m3"), "--no-text", *FLAGS, *learning]) == 0
    for path in sorted((tmp_path / "m3").rglob("*")):
        if path.is_file() and path.name not in ("config.json", "README.md"):
            own = path.relative_to(tmp_path / "m3")
            assert path.read_bytes() == (tmp_path / "m1" / own).read_bytes() == (tmp_path / "m2" / own).read_bytes()
