"""The files of a corpus on any file system that Spark knows, and the text in them as rows."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from relrep.errors import RelrepError
from relrep.mining.spark.session import DAMAGED, root_cause
from relrep.text.sources import COMPRESSIONS, FORMATS, STANDARD_INPUT, find_sources, source_of

WHOLE_FILE_LIMIT = 1 << 30
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:/")
_SPLIT_BY_LINES = {None: "", "gzip": ".gz", "bz2": ".bz2"}
"""Compressions that Spark reads itself; the others are decompressed by relrep, a file at a time."""


@dataclass(frozen=True)
class CorpusFile:
    """One file: what messages call it, where Spark finds it, and how it is read."""

    name: str
    place: str
    format: str
    compression: str | None
    size: int
    modified: int

    @property
    def known_as(self) -> str:
        """Where it is, as the records of stages have it: a path where it is on this machine."""
        return self.place.removeprefix("file:") if not is_remote(self.name) else self.place

    @property
    def way(self) -> str:
        """How Spark reads it: text, jsonl (both by lines), parquet, or whole."""
        if self.format == "parquet" and self.compression is None:
            return "parquet"
        ending = _SPLIT_BY_LINES.get(self.compression)
        return "whole" if ending is None or not self.name.endswith(ending) else self.format


def is_remote(item: str | Path) -> bool:
    """Whether a name has a scheme, as in s3a://bucket/text.

    >>> is_remote("hdfs://host/text"), is_remote("text/a.txt")
    (True, False)
    """
    return _SCHEME.match(str(item)) is not None


def find_files(corpus: Sequence[str | Path], session: Any) -> list[CorpusFile]:
    """All files that `corpus` names, in the order of the local engine; `session()` is asked for remote ones only."""
    found: list[CorpusFile] = []
    if not corpus:
        raise RelrepError("no corpus was named; give files, folders or globs")
    for item in corpus:
        if str(item) == STANDARD_INPUT:
            raise RelrepError("--engine spark cannot read standard input; name files, folders or globs")
        if is_remote(item):
            found.extend(_remote_files(str(item), session()))
            continue
        for source in find_sources([item]):
            assert source.path is not None
            status = source.path.stat()
            place = f"file:{source.path.resolve()}"
            found.append(
                CorpusFile(source.name, place, source.format, source.compression, status.st_size, status.st_mtime_ns)
            )
    return found


def _remote_files(item: str, session: Any) -> Iterator[CorpusFile]:
    path = session._jvm.org.apache.hadoop.fs.Path(item)
    system = path.getFileSystem(session._jsc.hadoopConfiguration())
    if system.exists(path):
        status = system.getFileStatus(path)
        statuses = list(_below(system, path)) if status.isDirectory() else [status]
        if not statuses:
            known = " ".join([*FORMATS, *COMPRESSIONS])
            raise RelrepError(f"{item}: the folder holds no corpus file (known endings: {known})")
    else:
        statuses = [each for each in system.globStatus(path) or () if each.isFile()]
        if not statuses:
            raise RelrepError(f"{item}: no such file, folder or glob; check the path of the corpus")
    for status in sorted(statuses, key=lambda each: PurePosixPath(each.getPath().toUri().getPath()).parts):
        name = status.getPath().toString()
        source = source_of(Path(PurePosixPath(status.getPath().toUri().getPath()).name))
        yield CorpusFile(
            name, name, source.format, source.compression, status.getLen(), status.getModificationTime()
        )  # fmt: skip


def _below(system: Any, folder: Any) -> Iterator[Any]:
    files = system.listFiles(folder, True)
    while files.hasNext():
        status = files.next()
        if PurePosixPath(status.getPath().getName()).suffix.lower() in COMPRESSIONS.keys() | FORMATS.keys():
            yield status


def read_together(files: Sequence[CorpusFile]) -> list[dict[int, CorpusFile]]:
    """The files by their place in the corpus, in groups that are read in one way and name no file twice."""
    groups: dict[tuple[str, int], dict[int, CorpusFile]] = {}
    seen: dict[str, int] = {}
    for number, file in enumerate(files):
        seen[file.place] = before = seen.get(file.place, -1) + 1
        groups.setdefault((file.way, before), {})[number] = file
    return list(groups.values())


def rows_of(session: Any, chosen: Sequence[CorpusFile]) -> Any:
    """Files that are read in one way, as rows (data, file: a hash of its path, start: of its split)."""
    from pyspark.sql import functions as sql

    paths = [_no_glob(file.place) for file in chosen]
    column = "value"
    match chosen[0].way:
        case "text" | "jsonl":
            rows = session.read.option("lineSep", "\n").text(paths)
        case "parquet":
            for file in chosen:
                _check_text_column(session, file)
            rows, column = session.read.parquet(*paths), "text"
        case _:
            for file in chosen:
                _check_whole(file)
            rows, column = session.read.format("binaryFile").load(paths), "content"
    _check_all_there(rows, chosen)
    return rows.select(
        sql.col(column).cast("binary").alias("data"),
        sql.xxhash64("_metadata.file_path").alias("file"),
        sql.col("_metadata.file_block_start").alias("start"),
    )


def numbers_by_hash(session: Any, files: Mapping[int, CorpusFile]) -> dict[int, int]:
    """From the hashes that a file's path may have in `rows_of` to the file's place in the corpus."""
    from pyspark.sql import functions as sql

    numbers: dict[str, int] = {}
    for number, file in files.items():
        path = session._jvm.org.apache.hadoop.fs.Path(file.place)
        full = path.getFileSystem(session._jsc.hadoopConfiguration()).makeQualified(path).toUri().toString()
        for spelling in (full, re.sub("^file:/+", "file:/", full), re.sub("^file:/+", "file:///", full)):
            numbers[spelling] = number
    spellings = session.range(1).select(sql.explode(sql.lit(list(numbers))).alias("path"))
    return {row[0]: numbers[row[1]] for row in spellings.select(sql.xxhash64("path"), "path").collect()}


def _no_glob(place: str) -> str:
    return re.sub(r"([\\\[\]{}*?])", r"\\\1", place)


def _check_all_there(rows: Any, chosen: Sequence[CorpusFile]) -> None:
    if len(rows.inputFiles()) < len(chosen):
        hidden = [file.name for file in chosen if PurePosixPath(file.place).name.startswith(("_", "."))]
        raise RelrepError(
            f"{(hidden or [chosen[0].name])[0]}: Spark leaves out files whose names begin with _ or a dot; rename it"
        )


def _check_whole(file: CorpusFile) -> None:
    if file.format == "parquet":
        raise RelrepError(f"{file.name}: Parquet files are read as they are; decompress it first")
    if file.size > WHOLE_FILE_LIMIT:
        raise RelrepError(
            f"{file.name}: {file.compression} files are not split, so with --engine spark they may have "
            f"{WHOLE_FILE_LIMIT >> 30} GB at most; cut it, or compress it as .bz2 or .gz"
        )


def _check_text_column(session: Any, file: CorpusFile) -> None:
    """Every file is asked: Spark looks at one and fills what others lack with nothing."""
    from pyspark.errors import PySparkException

    try:
        schema = session.read.parquet(_no_glob(file.place)).schema
    except PySparkException as error:
        raise RelrepError(f"{file.name}: cannot be read ({root_cause(error)}); {DAMAGED}") from error
    if schema.names.count("text") != 1:
        names = ", ".join(schema.names)
        raise RelrepError(f'{file.name}: not one column "text" (columns: {names}); rename the text column')
    if (kind := schema["text"].dataType.typeName()) not in ("string", "binary"):
        raise RelrepError(f'{file.name}: the column "text" holds {kind}; it needs strings')
