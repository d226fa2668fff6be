"""The Spark engine: the same mining, on a cluster, with the same bits. Needs the extra `relrep[spark]` and Java 17."""

from relrep.mining.spark.engine import SparkEngine
from relrep.mining.spark.settings import SparkSettings

__all__ = ["SparkEngine", "SparkSettings"]
