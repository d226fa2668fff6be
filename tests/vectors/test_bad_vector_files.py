"""Every bad file is one sentence that names the file, the place and the remedy."""

import bz2
import gzip
import io
import json
import lzma
import os
import pickle
import struct
import subprocess
import sys
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from relrep.errors import RelrepError
from relrep.progress import ignore
from relrep.text.streams import ByteStream
from relrep.vectors.word_vectors import WordVectors


def safetensors(header: object, data: bytes = b"", length: int | None = None) -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return (len(text) if length is None else length).to_bytes(8, "little") + text + data


def tensor(dtype: object, shape: object, begin: object, end: object) -> dict[str, object]:
    return {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}


def two_words(words: bytes = b"a\nb", numbers: tuple[float, ...] = (1, 2, 3, 4)) -> bytes:
    header = {"vectors": tensor("F32", [2, 2], 0, 16), "words": tensor("U8", [len(words)], 16, 16 + len(words))}
    return safetensors(header, struct.pack("<4f", *numbers) + words)


def zipped() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("glove.txt", "a 1 2\n")
    return buffer.getvalue()


def tarred() -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        member = tarfile.TarInfo("glove.txt")
        member.size = 6
        archive.addfile(member, io.BytesIO(b"a 1 2\n"))
    return buffer.getvalue()


def array_file() -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, np.zeros((2, 2)))
    return buffer.getvalue()


