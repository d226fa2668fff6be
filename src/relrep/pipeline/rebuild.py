"""Rebuilding a model from its own record: the same text and settings must give the same bits."""

import filecmp
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from relrep.config import Config
from relrep.errors import RelrepError
from relrep.model.model import CARD_FILE, INDEX_FOLDER, complete_config
from relrep.pipeline.stages import RunSettings
from relrep.pipeline.train import TrainingRun
from relrep.progress import ProgressCallback, ignore
from relrep.text.encode import CorpusFacts
from relrep.text.store import TEXT_FILE
from relrep.vectors.formats.safetensors import CONFIG_FILE, read_config

_NOT_BITS = (CONFIG_FILE, CARD_FILE)
"""These tell when and how fast a model was made."""


class OtherInputError(RelrepError):
    """The text or the vectors given are not those of the model."""


@dataclass(frozen=True)
class Rebuilt:
    """Which files of the model came out the same, which did not, and which packages are of another version now."""

    same: list[str]
    different: list[str]
    packages: dict[str, tuple[str, str]]

    @property
    def agrees(self) -> bool:
        """Whether all bits are the same."""
        return not self.different


def rebuild(
    model: Path,
    corpus: Sequence[str | Path],
    work: Path,
    out: Path,
    threads: int = 1,
    memory: int = 4 << 30,
    progress: ProgressCallback = ignore,
    init: str | None = None,
) -> Rebuilt:
    """Trains the model in `model` anew from `corpus`, into `out`, and compares the two bit by bit.

    `init` tells where the vectors that training started from are now, if they were a file that has moved.
    """
    if out.resolve() == model.resolve():
        raise RelrepError(f"{out}: is the model to be rebuilt; choose another --out")
    record = read_config(model)
    config = _recorded_settings(record, model)
    if init is not None:
        if record.get("initial") is None:
            raise RelrepError(f"{model}: its training did not start from a file of vectors; leave --init out")
        config = config.with_values({"training": {"init": init}}, "--init")
    index = model / INDEX_FOLDER
    run = RunSettings(threads, memory, keep_index=index.exists(), keep_text=(index / TEXT_FILE).exists())
    training = TrainingRun(corpus, work, config, run, progress)
    with training.graph.work.locked():
        _check_corpus(record, training.graph.ids()[1], model)
        _check_initial(record, training, model)
    training.make(out)
    return compare(model, out)


def _recorded_settings(record: dict[str, object], model: Path) -> Config:
    settings = record.get("settings")
    if not isinstance(settings, dict) or not settings:
        raise RelrepError(f"{model / CONFIG_FILE}: holds no settings; only a model of relrep train can be rebuilt")
    return Config.from_dict(settings, str(model / CONFIG_FILE))


def _check_corpus(record: dict[str, object], facts: CorpusFacts, model: Path) -> None:
    corpus = record.get("corpus")
    expected = corpus.get("fingerprint") if isinstance(corpus, dict) else None
    if expected is None:
        raise RelrepError(f"{model / CONFIG_FILE}: does not tell the fingerprint of its corpus; it cannot be rebuilt")
    if expected != facts.fingerprint:
        raise OtherInputError(
            f"the corpus is not the one of {model}: its fingerprint is {facts.fingerprint} and not {expected}; "
            "give the same text in the same order"
        )


def _check_initial(record: dict[str, object], training: TrainingRun, model: Path) -> None:
    """Given vectors must be those of the record; models of older versions tell nothing about them."""
    held = record.get("initial")
    expected = held.get("fingerprint") if isinstance(held, dict) else None
    if expected is not None and expected != (training.initial_facts() or {}).get("fingerprint"):
        raise OtherInputError(
            f"the vectors {training.config.training.init} are not those that {model} started from (other words or "
            "numbers); name the same vectors with --init"
        )


def compare(model: Path, other: Path) -> Rebuilt:
    """Compares the files of two models, all but those that tell times."""
    files = [(path, folder) for folder in (model, other) for path in folder.rglob("*") if path.is_file()]
    names = sorted({path.relative_to(folder).as_posix() for path, folder in files} - set(_NOT_BITS))
    same, _, _ = filecmp.cmpfiles(model, other, names, shallow=False)
    recorded, now = read_config(model).get("packages"), complete_config({})["packages"]
    before = recorded if isinstance(recorded, dict) else {}
    packages = {name: (str(before.get(name)), now[name]) for name in now if before.get(name) != now[name]}
    return Rebuilt(same, [name for name in names if name not in same], packages)
