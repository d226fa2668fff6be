"""What training starts from, as `--init` names it: random vectors, baselines, files of vectors, or several united."""

from dataclasses import dataclass
from pathlib import Path

from relrep.baselines.settings import SYSTEMS
from relrep.errors import RelrepError


@dataclass(frozen=True)
class Start:
    """The parts of a start, in order: names of baselines and files of vectors; none: random vectors.

    >>> Start.named("ivlbl+cbow").systems, Start.named("random").parts
    (('ivlbl', 'cbow'), ())
    """

    parts: tuple[str, ...]

    @classmethod
    def named(cls, init: str) -> "Start":
        """A RelrepError where a part is neither a baseline nor a file."""
        if init == "random":
            return cls(())
        parts = (init,) if Path(init).exists() else tuple(dict.fromkeys(init.split("+")))
        wrong = next((part for part in parts if part not in SYSTEMS and not Path(part).exists()), None)
        if wrong is not None:
            of = f" of init {init!r}" if len(parts) > 1 else ""
            raise RelrepError(
                f"init is {wrong!r}{of}, which is no file of vectors, nor random, nor a baseline or several with + "
                f"between them ({', '.join(SYSTEMS)}); check the name"
            )
        return cls(parts)

    @property
    def systems(self) -> tuple[str, ...]:
        """The baselines among the parts; a name stands for one before it stands for a file."""
        return tuple(part for part in self.parts if part in SYSTEMS)

    @property
    def files(self) -> tuple[str, ...]:
        """The files of vectors among the parts."""
        return tuple(part for part in self.parts if part not in SYSTEMS)
