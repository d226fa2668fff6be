"""Loading word vectors from any file or model folder: the format is found out, never asked."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from relrep.errors import RelrepError
from relrep.progress import ProgressCallback, ignore
from relrep.vectors.formats import (
    detection,
    glove_text,
    model_folder,
    safetensors_file,
    word2vec_binary,
    word2vec_text,
)
from relrep.vectors.formats.streams import ByteStream
from relrep.vectors.formats.table import Request

_STREAM_READERS = {
    detection.WORD2VEC_TEXT: word2vec_text.read,
    detection.WORD2VEC_BINARY: word2vec_binary.read,
    detection.GLOVE: glove_text.read,
}


def read_vectors(
    path: Path, request: Request, progress: ProgressCallback = ignore
) -> tuple[Sequence[str], NDArray[Any]]:
    """The words and vectors that `request` asks for."""
    try:
        if path.is_dir():
            return model_folder.read(path, request)
        with ByteStream(path, progress) as stream:
            found = detection.detect(stream)
            if found != detection.SAFETENSORS:
                return _STREAM_READERS[found](stream, request)
            if stream.size is None:
                raise RelrepError(f"{path}: safetensors are mapped, not streamed; unpack it into a file first")
        return safetensors_file.read(path, request)
    except MemoryError:
        raise RelrepError(
            f"{path}: the vectors do not fit into memory; load fewer (limit, words) or convert to .safetensors"
        ) from None
    except ValueError as error:  # a path with a NUL byte
        if "null byte" not in str(error):
            raise
        raise RelrepError(f"{str(path)!r} is not a file name") from None
