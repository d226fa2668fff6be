"""Where Spark runs and how: settings that never change a bit of the result."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from relrep.errors import RelrepError


@dataclass(frozen=True)
class SparkSettings:
    """Spark's master and its own settings.

    >>> SparkSettings.of("local[2]", ["spark.sql.shuffle.partitions=8"]).conf
    {'spark.sql.shuffle.partitions': '8'}
    """

    master: str = ""
    """A master's URL; empty: what Spark's own configuration says, or all cores of this machine."""
    conf: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, master: str | None, conf: Sequence[str]) -> "SparkSettings":
        """From the command line's --spark-master and --spark-conf k=v."""
        values: dict[str, str] = {}
        for each in conf:
            key, equals, value = each.partition("=")
            if not equals or not key.startswith("spark."):
                raise RelrepError(f"--spark-conf is {each!r}; give a setting of Spark as spark.some.key=value")
            values[key] = value
        return cls(master or "", values)
