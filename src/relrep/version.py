"""The version of relrep."""

__version__ = "0.1.0"
