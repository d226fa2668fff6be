"""Lists the words whose vectors are closest to that of a word.

VECTORS is a model folder or a vectors file in any format (word2vec text or binary, GloVe, fastText .vec,
safetensors; compressed or not): which one is found out.
"""

import argparse
from pathlib import Path

from relrep.cli.arguments import add_output_arguments, check_at_least
from relrep.cli.console import print_json, show_progress

HELP = "the words closest to a word"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `relrep neighbours`."""
    parser.add_argument("vectors", metavar="VECTORS", type=Path, help="a model folder or a vectors file")
    parser.add_argument("word", help="the word to start from")
    parser.add_argument("--top", metavar="N", type=int, default=10, help="list so many words (default: 10)")
    parser.add_argument("--limit", metavar="N", type=int, help="use only the first N words of the file")
    add_output_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Loads the vectors and prints word and cosine, the closest first."""
    from relrep.vectors.word_vectors import WordVectors

    check_at_least(arguments, 1, "top", "limit")
    with show_progress(arguments.quiet) as progress:
        vectors = WordVectors.load(arguments.vectors, limit=arguments.limit, progress=progress)
    neighbours = vectors.most_similar(arguments.word, topn=arguments.top)
    if arguments.json:
        found = [{"word": word, "similarity": round(score, 6)} for word, score in neighbours]
        print_json({"word": arguments.word, "neighbours": found})
    else:
        for word, score in neighbours:
            print(f"{score:7.4f}  {word}")
    return 0
