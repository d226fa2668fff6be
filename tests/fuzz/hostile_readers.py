"""Every reader of files from outside, as a function of bytes that lets nothing but a RelrepError of one line pass."""

import bz2
import gzip
import lzma
import shutil
import tempfile
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from io import BytesIO, StringIO
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from semeval_folder import write_semeval

from relrep.analogy.questions import read_choices, read_google, read_questions, read_sat
from relrep.analogy.relation_sets import read_relations
from relrep.analogy.semeval import read_semeval
from relrep.analogy.similarity import read_similarity
from relrep.cli.main import main
from relrep.config import Config
from relrep.errors import RelrepError
from relrep.mining.stop_words import load_stop_words
from relrep.pipeline.mine import MinedCounts
from relrep.relations.classify import read_labelled_pairs
from relrep.text.encode import encode
from relrep.text.settings import CorpusSettings
from relrep.vectors.word_vectors import WordVectors
from tiny_model import build, sentences

MODEL_FILES = (
    "config.json",
    "vocab.txt",
    "model.safetensors",
    "relations/pairs.safetensors",
    "relations/patterns.safetensors",
    "relations/counts.safetensors",
    "relations/profiles.safetensors",
    "index/tokens.i32",
    "index/positions.npy",
    "index/starts.npy",
)
MINED_FILES = ("mined.json", "vocab.txt", "pairs.parquet", "patterns.parquet", "counts.parquet")
SEMEVAL_FILES = (
    "subcategories-paradigms.txt",
    "subcategories-training.txt",
    "gold/Testing/Phase1Answers/Phase1Answers-1b.txt",
    "gold/Testing/Phase2Questions/Phase2Questions-1b.txt",
    "gold/Testing/Phase2Answers/Phase2Answers-1b.txt",
)
TOML = b"""[corpus]
min_count = 5
lowercase = true
[mining]
pattern_kinds = ["unigram", "bigram"]
n_patterns = 100
[training]
learning_rate = 0.01
init = "random"
[coherence]
step = 0.5
"""
GOOGLE = b": capital-world\nAthens Greece Oslo Norway\n\n: gram8-plural\ncat cats dog dogs\n"
CHOICES = b'{"stem": ["a", "b"], "choice": [["c", "d"], ["e", "f"]], "answer": 0, "prefix": "u"}\n' * 2
SAT = b"190 FROM REAL SATs\nlull trust v:n\nbalk fortitude v:n\nbetray loyalty v:n\ncajole compliance v:n\nb\n"


def refused(read: Callable[[], object]) -> None:
    """Runs a reader; a RelrepError must be one line."""
    try:
        read()
    except RelrepError as error:
        assert "\n" not in str(error) and 10 < len(str(error)) < 2000, str(error)


def _file(reader: Callable[[Path], object], name: str) -> Callable[[bytes], None]:
    def target(content: bytes) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, name)
            path.write_bytes(content)
            refused(lambda: reader(path))

    return target


def _encoded(path: Path) -> None:
    encode([path], path.parent / "ids", CorpusSettings(min_count=1))


@cache
def _originals() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="hostile-"))
    build(folder / "model")
    write_semeval(folder / "semeval")
    text = folder / "text.txt"
    text.write_text("\n".join(" ".join(words) for words in sentences()), encoding="utf-8")
    mined = ["--out", str(folder / "mined"), "--quiet"]
    assert main(["mine", str(text), *mined]) == 0
    return folder


def original(whole: str, name: str) -> bytes:
    """A file of the sound model, mined counts or SemEval folder."""
    return (_originals() / whole / name).read_bytes()


def model_with(name: str, content: bytes) -> None:
    """Uses a model in which one file holds other bytes: loads it, explains, searches, completes an analogy."""
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder, "model")
        shutil.copytree(_originals() / "model", model)
        (model / name).write_bytes(content)
        for command in (
            ["relation", str(model), "ostrich", "bird", "--json"],
            ["search", str(model), "ostrich", "bird", "--json"],
            ["patterns", str(model), "is a", "--json"],
            ["neighbours", str(model), "ostrich", "--json"],
            ["analogy", str(model), "ostrich", "bird", "lion", "--measure", "cosmix", "--json"],
        ):
            told = StringIO()
            with redirect_stdout(StringIO()), redirect_stderr(told):
                code = main(command)
            assert code in (0, 2)
            sentences = [line for line in told.getvalue().splitlines() if line.strip()]
            assert code == 0 or (len(sentences) == 1 and sentences[0].startswith("relrep: ")), told.getvalue()


