"""All settings of a run: one frozen dataclass a stage, from defaults, a TOML file and flags, checked once."""

import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from relrep.association import AssociationSettings
from relrep.corpus.settings import CorpusSettings
from relrep.errors import RelrepError
from relrep.instances import InstanceSettings
from relrep.mining.settings import MiningSettings
from relrep.training.pairs_settings import PairSettings
from relrep.training.settings import TrainingSettings


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
    pairs: PairSettings = field(default_factory=PairSettings)

    def with_values(self, tables: Mapping[str, Mapping[str, Any]], origin: str) -> "Config":
        """This with other values by table and key; an unknown one is named with where it came from."""
        changed: dict[str, Any] = {}
        known = {stage.name for stage in fields(self)}
        for table, values in tables.items():
            if table not in known or not isinstance(values, Mapping):
                raise RelrepError(f"{origin}: there is no table [{table}]; choose among {', '.join(sorted(known))}")
            stage = getattr(self, table)
            changed[table] = replace(stage, **_checked(stage, values, f"{origin}, [{table}]"))
        return replace(self, **changed)

    @classmethod
    def from_toml(cls, path: Path) -> "Config":
        """Defaults, changed by the tables of a TOML file."""
        try:
            tables = tomllib.loads(path.read_bytes().decode("utf-8"))
        except OSError as error:
            raise RelrepError(f"{path}: the settings cannot be read ({error.strerror}); check the path") from error
        except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
            raise RelrepError(f"{path}: not a TOML file ({error}); mend it there") from error
        return cls().with_values(tables, str(path))

    def as_dict(self) -> dict[str, dict[str, Any]]:
        """Plain values by table and key, as JSON and TOML have them."""
        return {table: {key: _plain(value) for key, value in values.items()} for table, values in asdict(self).items()}

    @classmethod
    def from_dict(cls, tables: Mapping[str, Mapping[str, Any]], origin: str) -> "Config":
        """The config that `as_dict` gave."""
        return cls().with_values(tables, origin)


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _checked(stage: Any, values: Mapping[str, Any], origin: str) -> dict[str, Any]:
    """The values of one table, each of its setting's type."""
    known = {setting.name: getattr(stage, setting.name) for setting in fields(stage)}
    result = {}
    for key, value in values.items():
        if key not in known:
            raise RelrepError(f"{origin}: there is no setting {key!r}; choose among {', '.join(known)}")
        default = known[key]
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
