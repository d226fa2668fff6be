"""One reader under atheris: python atheris_target.py NAME [libFuzzer options]; any exception is a finding."""

import importlib
import pkgutil
import sys
from pathlib import Path

import atheris

import relrep

sys.path += [str(Path(__file__).parents[1]), str(Path(__file__).parents[1] / "analogy")]
PACKAGES = [
    "relrep.analogy",
    "relrep.config",
    "relrep.text",
    "relrep.model.model",
    "relrep.relations",
    "relrep.vectors",
]

for module in pkgutil.walk_packages(relrep.__path__, "relrep."):  # numba cannot compile what atheris has changed
    if "_kernels" in module.name:
        importlib.import_module(module.name)
with atheris.instrument_imports(include=PACKAGES):
    from hostile_readers import targets

read, sound = targets()[sys.argv[1]]


def one_input(data: bytes) -> None:
    """A whole file, or (first byte odd) a sound file with some bytes replaced."""
    if data[:1] and data[0] % 2 and len(data) > 4:
        at = int.from_bytes(data[1:4], "little") % (len(sound) + 1)
        data = sound[:at] + data[4:] + sound[at + len(data) - 4 :]
    read(data)


atheris.Setup([sys.argv[0], *sys.argv[2:]], one_input)
atheris.Fuzz()
