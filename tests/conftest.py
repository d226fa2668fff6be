"""Fixtures that several parts of the test suite share."""

from pathlib import Path

import pytest
from hypothesis import settings

from relrep.model.model import Model
from tiny_model import build

# The first example of a test may compile a kernel: no deadline for a single example.
settings.register_profile("relrep", deadline=None)
settings.load_profile("relrep")


@pytest.fixture(scope="session")
def tiny_model_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a tiny model with relations and index; do not change it."""
    folder: Path = tmp_path_factory.mktemp("tiny") / "model"
    build(folder)
    return folder


@pytest.fixture(scope="session")
def tiny_model(tiny_model_folder: Path) -> Model:
    """The tiny model, loaded."""
    return Model.load(tiny_model_folder)