FLOATS = struct.pack("<2f", 1, 2)
BAD = {
    "empty": (b"", "is empty"),
    "blank": (b"\n \n\n", "is empty"),
    "only a header": (b"3 2\n", "line 1: the file ends with 0 words where its header promises 3"),
    "wrong width": (b"a 1 2\nb 1 2 3\nc 1 2\n", "line 2: there are 3 numbers where 2 are expected"),
    "truncated line": (b"a 1 2\nb 1 2\nc 1", "line 3: there is 1 number where 2 are expected"),
    "truncated at the word": (b"a 1 2\nb 1 2\nc", "line 3: there are 0 numbers where 2 are expected"),
    "width against the header": (b"2 3\na 1 2\nb 1 2\n", "line 2: there are 2 numbers where 3 are expected"),
    "duplicate": (b"a 1 2\nb 1 2\na 3 4\n", "line 3: the word 'a' stands here again, first in line 1"),
    "duplicate below a header": (b"2 2\na 1 2\na 3 4\n", "line 3: the word 'a' stands here again"),
    "nan": (b"a 1 2\nb NaN 2\n", "line 2: number 1 is NaN"),
    "infinity": (b"a 1 2\nb 1 -inf\n", "line 2: number 2 is -inf"),
    "too large": (b"a 1 2\nb 1 1e39\n", "line 2: number 2 is '1e39', too large for float32"),
    "no number": (b"a 1 2\nb 1 0x10\n", "line 2: value 2 is '0x10', not a number"),
    "decimal commas": (b"a 1.5 2\nb 1,5 2\n", "line 2: value 1 is '1,5', not a number"),
    "numbers endlessly long": (b"a 1 2\nb 1 " + b"9" * 5000 + b"\n", "line 2: value 2 is .*, not a number"),
    "word missing": (b"a 1 2\n 3 4\n", "line 2: the word is missing"),
    "not utf-8": (b"a 1 2\nb\xe9 3 4\n", "line 2: the word is not UTF-8"),
    "spaced word ending in a number": (b"a 1 2\nroute 66 3 4\nb 5 6\n", "line 2: there are 3 numbers where 2"),
    "fewer words than promised": (b"3 2\na 1 2\nb 3 4\n", "line 3: the file ends with 2 words where .* promises 3"),
    "more words than promised": (b"1 2\na 1 2\nb 3 4\n", "line 3: the file ends with 2 words where .* promises 1"),
    "a trillion words": (b"1000000000000 2\na 1 2\n", "ends with 1 words where its header promises 1000000000000"),
    "a trillion numbers": (b"2 1000000000000\na 1 2\n", "line 2: there are 2 numbers where 1000000000000"),
    "no dimensions": (b"2 0\na\nb\n", "line 1: the header promises vectors of no numbers"),
    "prose": (b"It was a dark and stormy night.\nThe end.\n", "line 1: no numbers behind the word"),
    "web page": (b"<!DOCTYPE html><html>404</html>", "is a web page"),
    "zip": (zipped(), "is a zip archive"),
    "tar": (tarred(), "is a tar archive"),
    "tar inside gzip": (gzip.compress(tarred()), "is a tar archive"),
    "pickle": (pickle.dumps({"a": [1, 2]}), "is a pickle"),
    "numpy": (array_file(), "is a NumPy array"),
    "fasttext model": (struct.pack("<ii", 793712314, 12) + b"\0" * 50, "fastText's own model"),
    "binary rubbish": (bytes(range(256)) * 20, "is neither text nor a known binary format"),
    "binary cut short": (b"2 2\na " + FLOATS + b"b " + FLOATS[:5], "get it again"),
    "binary a trillion words": (b"1000000000000 2\na " + FLOATS, "promises 1000000000000 words"),
    "binary a trillion numbers": (b"1 1000000000000\na " + FLOATS, "promises 1 words of 1000000000000 numbers"),
    "binary duplicate": (b"2 2\na " + FLOATS + b"a " + FLOATS, "word 2: the word 'a' stands here again"),
    "binary nan": (b"1 2\na " + struct.pack("<2f", 1, np.nan), "word 1: the vector of 'a' has a NaN"),
    "binary not utf-8": (b"1 2\n\xff\xfe " + FLOATS, "word 1: the word is not UTF-8"),
    "binary empty word": (b"1 2\n " + FLOATS, "word 1: the word is empty"),
    "binary with more behind": (b"1 2\na " + FLOATS + b"b " + FLOATS, "more follows after the 1 words"),
    "binary word without end": (b"1 2\n" + b"\0" * 200_000, "word 1: no space within"),
    "tensors cut short": (two_words()[:-3], "does not fit the file"),
    "tensors header too long": (safetensors({}, length=1 << 30), "header is damaged or cut short"),
    "tensors header no json": (safetensors(b"{nonsense"), "header is damaged"),
    "tensors header too deep": (safetensors(b'{"a":' + b"[" * 100_000), "header is damaged"),
    "tensors without vectors": (safetensors({"weights": tensor("F32", [1], 0, 4)}, b"\0" * 4), "no tensor 'vectors'"),
    "tensors without words": (safetensors({"vectors": tensor("F32", [1, 1], 0, 4)}, b"\0" * 4), "no tensor 'words'"),
    "tensors wrong shape": (safetensors({"vectors": tensor("F32", [4], 0, 16)}, b"\0" * 16), "which cannot be"),
    "tensors huge shape": (safetensors({"vectors": tensor("F32", [10**12, 300], 0, 16)}, b"\0" * 16), "not fit"),
    "tensors negative": (safetensors({"vectors": tensor("F32", [-1, -4], 0, 16)}, b"\0" * 16), "impossible bounds"),
    "tensors backwards": (safetensors({"vectors": tensor("F32", [2, 2], 16, 0)}, b"\0" * 16), "does not fit"),
    "tensors described wrongly": (safetensors({"vectors": 7}), "described wrongly"),
    "tensors of integers": (safetensors({"vectors": tensor("I64", [1, 1], 0, 8)}, b"\0" * 8), "is int64 of shape"),
    "tensors of another kind": (safetensors({"vectors": tensor("BF16", [1, 1], 0, 2)}, b"\0" * 2), "relrep reads"),
    "tensors of none": (safetensors({"vectors": tensor("F32", [0, 0], 0, 0)}), "holds no words"),
    "tensors nan": (two_words(numbers=(1, 2, np.nan, 4)), r"the vector of 'b' \(row 1\)"),
    "tensors duplicate": (two_words(b"a\na"), "one of its words is there twice"),
    "tensors empty word": (two_words(b"a\n"), "word 2: the word is empty"),
    "tensors too few words": (two_words(b"a"), "2 vectors but 1 words"),
    "tensors not utf-8": (two_words(b"a\n\xff"), "word 2: not UTF-8"),
    "gzip cut short": (gzip.compress(b"a 1 2\n" * 999)[:-9], "gzip data are cut short or damaged"),
    "gzip of rubbish": (b"\x1f\x8b" + b"rubbish" * 9, "gzip data are cut short or damaged"),
    "zstandard of rubbish": (b"\x28\xb5\x2f\xfd" + b"rubbish" * 9, "zstd data are cut short or damaged"),
    "zip inside gzip": (gzip.compress(zipped()), "is a zip archive"),
    "tensors inside gzip": (gzip.compress(two_words()), "mapped, not streamed"),
    "a line without end": (b"a 1 2\nb " + b"1 " * (3 << 20), "line 2: longer than 4 MB"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_file(tmp_path: Path, name: str) -> None:
    content, message = BAD[name]
    path = tmp_path / "vectors.x"
    path.write_bytes(content)
    with pytest.raises(RelrepError, match=message) as caught:
        WordVectors.load(path)
    sentence = str(caught.value)
    assert sentence.startswith(str(path))
    assert "\n" not in sentence
    assert len(sentence) < 330 + len(str(path))


def test_missing_files_and_folders(tmp_path: Path) -> None:
    for path in (tmp_path / "nothing", tmp_path, tmp_path / "no" / "where"):
        with pytest.raises(RelrepError, match=str(path)):
            WordVectors.load(path)
    with pytest.raises(RelrepError, match="not a file name"):
        WordVectors.load("a\0b")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_unreadable_file(tmp_path: Path) -> None:
    path = tmp_path / "v.txt"
    path.write_text("a 1\n")
    path.chmod(0)
    with pytest.raises(RelrepError, match="Permission denied"):
        WordVectors.load(path)


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress])
def test_a_compression_bomb_is_stopped(tmp_path: Path, compress: Callable[[bytes], bytes]) -> None:
    path = tmp_path / "bomb"
    path.write_bytes(compress(b"0 " * (6 << 20)))
    with (
        pytest.raises(RelrepError, match="expands to more than 200 times its size"),
        closing(ByteStream(path, ignore, free_expansion=1 << 20)) as stream,
    ):
        stream.read(1 << 30)


