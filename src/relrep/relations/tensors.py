"""Tensor files (safetensors) that are memory-mapped instead of read: a model of any size opens at once."""

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from relrep.errors import RelrepError
from relrep.files import reserve
from relrep.mapped import let_go

_DTYPES = {"U8": np.uint8, "F32": np.float32, "F64": np.float64, "I32": np.int32, "I64": np.int64}
_HEADER_LIMIT = 100_000_000
_PART = 1 << 22


def write_tensors(path: Path, tensors: Mapping[str, NDArray[Any]]) -> None:
    """Writes named arrays; `map_tensors` reads them back. Mapped arrays go from file to file, a part at a time."""
    with path.open("wb") as file:
        file.write(_header({name: (array.dtype, array.shape) for name, array in tensors.items()}))
        for array in tensors.values():
            flat = array.reshape(-1)
            for low in range(0, len(flat), _PART):
                file.write(np.ascontiguousarray(flat[low : low + _PART]).data)
                let_go(array)


def create_tensors(path: Path, shapes: Mapping[str, tuple[DTypeLike, int]]) -> dict[str, NDArray[Any]]:
    """Makes a file of named rows, each of a type and a length, and maps them to be written."""
    described = {name: (np.dtype(dtype), (size,)) for name, (dtype, size) in shapes.items()}
    header = _header(described)
    reserve(path, len(header) + sum(dtype.itemsize * size for dtype, (size,) in described.values()))
    with path.open("r+b") as file:
        file.write(header)
    offset = len(header)
    mapped: dict[str, NDArray[Any]] = {}
    for name, (dtype, shape) in described.items():
        if shape[0]:
            mapped[name] = np.memmap(path, dtype=dtype, mode="r+", offset=offset, shape=shape)
        else:
            mapped[name] = np.empty(shape, dtype=dtype)
        offset += dtype.itemsize * shape[0]
    return mapped


def _header(described: Mapping[str, tuple[np.dtype[Any], tuple[int, ...]]]) -> bytes:
    names = {np.dtype(dtype): name for name, dtype in _DTYPES.items()}
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
    """The arrays of a safetensors file by name, memory-mapped and read-only.

    The header is checked against the file's size, so that a file cut off on its way is told here and not
    by a crash later.
    """
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            header_size = int.from_bytes(file.read(8), "little")
            if header_size > min(size - 8, _HEADER_LIMIT):
                raise RelrepError(f"{path}: not a whole safetensors file; it was cut off or is something else")
            header = json.loads(file.read(header_size))
    except OSError as error:
        raise RelrepError(f"{path}: cannot be read ({error.strerror})") from None
    except ValueError:
        raise RelrepError(f"{path}: its safetensors header is broken; write the file anew") from None
    if not isinstance(header, dict):
        raise RelrepError(f"{path}: its safetensors header is broken; write the file anew")
    header.pop("__metadata__", None)
    return {name: _map_one(path, name, entry, 8 + header_size, size) for name, entry in header.items()}


def _map_one(path: Path, name: str, entry: Any, data_start: int, size: int) -> NDArray[Any]:
    try:
        dtype = np.dtype(_DTYPES[entry["dtype"]])
        shape = tuple(int(length) for length in entry["shape"])
        begin, end = (int(offset) for offset in entry["data_offsets"])
    except (KeyError, TypeError, ValueError):
        raise RelrepError(f"{path}: the tensor {name!r} is described wrongly; write the file anew") from None
    fits = 0 <= begin <= end <= size - data_start and min(shape, default=0) >= 0
    if not fits or end - begin != math.prod(shape) * dtype.itemsize:
        raise RelrepError(f"{path}: the tensor {name!r} does not fit the file; it was cut off or changed")
    if begin == end:
        return np.zeros(shape, dtype=dtype)
    mapped: NDArray[Any] = np.memmap(path, dtype=dtype, mode="r", offset=data_start + begin, shape=shape)
    return mapped if mapped.flags.aligned else np.array(mapped)
