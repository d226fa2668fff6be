"""Measures that read the corpus, as `evaluate` and `analogy` offer them."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from relrep.errors import RelrepError

if TYPE_CHECKING:
    from relrep.evidence.rerank import SharedPattern
    from relrep.model.model import Model

VECTOR_MEASURES = ("cosadd", "cosmult", "pairdiff")
BASE_OF = {"pairpattern": "pairdiff", "pairmix": "pairdiff", "cosmix": "cosadd"}
"""The measures that read the corpus, and the one of vectors alone that always stands beside each."""


def add_measure_arguments(
    parser: argparse.ArgumentParser | argparse._ArgumentGroup,
    reading: Sequence[str],
    alone: Sequence[str] = VECTOR_MEASURES,
) -> None:
    """`--measure` and `--no-evidence`; the measures offered are those `reading` the corpus and of vectors `alone`."""
    parser.add_argument(
        "--measure",
        action="append",
        choices=(*alone, *reading),
        help=f"only this measure; may be given several times (default: all; {', '.join(reading)} read the corpus "
        "at query time, so VECTORS must be a model with its corpus index)",
    )
    parser.add_argument("--no-evidence", action="store_true", help="no measures that read the corpus")


def chosen_measures(
    arguments: argparse.Namespace, reading: Sequence[str], alone: Sequence[str] = VECTOR_MEASURES
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(measures of vectors alone, measures that read the corpus) that were asked for, in their usual order."""
    asked = arguments.measure or (*alone, *reading)
    kept = [] if arguments.no_evidence else [name for name in reading if name in asked]
    if arguments.measure and arguments.no_evidence and set(asked) <= set(reading):
        raise RelrepError("--no-evidence leaves no measure; give --measure cosadd, cosmult or pairdiff")
    bases = {BASE_OF[name] for name in kept}
    return tuple(name for name in alone if name in asked or name in bases), tuple(kept)


def model_with_evidence(place: Path, arguments: argparse.Namespace) -> "Model | None":
    """The model at `place` if it can be read for evidence; a RelrepError if not, though that was asked for by name."""
    from relrep.vectors.formats.safetensors import is_model

    asked = [name for name in arguments.measure or () if name in BASE_OF]
    if place.is_dir() and is_model(place):
        from relrep.model.model import Model

        model = Model.load(place)
        if model.index is not None and model.relations is not None and model.relations.n_pairs:
            return model
    if asked:
        raise RelrepError(
            f"{place}: {asked[0]} reads the corpus, and here is no model with relations and corpus index; "
            "give one that relrep train made without --no-index"
        )
    return None


def shared_lines(shared: "Sequence[SharedPattern]", pair: tuple[str, str], given: tuple[str, str]) -> list[str]:
    """The patterns that a pair shares with a given one, each with how often it stands in both."""
    return [
        f"         {each.label}  ({' … '.join(pair)}: {each.count:,}, {' … '.join(given)}: {each.count_given:,})"
        for each in shared
    ]
