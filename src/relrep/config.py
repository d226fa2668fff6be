"""All settings of a run: one frozen dataclass a stage, from defaults, a TOML file and flags, checked once."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from pathlib import Path
from typing import Any

from relrep.baselines.settings import AllBaselineSettings
from relrep.coherence.training import CoherenceSettings
from relrep.errors import RelrepError
from relrep.mining.settings import MiningSettings
from relrep.paper.association import AssociationSettings
from relrep.paper.instances import InstanceSettings
from relrep.paper.training import TrainingSettings
from relrep.text.settings import CorpusSettings


@dataclass(frozen=True)
class Config:
    """The settings of every stage.

    >>> Config().mining.n_patterns
    10000
    """

    corpus: CorpusSettings = field(default_factory=CorpusSettings)
    mining: MiningSettings = field(default_factory=MiningSettings)
    association: AssociationSettings = field(default_factory=AssociationSettings)
    instances: InstanceSettings = field(default_factory=InstanceSettings)
    training: TrainingSettings = field(default_factory=TrainingSettings)
    coherence: CoherenceSettings = field(default_factory=CoherenceSettings)
    baselines: AllBaselineSettings = field(default_factory=AllBaselineSettings)

    def with_values(self, tables: Mapping[str, Mapping[str, Any]], origin: str) -> "Config":
        """This with other values by table and key; an unknown one is named with where it came from."""
        changed: dict[str, Any] = {}
        known = {stage.name for stage in fields(self)}
        for table, values in tables.items():
            if table not in known or not isinstance(values, Mapping):
                raise RelrepError(f"{origin}: there is no table [{table}]; choose among {', '.join(sorted(known))}")
            stage = getattr(self, table)
            changed[table] = replace(stage, **_checked(stage, values, origin, table))
        return replace(self, **changed)

    def with_keywords(self, **settings: Any) -> "Config":
        """This with other values by their plain names; where tables share a name, training's, corpus' and mining's win.

        >>> Config().with_keywords(dim=100, min_count=2).training.dim
        100
        """
        tables: dict[str, dict[str, Any]] = {}
        order = ("training", "corpus", "mining", "coherence", "instances", "association")
        for key, value in settings.items():
            table = next((name for name in order if key in _settings_of(getattr(self, name))), None)
            if table is None:
                known = sorted({each for name in order for each in _settings_of(getattr(self, name))})
                raise RelrepError(f"there is no setting {key!r}; choose among {', '.join(known)}")
            tables.setdefault(table, {})[key] = value
        return self.with_values(tables, "keywords")

    @classmethod
    def from_toml(cls, path: Path) -> "Config":
        """Defaults, changed by the tables of a TOML file."""
        return cls().with_values(read_tables(path), str(path))

    def as_dict(self) -> dict[str, dict[str, Any]]:
        """Plain values by table and key, as JSON and TOML have them."""
        described: dict[str, dict[str, Any]] = _plain(self)
        return described

    @classmethod
    def from_dict(cls, tables: Mapping[str, Mapping[str, Any]], origin: str) -> "Config":
        """The config that `as_dict` gave."""
        return cls().with_values(tables, origin)


def read_tables(path: Path) -> dict[str, Any]:
    """What a TOML file says, its names and values not yet checked."""
    try:
        return tomllib.loads(path.read_bytes().decode("utf-8"))
    except OSError as error:
        raise RelrepError(f"{path}: the settings cannot be read ({error.strerror}); check the path") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise RelrepError(f"{path}: not a TOML file ({error}); mend it there") from error


def _settings_of(stage: Any) -> dict[str, Any]:
    """The values of a table by their keys, but for what the run decides (a baseline's dimensionality and seed)."""
    return {each.name: getattr(stage, each.name) for each in fields(stage) if not each.metadata.get("of_the_run")}


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        return {key: _plain(each) for key, each in _settings_of(value).items()}
    return list(value) if isinstance(value, tuple) else value


def _checked(stage: Any, values: Mapping[str, Any], path: str, table: str) -> dict[str, Any]:
    """The values of one table, each of its setting's type; tables inside it become settings of their own."""
    known = _settings_of(stage)
    origin = f"{path}, [{table}]"
    result: dict[str, Any] = {}
    for key, value in values.items():
        if key not in known:
            raise RelrepError(f"{origin}: there is no setting {key!r}; choose among {', '.join(known)}")
        default = known[key]
        if is_dataclass(default):
            if not isinstance(value, Mapping):
                raise RelrepError(f"{origin}: {key} is {value!r}; give a table [{table}.{key}]")
            result[key] = replace(default, **_checked(default, value, path, f"{table}.{key}"))  # type: ignore[type-var]
            continue
        if isinstance(default, float) and isinstance(value, int) and not isinstance(value, bool):
            value = float(value)
        if isinstance(default, tuple) and isinstance(value, (list, tuple)) and all(isinstance(v, str) for v in value):
            value = tuple(value)
        if type(value) is not type(default):
            wanted = {
                tuple: "list of strings",
                int: "whole number",
                float: "number",
                bool: "true or false",
                str: "string",
            }
            raise RelrepError(f"{origin}: {key} is {value!r}; give a {wanted[type(default)]}")
        result[key] = value
    return result
