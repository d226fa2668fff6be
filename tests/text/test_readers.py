"""Readers and sources: every format and compression gives the same text."""

import io
import json
import re
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from corpus_files import COMPRESS, blocks_of, jsonl, parquet, text_of
from hypothesis import given
from hypothesis import strategies as st

from relrep.errors import RelrepError
from relrep.text.readers import gathered, read_blocks
from relrep.text.sources import Source, find_sources, source_of

TEXTS = ["The first – naïve – line.", "", "The second.\nIts other line.", "日本語 🦊"]
LINES = "The first – naïve – line.\nThe second.\nIts other line.\n日本語 🦊\n"
RECORDS = "The first – naïve – line.\nThe second.\u2028Its other line.\n日本語 🦊\n"
"""A record is one line."""


@pytest.mark.parametrize("compression", COMPRESS)
@pytest.mark.parametrize("block_bytes", [32, 1 << 16])
def test_text_in_every_compression(tmp_path: Path, compression: str, block_bytes: int) -> None:
    path = tmp_path / f"a.txt{compression}"
    path.write_bytes(COMPRESS[compression](LINES.encode()))
    assert text_of(path, block_bytes) == LINES
    path.write_bytes(COMPRESS[compression](LINES.encode()[:-1]))
    assert text_of(path, block_bytes) == LINES
    plain = tmp_path / f"notes{compression}"
    plain.write_bytes(COMPRESS[compression](LINES.encode()))
    assert text_of(plain, block_bytes) == LINES


@pytest.mark.parametrize("compression", COMPRESS)
def test_several_streams_in_one_file_are_one_text(tmp_path: Path, compression: str) -> None:
    path = tmp_path / f"a.TXT{compression.upper()}"
    path.write_bytes(COMPRESS[compression](b"one\n") + COMPRESS[compression](b"two\n"))
    assert text_of(path) == "one\ntwo\n"


@pytest.mark.parametrize("compression", COMPRESS)
@pytest.mark.parametrize("block_bytes", [32, 1 << 16])
def test_jsonl_in_every_compression(tmp_path: Path, compression: str, block_bytes: int) -> None:
    path = tmp_path / f"a.jsonl{compression}"
    path.write_bytes(COMPRESS[compression](jsonl(TEXTS)))
    assert text_of(path, block_bytes).replace("\n\n", "\n") == RECORDS


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.binary(), pa.dictionary(pa.int32(), pa.string())])
@pytest.mark.parametrize("block_bytes", [32, 1 << 16])
def test_parquet_in_every_type_of_text(tmp_path: Path, kind: pa.DataType, block_bytes: int) -> None:
    path = tmp_path / "a.parquet"
    path.write_bytes(parquet([None, *TEXTS, None], kind))
    assert text_of(path, block_bytes) == "\n" + RECORDS.replace("line.\nThe", "line.\n\nThe") + "\n"  # as many lines


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n"), max_size=9), max_size=30))
def test_any_lines_in_blocks_of_any_size(tmp_path_factory: pytest.TempPathFactory, lines: list[str]) -> None:
    path = tmp_path_factory.mktemp("text") / "a.txt"
    text = "".join(line + "\n" for line in lines)
    path.write_bytes(text.encode())
    for block_bytes in (40, 41, 64, 1000):
        assert text_of(path, block_bytes) == text


@given(st.binary(max_size=300), st.integers(16, 60))
def test_invalid_utf8_is_replaced_and_counted(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, block_bytes: int
) -> None:
    path = tmp_path_factory.mktemp("text") / "a.txt"
    path.write_bytes(data)
    blocks = blocks_of(path)
    expected = data.removeprefix(b"\xef\xbb\xbf").decode(errors="replace")  # a byte order mark is no text
    assert b"".join(bytes(block.data) for block in blocks).decode().rstrip("\n") == expected.rstrip("\n")
    replaced = sum(block.replaced for block in blocks)
    assert replaced == expected.count("\ufffd") - data.count("\ufffd".encode())
    blocks_of(path, block_bytes)  # (lines longer than a block: cut anywhere)


def test_invalid_utf8_in_json_and_parquet_is_replaced_and_counted(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b'\xef\xbb\xbf{"text": "caf\xe9"}\n{"text": "\\ud800 x"}\n')
    (tmp_path / "a.parquet").write_bytes(parquet([b"caf\xe9", b"fine"], pa.binary()))
    for name in ("a.jsonl", "a.parquet"):
        blocks = blocks_of(tmp_path / name)
        assert "caf\ufffd" in bytes(blocks[0].data).decode()
        assert sum(block.replaced for block in blocks) >= 1


