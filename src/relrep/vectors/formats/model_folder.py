"""The vectors of a relrep model: a folder with `model.safetensors` and `vocab.txt`; memory-mapped."""

import json
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from relrep.errors import RelrepError
from relrep.vectors.formats import safetensors_file
from relrep.vectors.formats.table import Request

VECTORS_FILE, CONFIG_FILE = "model.safetensors", "config.json"
_FORMAT, _FORMAT_VERSION = "relrep-model", 1


def read(folder: Path, request: Request) -> tuple[list[str], NDArray[Any]]:
    """The words and trained vectors of the model in `folder`."""
    for name in (VECTORS_FILE, safetensors_file.VOCABULARY_FILE):
        if not (folder / name).is_file():
            raise RelrepError(
                f"{folder}: is a folder without {name}, so no relrep model; give a model folder or a vectors file"
            )
    _check_version(folder / CONFIG_FILE)
    return safetensors_file.read(folder / VECTORS_FILE, request)


def _check_version(path: Path) -> None:
    """A model of another format version is not read; a model without config.json is."""
    if not path.exists():
        return
    try:
        config = json.loads(path.read_bytes())
    except OSError as error:
        raise RelrepError(f"{path}: cannot be read ({error.strerror}); check its permissions") from None
    except (ValueError, RecursionError):
        raise RelrepError(f"{path}: is not JSON; train or copy the model anew") from None
    if not isinstance(config, dict) or config.get("format") != _FORMAT:
        raise RelrepError(f"{path}: is not the config.json of a relrep model; give a model folder")
    version = config.get("format_version")
    if type(version) is not int or version != _FORMAT_VERSION:
        raise RelrepError(
            f"{path}: model format {str(version)[:20]} is not known here, this relrep reads {_FORMAT_VERSION};"
            " update relrep or train the model anew"
        )
