"""Progress reports: the library calls one callback; the command line shows it with rich."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Progress:
    """How far one named step is; `metrics` are figures of a training so far, such as its loss.

    >>> Progress("counting pairs", done=30, total=120).fraction
    0.25
    """

    step: str
    done: float
    total: float | None = None
    unit: str = ""
    note: str = ""
    metrics: Mapping[str, float] = field(default_factory=dict)

    @property
    def fraction(self) -> float | None:
        """The finished share, or None where the total is not known."""
        return self.done / self.total if self.total else None


ProgressCallback = Callable[[Progress], None]


def ignore(progress: Progress) -> None:
    """The callback of those who do not want to know."""
