"""Lists the words whose vectors are closest to that of a word.

VECTORS is a model folder or a vectors file in any format (word2vec text or binary, GloVe, fastText .vec,
safetensors; compressed or not): which one is found out. With --collocates a model tells instead which words stand with
the word in its text, all together and by what joins the two.
"""

import argparse
import textwrap
from pathlib import Path

from relrep.cli.arguments import check_at_least
from relrep.cli.console import marked, show, show_progress


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("vectors", metavar="VECTORS", type=Path, help="a model folder or a vectors file")
    parser.add_argument("word", help="the word to start from")
    parser.add_argument("--top", metavar="N", type=int, default=10, help="list so many words (default: 10)")
    parser.add_argument("--limit", metavar="N", type=int, help="use only the first N words of the file")
    parser.add_argument(
        "--infer", action="store_true", help="a word without a vector gets one from its spelling, and that is said"
    )
    parser.add_argument("--collocates", action="store_true", help="what stands with the word in the text of a model")
    parser.add_argument(
        "--by", choices=("logdice", "llr", "pmi"), default="logdice", help="collocates: the measure (default: logdice)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Loads the vectors and prints word and cosine, the closest first."""
    from relrep.vectors.word_vectors import WordVectors

    check_at_least(arguments, 1, "top", "limit")
    if arguments.collocates:
        return _show_collocates(arguments)
    with show_progress(arguments.quiet) as progress:
        vectors = WordVectors.load(arguments.vectors, limit=arguments.limit, progress=progress)
    inferred = arguments.infer and vectors.find(arguments.word) is None
    word = arguments.word if inferred else vectors.known_as(arguments.word)
    if inferred:
        neighbours = vectors.similar_by_vector(vectors.vector_for(word), arguments.top)
    else:
        neighbours = vectors.most_similar(word, topn=arguments.top)
    found = [{"word": near, "similarity": round(score, 6)} for near, score in neighbours]
    lines = [f"{score:7.4f}  {near}" for near, score in neighbours]
    if inferred:
        lines.insert(0, f"{word} has no vector of its own; inferred from its spelling:")
    return show(arguments, {"word": word, "inferred": inferred, "neighbours": found}, lines)


def _show_collocates(arguments: argparse.Namespace) -> int:
    from dataclasses import asdict

    from relrep.model.model import Model
    from relrep.relations.collocates import collocates

    found = collocates(Model.load(arguments.vectors), arguments.word, arguments.top, arguments.by)
    lines = [f"{found.word}: {found.count:,} times in the text", "", " logDice       LLR    PMI  sentences"]
    for each in found.collocates:
        lines.append(f"{each.logdice:8.2f} {each.llr:9,.0f} {each.pmi:6.2f} {each.meetings:10,}  {each.word}")
    for joined in found.by_pattern:
        words = ", ".join(f"{word} {count:,}" for word, count in joined.collocates[:8])
        lines.append(textwrap.fill(f"{joined.label:12} {words}", 80, subsequent_indent=13 * " ", initial_indent=""))
        if joined.example is not None:
            sentence = textwrap.shorten(marked(joined.example), 3 * 64, placeholder=" …")
            lines.append(textwrap.fill(sentence, 80, initial_indent=13 * " ", subsequent_indent=13 * " "))
    return show(arguments, asdict(found), lines)
