"""Input that cannot hurt: damaged, cut short, random or huge files end in text or in one clear sentence."""

import bz2
import gzip
import lzma
import struct
import tracemalloc
import zlib
from pathlib import Path

import pyarrow as pa
import pytest
from corpus_files import COMPRESS, blocks_of, jsonl, parquet
from hypothesis import given, settings
from hypothesis import strategies as st

from relrep.errors import RelrepError
from relrep.text.encode import encode
from relrep.text.readers import BLOCK_BYTES, MAX_JSON_LINE, read_blocks
from relrep.text.settings import CorpusSettings
from relrep.text.sources import source_of

TEXT = "The cat sat on the mat. Ünïcode, too.\n" * 40
FORMATS = {
    ".txt": TEXT.encode(),
    ".jsonl": jsonl(TEXT.splitlines()),
    ".parquet": parquet(list(TEXT.splitlines())),
}
ENDINGS = [
    form + compression for form in FORMATS for compression in COMPRESS if not (form == ".parquet" and compression)
]
WHOLE = {
    form + compression: compress(data)
    for form, data in FORMATS.items()
    for compression, compress in COMPRESS.items()
    if form + compression in ENDINGS
}


def read_or_refuse(path: Path, data: bytes) -> bool:
    """Whether the file is read; if not, it must be by a RelrepError of one line that names it."""
    path.write_bytes(data)
    try:
        blocks_of(path)
    except RelrepError as error:
        assert str(error).startswith(str(path))
        assert "\n" not in str(error)
        return False
    return True


def check_random_bytes(folder: Path, ending: str, data: bytes) -> None:
    read = read_or_refuse(folder / f"a{ending}", data)
    assert read or ending != ".txt", "any bytes are text"


def check_damage(folder: Path, ending: str, places: list[tuple[int, int]], keep: float) -> None:
    data = bytearray(WHOLE[ending])
    for place, value in places:
        data[place % len(data)] = value
    read_or_refuse(folder / f"a{ending}", bytes(data[: round(keep * len(data))]))


random_bytes = st.binary(max_size=200) | st.builds(
    lambda ending, junk: WHOLE[ending][:20] + junk, st.sampled_from(ENDINGS), st.binary(max_size=100)
)
damage = st.lists(st.tuples(st.integers(0, 1 << 20), st.integers(0, 255)), max_size=4)


@given(st.sampled_from(ENDINGS), random_bytes)
@settings(max_examples=300)
def test_random_bytes(tmp_path_factory: pytest.TempPathFactory, ending: str, data: bytes) -> None:
    check_random_bytes(tmp_path_factory.getbasetemp(), ending, data)


@given(st.sampled_from(ENDINGS), damage, st.floats(0, 1) | st.just(1.0))
@settings(max_examples=300)
def test_damaged_files(
    tmp_path_factory: pytest.TempPathFactory, ending: str, places: list[tuple[int, int]], keep: float
) -> None:
    check_damage(tmp_path_factory.getbasetemp(), ending, places, keep)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@given(st.sampled_from(ENDINGS), random_bytes, damage, st.floats(0, 1) | st.just(1.0))
@settings(max_examples=10_000)
def test_hostile_files_at_length(
    tmp_path_factory: pytest.TempPathFactory, ending: str, data: bytes, places: list[tuple[int, int]], keep: float
) -> None:
    check_random_bytes(tmp_path_factory.getbasetemp(), ending, data)
    check_damage(tmp_path_factory.getbasetemp(), ending, places, keep)


