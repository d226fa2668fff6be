"""Sound files with random damage, and files of random pieces: read, or refused in one sentence."""

import json
import struct

import pytest
from hostile_readers import MODEL_FILES, model_with, original, targets
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

NAMES = list(targets())

PIECES = st.one_of(
    st.binary(min_size=1, max_size=8),
    st.sampled_from(
        [b"\n", b"\t", b'"', b"\0" * 8, b"\xff" * 8, b"-1", b"99999999999999999999", b"1e999", b"nan", b"[", b"{", b"}"]
    ),
    st.integers(-(2**63), 2**63 - 1).map(lambda number: struct.pack("<q", number)),
    st.integers(-(2**31), 2**31 - 1).map(lambda number: struct.pack("<i", number)),
)
DAMAGE = st.lists(st.tuples(st.floats(0, 1), st.sampled_from(["put", "insert", "cut"]), PIECES), min_size=1, max_size=4)


def damaged(content: bytes, damage: list[tuple[float, str, bytes]]) -> bytes:
    for place, how, piece in damage:
        at = int(place * len(content))
        if how == "put":
            content = content[:at] + piece + content[at + len(piece) :]
        elif how == "insert":
            content = content[:at] + piece + content[at:]
        else:
            content = content[:at] + content[at + len(piece) * 4 :]
    return content


@pytest.fixture(scope="module")
def readers():
    return targets()


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=12, suppress_health_check=list(HealthCheck))
@given(damage=DAMAGE)
def test_a_damaged_file_is_read_or_refused(readers, name, damage):
    read, content = readers[name]
    read(damaged(content, damage))


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=400, suppress_health_check=list(HealthCheck))
@given(damage=DAMAGE)
def test_a_damaged_file_is_read_or_refused_at_length(readers, name, damage):
    read, content = readers[name]
    read(damaged(content, damage))


@pytest.mark.parametrize("name", NAMES)
def test_an_empty_cut_or_deeply_nested_file(readers, name):
    read, content = readers[name]
    for hostile in (b"", content[: len(content) // 2], b"[" * 200_000, b"{" * 200_000, b"\xff" * 1000, b"\0" * 1000):
        read(hostile)


@settings(max_examples=40, suppress_health_check=list(HealthCheck))
@given(st.sampled_from([name for name in MODEL_FILES if name.endswith(".safetensors")]), st.data())
@example("relations/counts.safetensors", None)
def test_wrong_shapes_and_offsets_in_a_sound_header(name, data):
    content = original("model", name)
    size = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + size])
    tensor = sorted(header)[0] if data is None else data.draw(st.sampled_from(sorted(header)))
    numbers = st.integers(-(2**40), 2**40) | st.sampled_from([0, 1, 2, 2**62, -1])
    if data is None:
        header[tensor]["data_offsets"] = [0, 10**12]
    else:
        header[tensor] |= data.draw(
            st.fixed_dictionaries(
                {},
                optional={
                    "shape": st.lists(numbers, max_size=3) | st.none() | st.text(max_size=3),
                    "dtype": st.sampled_from(["F32", "I64", "F16", "X", ""]) | st.none() | st.integers(),
                    "data_offsets": st.lists(numbers, max_size=3) | st.none() | st.floats(),
                },
            )
        )
    text = json.dumps(header).encode()
    model_with(name, len(text).to_bytes(8, "little") + text + content[8 + size :])


@settings(max_examples=40, suppress_health_check=list(HealthCheck))
@given(
    st.sampled_from(["format", "format_version", "settings", "corpus", "history", "packages", "relrep_version"]),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
        max_leaves=5,
    ),
)
def test_any_value_in_the_record_of_a_model(key, value):
    record = json.loads(original("model", "config.json")) | {key: value}
    model_with("config.json", json.dumps(record).encode())
