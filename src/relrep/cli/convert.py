"""Converts word vectors from one file format to another.

IN is a model folder or a vectors file in any format: which one is found out by content. The format of OUT
follows its suffix: .safetensors, .bin (word2vec binary), .vec (fastText), .txt or .w2v (word2vec text), .glove or
.glove.txt; text and .bin also with .gz, .bz2, .xz or .zst behind.
"""

import argparse
from pathlib import Path
from typing import Any

from relrep.cli.arguments import check_at_least
from relrep.cli.console import show, show_progress
from relrep.errors import RelrepError

FORMATS = ("word2vec-text", "word2vec-binary", "glove", "fasttext", "safetensors")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("source", metavar="IN", type=Path, help="a model folder or a vectors file")
    parser.add_argument("target", metavar="OUT", type=Path, help="the file to write")
    parser.add_argument("--limit", metavar="N", type=int, help="keep only the first N words")
    parser.add_argument("--words", metavar="FILE", type=Path, help="keep only the words in FILE, one a line")
    parser.add_argument("--format", choices=FORMATS, help="the format of OUT, whatever its suffix")
    parser.add_argument(
        "--skip-bad",
        action="store_true",
        help="leave out entries that cannot be used (duplicates, NaN, wrong width, not UTF-8) instead of stopping",
    )
    parser.add_argument("--underscores", action="store_true", help="replace spaces inside words by underscores")


def run(arguments: argparse.Namespace) -> int:
    """Loads, saves, and says what was written."""
    from relrep.vectors.files import format_of
    from relrep.vectors.word_vectors import WordVectors

    check_at_least(arguments, 1, "limit")
    target_format = arguments.format or format_of(arguments.target)  # before the work, not after
    wanted = None if arguments.words is None else read_word_list(arguments.words)
    with show_progress(arguments.quiet) as progress:
        vectors = WordVectors.load(
            arguments.source,
            limit=arguments.limit,
            words=wanted,
            skip_bad=arguments.skip_bad,
            progress=progress,
        )
        missing = None if wanted is None or len(vectors) == arguments.limit else len(wanted) - len(vectors)
        if arguments.underscores:
            vectors = WordVectors([word.replace(" ", "_") for word in vectors.index_to_key], vectors.vectors)
        vectors.save(arguments.target, target_format, progress)
    result: dict[str, Any] = {"path": str(arguments.target), "format": target_format, "words": len(vectors)}
    result |= {"dimensions": vectors.vector_size, "words_not_found": missing}
    note = f" ({missing:,} of the words asked for are not there)" if missing else ""
    size = f"{len(vectors):,} words × {vectors.vector_size} dimensions"
    return show(arguments, result, [f"{arguments.target}: {size}, {target_format}{note}"])


def read_word_list(path: Path) -> frozenset[str]:
    """The words of a file, one a line; blank lines are passed over, and so is what follows a tab (vocab.txt)."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise RelrepError(f"{path}: cannot be read ({error.strerror}); check the name") from None
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise RelrepError(f"{path}, line {line}: not UTF-8; convert the file (iconv -t utf-8)") from None
    lines = (line.removesuffix("\r").partition("\t")[0] for line in text.split("\n"))
    words = frozenset(line for line in lines if line)
    if not words:
        raise RelrepError(f"{path}: holds no words; write one word a line")
    return words
