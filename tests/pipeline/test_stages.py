"""Stages in a work folder."""

import time
from pathlib import Path

from relrep.pipeline.stages import Stage, WorkFolder


def test_a_stage_is_not_charged_for_the_stages_that_it_asks_for(tmp_path: Path) -> None:
    work = WorkFolder(tmp_path)
    inner, outer = Stage("inner", {}), Stage("outer", {})
    with work.locked():
        work.run(outer, lambda: work.run(inner, lambda: time.sleep(0.2), lambda: None), lambda: None)
    seconds = work.seconds([inner, outer])
    assert seconds["inner"] >= 0.2 and seconds["outer"] < 0.1
