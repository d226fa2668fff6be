"""The fingerprint of a text: the same however it is cut, another for any other text; and how long lines are cut."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from relrep.reference.arrays import fingerprint
from relrep.text.fingerprint import TextHash
from relrep.text.readers import cut_lines, read_blocks, valid
from relrep.text.sources import Source

lines = st.lists(st.binary(max_size=20).map(lambda line: line.replace(b"\n", b"")), min_size=1, max_size=12)


@given(lines, st.integers(0, 12))
def test_parts_add_up_to_the_whole(texts, cut):
    first, second = (b"".join(line + b"\n" for line in part) for part in (texts[:cut], texts[cut:]))
    assert TextHash.of(first) + TextHash.of(second) == TextHash.of(first + second)
    assert TextHash.of(first + second).lines == len(texts)


@given(lines)
def test_it_equals_the_reference(texts):
    text = b"".join(line + b"\n" for line in texts)
    whole = TextHash.of(text)
    assert (whole.first, whole.second, whole.lines) == fingerprint(text)


@given(lines, lines)
def test_other_text_has_another_fingerprint(one, two):
    found = [TextHash.of(b"".join(line + b"\n" for line in texts)).hexdigest() for texts in (one, two)]
    assert (found[0] == found[1]) == (one == two)
    assert all(len(each) == 32 for each in found)


@given(lines, st.sampled_from([8, 16, 24]), st.booleans())
def test_where_a_long_line_is_cut_depends_on_it_alone(tmp_path_factory, texts, block_bytes, closed):
    """What the Spark engine relies on: it sees the lines of a split, never the blocks of the whole file."""
    path: Path = tmp_path_factory.mktemp("text") / "a.txt"
    path.write_bytes(b"\n".join(texts) + (b"\n" if closed else b""))
    whole = [bytes(block.data) for block in read_blocks(Source(path, "text"), block_bytes)]
    data = path.read_bytes().removeprefix(b"\xef\xbb\xbf")
    alone = data.split(b"\n")[: -1 if data.endswith(b"\n") or not data else None]
    cut = [bytes(valid(piece).data) for line in alone for piece in cut_lines(memoryview(line + b"\n"), block_bytes)]
    assert b"".join(whole) == b"".join(cut)