def mined_with(name: str, content: bytes) -> None:
    """Takes all that is in a folder of mined counts in which one file holds other bytes."""

    def take(folder: Path) -> None:
        engine = MinedCounts(folder / "mined")
        mining = engine.checked(Config()).mining.bound
        corpus, _ = engine.encode(folder / "ids")
        pairs = engine.pairs(corpus, mining, folder)
        patterns = engine.patterns(corpus, pairs, mining, folder)
        engine.counts(corpus, pairs, patterns, mining, folder / "counts", folder)

    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(_originals() / "mined", Path(folder, "mined"))
        Path(folder, "mined", name).write_bytes(content)
        refused(lambda: take(Path(folder)))


def semeval_with(name: str, content: bytes) -> None:
    """Reads a SemEval folder in which one file holds other bytes."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(_originals() / "semeval", Path(folder, "semeval"))
        Path(folder, "semeval", name).write_bytes(content)
        refused(lambda: read_semeval(Path(folder, "semeval")))


def corpus_files() -> dict[str, bytes]:
    """The same little text as a Parquet table and compressed in all ways, by ending."""
    text = b"The cat sat. A dog barked at the cat.\n" * 3
    table, packed = BytesIO(), pa.BufferOutputStream()
    pq.write_table(pa.table({"text": ["The cat sat.", "A dog."]}), table)
    with pa.CompressedOutputStream(packed, "zstd") as stream:
        stream.write(text)
    return {
        ".parquet": table.getvalue(),
        ".txt.gz": gzip.compress(text, mtime=0),
        ".txt.bz2": bz2.compress(text),
        ".txt.xz": lzma.compress(text),
        ".txt.zst": bytes(packed.getvalue()),
    }


def vector_files() -> dict[str, bytes]:
    """Two vectors in every format, by ending."""
    vectors = WordVectors(["the", "cat"], np.array([[1, 2, 3], [4, 5, 6.5]], dtype=np.float32))
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for ending in (".safetensors", ".bin", ".vec", ".glove", ".txt.gz"):
            vectors.save(Path(folder, f"v{ending}"))
            found[ending] = Path(folder, f"v{ending}").read_bytes()
    return found


Target = Callable[[bytes], None]


def targets() -> dict[str, tuple[Target, bytes]]:
    """By name: what reads the bytes, and a sound file to begin from."""
    found: dict[str, tuple[Target, bytes]] = {
        "settings": (_file(Config.from_toml, "relrep.toml"), TOML),
        "google": (_file(read_google, "questions-words.txt"), GOOGLE),
        "questions": (_file(read_questions, "mine.txt"), b"man\twoman\tking\tqueen\n"),
        "sat": (_file(read_sat, "sat.txt"), SAT),
        "choices": (_file(read_choices, "mine.jsonl"), CHOICES),
        "relations": (_file(read_relations, "mine.txt"), b"paris\tfrance/gaul\nrome\titaly\n"),
        "similarity": (_file(read_similarity, "mine.csv"), b"a,b,rating\nking,queen,8.5\nriver,idea,1\n"),
        "vectors": (_file(WordVectors.load, "vectors"), b"2 3\nthe 1 2 3\ncat 4 5 6\n"),
        "text": (_file(_encoded, "a.txt"), "The cat — naïve. It's 東京!\n".encode()),
        "jsonl": (_file(_encoded, "a.jsonl"), b'{"text": "The cat sat."}\n{"text": "A dog."}\n'),
        "pairs": (_file(read_labelled_pairs, "pairs.tsv"), b"ostrich\tbird\thyper\nparis\tfrance\tcapital\n"),
        "stop words": (_file(lambda path: load_stop_words(str(path)), "stop.txt"), b"the\nof\n"),
    }
    for ending, content in corpus_files().items():
        found[f"text{ending}"] = (_file(_encoded, f"a{ending}"), content)
    for ending, content in vector_files().items():
        found[f"vectors{ending}"] = (_file(WordVectors.load, f"v{ending}"), content)
    for name in MODEL_FILES:
        found[f"model/{name}"] = (lambda content, name=name: model_with(name, content), original("model", name))
    for name in MINED_FILES:
        found[f"mined/{name}"] = (lambda content, name=name: mined_with(name, content), original("mined", name))
    for name in SEMEVAL_FILES:
        found[f"semeval/{name}"] = (lambda content, name=name: semeval_with(name, content), original("semeval", name))
    return found
