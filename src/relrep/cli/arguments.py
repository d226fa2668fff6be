"""Arguments that commands share: output, threads and memory, settings, the engine, question sets, measures."""

import argparse
import re
from collections.abc import Sequence
from dataclasses import Field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from relrep.errors import RelrepError

if TYPE_CHECKING:
    from relrep.analogy.evaluate import QuestionSets
    from relrep.config import Config
    from relrep.mining.engines import Engine
    from relrep.model.model import Model
    from relrep.pipeline.stages import RunSettings
    from relrep.progress import ProgressCallback

MEMORY_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
TITLES = {
    "corpus": "reading the corpus",
    "mining": "pairs and patterns",
    "association": "association (paper)",
    "instances": "training instances (paper)",
    "training": "training",
    "coherence": "the objective `coherence`",
}
"""What the help calls the tables of the configuration."""
OBJECTIVE_OF = {"association": "paper", "instances": "paper", "coherence": "coherence"}
"""Tables that are of one objective; single settings of others say so themselves."""
VECTOR_MEASURES = ("cosadd", "cosmult", "pairdiff")
BASE_OF = {"pairpattern": "pairdiff", "pairmix": "pairdiff", "cosmix": "cosadd"}
"""The measures that read the corpus, and the one of vectors alone that always stands beside each."""
Group = argparse.ArgumentParser | argparse._ArgumentGroup


def add_output_arguments(parser: argparse.ArgumentParser) -> None:
    """`--json` and `--quiet`."""
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    parser.add_argument("--quiet", action="store_true", help="show no progress")


def check_at_least(arguments: argparse.Namespace, least: int, *names: str) -> None:
    """Numbers that were given must be at least so great."""
    for name in names:
        value = getattr(arguments, name)
        if value is not None and value < least:
            raise RelrepError(f"--{name} is {value}; it must be at least {least}")


def add_run_arguments(parser: argparse.ArgumentParser) -> None:
    """`--threads` and `--memory`."""
    parser.add_argument("--threads", metavar="N", type=int, help="how many threads (default: all cores)")
    parser.add_argument("--memory", metavar="SIZE", default="4GB", help="how much memory to use (default: 4GB)")


def run_settings(arguments: argparse.Namespace) -> "RunSettings":
    """What was asked for of threads, memory and the like."""
    from relrep.pipeline.stages import RunSettings

    keep_index, keep_text = (not getattr(arguments, name, False) for name in ("no_index", "no_text"))
    return RunSettings(thread_count(arguments), memory_size(arguments.memory), keep_index, keep_text, arguments.force)


def thread_count(arguments: argparse.Namespace) -> int:
    """The number of threads asked for, or all cores."""
    from relrep.core.threads import available_threads

    check_at_least(arguments, 1, "threads")
    return arguments.threads or available_threads()


def memory_size(text: str) -> int:
    """A number of bytes.

    >>> memory_size("4GB") == 4 * 2**30
    True
    """
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?)(?:I?B)?\s*", text.upper())
    size = int(float(match[1]) * MEMORY_UNITS[match[2]]) if match else 0
    if size < 1 << 20:
        raise RelrepError(f"--memory is {text!r}; give a size such as 4GB or 800MB, at least 1MB")
    return size


def add_stage_arguments(parser: argparse.ArgumentParser) -> None:
    """`--plan` and `--force`."""
    parser.add_argument("--plan", action="store_true", help="only say which stages would run, and why")
    parser.add_argument("--force", action="store_true", help="do all stages again")


def add_config_flags(parser: argparse.ArgumentParser, *tables: str) -> None:
    """A flag for every setting of these tables of the configuration."""
    from relrep.config import Config

    for table in tables:
        add_setting_flags(parser, table, TITLES[table], type(getattr(Config(), table)))


def chosen_config(arguments: argparse.Namespace, *tables: str) -> "Config":
    """Defaults, then the TOML file, then the flags of these tables."""
    from relrep.config import Config

    config = Config.from_toml(arguments.config) if getattr(arguments, "config", None) else Config()
    return config.with_values(given_settings(arguments, *tables), "command line")


def add_setting_flags(parser: argparse.ArgumentParser, table: str, title: str, settings: type) -> None:
    """A flag for every setting of one table; what is not given stays as the TOML file or the default has it."""
    group = parser.add_argument_group(title)
    for setting in (each for each in fields(settings) if "help" in each.metadata):
        default = ",".join(map(str, setting.default)) if isinstance(setting.default, tuple) else setting.default
        text = f"{setting.metadata['help']} (default: {default})"
        add_setting_flag(group, _flag_name(table, setting), f"{table}.{setting.name}", setting.default, text)


def _flag_name(table: str, setting: "Field[Any]") -> str:
    prefix = "coherence-" if table == "coherence" else ""
    return prefix + str(setting.metadata.get("flag", setting.name))


def check_objective(arguments: argparse.Namespace, objective: str) -> None:
    """Refuses flags that belong to another objective; a TOML file may serve both."""
    from relrep.config import Config

    for table, given in given_settings(arguments, *TITLES).items():
        for setting in (each for each in fields(getattr(Config(), table)) if each.name in given):
            owner = OBJECTIVE_OF.get(table) or setting.metadata.get("objective")
            if owner not in (None, objective):
                flag = "--" + _flag_name(table, setting).replace("_", "-")
                raise RelrepError(f"{flag} belongs to --objective {owner}; leave it out or choose that objective")


