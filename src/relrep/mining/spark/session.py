"""The Spark session: its settings, its start and end, its progress, its errors turned into one sentence."""

import contextlib
import itertools
import os
import re
import shutil
import sys
import threading
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from relrep.errors import RelrepError
from relrep.progress import Progress, ProgressCallback

DAMAGED = "the file is damaged or cut short, or its ending does not tell what it is"
INSTALL = "pip install 'relrep[spark]'"
_END_SECONDS = 20
_POLL_SECONDS = 0.3
DEFAULTS = {
    "spark.app.name": "relrep",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "WARN",
    "spark.driver.memory": "2g",
    "spark.driver.maxResultSize": "0",
    "spark.sql.caseSensitive": "true",
    "spark.sql.execution.arrow.maxBytesPerBatch": str(1 << 26),
}
"""What relrep asks of Spark unless --spark-conf says otherwise."""


@dataclass(frozen=True)
class SparkSettings:
    """Spark's master and its own settings, which never change a bit of the result.

    >>> SparkSettings.of("local[2]", ["spark.sql.shuffle.partitions=8"]).conf
    {'spark.sql.shuffle.partitions': '8'}
    """

    master: str = ""
    """A master's URL; empty: what Spark's own configuration says, or all cores of this machine."""
    conf: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, master: str | None, conf: Sequence[str]) -> "SparkSettings":
        """From the command line's --spark-master and --spark-conf k=v."""
        values: dict[str, str] = {}
        for each in conf:
            key, equals, value = each.partition("=")
            if not equals or not key.startswith("spark."):
                raise RelrepError(f"--spark-conf is {each!r}; give a setting of Spark as spark.some.key=value")
            values[key] = value
        return cls(master or "", values)


_set_before: set[str] = set()
"""The SQL settings that the last engine made in a session that was there already."""


def check_installed() -> None:
    """One sentence where PySpark or Java is missing."""
    try:
        import pandas  # noqa: F401 (mapInArrow refuses to work without it)
        import pyspark
    except ImportError as error:
        raise RelrepError(f"--engine spark needs PySpark 4 ({error.name} is missing); {INSTALL}") from None
    if int(pyspark.__version__.split(".")[0]) < 4:
        raise RelrepError(f"--engine spark needs PySpark 4 and finds {pyspark.__version__}; {INSTALL}")
    home = os.environ.get("JAVA_HOME")
    if not (Path(home, "bin", "java").exists() if home else shutil.which("java")):
        where = f"not in JAVA_HOME ({home})" if home else "not on the PATH"
        raise RelrepError(f"--engine spark needs Java 17 or newer, which is {where}; install a Java runtime")


def start_session(settings: SparkSettings, log: Path) -> tuple[Any, bool]:
    """A session, and whether it was started here; whatever Java and the Python workers print then goes to `log`.

    A session that is there already (in a notebook, say) is used and left as it is, but for its SQL settings.
    """
    check_installed()
    from pyspark.sql import SparkSession

    if there := SparkSession.getActiveSession():
        for key in _set_before:  # by an engine before this one, which is not to be felt
            there.conf.unset(key)
        sql = {key: value for key, value in {**DEFAULTS, **settings.conf}.items() if key.startswith("spark.sql.")}
        for key, value in sql.items():
            there.conf.set(key, value)
        _set_before.clear()
        _set_before.update(sql)
        return there, False
    with warnings.catch_warnings(), _errors_to(log):
        warnings.simplefilter("ignore", FutureWarning)
        # The executors' Python: this one unless another is asked for. PySpark takes it from the environment only.
        os.environ.setdefault("PYSPARK_PYTHON", settings.conf.get("spark.pyspark.python", sys.executable))
        builder = SparkSession.builder
        if settings.master:
            builder = builder.master(settings.master)
        wanted = {**DEFAULTS, **_addresses(settings), **settings.conf}
        for key, value in wanted.items():
            builder = builder.config(key, value)
        try:
            return builder.getOrCreate(), True
        except Exception as error:
            raise RelrepError(f"Spark does not start ({root_cause(error)}); its log is {log}") from error


