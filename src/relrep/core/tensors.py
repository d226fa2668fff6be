"""Tensor files (safetensors) that are memory-mapped instead of read: a model of any size opens at once.

A header is believed in nothing: where a tensor lies is checked against the file, so that a file cut off on its way,
or made to deceive, is told when it is opened and not by a crash later.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from relrep.core.memory import let_go
from relrep.errors import RelrepError, shown

_CODES = {"F16": "<f2", "F32": "<f4", "F64": "<f8", "I8": "i1", "U8": "u1", "U16": "<u2", "I32": "<i4", "I64": "<i8"}
DTYPES = {name: np.dtype(code) for name, code in _CODES.items()}
"""The kinds of numbers that are read and written, by their names in a header."""
_LARGEST_HEADER = 1_000_000
_MOST_DIMENSIONS = 8
_PART = 1 << 22


@dataclass(frozen=True)
class Tensor:
    """Where a tensor lies in its file, and how its header calls its numbers; `dtype` is None if they are not read."""

    kind: str
    dtype: np.dtype[Any] | None
    shape: tuple[int, ...]
    offset: int


def write_tensors(path: Path, tensors: Mapping[str, NDArray[Any]]) -> None:
    """Writes named arrays; `map_tensors` reads them back. Mapped arrays go from file to file, a part at a time."""
    with path.open("wb") as file:
        file.write(_header({name: (array.dtype, array.shape) for name, array in tensors.items()}))
        for array in tensors.values():
            flat = array.reshape(-1)
            for low in range(0, len(flat), _PART):
                file.write(np.ascontiguousarray(flat[low : low + _PART]).data)
                let_go(array)


def _header(described: Mapping[str, tuple[np.dtype[Any], tuple[int, ...]]]) -> bytes:
    names = {dtype: name for name, dtype in DTYPES.items()}
    header: dict[str, Any] = {}
    offset = 0
    for name, (dtype, shape) in described.items():
        end = offset + math.prod(shape) * dtype.itemsize
        header[name] = {"dtype": names[dtype], "shape": shape, "data_offsets": [offset, end]}
        offset = end
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text


def map_tensors(path: Path) -> dict[str, NDArray[Any]]:
    """The arrays of a safetensors file by name, memory-mapped and read-only."""
    return {name: map_tensor(path, name, tensor) for name, tensor in tensors_of(path).items()}


def map_tensor(path: Path, name: str, tensor: Tensor) -> NDArray[Any]:
    """One tensor of a file, memory-mapped and read-only (a copy where it is not aligned)."""
    if tensor.dtype is None:
        raise RelrepError(f"{path}: the tensor {shown(name)} is {shown(tensor.kind)}; relrep reads {', '.join(DTYPES)}")
    if 0 in tensor.shape:
        return np.empty(tensor.shape, dtype=tensor.dtype)
    try:
        mapped: NDArray[Any] = np.memmap(path, tensor.dtype, mode="r", offset=tensor.offset, shape=tensor.shape)
    except OSError as error:
        raise RelrepError(f"{path}: cannot be mapped ({error.strerror}); copy it to a local disk") from None
    return mapped if mapped.flags.aligned else np.array(mapped)


def tensors_of(path: Path) -> dict[str, Tensor]:
    """The tensors of a file by name, each checked to lie within it."""
    damaged = RelrepError(f"{path}: its safetensors header is damaged or cut short; get or write the file again")
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            length = int.from_bytes(file.read(8), "little")
            if length > min(size - 8, _LARGEST_HEADER):
                raise damaged
            entries = json.loads(file.read(length))
    except OSError as error:
        raise RelrepError(f"{path}: cannot be read ({error.strerror}); check the name") from None
    except (ValueError, RecursionError):
        raise damaged from None
    if not isinstance(entries, dict):
        raise damaged
    entries.pop("__metadata__", None)
    return {name: _described(path, name, entry, 8 + length, size) for name, entry in entries.items()}


def _described(path: Path, name: str, entry: Any, data_start: int, size: int) -> Tensor:
    try:
        kind, shape, (begin, end) = entry["dtype"], tuple(entry["shape"]), entry["data_offsets"]
    except (KeyError, TypeError, ValueError):
        raise RelrepError(f"{path}: the tensor {shown(name)} is described wrongly; write the file anew") from None
    if len(shape) > _MOST_DIMENSIONS or not all(
        type(number) is int and 0 <= number < 1 << 62 for number in (*shape, begin, end)
    ):
        raise RelrepError(f"{path}: the tensor {shown(name)} has impossible bounds; write the file anew")
    dtype = DTYPES.get(str(kind))
    if dtype is not None and (data_start + end > size or end - begin != math.prod(shape) * dtype.itemsize):
        raise RelrepError(
            f"{path}: the tensor {shown(name)} does not fit the file; it is cut short or damaged, get it again"
        )
    return Tensor(str(kind), dtype, shape, data_start + begin)
