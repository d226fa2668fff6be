"""Every format gives back the words and bits it was given."""

import tempfile
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from relrep.errors import RelrepError
from relrep.progress import ignore
from relrep.text.streams import ByteStream
from relrep.vectors import files
from relrep.vectors.formats import Request, binary, text
from relrep.vectors.word_vectors import WordVectors

SUFFIXES = [".txt", ".bin", ".glove", ".vec", ".safetensors"]
# Anything Unicode has but ASCII white space and halves of surrogate pairs; a safetensors file takes spaces too.
words_without_spaces = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters=" \t\n\r\x0b\x0c"), min_size=1, max_size=6
)
floats = st.floats(width=32, allow_nan=False, allow_infinity=False)


@st.composite
def tables(draw: st.DrawFn, words: st.SearchStrategy[str]) -> WordVectors:
    names = draw(st.lists(words, min_size=1, max_size=5, unique=True))
    width = draw(st.integers(1, 4))
    numbers = draw(st.lists(floats, min_size=len(names) * width, max_size=len(names) * width))
    return WordVectors(names, np.array(numbers, dtype=np.float32).reshape(len(names), width))


def same(one: WordVectors, other: WordVectors) -> bool:
    return (
        one.index_to_key == other.index_to_key
        and one.vectors.dtype == other.vectors.dtype
        and one.vectors.tobytes() == other.vectors.tobytes()
    )


@settings(max_examples=150, deadline=None)
@given(tables(words_without_spaces), st.sampled_from(SUFFIXES))
@example(WordVectors(["5", "7"], np.array([[3], [1]], dtype=np.float32)), ".glove")
@example(WordVectors(["3", "2"], np.array([[3, 2], [-0.0, 1e-45]], dtype=np.float32)), ".txt")
@example(WordVectors(["nan", "1e5"], np.array([[1e38], [-1e-38]], dtype=np.float32)), ".glove")
@example(WordVectors(["\xa0", "a\u2028b\x85"], np.zeros((2, 3), dtype=np.float32)), ".vec")
@example(WordVectors(["BZh9", "\x00"], np.ones((2, 1), dtype=np.float32)), ".glove")
@example(WordVectors(["\x00"], np.ones((1, 1), dtype=np.float32)), ".txt")
@example(WordVectors(["w"], np.frombuffer(b"PPPP QQQ", dtype=np.float32).reshape(1, 2)), ".bin")
def test_what_is_written_is_read_bit_for_bit(table: WordVectors, suffix: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"vectors{suffix}")
        if suffix == ".glove" and table.index_to_key[0].startswith("\ufeff"):
            with pytest.raises(RelrepError, match="byte order mark"):
                table.save(path)
            return
        table.save(path)
        read = WordVectors.load(path)
        assert same(read, table)
        again = Path(folder, f"again{suffix}")
        read.save(again)
        assert again.read_bytes() == path.read_bytes()


@settings(max_examples=50, deadline=None)
@given(tables(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n"), min_size=1, max_size=6)))
def test_safetensors_keep_any_word(table: WordVectors) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "vectors.safetensors")
        table.save(path)
        assert same(WordVectors.load(path), table)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=5))
def test_float64_text_keeps_every_bit(numbers: list[float]) -> None:
    table = WordVectors(["word"], np.array([numbers]))
    with tempfile.TemporaryDirectory() as folder:
        for suffix in (".txt", ".glove", ".vec", ".safetensors"):
            path = Path(folder, f"vectors{suffix}")
            table.save(path)
            assert same(WordVectors.load(path, dtype=np.float64), table)


@pytest.mark.parametrize("suffix", [".txt.gz", ".vec.bz2", ".glove.xz", ".bin.zst", ".glove.txt.zst"])
def test_compressed_files_are_read_and_written_the_same_every_time(tmp_path: Path, suffix: str) -> None:
    generator = np.random.default_rng(3)
    table = WordVectors([f"w{i}" for i in range(500)], generator.normal(size=(500, 7)).astype(np.float32))
    first, second = tmp_path / f"a{suffix}", tmp_path / f"b{suffix}"
    table.save(first)
    table.save(second)
    assert first.read_bytes() == second.read_bytes()
    first.rename(tmp_path / "no-suffix-at-all")
    assert same(WordVectors.load(tmp_path / "no-suffix-at-all"), table)


def test_many_blocks_make_one_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "_NUMBERS_AT_ONCE", 100)
    generator = np.random.default_rng(4)
    table = WordVectors([f"w{i}" for i in range(3000)], generator.normal(size=(3000, 9)).astype(np.float32))
    path = tmp_path / "v"
    for header in (True, False):
        table.save(path, format="word2vec-text" if header else "glove")
        with closing(ByteStream(path, ignore)) as stream:
            read = WordVectors(*text.read(stream, Request(), has_header=header, block_bytes=1000))
        assert same(read, table)
    table.save(path, format="word2vec-binary")
    with closing(ByteStream(path, ignore)) as stream:
        assert same(WordVectors(*binary.read(stream, Request(), block_bytes=1000)), table)


def test_half_precision_is_kept_by_text_and_safetensors(tmp_path: Path) -> None:
    table = WordVectors(["a", "b"], np.array([[0.1, 2], [65504, -6e-8]], dtype=np.float16))
    for suffix in (".txt", ".safetensors"):
        table.save(tmp_path / f"v{suffix}")
        assert same(WordVectors.load(tmp_path / f"v{suffix}", dtype=np.float16), table)
