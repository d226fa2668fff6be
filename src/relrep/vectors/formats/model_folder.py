"""A relrep model as a file format: a folder with `config.json`, `vocab.txt` and `model.safetensors`, memory-mapped.

`config.json` is the record of a model; it says that the folder is one, and of which version.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from relrep.errors import RelrepError
from relrep.vectors.formats import safetensors_file
from relrep.vectors.formats.table import Request

FORMAT, FORMAT_VERSION = "relrep-model", 3
CONFIG_FILE = "config.json"
VECTORS_FILE = "model.safetensors"


def is_model(folder: Path) -> bool:
    """Whether `folder` says of itself that it is a relrep model (of any version)."""
    try:
        config = json.loads((folder / CONFIG_FILE).read_bytes())
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(config, dict) and config.get("format") == FORMAT


def read_config(folder: Path) -> dict[str, Any]:
    """The checked `config.json` of a model folder."""
    path = folder / CONFIG_FILE
    if not folder.is_dir():
        raise RelrepError(f"{folder}: there is no model folder here; make one with relrep train … --out {folder}")
    if not is_model(folder):
        raise RelrepError(f"{folder}: not a relrep model ({CONFIG_FILE} is missing, broken or of another program)")
    config: dict[str, Any] = json.loads(path.read_bytes())
    found = config.get("format_version")
    if type(found) is not int or found != FORMAT_VERSION:
        raise RelrepError(
            f"{path}: model format {str(found)[:20]} is not known here, this relrep reads {FORMAT_VERSION}; "
            "update relrep or train the model anew"
        )
    return config


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
