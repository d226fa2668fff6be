"""The settings of the four baselines: one frozen dataclass each, with recommended values."""

import math
from dataclasses import dataclass, field, replace

from relrep.errors import RelrepError


@dataclass(frozen=True)
class BaselineSettings:
    """What all baselines have in common."""

    dim: int = field(default=300, metadata={"help": "dimensionality of the vectors", "of_the_run": True})
    seed: int = field(default=1, metadata={"help": "seed of all random choices", "of_the_run": True})

    def __post_init__(self) -> None:
        require_whole("dim", self.dim, 1)
        require_whole("seed", self.seed, 0)


@dataclass(frozen=True)
class GloveSettings(BaselineSettings):
    """GloVe (Pennington, Socher and Manning 2014).

    >>> GloveSettings(dim=100).alpha
    0.75
    """

    window: int = field(default=10, metadata={"help": "words counted on either side, a neighbour at k as 1/k"})
    iterations: int = field(default=25, metadata={"help": "passes over all counts"})
    x_max: float = field(default=10.0, metadata={"help": "counts from here on have full weight"})
    alpha: float = field(default=0.75, metadata={"help": "exponent of the weight of smaller counts"})
    learning_rate: float = field(default=0.05, metadata={"help": "AdaGrad's first step"})

    def __post_init__(self) -> None:
        super().__post_init__()
        require_whole("window", self.window, 1, 20)
        require_whole("iterations", self.iterations, 1)
        require_positive("x_max", self.x_max)
        require_positive("alpha", self.alpha)
        require_positive("learning_rate", self.learning_rate)


@dataclass(frozen=True)
class IvlblSettings(BaselineSettings):
    """ivLBL (Mnih and Kavukcuoglu 2013): the word predicts its neighbours, by noise-contrastive estimation.

    >>> IvlblSettings(window=3).noise_words
    12
    """

    window: int = field(default=5, metadata={"help": "words predicted on either side"})
    epochs: int = field(default=5, metadata={"help": "passes over the text"})
    noise_words: int = field(default=12, metadata={"help": "noise words for every neighbour"})
    sample: float = field(
        default=1e-3, metadata={"help": "words above this share of the text are thinned out (0: none are)"}
    )
    learning_rate: float = field(default=0.1, metadata={"help": "AdaGrad's step"})
    initial_square: float = field(default=0.1, metadata={"help": "what AdaGrad's sums of squares begin with"})

    def __post_init__(self) -> None:
        super().__post_init__()
        require_whole("window", self.window, 1, 20)
        require_whole("epochs", self.epochs, 1)
        require_whole("noise_words", self.noise_words, 1, 1000)
        if not 0 <= self.sample <= 1:
            raise RelrepError(f"sample is {self.sample}; give a share between 0 and 1")
        require_positive("learning_rate", self.learning_rate)
        require_positive("initial_square", self.initial_square)


@dataclass(frozen=True)
class GensimSettings(BaselineSettings):
    """What skip-gram and CBOW have in common (Mikolov et al. 2013), as gensim trains them."""

    window: int = field(default=5, metadata={"help": "words on either side, drawn anew for each word"})
    epochs: int = field(default=5, metadata={"help": "passes over the text"})
    negative: int = field(default=5, metadata={"help": "negative samples"})
    sample: float = field(
        default=1e-3, metadata={"help": "words above this share of the text are thinned out (0: none are)"}
    )
    learning_rate: float = field(default=0.025, metadata={"help": "first step; it falls to nearly 0"})
    reproducible: bool = field(
        default=True, metadata={"help": "one worker, the same bits every time; otherwise all threads race"}
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        require_whole("window", self.window, 1, 1000)
        require_whole("epochs", self.epochs, 1)
        require_whole("negative", self.negative, 1, 1000)
        if not 0 <= self.sample <= 1:
            raise RelrepError(f"sample is {self.sample}; give a share between 0 and 1")
        require_positive("learning_rate", self.learning_rate)


@dataclass(frozen=True)
class SkipgramSettings(GensimSettings):
    """Skip-gram with negative sampling: the word predicts its neighbours."""


@dataclass(frozen=True)
class CbowSettings(GensimSettings):
    """CBOW with negative sampling: the neighbours together predict the word."""

    learning_rate: float = field(default=0.05, metadata={"help": "first step; it falls to nearly 0"})


def require_whole(name: str, value: int, least: int, most: int | None = None) -> None:
    """Stops with a sentence naming the setting unless it is a whole number in its range."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least or (most and value > most):
        allowed = f"from {least} to {most}" if most else f"of {least} or more"
        raise RelrepError(f"{name} is {value}; give a whole number {allowed}")


def require_positive(name: str, value: float) -> None:
    """Stops with a sentence naming the setting unless it is a positive number."""
    if not (math.isfinite(value) and value > 0):
        raise RelrepError(f"{name} is {value}; give a number above 0")


@dataclass(frozen=True)
class AllBaselineSettings:
    """The settings of each baseline by its name; whoever trains one says how many dimensions and which seed.

    >>> AllBaselineSettings().of("glove", dim=100, seed=3).dim
    100
    """

    ivlbl: IvlblSettings = field(default_factory=IvlblSettings)
    skipgram: SkipgramSettings = field(default_factory=SkipgramSettings)
    cbow: CbowSettings = field(default_factory=CbowSettings)
    glove: GloveSettings = field(default_factory=GloveSettings)

    def of(self, name: str, dim: int, seed: int) -> BaselineSettings:
        """The settings of one baseline, of this size and with this seed."""
        chosen: BaselineSettings = getattr(self, name)
        return replace(chosen, dim=dim, seed=seed)


SYSTEMS: dict[str, type[BaselineSettings]] = {
    "ivlbl": IvlblSettings,
    "skipgram": SkipgramSettings,
    "cbow": CbowSettings,
    "glove": GloveSettings,
}
"""The baselines by name, in the order of the paper's table, and their settings with recommended values."""
