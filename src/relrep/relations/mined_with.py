"""The settings that a model was mined with, as far as questions about relations need them."""

from relrep.kernels import association
from relrep.mining.stop_words import ENGLISH
from relrep.model import Model

DEFAULT_MAX_GAP = 5


def max_gap_of(model: Model) -> int:
    """The gap the model was mined with."""
    gap = setting(model, "max_gap")
    return gap if isinstance(gap, int) else DEFAULT_MAX_GAP


def setting(model: Model, name: str) -> object:
    """A setting of the model by name, whether settings stand in a row or stage by stage; None if it is not there."""
    settings = model.config.get("settings")
    if not isinstance(settings, dict):
        return None
    stages = [stage for stage in settings.values() if isinstance(stage, dict)]
    return next((place[name] for place in (settings, *stages) if name in place), None)


def stop_word_ids(model: Model) -> list[int]:
    """The ids of the model's stop words: those of mining, or the English ones where these stood in a file."""
    if setting(model, "stop_words") == "none":
        return []
    ids = model.vocabulary.id_of
    return sorted(ids[word] for word in ENGLISH if word in ids)


def measure_of(model: Model) -> int:
    """The association measure of the model, as its kernel knows it; PPMI where nothing is said."""
    measures = {"ppmi": association.PPMI, "llr": association.LLR, "lmi": association.LMI}
    named = setting(model, "measure") or setting(model, "association")
    return measures.get(named, association.PPMI) if isinstance(named, str) else association.PPMI
