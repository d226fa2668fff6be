"""Settings from tables: nested ones, their types, and what a mistake says."""

import pytest

from relrep.config import Config
from relrep.errors import RelrepError


def test_baselines_have_tables_of_their_own():
    config = Config().with_values({"baselines": {"skipgram": {"epochs": 3}, "glove": {"x_max": 50}}}, "test")
    assert config.baselines.skipgram.epochs == 3
    assert config.baselines.cbow.epochs == Config().baselines.cbow.epochs
    assert config.baselines.glove.x_max == 50.0
    assert isinstance(config.baselines.glove.x_max, float)


def test_all_settings_survive_a_round_trip():
    config = Config().with_values({"baselines": {"ivlbl": {"window": 3}}, "mining": {"n_patterns": 7}}, "test")
    described = config.as_dict()
    assert "dim" not in described["baselines"]["ivlbl"]  # the run's, not the baseline's
    assert described["mining"]["pattern_kinds"] == list(config.mining.pattern_kinds)
    assert Config.from_dict(described, "test") == config


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"word2vec": {}}, r"a.toml, \[baselines\]: there is no setting 'word2vec'"),
        ({"glove": 3}, r"give a table \[baselines.glove\]"),
        ({"glove": {"epochs": 3}}, r"a.toml, \[baselines.glove\]: there is no setting 'epochs'"),
        ({"glove": {"dim": 3}}, "there is no setting 'dim'"),
        ({"glove": {"iterations": "many"}}, "iterations is 'many'; give a whole number"),
        ({"glove": {"iterations": 0}}, "iterations is 0"),
    ],
)
def test_mistakes_in_them_are_named(values, sentence):
    with pytest.raises(RelrepError, match=sentence):
        Config().with_values({"baselines": values}, "a.toml")
