"""Mined counts as a folder of Parquet files: what `relrep mine` leaves and `relrep train --mined` takes."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from relrep.config import Config
from relrep.core.files import DAMAGE, link_or_copy, written_whole
from relrep.errors import RelrepError
from relrep.mining.counts import column_type
from relrep.mining.engines import Engine
from relrep.mining.pairs import Pairs
from relrep.mining.patterns import Patterns
from relrep.mining.runs import Part, Run, write_entries
from relrep.mining.settings import PATTERN_KINDS, Selection
from relrep.pipeline.graph import PAPER, Graph
from relrep.text.encode import CorpusFacts, write_corpus
from relrep.text.encoded import EncodedCorpus, open_ids
from relrep.text.vocabulary import Vocabulary

FORMAT, FORMAT_VERSION = "relrep-mined", 2
RECORD, VOCABULARY, TOKENS = "mined.json", "vocab.txt", "tokens.i32"
PAIRS, PATTERNS, COUNTS = "pairs.parquet", "patterns.parquet", "counts.parquet"
TABLES = ("corpus", "mining")
_ROWS_AT_ONCE = 1 << 20
_PAIRS = pa.schema([("u", pa.int32()), ("v", pa.int32()), ("sentences", pa.int64())])
_PATTERNS = pa.schema(
    [("kind", pa.string()), ("reversed", pa.bool_()), ("occurrences", pa.int64()), ("words", pa.list_(pa.int32()))]
)
_COUNTS = pa.schema([("pair", pa.int32()), ("pattern", pa.int32()), ("count", pa.int32())])


def write_mined(graph: Graph, out: Path, keep_ids: bool, paper: bool = False) -> dict[str, Any]:
    """Runs the stages up to the counts and leaves these in `out`, which appears whole; returns its record.

    The counts are those of bound pairs and, with `paper`, of the paper's pairs too.
    """
    if out.exists() and not (out / RECORD).exists() and any(out.iterdir()):
        raise RelrepError(f"{out}: is there already and holds no mined counts; choose another --out")
    prefixes = ["", PAPER] if paper else [""]
    with graph.work.locked():
        corpus, facts = graph.ids()
        settings = graph.config.as_dict()
        record = {
            "format": FORMAT,
            "version": FORMAT_VERSION,
            "settings": {table: settings[table] for table in TABLES},
            "corpus": asdict(facts),
            "token_ids": keep_ids,
        }
        with written_whole(out) as folder:
            folder.mkdir()
            corpus.vocabulary.write(folder / VOCABULARY)
            for prefix in prefixes:
                pairs, patterns, counts = graph.pairs(prefix), graph.patterns(prefix), graph.counts(prefix)
                _write_table(_pairs_table(pairs, corpus.vocabulary), folder / f"{prefix}{PAIRS}")
                _write_table(_patterns_table(patterns, corpus.vocabulary), folder / f"{prefix}{PATTERNS}")
                _write_counts(counts, folder / f"{prefix}{COUNTS}")
                sizes = {"pairs": len(pairs), "patterns": len(patterns), "counts": len(counts.columns)}
                record |= {f"{prefix}{name}": n for name, n in sizes.items()}
            if keep_ids:
                link_or_copy(graph.folder / "ids" / TOKENS, folder / TOKENS)
            text = json.dumps(record, indent=2, ensure_ascii=False) + "\n"
            (folder / RECORD).write_text(text, encoding="utf-8")
    return record


def _pairs_table(pairs: Pairs, vocabulary: Vocabulary) -> pa.Table:
    words = pa.array(list(vocabulary.words), pa.string())
    return pa.table(
        {
            "u": pairs.u,
            "v": pairs.v,
            "first": pa.DictionaryArray.from_arrays(pairs.u, words).cast(pa.string()),
            "second": pa.DictionaryArray.from_arrays(pairs.v, words).cast(pa.string()),
            "sentences": pairs.sentences,
        }
    )


def _patterns_table(patterns: Patterns, vocabulary: Vocabulary) -> pa.Table:
    return pa.table(
        {
            "pattern": patterns.texts(vocabulary),
            "kind": patterns.kinds,
            "reversed": patterns.reversed,
            "occurrences": patterns.occurrences,
            "words": pa.array([list(ngram) for ngram in patterns.ngrams], pa.list_(pa.int32())),
        }
    )


def _write_table(table: pa.Table, path: Path) -> None:
    pq.write_table(table, path, compression="zstd", row_group_size=_ROWS_AT_ONCE)


def _write_counts(counts: Run, path: Path) -> None:
    with pq.ParquetWriter(path, _COUNTS, compression="zstd") as writer:
        for low in range(0, len(counts.columns), _ROWS_AT_ONCE):
            part = slice(low, min(low + _ROWS_AT_ONCE, len(counts.columns)))
            pairs = np.searchsorted(counts.starts, np.arange(part.start, part.stop), side="right") - 1
            columns = [np.asarray(each).astype(np.int32) for each in (pairs, counts.columns[part], counts.values[part])]
            writer.write_table(pa.table(columns, schema=_COUNTS))


class MinedCounts(Engine):
    """An engine that counts nothing: it takes what `relrep mine` has left."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        path = folder / RECORD
        try:
            record = json.loads(path.read_text(encoding="utf-8"))
            if record["format"] != FORMAT or record["version"] != FORMAT_VERSION:
                raise ValueError(f"its format is {record['format']} {record['version']}")
            self.config = Config().with_values({table: record["settings"][table] for table in TABLES}, str(path))
            self.facts = CorpusFacts(**record["corpus"])
            self.keeps_ids = bool(record["token_ids"])
            names = [f"{prefix}{name}" for prefix in ("", PAPER) for name in ("pairs", "patterns", "counts")]
            self._rows = {f"{name}.parquet": int(record[name]) for name in names if name in record}
        except DAMAGE as error:
            reason = error.strerror if isinstance(error, OSError) else error
            raise RelrepError(f"{path}: no record of mined counts ({reason}); run relrep mine again") from None

    def checked(self, config: Config) -> Config:
        """`config` with the settings of the mining; one that says otherwise is told."""
        for table in TABLES:
            asked, default, held = (getattr(each, table) for each in (config, Config(), self.config))
            for key, value in asdict(asked).items():
                mined = getattr(held, key)
                if value not in (mined, getattr(default, key)):
                    raise RelrepError(
                        f"{self.folder}: was mined with {key} = {mined} and not {value}; mine again, or leave it out"
                    )
        return config.with_values({table: self.config.as_dict()[table] for table in TABLES}, str(self.folder))

    def depends(self) -> dict[str, Any]:
        """The record, which tells settings and text."""
        status = (self.folder / RECORD).stat()
        return {"mined": [str(self.folder.resolve()), status.st_size, status.st_mtime_ns]}

    def text_bytes(self) -> int:
        """As much as was read."""
        return self.facts.text_bytes

    def encode(self, folder: Path) -> tuple[EncodedCorpus, CorpusFacts]:
        """Vocabulary and facts, and the token ids if there are any."""
        vocabulary = Vocabulary.read(self.folder / VOCABULARY)
        with written_whole(folder) as target:
            target.mkdir()
            if self.keeps_ids:
                if not (self.folder / TOKENS).exists():
                    raise RelrepError(f"{self.folder / TOKENS}: is missing; run relrep mine --keep-ids again")
                link_or_copy(self.folder / TOKENS, target / TOKENS)
            write_corpus(target, vocabulary, self.facts)
        return open_ids(folder), self.facts

    def pairs(self, corpus: EncodedCorpus, selection: Selection, parts: Path) -> Pairs:
        """The pairs of the folder."""
        name, n_words = self._name(PAIRS, selection), len(corpus.vocabulary)
        table = pa.concat_tables([_PAIRS.empty_table(), *self._row_groups(name, _PAIRS)])
        u, v, sentences = (column.to_numpy() for column in table.columns)
        if not (_within(u, n_words) and _within(v, n_words) and _rising(u, v)):
            raise self._damaged(name)
        starts = np.searchsorted(u, np.arange(n_words + 1)).astype(np.int64)
        return Pairs(starts, np.ascontiguousarray(v, dtype=np.int32), np.ascontiguousarray(sentences, dtype=np.int64))

    def patterns(self, corpus: EncodedCorpus, pairs: Pairs, selection: Selection, parts: Path) -> Patterns:
        """The patterns of the folder."""
        name, n_words = self._name(PATTERNS, selection), len(corpus.vocabulary)
        table = pa.concat_tables([_PATTERNS.empty_table(), *self._row_groups(name, _PATTERNS)])
        kinds, turned, occurrences, words = table.columns
        ngrams = [tuple(ngram) for ngram in words.to_pylist()]
        if not all(ngram and _within(np.array(ngram), n_words) for ngram in ngrams):
            raise self._damaged(name)
        if not set(kinds.to_pylist()) <= set(PATTERN_KINDS):
            raise self._damaged(name)
        return Patterns(ngrams, kinds.to_pylist(), turned.to_numpy(), occurrences.to_numpy())

    def counts(
        self, corpus: EncodedCorpus, pairs: Pairs, patterns: Patterns, selection: Selection, folder: Path, parts: Path
    ) -> Run:
        """g(p, u, v), memory-mapped from `folder`, into which it is unpacked."""
        sizes = (len(pairs), len(patterns))
        return write_entries(folder, sizes[0], self._entries(*sizes, selection), column_type(sizes[1]))

    def _entries(self, n_pairs: int, n_patterns: int, selection: Selection) -> Iterator[Part]:
        name, last = self._name(COUNTS, selection), (-1, -1)
        for table in self._row_groups(name, _COUNTS):
            pair, pattern, count = (column.to_numpy() for column in table.columns)
            inside = _within(pair, n_pairs) and _within(pattern, n_patterns)
            if not (inside and _rising(np.append(last[0], pair), np.append(last[1], pattern))):
                raise self._damaged(name)
            yield pair, pattern, count
            last = (pair[-1], pattern[-1]) if len(pair) else last

    def _name(self, file: str, selection: Selection) -> str:
        """The file for a selection of pairs; a RelrepError where that was not mined."""
        name = file if selection.pairs == "bound" else f"{PAPER}{file}"
        if name not in self._rows:
            raise RelrepError(f"{self.folder}: holds no counts for --objective paper; mine with --objective paper")
        return name

    def _row_groups(self, name: str, schema: pa.Schema) -> Iterator[pa.Table]:
        """The row groups of a file, which must have these columns, no nulls, and as many rows as the record says."""
        path = self.folder / name
        try:
            with pq.ParquetFile(path) as file:
                if file.metadata.num_rows != self._rows[name]:
                    raise self._damaged(name)
                for group in range(file.metadata.num_row_groups):
                    table = file.read_row_group(group, columns=schema.names)
                    table.validate(full=True)
                    if not table.schema.equals(schema) or any(column.null_count for column in table.columns):
                        raise self._damaged(name)
                    yield table
        except (OSError, pa.ArrowException, UnicodeDecodeError) as error:
            reason = (str(error) or type(error).__name__).splitlines()[0]
            raise RelrepError(f"{path}: cannot be read ({reason}); run relrep mine again") from error

    def _damaged(self, name: str) -> RelrepError:
        return RelrepError(f"{self.folder / name}: does not fit the files beside it; run relrep mine again")


def _within(numbers: NDArray[np.integer], n: int) -> bool:
    return not len(numbers) or bool(numbers.min() >= 0 and numbers.max() < n)


def _rising(rows: NDArray[np.integer], columns: NDArray[np.integer]) -> bool:
    return bool((np.diff(rows.astype(np.int64) << 32 | columns) > 0).all())
