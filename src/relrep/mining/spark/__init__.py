"""The Spark engine: the same mining, on a cluster, with the same bits. Needs the extra `relrep[spark]` and Java 17."""
