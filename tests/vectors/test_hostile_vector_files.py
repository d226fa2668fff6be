"""Whatever bytes a file holds: vectors or a RelrepError, nothing else."""

import bz2
import gzip
import lzma
import tempfile
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from relrep.errors import RelrepError
from relrep.vectors.word_vectors import WordVectors

SUFFIXES = (".txt", ".bin", ".glove", ".vec", ".safetensors", ".txt.gz", ".glove.bz2", ".vec.xz", ".bin.zst")


def load_or_refuse(content: bytes, **options: object) -> WordVectors | None:
    """The vectors, checked to be sound, or None for a RelrepError of one line."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "vectors")
        path.write_bytes(content)
        try:
            vectors = WordVectors.load(path, **options)  # type: ignore[arg-type]
        except RelrepError as error:
            assert "\n" not in str(error)
            assert len(str(error)) < 700
            return None
        assert len(vectors) > 0
        assert vectors.vectors.shape == (len(vectors), vectors.vector_size)
        assert np.isfinite(vectors.vectors).all()
        assert len(set(vectors.index_to_key)) == len(vectors)
        assert all(vectors.index_to_key)
        return vectors


@cache
def valid_file(suffix: str) -> bytes:
    generator = np.random.default_rng(5)
    words = ["the", "naïve", "東京", "3.5", "x\xa0y", "word"]
    table = WordVectors(words, generator.normal(size=(len(words), 4)).astype(np.float32))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"v{suffix}")
        table.save(path)
        return path.read_bytes()


pieces = st.one_of(
    st.binary(max_size=40),
    st.sampled_from(
        [
            b"\n", b" ", b"\t", b"\r\n", b"\r", b"2 3\n", b"1 1\n", b"99999999999999999 2\n", b"0 0\n", b"-1 4\n",
            b"the 1 2 3\n", b"a 1\n", b"nan", b"1e999", b"-", b".", b"1e-400", b"PK\x03\x04", b"\x80\x04", b"\x1f\x8b",
            b"{", b'{"vectors":', b"\xef\xbb\xbf", b"\xc2\xa0", b"\xff", b"BZh91AY&SY", b"\x28\xb5\x2f\xfd",
        ]
    ),
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(st.lists(pieces, max_size=12).map(b"".join), st.booleans())
def test_random_bytes(content: bytes, skip_bad: bool) -> None:
    load_or_refuse(content, skip_bad=skip_bad)


@settings(max_examples=150, deadline=None)
@given(st.lists(pieces, max_size=8).map(b"".join), st.sampled_from([gzip.compress, bz2.compress, lzma.compress]))
def test_random_bytes_compressed(content: bytes, compress: object) -> None:
    load_or_refuse(compress(content))  # type: ignore[operator]


@settings(max_examples=500, deadline=None)
@given(st.data())
def test_mutated_files(data: st.DataObject) -> None:
    content = bytearray(valid_file(data.draw(st.sampled_from(SUFFIXES))))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(content)))
        removed = data.draw(st.integers(0, 12))
        content[at : at + removed] = data.draw(pieces)
    options = data.draw(
        st.fixed_dictionaries(
            {},
            optional={
                "limit": st.integers(1, 7),
                "words": st.sets(st.sampled_from(["the", "東京", "none"])),
                "dtype": st.sampled_from([np.float16, np.float32, np.float64]),
                "skip_bad": st.booleans(),
            },
        )
    )
    load_or_refuse(bytes(content), **options)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_files_cut_anywhere(suffix: str) -> None:
    """A cut is told, but for one inside the last number of a text, which nobody can see."""
    whole = valid_file(suffix)
    expected = load_or_refuse(whole)
    assert expected is not None
    for size in range(0, len(whole), 1 if len(whole) < 400 else 3):
        read = load_or_refuse(whole[:size])
        if read is None or (suffix == ".glove" and b"\n" not in whole[:size]):
            continue  # refused, or the beginning of a first line, which is as good a line as any
        n_read = len(read)
        assert suffix == ".glove" or n_read == len(expected)
        assert read.index_to_key == expected.index_to_key[:n_read]
        assert np.array_equal(read.vectors[: n_read - 1], expected.vectors[: n_read - 1])


@pytest.mark.slow
@pytest.mark.timeout(3600)
@settings(max_examples=20_000, deadline=None)
@given(st.data())
def test_many_mutated_files(data: st.DataObject) -> None:
    test_mutated_files.hypothesis.inner_test(data)  # type: ignore[attr-defined]
