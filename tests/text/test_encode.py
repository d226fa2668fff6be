"""Text to ids on disk: the counts against plain Python; blocks, threads and interruptions leave no trace."""

import gzip
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from relrep.errors import RelrepError
from relrep.progress import Progress
from relrep.reference.text import sentences
from relrep.text.encode import CorpusFacts, encode
from relrep.text.encoded import SENTENCE_END, UNKNOWN, EncodedCorpus
from relrep.text.settings import CorpusSettings
from relrep.text.tokenizer import Tokeniser
from relrep.text.vocabulary import Vocabulary

_LETTERS = "abé"
# Words that share long beginnings, so that ties are decided late in the word.
words = st.text(_LETTERS, min_size=1, max_size=3) | st.text(_LETTERS, max_size=3).map(lambda end: "b" * 15 + end)
lines = st.lists(st.lists(words | st.sampled_from([".", "A."]), max_size=8).map(" ".join), max_size=20)


def plain_encoding(text: str, chosen: CorpusSettings) -> tuple[list[str], list[int], list[int]]:
    """What `encode` must leave: words, counts and ids."""
    held = sentences(text, chosen.lowercase, chosen.punctuation)
    frequency = Counter(word for sentence in held for word in sentence)
    kept = sorted((w for w in frequency if frequency[w] >= chosen.min_count), key=lambda w: (-frequency[w], w))
    kept = kept[: chosen.max_words or None]
    id_of = {word: number for number, word in enumerate(kept)}
    ids: list[int] = []
    for sentence in held:
        ids.extend(id_of.get(word, UNKNOWN) for word in sentence)
        ids.append(SENTENCE_END)
    return kept, [frequency[word] for word in kept], ids


@given(
    lines,
    st.builds(
        CorpusSettings,
        lowercase=st.booleans(),
        punctuation=st.booleans(),
        min_count=st.integers(1, 3),
        max_words=st.integers(0, 6),
    ),
    st.sampled_from([64, 100, 1 << 20]),
)
@settings(max_examples=150)
def test_encode_agrees_with_plain_counting(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str], chosen: CorpusSettings, block_bytes: int
) -> None:
    folder = tmp_path_factory.mktemp("corpus")
    text = "\n".join(line for line in texts if len(line.encode()) < 60)
    (folder / "text.txt").write_text(text, encoding="utf-8")
    expected_words, counts, ids = plain_encoding(text, chosen)
    if not expected_words:
        with pytest.raises(RelrepError, match=r"no word occurs|holds no text"):
            encode([folder / "text.txt"], folder / "ids", chosen, block_bytes=block_bytes)
        assert not (folder / "ids").exists()
        return
    corpus, facts = encode([folder / "text.txt"], folder / "ids", chosen, block_bytes=block_bytes)
    assert list(corpus.vocabulary.words) == expected_words
    assert corpus.vocabulary.counts.tolist() == counts
    assert corpus.tokens.tolist() == ids
    again = EncodedCorpus.open(folder / "ids")
    assert list(again.vocabulary.words) == expected_words
    assert again.vocabulary.counts.tolist() == counts
    assert facts == CorpusFacts.read(folder / "ids")
    assert facts.tokens == sum(token != SENTENCE_END for token in ids)
    assert facts.sentences == ids.count(SENTENCE_END)
    assert facts.unknown_tokens == ids.count(UNKNOWN)
    assert facts.words == len(expected_words)
    assert not (folder / "ids.blocks").exists()


def some_text(lines_: int = 3000) -> str:
    random = np.random.default_rng(3)
    numbers = random.zipf(1.3, (lines_, 12)) % 5000
    return "".join(" ".join(f"w{n}é" if n % 3 else f"W{n}" for n in row) + ". The end.\n" for row in numbers)


def written(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in sorted(folder.iterdir())}


def test_blocks_and_threads_leave_no_trace(tmp_path: Path) -> None:
    source = tmp_path / "text.txt"
    source.write_text(some_text(800), encoding="utf-8")
    encode([source], tmp_path / "ids", CorpusSettings())
    expected = written(tmp_path / "ids")
    pages = ["pages.safetensors", "text.zst"]
    assert sorted(expected) == sorted(["facts.json", "tokens.i32", "vocab.txt", *pages])
    for block_bytes in (200, 5000, 1 << 17):
        for threads in (1, 2, 4):
            folder = tmp_path / f"ids-{block_bytes}-{threads}"
            encode([source], folder, CorpusSettings(), threads=threads, block_bytes=block_bytes)
            files = written(folder)
            expected |= {name: files[name] for name in pages if threads == 1}  # a block begins a page
            assert files == expected


