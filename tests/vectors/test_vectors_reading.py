"""Loading: formats found out, limit, words, dtype, mapping."""

import json
import logging
import struct
from pathlib import Path

import numpy as np
import pytest

from relrep.errors import RelrepError
from relrep.progress import Progress
from relrep.vectors.word_vectors import WordVectors

LINES = "the 0.5 -1 2e-3\ncat 4 5.25 +6\ndog 7 8 9.\n"
EXPECTED = np.array([[0.5, -1, 0.002], [4, 5.25, 6], [7, 8, 9]], dtype=np.float32)


def load_bytes(tmp_path: Path, content: bytes, **options: object) -> WordVectors:
    path = tmp_path / "vectors"
    path.write_bytes(content)
    return WordVectors.load(path, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text",
    [
        LINES,
        "3 3\n" + LINES,
        LINES.replace("\n", " \n"),
        "3 3\n" + LINES.replace("\n", " \n"),
        LINES.replace("\n", "\r\n"),
        "3 3\r\n" + LINES.replace("\n", "\r\n"),
        LINES.replace(" ", "\t"),
        "3\t3\n" + LINES.replace(" ", "\t"),
        "\ufeff" + LINES,
        "\ufeff3 3\n" + LINES,
        LINES.removesuffix("\n"),
        "\n" + LINES + "\n\n",
        "3 3\n" + LINES.replace(" ", "  "),
    ],
)
def test_text_with_or_without_header_and_with_any_line_ends(tmp_path: Path, text: str) -> None:
    vectors = load_bytes(tmp_path, text.encode())
    assert vectors.index_to_key == ["the", "cat", "dog"]
    assert np.array_equal(vectors.vectors, EXPECTED)
    assert vectors.vectors.dtype == np.float32


@pytest.mark.parametrize("between", [b"", b"\n"])
def test_binary_with_and_without_newlines(tmp_path: Path, between: bytes) -> None:
    content = b"2 3\n" + b"".join(
        word + b" " + struct.pack("<3f", *row) + between
        for word, row in zip([b"the", "größe".encode()], EXPECTED[:2], strict=True)
    )
    vectors = load_bytes(tmp_path, content)
    assert vectors.index_to_key == ["the", "größe"]
    assert np.array_equal(vectors.vectors, EXPECTED[:2])


def test_words_with_spaces_as_in_glove_840b(tmp_path: Path) -> None:
    text = "the 1 2\n. . . 3 4\nat name@domain.com 5 6\nnew\xa0york 7 8\n\xa0 9 10\n"
    vectors = load_bytes(tmp_path, text.encode())
    assert vectors.index_to_key == ["the", ". . .", "at name@domain.com", "new\xa0york", "\xa0"]
    assert vectors["at name@domain.com"].tolist() == [5, 6]
    only = load_bytes(tmp_path, text.encode(), words=["at name@domain.com", "at"])
    assert only.index_to_key == ["at name@domain.com"]


def test_a_first_line_with_a_spaced_word_does_not_mislead_about_the_width(tmp_path: Path) -> None:
    vectors = load_bytes(tmp_path, b"new york 1 2\nparis 3 4\n")
    assert vectors.index_to_key == ["new york", "paris"]
    assert vectors.vector_size == 2


def test_numbers_as_words_and_vectors_of_one_number(tmp_path: Path) -> None:
    assert load_bytes(tmp_path, b"12 7.0\n13 8\n14 9\n").index_to_key == ["12", "13", "14"]
    assert load_bytes(tmp_path, b"2 1\n13 8\n14 9\n").index_to_key == ["13", "14"]