@pytest.mark.parametrize("ending", [ending for ending in ENDINGS if ending not in (".txt", ".jsonl")])
def test_files_cut_short_anywhere_are_refused(tmp_path: Path, ending: str) -> None:
    whole = WHOLE[ending]
    for size in range(1, len(whole), max(1, len(whole) // 60)):
        assert not read_or_refuse(tmp_path / f"a{ending}", whole[:size]), size
    assert not read_or_refuse(tmp_path / f"a{ending}", whole[:-1])


@given(st.lists(st.text(max_size=20) | st.sampled_from(["{", "}", '{"text": "a"}', '{"text": 1e999}', "[" * 50])))
def test_wrong_json(tmp_path_factory: pytest.TempPathFactory, lines: list[str]) -> None:
    data = "\n".join(lines).encode(errors="replace")
    read_or_refuse(tmp_path_factory.getbasetemp() / "a.jsonl", data)


def test_a_json_line_without_end(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(gzip.compress(b'{"text": "ok"}\n{"text": "' + b" " * (MAX_JSON_LINE + 9), 1))
    with pytest.raises(RelrepError, match=r"a\.jsonl\.gz, line 2: longer than 64 MB"):
        list(read_blocks(source_of(path)))


def peak_of_reading(path: Path) -> tuple[int, int]:
    """How much text was read, and the most memory that was held while reading."""
    tracemalloc.start()
    try:
        size = sum(len(block.data) for block in read_blocks(source_of(path)))
        return size, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def bomb(compression: str, megabytes: int) -> bytes:
    """Many zeros in few bytes."""
    piece = bytes(1 << 20)
    if compression == ".zst":
        sink = pa.BufferOutputStream()
        with pa.CompressedOutputStream(sink, "zstd") as stream:
            for _ in range(megabytes):
                stream.write(piece)
        return bytes(sink.getvalue())
    compressor = {
        ".gz": lambda: zlib.compressobj(1, wbits=31),
        ".bz2": lambda: bz2.BZ2Compressor(),
        ".xz": lambda: lzma.LZMACompressor(preset=0),
    }[compression]()
    return b"".join([*(compressor.compress(piece) for _ in range(megabytes)), compressor.flush()])


@pytest.mark.parametrize("compression", [".gz", ".bz2", ".xz", ".zst"])
def test_a_compression_bomb_takes_little_memory(tmp_path: Path, compression: str) -> None:
    path = tmp_path / f"a.txt{compression}"
    path.write_bytes(bomb(compression, 64))
    assert path.stat().st_size < 500_000
    size, peak = peak_of_reading(path)
    assert size >= 64 << 20
    assert peak < 5 * BLOCK_BYTES


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("compression", [".gz", ".bz2", ".xz", ".zst"])
def test_a_large_compression_bomb_is_refused(tmp_path: Path, compression: str) -> None:
    path = tmp_path / f"a.txt{compression}"
    path.write_bytes(bomb(compression, 1024))
    with pytest.raises(RelrepError, match="expands to more than 200 times its size"):
        peak_of_reading(path)


def test_an_xz_file_that_asks_for_gigabytes_is_refused(tmp_path: Path) -> None:
    data = bytearray(lzma.compress(TEXT.encode()))
    start, size = 12, (data[12] + 1) * 4  # the header of the first block
    place = data.index(b"\x21\x01", start) + 2
    data[place] = 40  # a dictionary of 4 GB
    data[start + size - 4 : start + size] = struct.pack("<I", zlib.crc32(data[start : start + size - 4]))
    path = tmp_path / "a.txt.xz"
    path.write_bytes(data)
    with pytest.raises(RelrepError, match=r"a\.txt\.xz: cannot be read .*emory"):
        list(read_blocks(source_of(path)))


def encode_line(folder: Path, line: bytes, megabytes: int) -> tuple[int, int]:
    """Encodes one line of that size without a line break; returns tokens and unknown tokens."""
    with (folder / "a.txt").open("wb") as file:
        for _ in range(megabytes):
            file.write(line * ((1 << 20) // len(line)))
        file.write(b" the the the the the")
    _, facts = encode([folder / "a.txt"], folder / "ids", CorpusSettings())
    return facts.tokens, facts.unknown_tokens


def test_a_line_of_a_hundred_megabytes_without_a_space(tmp_path: Path) -> None:
    tokens, unknown = encode_line(tmp_path, b"x", 100)
    assert tokens - unknown == 5
    assert unknown <= 9  # one a block
    assert encode_line(tmp_path, "日".encode(), 20)[0] <= 8


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_a_line_of_a_gigabyte(tmp_path: Path) -> None:
    tokens, unknown = encode_line(tmp_path, b"x", 1024)
    assert (tokens - unknown, unknown <= 70) == (5, True)
    assert encode_line(tmp_path, b"- .", 1024) == (5, 0)
