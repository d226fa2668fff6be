"""The report's figures, by matplotlib: accuracy against instances and dimensionality, and the training curves."""

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from relrep.core.files import written_whole
from relrep.errors import RelrepError

MARKERS = "osD^vPX*"


@dataclass(frozen=True)
class Line:
    """One line of a panel: where it goes through; a level line has the same height everywhere."""

    label: str
    points: Sequence[tuple[float, float]]
    dashed: bool = False


@dataclass(frozen=True)
class Panel:
    """One set of axes; `least_height` keeps differences of a few answers from looking like cliffs."""

    title: str
    x: str
    y: str
    lines: Sequence[Line]
    log_x: bool = False
    ticks: Sequence[float] = field(default=())
    least_height: float = 0.0


def require_matplotlib() -> None:
    """Says at the start, and not after the training, that figures cannot be drawn."""
    if find_spec("matplotlib") is None:
        raise RelrepError("the report's figures need matplotlib, which is missing; run: pip install 'relrep[compare]'")


def draw(panels: Sequence[Panel], folder: Path, name: str) -> str:
    """Draws the panels side by side into name.svg and name.png; returns the SVG for a page."""
    require_matplotlib()
    from matplotlib import rc_context
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    # Text as text, and ids that repeat: the same numbers give the same file.
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": name, "font.size": 9}):
        across = min(3, len(panels))
        down = -(-len(panels) // across)
        figure = Figure(figsize=(4.2 * across, 3.2 * down), layout="constrained")
        axes = figure.subplots(down, across, squeeze=False).ravel()
        for each, panel in zip(axes, panels, strict=False):
            _draw_panel(each, panel)
        for each in axes[len(panels) :]:
            each.set_axis_off()
        FigureCanvasAgg(figure)
        with written_whole(folder / f"{name}.png") as path:
            figure.savefig(path, format="png", dpi=150, metadata={"Software": None})
        text = io.StringIO()
        FigureCanvasSVG(figure)
        figure.savefig(text, format="svg", metadata={"Date": None})
    svg = text.getvalue()
    with written_whole(folder / f"{name}.svg") as path:
        path.write_text(svg, encoding="utf-8")
    return svg[svg.index("<svg") :]


def _draw_panel(axes: Any, panel: Panel) -> None:
    for number, line in enumerate(panel.lines):
        xs, ys = zip(*line.points, strict=True) if line.points else ((), ())
        style = "--" if line.dashed else "-"
        marker = None if line.dashed or len(line.points) > 12 else MARKERS[number % len(MARKERS)]
        axes.plot(xs, ys, style, marker=marker, markersize=4, linewidth=1.4, label=line.label)
    if panel.log_x:
        axes.set_xscale("log")
    if panel.ticks:
        axes.set_xticks(panel.ticks, [f"{tick:,.0f}" for tick in panel.ticks])
        axes.minorticks_off()
    else:
        axes.xaxis.get_major_locator().set_params(integer=True)
    low, high = axes.get_ylim()
    if high - low < panel.least_height:
        middle = max((low + high) / 2, panel.least_height / 2)
        axes.set_ylim(middle - panel.least_height / 2, middle + panel.least_height / 2)
    axes.set_title(panel.title, fontsize=10)
    axes.set_xlabel(panel.x)
    axes.set_ylabel(panel.y)
    axes.grid(alpha=0.3, linewidth=0.5)
    if len(panel.lines) > 1:
        axes.legend(fontsize=7, frameon=False)


def curve_panels(
    curves: Mapping[str, Mapping[str, Sequence[tuple[float, float]]]],
    x: str,
    levels: Mapping[str, Mapping[str, float]] | None = None,
    log_x: bool = False,
) -> list[Panel]:
    """A panel for each column: `curves[column][label]` are points; `levels[column][label]` are dashed lines.

    >>> curve_panels({"SAT": {"relrep": [(10, 1.0), (20, 2.0)]}}, "dimensions")[0].ticks
    [10, 20]
    """
    panels = []
    for column, lines in curves.items():
        ticks = sorted({point[0] for points in lines.values() for point in points})
        drawn = [Line(label, points) for label, points in lines.items()]
        for label, level in (levels or {}).get(column, {}).items():
            drawn.append(Line(label, [(ticks[0], level), (ticks[-1], level)], dashed=True))
        panels.append(Panel(column, x, "accuracy, %", drawn, log_x, ticks, least_height=5.0))
    return panels