def test_many_small_files_are_one_text(tmp_path: Path) -> None:
    pieces = some_text(300).splitlines(keepends=True)
    (tmp_path / "whole.txt").write_text("".join(pieces), encoding="utf-8")
    (tmp_path / "parts").mkdir()
    for number, piece in enumerate(pieces):
        (tmp_path / "parts" / f"{number:04}.txt").write_text(piece.rstrip("\n"), encoding="utf-8")
    whole, facts = encode([tmp_path / "whole.txt"], tmp_path / "a", CorpusSettings())
    parts, facts_of_parts = encode([tmp_path / "parts"], tmp_path / "b", CorpusSettings(), block_bytes=1000)
    assert np.array_equal(whole.tokens, parts.tokens)
    assert facts.fingerprint == facts_of_parts.fingerprint
    assert len(facts_of_parts.sources) == 300


class _PowerCut(BaseException):
    pass


def test_an_interrupted_reading_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "text.txt"
    source.write_text(some_text(), encoding="utf-8")
    encode([source], tmp_path / "undisturbed", CorpusSettings(), block_bytes=20_000)

    tokenised: list[int] = []
    usual = Tokeniser.__call__

    def counted(self: Tokeniser, data: memoryview, pages: np.ndarray) -> object:
        tokenised.append(len(data))
        return usual(self, data, pages)

    monkeypatch.setattr(Tokeniser, "__call__", counted)
    blocks = 0

    def interrupt(progress: Progress) -> None:
        nonlocal blocks
        blocks += 1
        if blocks == 5:
            raise _PowerCut

    with pytest.raises(_PowerCut):
        encode([source], tmp_path / "ids", CorpusSettings(), progress=interrupt, block_bytes=20_000)
    assert not (tmp_path / "ids").exists()
    waiting = sorted((tmp_path / "ids.blocks").glob("0*"))
    assert len(waiting) == len(tokenised) > 3
    waiting[2].write_bytes(waiting[2].read_bytes()[:-1])  # cut short: this block and all behind it are done again

    first = len(tokenised)
    encode([source], tmp_path / "ids", CorpusSettings(), block_bytes=20_000)
    assert tokenised[first : first + len(waiting) - 2] == tokenised[2:first]
    assert sum(tokenised[first:]) == source.stat().st_size - sum(tokenised[:2]), "blocks that waited were made again"
    assert written(tmp_path / "ids") == written(tmp_path / "undisturbed")
    assert not (tmp_path / "ids.blocks").exists()


@pytest.mark.parametrize("cut", ["tokens.i32", "text.zst"])
def test_blocks_whose_files_were_cut_short_are_made_again(tmp_path: Path, cut: str) -> None:
    source = tmp_path / "text.txt"
    source.write_text(some_text(1000), encoding="utf-8")
    encode([source], tmp_path / "undisturbed", CorpusSettings(), block_bytes=20_000)

    def interrupt(progress: Progress) -> None:
        if progress.done > 60_000:
            raise _PowerCut

    with pytest.raises(_PowerCut):
        encode([source], tmp_path / "ids", CorpusSettings(), progress=interrupt, block_bytes=20_000)
    file = tmp_path / "ids.blocks" / cut
    file.write_bytes(file.read_bytes()[:-1])
    encode([source], tmp_path / "ids", CorpusSettings(), block_bytes=20_000)
    assert written(tmp_path / "ids") == written(tmp_path / "undisturbed")


def test_other_rules_do_not_take_the_blocks_that_wait(tmp_path: Path) -> None:
    source = tmp_path / "text.txt"
    source.write_text("One. Two, two. One.\n" * 5, encoding="utf-8")

    def interrupt(progress: Progress) -> None:
        if progress.step == "numbering words":
            raise _PowerCut

    with pytest.raises(_PowerCut):
        encode([source], tmp_path / "ids", CorpusSettings(punctuation=True), progress=interrupt)
    assert list((tmp_path / "ids.blocks").iterdir())
    corpus, _ = encode([source], tmp_path / "ids", CorpusSettings())
    assert list(corpus.vocabulary.words) == ["one", "two"]


def test_a_new_reading_takes_the_place_of_the_old_one(tmp_path: Path) -> None:
    source = tmp_path / "text.txt"
    for text in ("one one one one one", "two two two two two"):
        source.write_text(text, encoding="utf-8")
        corpus, _ = encode([source], tmp_path / "ids", CorpusSettings())
        assert list(corpus.vocabulary.words) == [text[:3]]


