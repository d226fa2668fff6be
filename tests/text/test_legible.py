"""What is mostly no text is refused, whatever it comes in; what is text with faults is not."""

import io
import random
import sys
from types import SimpleNamespace

import pyarrow as pa
import pytest
from corpus_files import COMPRESS, jsonl, parquet

import relrep
from relrep.cli.main import main
from relrep.errors import RelrepError
from relrep.text.encode import encode
from relrep.text.legible import require_text
from relrep.text.settings import CorpusSettings

JUNK = random.Random(1).randbytes(200_000)
FRENCH = "Où est l'été ? Près de la forêt, à côté d'un château très âgé, où le garçon a mangé.\n" * 50
SETTINGS = CorpusSettings(min_count=1)


@pytest.mark.parametrize("ending", COMPRESS)
def test_random_bytes_are_refused_in_any_compression(tmp_path, ending):
    path = tmp_path / f"junk.txt{ending}"
    path.write_bytes(COMPRESS[ending](JUNK))
    with pytest.raises(RelrepError, match=r"junk\.txt.*: is mostly no text .*; convert it to UTF-8.* --force-text$"):
        encode([path], tmp_path / "ids", SETTINGS)
    assert not (tmp_path / "ids").exists()


def test_random_bytes_are_refused_in_records_and_behind_sound_files(tmp_path):
    (tmp_path / "a.txt").write_text(FRENCH, encoding="utf-8")
    for name, content in (("b.parquet", parquet([JUNK], pa.binary())), ("b.jsonl", jsonl(["\x00\x01\x02" * 50]))):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(RelrepError, match=rf"{name}: is mostly no text"):
            encode([tmp_path / "a.txt", tmp_path / name], tmp_path / "ids", SETTINGS)


def test_standard_input_is_looked_at_as_it_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(JUNK)))
    with pytest.raises(RelrepError, match=r"^standard input: is mostly no text"):
        encode(["-"], tmp_path / "ids", SETTINGS)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(FRENCH.encode())))
    assert encode(["-"], tmp_path / "ids", SETTINGS)[1].text_bytes == len(FRENCH.encode())


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf_16_is_named(encoding):
    with pytest.raises(RelrepError, match=r"^a\.txt: looks like UTF-16; convert it to UTF-8"):
        require_text(memoryview(FRENCH.encode(encoding)), "a.txt")


def test_text_with_a_byte_order_mark_in_utf_16_is_named_in_any_script():
    for text in ("猫在垫子上。", "Кот сидел на коврике. "):
        with pytest.raises(RelrepError, match="looks like UTF-16"):
            require_text(memoryview((text * 50).encode("utf-16")), "a.txt")


def test_french_in_latin_1_is_read_as_ever(tmp_path):
    path = tmp_path / "latin.txt"
    path.write_bytes(FRENCH.encode("latin-1"))
    facts = encode([path], tmp_path / "ids", SETTINGS)[1]
    assert facts.replaced_bytes == sum(ord(letter) > 127 for letter in FRENCH)


def test_line_ends_and_other_scripts_are_not_strange():
    text = "Кошка\tсидела\r\n猫が座った\x0c\x85\u2028 يجلس القط\n"
    require_text(memoryview(text.encode()), "a.txt")
    require_text(memoryview(b""), "empty.txt")


def test_force_text_overrides_on_the_command_line_and_in_python(tmp_path, capsys):
    path, rng = tmp_path / "junk.txt", random.Random(2)
    words = [f"{first}{second}" for first in "abcd" for second in "efgh"]
    lines = (" ".join(rng.choices(words, k=12)) for _ in range(2_000))
    path.write_bytes(b"".join(line.encode() + b"\x00" * 10 + b"\n" for line in lines))
    command = ["train", str(path), "--out", str(tmp_path / "m"), "--init", "random", "--dim", "4", "--quiet"]
    assert main(command) == 2
    shown = capsys.readouterr().err
    assert shown.startswith(f"relrep: {path}: is mostly no text") and shown.count("\n") == 1
    assert main([*command, "--force-text"]) == 0
    with pytest.raises(RelrepError, match="mostly no text"):
        relrep.train(path, tmp_path / "n")
    assert encode([path], tmp_path / "ids", CorpusSettings(force_text=True))[1].words == 16


@pytest.mark.parametrize("text", ["東京都は日本の首都です。人口が多い。", "กรุงเทพเป็นเมืองหลวง ของประเทศไทย"])
def test_text_without_spaces_is_told_before_long_work(tmp_path, text):
    path = tmp_path / "text.txt"
    path.write_text(f"{text}\n" * 300, encoding="utf-8")
    with pytest.raises(RelrepError, match="puts no spaces between words; segment the text first"):
        encode([path], tmp_path / "ids", CorpusSettings(min_count=1))
    encode([path], tmp_path / "ids", CorpusSettings(min_count=1, tokens="whitespace"))