def set_batch_rows(session: Any, rows: int) -> None:
    """So many rows go to Python at a time in what is planned (persisted, or brought here) from now on."""
    session.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", str(rows))


def stop_session(session: Any) -> None:
    """Ends a session that was started here, and Java with it: its memory is free for training."""
    from pyspark import SparkContext

    gateway = session.sparkContext._gateway
    session.stop()
    SparkContext._gateway = SparkContext._jvm = None
    with contextlib.suppress(Exception):  # whatever is left ends with this process
        gateway.shutdown()
        if gateway.proc is not None:
            gateway.proc.stdin.close()  # Java waits for that
            gateway.proc.wait(_END_SECONDS)


def _addresses(settings: SparkSettings) -> dict[str, str]:
    """On one machine nothing has to be reached from outside."""
    if settings.master.startswith("local"):
        return {"spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1"}
    return {}


@contextlib.contextmanager
def _errors_to(log: Path) -> Iterator[None]:
    """Within, processes that are started write their errors to `log`: Java prints pages that nobody asked for."""
    log.parent.mkdir(parents=True, exist_ok=True)
    sys.stderr.flush()
    kept = os.dup(2)
    with log.open("ab") as file:
        os.dup2(file.fileno(), 2)
    try:
        yield
    finally:
        sys.stderr.flush()
        os.dup2(kept, 2)
        os.close(kept)


@contextlib.contextmanager
def one_sentence(log: Path) -> Iterator[None]:
    """Turns what Spark raises into a RelrepError."""
    from py4j.protocol import Py4JError, Py4JNetworkError
    from pyspark.errors import PySparkException

    try:
        yield
    except Py4JNetworkError as error:
        raise RelrepError(f"Spark's Java process has ended ({root_cause(error)}); see its log {log}") from error
    except (PySparkException, Py4JError) as error:
        sentence = re.search(r"relrep\.errors\.RelrepError: (.+)", str(error))
        if sentence:
            raise RelrepError(sentence[1].strip()) from error
        if file := re.search(r"error while reading file (\S+?)\.?\s", str(error)):
            name = re.sub("^file:/+", "/", unquote(file[1]))
            raise RelrepError(f"{name}: cannot be read to its end ({root_cause(error)}); {DAMAGED}") from error
        raise RelrepError(f"Spark gave up ({root_cause(error)}); see its log {log}") from error


def root_cause(error: BaseException) -> str:
    """The telling line of an exception: the innermost cause of what Java or a Python worker said."""
    text = str(error) or type(error).__name__
    causes = re.findall(r"^\s*(?:Caused by)?:? ?((?:[\w$]+\.)+\w*(?:Exception|Error)): (.+)$", text, re.MULTILINE)
    if causes:
        kind, sentence = causes[-1]
        return f"{kind.rsplit('.', 1)[-1]}: {sentence.strip()}"[:300]
    return text.strip().splitlines()[0][:300]


_jobs = itertools.count(1)


@contextlib.contextmanager
def watched(context: Any, step: str, progress: ProgressCallback) -> Iterator[None]:
    """Within, the tasks of this thread's jobs are reported as the progress of `step`."""
    group = f"relrep-{next(_jobs)}"
    context.setJobGroup(group, step)
    over = threading.Event()
    progress(Progress(step, 0, None, "tasks"))
    watcher = threading.Thread(target=_watch, args=(context, group, step, progress, over), daemon=True)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join(5)
    progress(Progress(step, 1, 1, "tasks"))


def _watch(context: Any, group: str, step: str, progress: ProgressCallback, over: threading.Event) -> None:
    tracker = context.statusTracker()
    stages: dict[int, tuple[int, int]] = {}
    while not over.wait(_POLL_SECONDS):
        with contextlib.suppress(Exception):  # the session may be on its way down
            for job in tracker.getJobIdsForGroup(group):
                info = tracker.getJobInfo(job)
                for stage in info.stageIds if info else ():
                    if stage_info := tracker.getStageInfo(stage):
                        stages[stage] = (stage_info.numCompletedTasks, stage_info.numTasks)
            done, total = (sum(each) for each in zip(*stages.values(), strict=True)) if stages else (0, 0)
            if total and done < total:
                progress(Progress(step, done, total, "tasks"))