def add_setting_flag(group: Group, name: str, destination: str, default: Any, text: str) -> None:
    """The flag of one setting (--min-count for min_count), of the type of its default; None where it is not given."""
    flag = f"--{name.replace('_', '-')}"
    more: dict[str, Any] = {"metavar": "TEXT" if isinstance(default, str) else "N", "type": type(default)}
    if isinstance(default, bool):
        more = {"action": argparse.BooleanOptionalAction}
    elif isinstance(default, tuple):
        more = {"metavar": "LIST", "type": lambda text: _listed(flag, text, type(default[0]))}
    group.add_argument(flag, dest=destination, default=None, help=text.replace("%", "%%"), **more)


def _listed(flag: str, text: str, kind: type) -> tuple[Any, ...]:
    try:
        return tuple(kind(part.strip()) for part in text.split(",") if part.strip())
    except ValueError:
        raise RelrepError(f"{flag} is {text!r}; give whole numbers with commas between them") from None


def given_settings(arguments: argparse.Namespace, *tables: str) -> dict[str, dict[str, Any]]:
    """The settings given as flags, by table and key."""
    given: dict[str, dict[str, Any]] = {}
    for destination, value in vars(arguments).items():
        table, dot, key = destination.partition(".")
        if dot and table in tables and value is not None:
            given.setdefault(table, {})[key] = value
    return given


def add_engine_arguments(parser: argparse.ArgumentParser) -> None:
    """`--engine`, `--spark-master` and `--spark-conf`."""
    group = parser.add_argument_group("where the text is read and mined")
    group.add_argument(
        "--engine", choices=("local", "spark"), default="local",
        help="this machine, or Spark: the same bits either way (default: local)",
    )  # fmt: skip
    group.add_argument(
        "--spark-master", metavar="URL", help="as in spark://host:7077, yarn or local[4] (default: local[*])"
    )
    group.add_argument(
        "--spark-conf", metavar="K=V", action="append", default=[], help="a setting of Spark; may be given often"
    )


def check_engine(arguments: argparse.Namespace) -> None:
    """Says before any work what is missing for the engine, or does not go with it."""
    if arguments.engine == "spark":
        from relrep.mining.spark.session import check_installed

        check_installed()
    elif arguments.spark_master or arguments.spark_conf:
        raise RelrepError("--spark-master and --spark-conf go with --engine spark; add it")


def chosen_engine(
    arguments: argparse.Namespace, config: "Config", work: Path, keep_ids: bool, progress: "ProgressCallback"
) -> "Engine | None":
    """The engine that was asked for; None for the local one."""
    if arguments.engine == "local":
        return None
    from relrep.mining.spark.engine import SparkEngine
    from relrep.mining.spark.session import SparkSettings

    settings = SparkSettings.of(arguments.spark_master, arguments.spark_conf)
    corpus, memory = arguments.corpus_names, memory_size(arguments.memory)
    return SparkEngine(corpus, config.corpus, settings, work, memory, keep_ids, progress)


def add_question_arguments(group: Group) -> None:
    """The question sets, and the rules that a comparison has, too."""
    group.add_argument("--google", metavar="F", type=Path, help="questions-words.txt, or a folder of category files")
    group.add_argument("--sat", metavar="F", type=Path, help="SAT questions, with or without parts of speech")
    group.add_argument("--semeval", metavar="DIR", type=Path, help="the folder of SemEval-2012 Task 2")
    group.add_argument(
        "--questions",
        metavar="F",
        type=Path,
        action="append",
        default=[],
        help="MSR's CSV, BATS's folder, or any file of four columns; may be given several times",
    )
    add_set_argument(group, "choices", "multiple choice as JSON lines (stem, choice, answer)")
    group.add_argument(
        "--candidates",
        metavar="all|answers|N",
        type=lambda text: int(text) if text.isdecimal() else text,
        default="all",
        help="where open questions look for d: all words (default), the answer words of the set, the first N words",
    )
    group.add_argument(
        "--oov", choices=("wrong", "skip"), default="wrong", help="what unknown words make of a question"
    )


def add_set_argument(group: Group, name: str, text: str) -> None:
    """A flag for question sets of one layout."""
    text += "; several files, or given several times"
    group.add_argument(f"--{name}", metavar="F", type=Path, action="extend", nargs="+", default=[], help=text)


def question_sets(arguments: argparse.Namespace) -> "QuestionSets":
    """The question sets that were named; at least one must be, and all must be there."""
    from relrep.analogy.evaluate import QuestionSets, check_sets

    sets = QuestionSets(
        google=arguments.google,
        sat=arguments.sat,
        semeval=arguments.semeval,
        questions=arguments.questions,
        choices=arguments.choices,
        relations=getattr(arguments, "relations", []),  # a comparison has neither of the two
        similarity=getattr(arguments, "similarity", []),
    )
    check_sets(sets)
    return sets


def add_measure_arguments(
    parser: Group,
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


def model_with_evidence(path: Path, arguments: argparse.Namespace) -> "Model | None":
    """The model at `path` if it can be read for evidence; a RelrepError if not, though that was asked for by name."""
    from relrep.vectors.formats.safetensors import is_model

    asked = [name for name in arguments.measure or () if name in BASE_OF]
    if path.is_dir() and is_model(path):
        from relrep.model.model import Model

        model = Model.load(path)
        if model.index is not None and model.relations is not None and model.relations.n_pairs:
            return model
    if asked:
        raise RelrepError(
            f"{path}: {asked[0]} reads the corpus, and here is no model with relations and corpus index; "
            "give one that relrep train made without --no-index"
        )
    return None
