"""RelRep: settings in, model out."""

import tempfile
from collections.abc import Sequence
from pathlib import Path

from relrep.config import Config
from relrep.core.threads import available_threads
from relrep.model.model import Model
from relrep.pipeline.stages import DEFAULT_MEMORY, RunSettings
from relrep.pipeline.train import TrainingRun
from relrep.progress import ProgressCallback, ignore


class RelRep:
    """Learns a model from text.

    >>> RelRep(Config()).config.training.solver
    'batch'
    """

    def __init__(self, config: Config | None = None) -> None:
        self.config = config or Config()
        self._temporary: tempfile.TemporaryDirectory[str] | None = None

    def fit(
        self,
        corpus: str | Path | Sequence[str | Path],
        out: str | Path | None = None,
        *,
        threads: int | None = None,
        memory: int = DEFAULT_MEMORY,
        keep_index: bool = True,
        progress: ProgressCallback = ignore,
    ) -> Model:
        """Mines and trains on files, folders or globs; the model folder is `out` (or a temporary one of this object).

        Finished stages wait in `out`.work, so that a second call with other settings does only what has changed.
        """
        if out is None:
            self._temporary = tempfile.TemporaryDirectory(prefix="relrep-")
            out = Path(self._temporary.name) / "model"
        names = [corpus] if isinstance(corpus, (str, Path)) else list(corpus)
        run = RunSettings(threads or available_threads(), memory, keep_index)
        return TrainingRun(names, work_folder(Path(out)), self.config, run, progress).make(Path(out))


def work_folder(out: Path) -> Path:
    """Where the stages of the model at `out` leave their results."""
    return out.with_name(f"{out.name}.work")
