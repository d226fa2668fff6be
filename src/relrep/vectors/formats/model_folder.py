"""The vectors of a relrep model: a folder with `model.safetensors` and `vocab.txt`; memory-mapped."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from relrep.errors import RelrepError
from relrep.model_config import CONFIG_FILE, read_config
from relrep.vectors.formats import safetensors_file
from relrep.vectors.formats.table import Request

VECTORS_FILE = "model.safetensors"


def read(folder: Path, request: Request) -> tuple[Sequence[str], NDArray[Any]]:
    """The words and trained vectors of the model in `folder`."""
    for name in (VECTORS_FILE, safetensors_file.VOCABULARY_FILE):
        if not (folder / name).is_file():
            raise RelrepError(
                f"{folder}: is a folder without {name}, so no relrep model; give a model folder or a vectors file"
            )
    if (folder / CONFIG_FILE).exists():  # vectors alone may do without
        read_config(folder)
    return safetensors_file.read(folder / VECTORS_FILE, request)
