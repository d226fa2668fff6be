"""The settings of the five baselines: one frozen dataclass each, with recommended values."""

from dataclasses import dataclass, field, replace

from relrep.core.settings import POSITIVE, SHARE, Settings, setting, whole


@dataclass(frozen=True)
class BaselineSettings(Settings):
    """What all baselines have in common."""

    dim: int = setting(300, "dimensionality of the vectors", whole(1), of_the_run=True)
    seed: int = setting(1, "seed of all random choices", whole(0), of_the_run=True)


@dataclass(frozen=True)
class GloveSettings(BaselineSettings):
    """GloVe (Pennington, Socher and Manning 2014)."""

    window: int = setting(10, "words counted on either side, a neighbour at k as 1/k", whole(1, 20))
    iterations: int = setting(25, "passes over all counts", whole(1))
    x_max: float = setting(10.0, "counts from here on have full weight", POSITIVE)
    alpha: float = setting(0.75, "exponent of the weight of smaller counts", POSITIVE)
    learning_rate: float = setting(0.05, "AdaGrad's first step", POSITIVE)


@dataclass(frozen=True)
class IvlblSettings(BaselineSettings):
    """ivLBL (Mnih and Kavukcuoglu 2013): the word predicts its neighbours, by noise-contrastive estimation."""

    window: int = setting(5, "words predicted on either side", whole(1, 20))
    epochs: int = setting(5, "passes over the text", whole(1))
    noise_words: int = setting(6, "noise words for every neighbour", whole(1, 1000))
    sample: float = setting(1e-3, "words above this share of the text are thinned out (0: none are)", SHARE)
    learning_rate: float = setting(0.1, "AdaGrad's step", POSITIVE)
    initial_square: float = setting(0.1, "what AdaGrad's sums of squares begin with", POSITIVE)


@dataclass(frozen=True)
class GensimSettings(BaselineSettings):
    """What skip-gram and CBOW have in common (Mikolov et al. 2013), as gensim trains them."""

    window: int = setting(5, "words on either side, drawn anew for each word", whole(1, 1000))
    epochs: int = setting(5, "passes over the text", whole(1))
    negative: int = setting(5, "negative samples", whole(1, 1000))
    sample: float = setting(1e-3, "words above this share of the text are thinned out (0: none are)", SHARE)
    learning_rate: float = setting(0.025, "first step; it falls to nearly 0", POSITIVE)
    reproducible: bool = setting(True, "one worker, the same bits every time; otherwise all threads race")


@dataclass(frozen=True)
class SkipgramSettings(GensimSettings):
    """Skip-gram with negative sampling: the word predicts its neighbours."""


@dataclass(frozen=True)
class CbowSettings(GensimSettings):
    """CBOW with negative sampling: the neighbours together predict the word."""

    learning_rate: float = setting(0.05, "first step; it falls to nearly 0", POSITIVE)


@dataclass(frozen=True)
class FasttextSettings(GensimSettings):
    """fastText's skip-gram (Bojanowski et al. 2017): a word is itself and its character n-grams."""

    min_n: int = setting(3, "characters of the shortest n-gram", whole(1, 100))
    max_n: int = setting(6, "characters of the longest n-gram", whole(1, 100))
    buckets: int = setting(2_000_000, "n-grams are hashed into so many rows", whole(1))


SYSTEMS: dict[str, type[BaselineSettings]] = {
    "ivlbl": IvlblSettings,
    "skipgram": SkipgramSettings,
    "cbow": CbowSettings,
    "glove": GloveSettings,
    "fasttext": FasttextSettings,
}
"""The baselines by name, in the order of the paper's table and fastText behind them, and their settings."""


@dataclass(frozen=True)
class AllBaselineSettings:
    """The settings of each baseline by its name; whoever trains one says how many dimensions and which seed."""

    ivlbl: IvlblSettings = field(default_factory=IvlblSettings)
    skipgram: SkipgramSettings = field(default_factory=SkipgramSettings)
    cbow: CbowSettings = field(default_factory=CbowSettings)
    glove: GloveSettings = field(default_factory=GloveSettings)
    fasttext: FasttextSettings = field(default_factory=FasttextSettings)

    def of(self, name: str, dim: int, seed: int) -> BaselineSettings:
        """The settings of one baseline, of this size and with this seed."""
        chosen: BaselineSettings = getattr(self, name)
        return replace(chosen, dim=dim, seed=seed)