def test_a_long_line_is_cut_at_a_space(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    words = " ".join(f"word{number}é" for number in range(1000))
    path.write_bytes(words.encode())
    assert text_of(path, 100).split() == words.split()


def test_a_long_word_is_cut_between_characters(tmp_path: Path) -> None:
    for character in "aé日🦊":
        path = tmp_path / "a.txt"
        path.write_bytes(character.encode() * 1000)
        assert text_of(path, 100).replace("\n", "") == character * 1000


def test_documents_larger_than_a_block(tmp_path: Path) -> None:
    document = " ".join(f"word{number}" for number in range(5000))
    (tmp_path / "a.jsonl").write_bytes(jsonl([document, "end"]))
    (tmp_path / "a.parquet").write_bytes(parquet([document, "end"]))
    for name in ("a.jsonl", "a.parquet"):
        assert text_of(tmp_path / name, 1000).split() == [*document.split(), "end"]


def test_small_blocks_are_gathered(tmp_path: Path) -> None:
    for number in range(10):
        (tmp_path / f"{number}.txt").write_text(f"file {number}", encoding="utf-8")
    blocks = [block for source in find_sources([tmp_path]) for block in read_blocks(source)]
    assert len(blocks) == 10
    together = list(gathered(blocks, 30))
    assert [len(block.data) for block in together] == [28, 28, 14]
    assert b"".join(bytes(block.data) for block in together) == b"".join(bytes(block.data) for block in blocks)


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    standard_input = io.TextIOWrapper(io.BytesIO(LINES.encode()))
    monkeypatch.setattr(sys, "stdin", standard_input)
    (source,) = find_sources(["-"])
    assert (source.name, source.size) == ("standard input", 0)
    assert b"".join(bytes(block.data) for block in read_blocks(source, 64)).decode() == LINES
    assert not standard_input.buffer.closed
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(RelrepError, match="standard input is closed"):
        list(read_blocks(source))


@pytest.mark.parametrize(
    ("name", "form", "compression"),
    [
        ("a.txt", "text", None),
        ("a", "text", None),
        ("a.md", "text", None),
        ("a.b.txt.gz", "text", "gzip"),
        ("a.bz2", "text", "bz2"),
        ("A.JSONL.XZ", "jsonl", "xz"),
        ("a.jsonl.zst", "jsonl", "zstd"),
        ("a.parquet", "parquet", None),
    ],
)
def test_names_tell_formats(name: str, form: str, compression: str | None) -> None:
    assert source_of(Path(name)) == Source(Path(name), form, compression)


def test_folders_globs_and_order(tmp_path: Path) -> None:
    for name in ("b/2.txt", "b/1.txt.gz", "a.jsonl", "c.parquet", "ignored.doc", "b/.x/3.txt", "we[i]rd.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"")

    def names(*corpus: str) -> list[str]:
        sources = find_sources([tmp_path / item for item in corpus])
        return [str(source.path.relative_to(tmp_path)) for source in sources if source.path]

    assert names(".") == ["a.jsonl", "b/.x/3.txt", "b/1.txt.gz", "b/2.txt", "c.parquet", "we[i]rd.txt"]
    assert names("b/*.txt", "a.jsonl", "ignored.doc") == ["b/2.txt", "a.jsonl", "ignored.doc"]
    assert names("**/*.txt") == ["b/2.txt", "we[i]rd.txt"]
    assert names("we[i]rd.txt") == ["we[i]rd.txt"]


@pytest.mark.parametrize("missing", ["nothing.txt", "no*.txt", "empty", "nothing/at/all", "nul\0byte", "x" * 5000])
def test_what_is_not_there_is_named(tmp_path: Path, missing: str) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(RelrepError, match=r"no such file|no corpus file|cannot be looked up"):
        find_sources([tmp_path / missing])


def test_no_corpus_at_all() -> None:
    with pytest.raises(RelrepError, match="no corpus was named"):
        find_sources([])


def test_a_file_that_goes_away(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("here", encoding="utf-8")
    (source,) = find_sources([path])
    path.unlink()
    with pytest.raises(RelrepError, match=r"a\.txt: cannot be opened"):
        list(read_blocks(source))


def test_lines_of_json_are_numbered(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    good = json.dumps({"text": "good"})
    for bad in ("{", "[]", "1", "nonsense", "{}", '{"text": 1}', '{"text": null}', '{"Text": "a"}', "[" * 100_000):
        path.write_text(f"{good}\n\n{good}\n{bad}\n{good}\n", encoding="utf-8")
        with pytest.raises(RelrepError, match=r"a\.jsonl, line 4: (not a JSON object|no field)"):
            list(read_blocks(source_of(path)))


def test_parquet_without_text(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    for table, message in (
        (pa.table({"words": ["a"]}), 'not one column "text" (columns: words)'),
        (pa.table({"text": [1, 2]}), 'the column "text" holds int64'),
        (pa.table({"text": [["a"], ["b"]]}), 'the column "text" holds list'),
        (pa.table({"text": [{"a": "b"}]}), 'the column "text" holds struct'),
        (pa.table({"text": pa.nulls(3)}), 'the column "text" holds null'),
    ):
        pq.write_table(table, path)
        with pytest.raises(RelrepError, match=f"{re.escape(str(path))}.*{re.escape(message)}"):
            list(read_blocks(source_of(path)))
    compressed = tmp_path / "a.parquet.gz"
    compressed.write_bytes(COMPRESS[".gz"](b""))
    with pytest.raises(RelrepError, match="decompress it first"):
        list(read_blocks(source_of(compressed)))