@pytest.fixture(params=[".txt", ".bin", ".glove", ".vec", ".safetensors"])
def saved(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / f"vectors{request.param}"
    WordVectors(["the", "cat", "dog"], EXPECTED).save(path)
    return path


def test_limit_words_and_dtype(saved: Path) -> None:
    assert WordVectors.load(saved, limit=2).index_to_key == ["the", "cat"]
    assert WordVectors.load(saved, limit=99).index_to_key == ["the", "cat", "dog"]
    chosen = WordVectors.load(saved, words=["dog", "the", "unicorn"])
    assert chosen.index_to_key == ["the", "dog"]
    assert np.array_equal(chosen.vectors, EXPECTED[[0, 2]])
    assert WordVectors.load(saved, words={"dog", "cat"}, limit=1).index_to_key == ["cat"]
    for dtype in (np.float16, np.float32, np.float64):
        assert WordVectors.load(saved, dtype=dtype).vectors.dtype == dtype
    with pytest.raises(RelrepError, match="none of the words asked for"):
        WordVectors.load(saved, words=["unicorn"])
    with pytest.raises(RelrepError, match="limit is 0"):
        WordVectors.load(saved, limit=0)
    with pytest.raises(RelrepError, match="dtype is"):
        WordVectors.load(saved, dtype=np.int32)
    with pytest.raises(RelrepError, match="words is the string"):
        WordVectors.load(saved, words="dog")


def test_a_limit_stops_before_damage_further_on(tmp_path: Path) -> None:
    assert load_bytes(tmp_path, b"a 1 2\nb 3 4\nc oops\n", limit=2).index_to_key == ["a", "b"]
    assert load_bytes(tmp_path, b"99 2\na 1 2\nb 3 4\n", limit=2).index_to_key == ["a", "b"]


def test_safetensors_stay_on_disk(tmp_path: Path) -> None:
    path = tmp_path / "vectors.safetensors"
    WordVectors(["the", "cat", "dog"], EXPECTED).save(path)
    vectors = WordVectors.load(path).vectors
    assert _is_mapped(vectors)
    assert vectors.flags.aligned
    assert not vectors.flags.writeable


def _is_mapped(array: np.ndarray) -> bool:
    base = array
    while base is not None:
        if isinstance(base, np.memmap):
            return True
        base = getattr(base, "base", None)
    return False


def test_safetensors_are_those_of_the_library(tmp_path: Path) -> None:
    safetensors = pytest.importorskip("safetensors.numpy")
    path = tmp_path / "vectors.safetensors"
    WordVectors(["new york", "größe"], EXPECTED[:2]).save(path)
    tensors = safetensors.load_file(path)
    assert np.array_equal(tensors["vectors"], EXPECTED[:2])
    assert tensors["words"].tobytes().decode() == "new york\ngröße"
    other = tmp_path / "other.safetensors"
    words = np.frombuffer(b"a\nb\nc", dtype=np.uint8)
    safetensors.save_file({"words": words, "vectors": EXPECTED, "extra": np.zeros(3, dtype=np.int64)}, other)
    read = WordVectors.load(other)
    assert read.index_to_key == ["a", "b", "c"]
    assert np.array_equal(read.vectors, EXPECTED)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    safetensors = pytest.importorskip("safetensors.numpy")
    folder = tmp_path / "model"
    folder.mkdir()
    safetensors.save_file({"vectors": EXPECTED}, folder / "model.safetensors")
    safetensors.save_file({"vectors": EXPECTED * 2}, folder / "initial.safetensors")
    (folder / "vocab.txt").write_text("the\t9\ncat\t5\nice cream\t2\n", encoding="utf-8")
    (folder / "config.json").write_text(json.dumps({"format": "relrep-model", "format_version": 3}))
    return folder


def test_a_model_folder_is_mapped_with_the_words_of_its_vocabulary(model: Path) -> None:
    vectors = WordVectors.load(model)
    assert vectors.index_to_key == ["the", "cat", "ice cream"]
    assert np.array_equal(vectors.vectors, EXPECTED)
    assert _is_mapped(vectors.vectors)
    initial = WordVectors.load(model / "initial.safetensors", limit=1)
    assert initial["the"].tolist() == (EXPECTED[0] * 2).tolist()


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("config.json", '{"format": "relrep-model", "format_version": 99}', "model format 99 is not known"),
        ("config.json", '{"format": "bert"}', "not a relrep model"),
        ("config.json", "[" * 100_000, "not a relrep model"),
        ("config.json", "[]", "not a relrep model"),
        ("vocab.txt", "the\t9\n", "3 vectors but 1 words"),
        ("vocab.txt", "the\t9\ncat\t5\nthe\t2\n", "line 3: the word .the. stands in line 1 already"),
        ("vocab.txt", "the\t9\ncat\ndog\t2\n", "line 2"),
        ("model.safetensors", "", "damaged or cut short"),
        ("vocab.txt", None, "without vocab.txt"),
        ("model.safetensors", None, "without model.safetensors"),
    ],
)
def test_a_damaged_model_folder_is_one_sentence(model: Path, name: str, content: str | None, message: str) -> None:
    (model / name).unlink()
    if content is not None:
        (model / name).write_text(content)
    with pytest.raises(RelrepError, match=message):
        WordVectors.load(model)


def test_progress_reaches_the_end(tmp_path: Path) -> None:
    path = tmp_path / "v.txt"
    WordVectors(["the", "cat", "dog"], EXPECTED).save(path)
    reports: list[Progress] = []
    WordVectors.load(path, progress=reports.append)
    assert reports[-1].fraction == 1.0
    assert reports[-1].step == "reading v.txt"


def test_skip_bad_leaves_out_and_says_so(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    text = b"6 2\na 1 2\nb 1\na 3 4\nc nan 2\n\xff\xfe 1 2\nd 5 6\n"
    with caplog.at_level(logging.WARNING):
        vectors = load_bytes(tmp_path, text, skip_bad=True)
    assert vectors.index_to_key == ["a", "d"]
    assert vectors.vectors.tolist() == [[1, 2], [5, 6]]
    assert "4 entries left out" in caplog.text