def test_a_folder_with_other_files_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("one " * 9, encoding="utf-8")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.doc").write_text("dear", encoding="utf-8")
    with pytest.raises(RelrepError, match=r"mine: holds other files \(letter\.doc\)"):
        encode([tmp_path / "text.txt"], tmp_path / "mine", CorpusSettings())
    assert written(tmp_path / "mine") == {"letter.doc": b"dear"}


def test_an_empty_corpus_says_so(tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_bytes(b"")
    (tmp_path / "dots.txt.gz").write_bytes(gzip.compress(b" . . .\n\n"))
    for name, message in (("empty.txt", "holds no text"), ("dots.txt.gz", "no word occurs 5 times")):
        with pytest.raises(RelrepError, match=rf"{name}.*{message}"):
            encode([tmp_path / name], tmp_path / "ids", CorpusSettings())
    assert not (tmp_path / "ids").exists()


def test_progress_rises_to_the_end(tmp_path: Path) -> None:
    source = tmp_path / "text.txt"
    source.write_text(some_text(200), encoding="utf-8")
    reports: list[Progress] = []
    encode([source], tmp_path / "ids", CorpusSettings(), threads=2, progress=reports.append, block_bytes=1000)
    for step in ("reading text", "numbering words"):
        done = [report.done for report in reports if report.step == step]
        assert done == sorted(done)
        assert [report.fraction for report in reports if report.step == step][-1] == 1


@pytest.mark.parametrize(("setting", "value"), [("min_count", 0), ("min_count", -3), ("max_words", -1)])
def test_settings_are_checked(setting: str, value: int) -> None:
    with pytest.raises(RelrepError, match=setting):
        CorpusSettings(**{setting: value})


def test_an_unwritable_place_is_told(tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("one " * 9, encoding="utf-8")
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(RelrepError, match="file"):
        encode([tmp_path / "text.txt"], tmp_path / "file" / "ids", CorpusSettings())


@given(
    st.dictionaries(
        st.text(st.characters(exclude_characters="\t\n", exclude_categories=["Cs"]), min_size=1),
        st.integers(0, 10**18 - 1),
    )
)
def test_a_vocabulary_survives_its_file(tmp_path_factory: pytest.TempPathFactory, counts: dict[str, int]) -> None:
    path = tmp_path_factory.mktemp("vocabulary") / "vocab.txt"
    Vocabulary(list(counts), np.array(list(counts.values()), dtype=np.int64)).write(path)
    read = Vocabulary.read(path)
    assert list(read.words) == list(counts)
    assert read.counts.tolist() == list(counts.values())


def test_damaged_token_ids_are_refused(tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("one two. Two one.\n" * 9, encoding="utf-8")
    folder = tmp_path / "ids"
    encode([tmp_path / "text.txt"], folder, CorpusSettings())
    tokens = (folder / "tokens.i32").read_bytes()
    assert len(EncodedCorpus.open(folder).tokens) == len(tokens) // 4
    for damaged in (
        b"",
        tokens[:-1],
        tokens[:-4],
        tokens[:4] + b"\x02\0\0\0" + tokens[8:],
        tokens[:4] + b"\xfd\xff\xff\xff" + tokens[8:],
    ):
        (folder / "tokens.i32").write_bytes(damaged)
        with pytest.raises(RelrepError, match=r"tokens\.i32.*read the corpus again"):
            EncodedCorpus.open(folder)
    (folder / "tokens.i32").unlink()
    with pytest.raises(RelrepError, match=r"tokens\.i32.*read the corpus again"):
        EncodedCorpus.open(folder)
    for damaged in (b"", b"[]", b"{}", b'{"sources": 1}', b"\xff"):
        (folder / "facts.json").write_bytes(damaged)
        with pytest.raises(RelrepError, match=r"facts\.json.*read the corpus again"):
            CorpusFacts.read(folder)


@given(
    st.binary(max_size=40)
    | st.lists(st.sampled_from(["word\t3\n", "a\t1\n", "b\n", "\t2\n", "é\t٣\n"])).map("".join).map(str.encode)
)
def test_any_file_is_a_vocabulary_or_refused(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "vocab.txt"
    path.write_bytes(data)
    try:
        vocabulary = Vocabulary.read(path)
    except RelrepError as error:
        assert str(path) in str(error)
    else:
        vocabulary.write(path)
        assert path.read_bytes().split(b"\t")[0] == data.split(b"\t")[0]
