"""Whether Spark can run here: its tests are left out without Java, but never in continuous integration."""

import os

import pytest

from relrep.errors import RelrepError
from relrep.mining.spark.session import check_installed


def need_spark() -> None:
    """Skips the calling module, with the reason, where PySpark or Java is missing."""
    try:
        check_installed()
    except RelrepError as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(str(error), allow_module_level=True)
