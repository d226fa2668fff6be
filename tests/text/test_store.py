"""The text as written comes back: sentences, their tokens, source and line."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from relrep.errors import RelrepError
from relrep.text.encode import encode
from relrep.text.encoded import SENTENCE_END, EncodedCorpus
from relrep.text.settings import CorpusSettings
from relrep.text.store import PAGES_FILE, TEXT_FILE, TextStore
from relrep.text.tokenizer import lower_of

LINES = st.lists(
    st.text(st.sampled_from("aB é.!?\"'-\u2019\u00ad\u200d。1[]\x0b\u4e2d,"), max_size=40), min_size=1, max_size=8
)


def stored(folder: Path, files: dict[str, str], **options) -> tuple[EncodedCorpus, TextStore]:
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8", newline="")
    paths = [folder / name for name in files]
    corpus, facts = encode(paths, folder / "ids", CorpusSettings(min_count=1, **options), block_bytes=1 << 16)
    return corpus, TextStore(folder / "ids", corpus.tokens, facts.sources, CorpusSettings(**options))


def sentences(corpus: EncodedCorpus) -> list[tuple[int, int]]:
    ends = np.flatnonzero(corpus.tokens == SENTENCE_END).tolist()
    return list(zip([0, *(end + 1 for end in ends[:-1])], ends, strict=True))


def folded(text: str) -> str:
    plain = text.replace("\u00ad", "").replace("\u2019", "'")
    return "".join(lower_of(character) for character in plain)


@settings(max_examples=60, deadline=None)
@given(LINES, st.booleans())
def test_every_token_comes_back_as_it_is_written(tmp_path_factory, lines, punctuation):
    folder = tmp_path_factory.mktemp("store")
    text = "word\n" + "".join(line + "\n" for line in lines)
    corpus, store = stored(folder, {"a.txt": text}, punctuation=punctuation)
    for begin, end in sentences(corpus):
        passage = store.passage(begin, end)
        written = [folded(passage.text[a:b]) for a, b in passage.spans]
        assert written == [corpus.vocabulary.words[token] for token in corpus.tokens[begin:end]]
        assert passage.text in text and passage.text in text.split("\n")[passage.line - 1]


def test_sentences_have_their_marks_their_source_and_their_line(tmp_path):
    first = 'The cat sat. "It left," she said!\nA line (the second).\n'
    corpus, store = stored(tmp_path, {"a.txt": first, "b.txt": "Other text.\n\nThe end of it.\n"})
    told = [store.passage(begin, end) for begin, end in sentences(corpus)]
    assert [passage.text for passage in told] == [
        "The cat sat.", '"It left," she said!', "A line (the second).", "Other text.", "The end of it.",
    ]  # fmt: skip
    assert [(Path(passage.source).name, passage.line) for passage in told] == [
        ("a.txt", 1), ("a.txt", 1), ("a.txt", 2), ("b.txt", 1), ("b.txt", 3),
    ]  # fmt: skip
    assert store.source_numbers(np.array([0, len(corpus.tokens) - 1])).tolist() == [0, 1]
    begin, _ = sentences(corpus)[1]
    assert store.passage(begin + 1, begin + 3).text == 'left," she'


def test_a_record_is_one_line_of_its_source(tmp_path):
    records = ["One. Two.", None, "Three\nand four.\r\nFive.", "Six."]
    text = "".join(json.dumps({"text": record}) + "\n" if record else " \n" for record in records)
    corpus, store = stored(tmp_path, {"a.jsonl": text})
    told = [store.passage(begin, end) for begin, end in sentences(corpus)]
    assert [(passage.text, passage.line) for passage in told] == [
        ("One.", 1), ("Two.", 1), ("Three", 3), ("and four.", 3), ("Five.", 3), ("Six.", 4),
    ]  # fmt: skip


def test_a_long_text_is_cut_into_pages(tmp_path):
    lines = [f"Line number {number} of many, with some words to fill it." for number in range(9000)]
    corpus, store = stored(tmp_path, {"a.txt": "\n".join(lines) + "\n"})
    for at in (0, 1, 2500, 5000, 8999):
        passage = store.passage(*sentences(corpus)[at])
        assert passage.text == lines[at] and passage.line == at + 1
    assert store.page_of(len(corpus.tokens) - 2) > 2


def test_json_lines_come_back_too(tmp_path):
    records = [{"text": "One text. Two."}, {"text": "Another text."}]
    corpus, store = stored(tmp_path, {"a.jsonl": "".join(json.dumps(record) + "\n" for record in records)})
    told = [store.passage(begin, end) for begin, end in sentences(corpus)]
    assert [(passage.text, passage.line) for passage in told] == [("One text.", 1), ("Two.", 1), ("Another text.", 2)]


@pytest.mark.parametrize("file", [TEXT_FILE, PAGES_FILE])
def test_damage_is_told(tmp_path, file):
    corpus, store = stored(tmp_path, {"a.txt": "The cat sat.\n"})
    path = store.folder / file
    content = path.read_bytes()
    for damaged in (b"", content[:-1], content[: len(content) // 2]):
        path.write_bytes(damaged)
        with pytest.raises(RelrepError, match="train the model anew"):
            TextStore(store.folder, corpus.tokens, ["a.txt"], CorpusSettings())
    path.write_bytes(bytes(len(content)) if file == TEXT_FILE else content)
    if file == TEXT_FILE:
        with pytest.raises(RelrepError, match="damaged"):
            TextStore(store.folder, corpus.tokens, ["a.txt"], CorpusSettings()).passage(0, 3)