def test_an_xz_file_that_asks_for_gigabytes_of_memory_is_refused(tmp_path: Path) -> None:
    content = bytearray(lzma.compress(b"a 1 2\n", filters=[{"id": lzma.FILTER_LZMA2, "preset": 0}]))
    block_header = content[12:20]  # behind the header of the stream; a checksum follows
    block_header[4] = 39  # a dictionary of 3 GB
    content[12:24] = block_header + zlib.crc32(block_header).to_bytes(4, "little")
    path = tmp_path / "v.txt.xz"
    path.write_bytes(content)
    assert lzma.decompress(content) == b"a 1 2\n"
    with pytest.raises(RelrepError, match="xz data"):
        WordVectors.load(path)


def test_memory_follows_the_file_and_not_its_promises(tmp_path: Path) -> None:
    names = ["a trillion words", "a trillion numbers", "binary a trillion numbers", "tensors huge shape"]
    paths = [tmp_path / name for name in names]
    for name, path in zip(names, paths, strict=True):
        path.write_bytes(BAD[name][0])
    good = tmp_path / "good.txt"
    good.write_bytes(b"2 2\na 1 2\nb 3 4\n")
    code = """
import resource, sys
from relrep.errors import RelrepError
from relrep.vectors.word_vectors import WordVectors
WordVectors.load(sys.argv[1])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for path in sys.argv[2:]:
    try:
        WordVectors.load(path, limit=7)
        WordVectors.load(path)
    except RelrepError:
        continue
    raise AssertionError(path)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
    done = subprocess.run(
        [sys.executable, "-c", code, good, *paths], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 64_000  # kilobytes


def test_words_that_a_format_cannot_hold_are_not_written(tmp_path: Path) -> None:
    for word in ("new york", "tab\tbed", "line\nbreak", ""):
        table = WordVectors(["a", word], np.ones((2, 2), dtype=np.float32))
        for suffix in (".txt", ".glove", ".vec", ".bin"):
            with pytest.raises(RelrepError, match="cannot keep"):
                table.save(tmp_path / f"v{suffix}")
    with pytest.raises(RelrepError, match="line break"):
        WordVectors(["a\nb"], np.ones((1, 2), dtype=np.float32)).save(tmp_path / "v.safetensors")
    with pytest.raises(RelrepError, match="not valid Unicode"):
        WordVectors(["\ud800"], np.ones((1, 2), dtype=np.float32)).save(tmp_path / "v.txt")
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_saved_leaves_nothing_behind(tmp_path: Path) -> None:
    good = WordVectors(["a"], np.ones((1, 2), dtype=np.float32))
    with pytest.raises(RelrepError, match="the suffix names no format"):
        good.save(tmp_path / "v.xyz")
    with pytest.raises(RelrepError, match="format is 'elmo'"):
        good.save(tmp_path / "v.txt", format="elmo")
    for name in (".", "a\0b"):
        with pytest.raises(RelrepError, match="is not a file name"):
            good.save(name, format="glove")
    with pytest.raises(RelrepError, match="Is a directory"):
        good.save(tmp_path.parent / tmp_path.name, format="glove")
    with pytest.raises(RelrepError, match="not compressed"):
        good.save(tmp_path / "v.safetensors.gz")
    with pytest.raises(RelrepError, match="cannot be written"):
        good.save(tmp_path / "no" / "folder" / "v.txt")
    with pytest.raises(RelrepError, match="NaN or infinite"):
        WordVectors(["a"], np.full((1, 2), np.nan, dtype=np.float32)).save(tmp_path / "v.txt")
    with pytest.raises(RelrepError, match="no vectors to write"):
        WordVectors([], np.ones((0, 2), dtype=np.float32)).save(tmp_path / "v.txt")
    with pytest.raises(RelrepError, match="too large for"):
        WordVectors(["a"], np.array([[1e300]])).save(tmp_path / "v.bin")
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_keeps_the_old_file(tmp_path: Path) -> None:
    """A limit on the size of files stands in for a full disk: the write fails the same way."""
    path = tmp_path / "v.txt"
    path.write_text("old")
    code = (
        "import resource, signal, sys\n"
        "import numpy as np\n"
        "from relrep.errors import RelrepError\n"
        "from relrep.vectors.word_vectors import WordVectors\n"
        "vectors = WordVectors([f'w{i}' for i in range(3000)], np.random.default_rng(0).normal(size=(3000, 50)))\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))\n"
        "try:\n    vectors.save(sys.argv[1])\nexcept RelrepError as error:\n    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True, timeout=120)
    assert "cannot be written (File too large)" in done.stdout, done.stderr
    assert [entry.name for entry in tmp_path.iterdir()] == ["v.txt"]
    assert path.read_text() == "old"
