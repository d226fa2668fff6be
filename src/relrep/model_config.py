"""The record of a model, config.json: what kind of folder it lies in, and of which version."""

import json
from pathlib import Path
from typing import Any

from relrep.errors import RelrepError

FORMAT, FORMAT_VERSION = "relrep-model", 2
CONFIG_FILE = "config.json"


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
