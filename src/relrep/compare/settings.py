"""The settings of a comparison."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from relrep.baselines.init import Start
from relrep.baselines.settings import SYSTEMS
from relrep.config import Config, read_tables
from relrep.core.settings import setting
from relrep.errors import RelrepError

SYSTEM_TITLES = {
    "ivlbl": "ivLBL",
    "skipgram": "skip-gram",
    "cbow": "CBOW",
    "glove": "GloVe",
    "fasttext": "fastText",
    "relrep-paper": "relrep (paper)",
    "relrep-coherence": "relrep (coherence)",
}
"""All systems in the order of the paper's table; fastText and relrep's own objective are beyond the paper."""
OBJECTIVES = {"relrep-paper": "paper", "relrep-coherence": "coherence"}
"""Our own systems, and what they fit."""


def title_of(system: str) -> str:
    """How a system is called in a report.

    >>> title_of("cbow"), title_of("ivlbl+cbow")
    ('CBOW', 'ivLBL + CBOW')
    """
    return " + ".join(SYSTEM_TITLES[name] for name in system.split("+"))


@dataclass(frozen=True)
class CompareSettings:
    """Which systems are compared, at which sizes.

    `baseline_settings` has changes to the recommended settings of a baseline, by its name; `relrep_settings` those of
    relrep, by table and key as in its TOML file. The list of instances or dimensions may be empty: then its figure is
    left out.
    """

    dim: int = setting(300, "dimensionality of the systems in Table 1")
    seed: int = setting(1, "seed of all systems")
    systems: tuple[str, ...] = setting(tuple(SYSTEM_TITLES), "the systems to compare")
    init: str = setting("ivlbl+cbow", "the baseline that relrep starts from, or several (ivlbl+cbow)")
    instances: tuple[int, ...] = setting(
        (10_000, 30_000, 100_000, 300_000), "numbers of training instances of the figure"
    )
    dims: tuple[int, ...] = setting((50, 100, 200, 300, 400, 500, 600), "dimensionalities of the figure")
    baseline_settings: dict[str, dict[str, Any]] = field(default_factory=dict)
    relrep_settings: dict[str, dict[str, Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, values in (("dim", (self.dim,)), ("dims", self.dims), ("instances", self.instances)):
            wrong = next((value for value in values if value < 2), None)
            if wrong is not None:
                raise RelrepError(f"{name} is {wrong}; give whole numbers of 2 or more")
        unknown = next((name for name in self.systems if name not in SYSTEM_TITLES), None)
        if unknown is not None or not self.systems:
            choices = ", ".join(SYSTEM_TITLES)
            raise RelrepError(f"systems has {unknown!r}; choose among {choices}")
        if not set(self.init.split("+")) <= set(SYSTEMS):
            raise RelrepError(
                f"init is {self.init!r}; choose among {', '.join(SYSTEMS)}, or several with + between them"
            )

    @property
    def start(self) -> tuple[str, ...]:
        return Start.named(self.init).systems

    def with_file(self, path: Path) -> "CompareSettings":
        """This, changed by a file of settings as for `relrep train`, which may have tables like [baselines.glove]."""
        return self.with_tables(_same_keys(Config.from_toml(path).as_dict(), read_tables(path)))

    def with_tables(self, tables: Mapping[str, Mapping[str, Any]]) -> "CompareSettings":
        """This with other values by table and key."""
        ours = {name: values for name, values in tables.items() if name != "baselines"}
        baselines = _merged(self.baseline_settings, tables.get("baselines", {}))
        return replace(self, baseline_settings=baselines, relrep_settings=_merged(self.relrep_settings, ours))

    @classmethod
    def quick(cls, seed: int = 1) -> "CompareSettings":
        """A small version: fewer dimensions, instances and passes; minutes instead of hours."""
        fewer: dict[str, dict[str, Any]] = {
            "ivlbl": {"epochs": 2},
            "skipgram": {"epochs": 3},
            "cbow": {"epochs": 3},
            "fasttext": {"epochs": 3, "buckets": 200_000},
            "glove": {"iterations": 15},
        }
        return cls(
            dim=50,
            seed=seed,
            instances=(1_000, 3_000, 10_000),
            dims=(25, 50, 100),
            baseline_settings=fewer,
            relrep_settings={
                "mining": {"min_pair_sentences": 20, "n_patterns": 1_000},
                "instances": {"positives": 5_000, "negatives": 5_000},
            },
        )


def _same_keys(values: Any, wanted: Any) -> Any:
    """Of nested tables only the keys that others have too."""
    if not isinstance(wanted, dict):
        return values
    return {key: _same_keys(values[key], inner) for key, inner in wanted.items()}


def _merged(tables: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Two sets of tables; the second wins."""
    merged = {name: {**tables.get(name, {}), **changes.get(name, {})} for name in {**tables, **changes}}
    return {name: values for name, values in merged.items() if values}
