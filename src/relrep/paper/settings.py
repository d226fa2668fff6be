"""The settings of training."""

from dataclasses import dataclass, field

from relrep.errors import RelrepError

OBJECTIVES = ("coherence", "paper")
SOLVERS = ("batch", "sgd")
ACTIVATIONS = ("tanh", "logistic", "relu")


@dataclass(frozen=True)
class TrainingSettings:
    """How vectors are fitted to the training instances."""

    objective: str = field(
        default="coherence",
        metadata={"help": "coherence (of pairs) or paper (similar patterns get similar vectors)"},
    )
    dim: int = field(default=300, metadata={"help": "dimensions of the vectors (given ones keep theirs)"})
    init: str = field(
        default="ivlbl",
        metadata={"help": "initial vectors: random, skipgram, cbow, glove, ivlbl, a file, or several (file.txt+ivlbl)"},
    )
    solver: str = field(default="batch", metadata={"help": "batch (all instances at once) or sgd (one by one)"})
    activation: str = field(default="tanh", metadata={"help": "tanh, logistic or relu"})
    iterations: int = field(default=10, metadata={"help": "at most so many passes over the instances"})
    learning_rate: float = field(default=0.01, metadata={"help": "AdaGrad's step"})
    tolerance: float = field(
        default=0.001, metadata={"help": "stop when the loss falls by less than this share in an iteration (0: never)"}
    )
    seed: int = field(default=1, metadata={"help": "of the random initial vectors and the order of instances"})

    def __post_init__(self) -> None:
        if self.objective not in OBJECTIVES:
            raise RelrepError(f"objective is {self.objective!r}; choose coherence or paper")
        if self.solver not in SOLVERS:
            raise RelrepError(f"solver is {self.solver!r}; choose batch or sgd")
        if self.activation not in ACTIVATIONS:
            raise RelrepError(f"activation is {self.activation!r}; choose among {', '.join(ACTIVATIONS)}")
        if not 1 <= self.dim <= 10_000:
            raise RelrepError(f"dim is {self.dim}; give a number from 1 to 10000")
        if self.iterations < 0:
            raise RelrepError(f"iterations is {self.iterations}; give 0 or more")
        if not self.learning_rate > 0:
            raise RelrepError(f"learning_rate is {self.learning_rate}; give a number above 0")
        if not self.tolerance >= 0:
            raise RelrepError(f"tolerance is {self.tolerance}; give 0 or a small share such as 0.001")
        if self.seed < 0:
            raise RelrepError(f"seed is {self.seed}; give 0 or more")
