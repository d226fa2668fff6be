"""Finding and removing work folders, and never anything else."""

from pathlib import Path

from relrep.core.files import remove
from relrep.errors import RelrepError
from relrep.pipeline.stages import LOCK_FILE, RECORD_SUFFIX, WorkFolder

_NAMES = (
    *("ids", "ids.blocks", "index", "counts", "paper-counts", "relations", "association", "training"),
    *("spark.log", "spark.json", LOCK_FILE),
)
_ENDINGS = (RECORD_SUFFIX, ".npz", ".safetensors", ".parts", ".part", ".gone")


def is_work_folder(folder: Path) -> bool:
    """Whether relrep made `folder` for stages, and nothing else lies in it."""
    if not folder.is_dir() or folder.is_symlink() or not (folder / LOCK_FILE).is_file():
        return False
    return not foreign_files(folder)


def foreign_files(folder: Path) -> list[str]:
    """Names in `folder` that no stage makes."""
    names = sorted(path.name for path in folder.iterdir())
    stages = {name.removesuffix(RECORD_SUFFIX) for name in names if name.endswith(RECORD_SUFFIX)}
    return [name for name in names if name not in {*_NAMES, *stages} and not name.endswith(_ENDINGS)]


def find_work_folder(model: Path) -> Path:
    """The work folder of a model (or the one that `model` is itself); a RelrepError where there is none."""
    for folder in (model.with_name(f"{model.name}.work"), model):
        if is_work_folder(folder):
            return folder
    for folder in (model.with_name(f"{model.name}.work"), model):
        if folder.is_dir() and (folder / LOCK_FILE).is_file() and (foreign := foreign_files(folder)):
            raise RelrepError(
                f"{folder}: holds files that are not of relrep ({foreign[0]}); move them, or remove it yourself"
            )
    raise RelrepError(f"{model}: there is no work folder of relrep here or beside it; nothing was removed")


def folder_size(folder: Path) -> int:
    """The bytes of all files in `folder`."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


def remove_work_folder(folder: Path) -> None:
    """Removes a work folder that no run works in."""
    with WorkFolder(folder).locked():
        remove(folder)
