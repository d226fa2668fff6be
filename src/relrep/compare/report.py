"""A comparison from text to report: report.md, report.json and report.html, with the figures beside and inside them."""

import html
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from relrep.analogy.evaluate import Evaluation, QuestionSets, check_sets, evaluate
from relrep.analogy.questions import Protocol
from relrep.analogy.tables import CORPUS_NOTE, markdown_table
from relrep.baselines import require_extras
from relrep.compare.figures import Line, Panel, curve_panels, draw, require_matplotlib
from relrep.compare.settings import OBJECTIVES, CompareSettings, title_of
from relrep.compare.tables import (
    TableOne,
    best_measure,
    columns_of,
    differences_to,
    evidence_rows,
    pooled_tests,
    score,
    verdicts,
)
from relrep.compare.trainings import Comparison, SystemRun, Trainings, run_comparison
from relrep.config import Config
from relrep.core.files import written_whole
from relrep.errors import RelrepError
from relrep.pipeline.stages import RunSettings
from relrep.progress import ProgressCallback, ignore
from relrep.vectors.word_vectors import WordVectors
from relrep.version import __version__

FIGURES = {
    "instances": "Accuracy of relrep against the number of training instances (the measure that does best; dashed: "
    "the vectors it starts from)",
    "dimensions": "Accuracy against the dimensionality (the measure that does best)",
    "training": "Training curves: the loss as each system reports it, against passes over its data",
}
_STYLE = """
:root { color-scheme: light dark; --line: #8884; --soft: #8881; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 68rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.2rem; margin-top: 2.2rem; border-bottom: 1px solid var(--line); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .2rem .7rem; text-align: left; vertical-align: top; } .number { text-align: right; }
tr.opens > * { border-top: 1px solid var(--line); }
figure { margin: 1rem 0; } figure svg { max-width: 100%; height: auto; background: #fff; }
code { background: var(--soft); padding: .1rem .3rem; overflow-wrap: anywhere; }
li { margin: .2rem 0; }
"""
_NUMBER, _NUMBER_CLASS = r"[*\d.,–]+", " class=number"


@dataclass(frozen=True)
class Section:
    """A part of the report: paragraphs and lists in plain words, a table (its heading first), or a figure."""

    title: str
    paragraphs: tuple[str, ...] = ()
    rows: Sequence[Sequence[str]] = ()
    items: tuple[str, ...] = ()
    figure: str = ""


def compare_on_corpus(
    trainings: Trainings, out: Path, sets: QuestionSets, protocol: Protocol | None = None, command: str = ""
) -> tuple[Comparison, dict[str, Path]]:
    """Trains and evaluates all systems on a corpus and leaves the report in `out`; returns what it is made of.

    What is mined and trained waits in `out`/work and is used again when the same settings and text come back.
    """
    check_sets(sets)
    if sets.get("relations") or sets.get("similarity"):
        raise RelrepError("a comparison has no tables for relations and similarity; evaluate its vectors on them")
    require_matplotlib()
    require_extras([*trainings.settings.systems, *trainings.settings.start])
    rules, threads = protocol or Protocol(), trainings.graph.run.threads
    with_text = replace(rules, measures=("cosadd", "pairdiff"))

    def evaluator(vectors: WordVectors, name: str) -> Evaluation:
        return evaluate(vectors, rules, threads=threads, name=name, **sets)

    def evidence(vectors: WordVectors, name: str) -> Evaluation:
        measures = trainings.measures(vectors)
        return evaluate(vectors, with_text, extra_measures=measures, threads=threads, name=name, **sets)

    with trainings.graph.work.locked():  # a second comparison in the same folder is told so
        trainings.graph.warn_about_limits(trainings.needs())
        comparison = run_comparison(trainings, evaluator, evidence)
        return comparison, write_report(comparison, out, command)


def trainings_of(
    corpus: Sequence[str | Path],
    out: Path,
    settings: CompareSettings | None = None,
    run: RunSettings | None = None,
    progress: ProgressCallback = ignore,
) -> Trainings:
    """The trainings of a comparison in `out`."""
    settings = settings if settings is not None else CompareSettings()
    config = Config().with_values(settings.relrep_settings, "relrep's settings")
    config = config.with_values({"training": {"seed": settings.seed}}, "the seed")
    return Trainings(corpus, out / "work", config, settings, run, progress)


def write_report(comparison: Comparison, folder: Path, command: str = "") -> dict[str, Path]:
    """Writes all forms of the report to `folder`; returns where they are."""
    folder.mkdir(parents=True, exist_ok=True)
    drawings = _draw_figures(comparison, folder)
    sections = _sections(comparison, drawings, command)
    title = f"{len(comparison.table)} systems on one corpus"
    texts = {
        "report.md": _markdown(title, sections),
        "report.json": json.dumps(_as_json(comparison, command), ensure_ascii=False) + "\n",
        "report.html": _page(title, sections, drawings),
    }
    for name, text in texts.items():
        with written_whole(folder / name) as path:
            path.write_text(text, encoding="utf-8")
    return {name: folder / name for name in texts}


def _draw_figures(comparison: Comparison, folder: Path) -> dict[str, str]:
    drawings = {}
    if comparison.by_instances:
        start = [run for run in comparison.table if run.system == comparison.settings.init]
        levels = {
            column: {label: points[0][1] for label, points in lines.items()}
            for column, lines in _curves(start, lambda run: 0.0).items()
        }
        lines = _curves(comparison.by_instances, lambda run: float(run.instances or 0))
        drawings["instances"] = draw(curve_panels(lines, "training instances", levels, log_x=True), folder, "instances")
    if comparison.by_dim:
        lines = _curves(comparison.by_dim, lambda run: float(run.dim))
        drawings["dimensions"] = draw(curve_panels(lines, "dimensions"), folder, "dimensions")
    panels = [
        Panel(title_of(run.system), "passes", "loss", [Line("loss", run.trained.curve)])
        for run in comparison.table
        if len(run.trained.curve) > 1
    ]
    if panels:
        drawings["training"] = draw(panels, folder, "training")
    return drawings


def _sections(comparison: Comparison, drawings: dict[str, str], command: str) -> list[Section]:
    evaluations = [run.evaluation for run in comparison.table]
    table = TableOne.of(evaluations)
    sections = [
        Section(
            "Table 1",
            (
                f"Accuracy in percent, {comparison.settings.dim} dimensions; the best of each column in bold.",
                f"{table.protocol[0].upper()}{table.protocol[1:]}.",
            ),
            rows=table.printed(),
        )
    ]
    ours, others = _ours_and_others(comparison)
    for each in ours if others else ():
        said = verdicts(each, others)
        sections.append(
            Section(
                f"{each.vectors} against each baseline",
                (
                    "McNemar's exact test on the same questions, at 95 %: one sentence a column, under the measure "
                    f"with which {each.vectors} does best in it. All columns and measures are in report.json.",
                ),
                items=tuple(f"Against {name}: {sentence}" for name, found in said.items() for sentence in found),
            )
        )
    if others and ours:
        sections.append(_pooled_section(comparison))
    sections += [Section(name.capitalize(), (FIGURES[name] + ".",), figure=name) for name in drawings]
    sections.append(Section("Systems and run times", (_time_note(comparison),), rows=_system_rows(comparison)))
    sections.append(Section("Corpus", rows=_corpus_rows(comparison)))
    if command:
        sections.append(Section("Command", (f"`{command}` (relrep {__version__})",)))
    return sections


def _pooled_section(comparison: Comparison) -> Section:
    with_text = any(run.evidence is not None for run in comparison.table)
    paragraphs = (
        "Every system under the best of its measures in each column, and McNemar's exact test over whole sets: the "
        "given pairs of SAT and SemEval are tested as one.",
        f"{CORPUS_NOTE}: such rows know more than vectors alone, and are set apart from Table 1.",
    )
    return Section(
        "Best measures" + (", and with evidence" if with_text else ""),
        paragraphs if with_text else paragraphs[:1],
        rows=evidence_rows(comparison.table),
        items=tuple(each.sentence for each in pooled_tests(comparison.table)),
    )


def _ours_and_others(comparison: Comparison) -> tuple[list[Evaluation], list[Evaluation]]:
    ours = [run.evaluation for run in comparison.table if run.system in OBJECTIVES]
    return ours, [run.evaluation for run in comparison.table if run.system not in OBJECTIVES]


def _time_note(comparison: Comparison) -> str:
    runs = [*comparison.table, *comparison.by_instances, *comparison.by_dim]
    used_again = sum(run.trained.reused for run in runs)
    return (
        f"Seconds of training alone, for the machine at hand, by the clock and of all cores together; relrep's go on "
        f"from the vectors of {title_of(comparison.settings.init)}. {used_again} of {len(runs)} trainings "
        f"were found from before; all together took {comparison.seconds:,.0f} s this time."
    )


def _system_rows(comparison: Comparison) -> tuple[tuple[str, ...], ...]:
    rows = [("system", "dimensions", "instances", "seconds", "CPU seconds", "settings")]
    seen = set()
    for run in (*comparison.table, *comparison.by_instances, *comparison.by_dim):
        record = run.trained
        key = json.dumps([record.system, record.settings], sort_keys=True)
        if key in seen:
            continue
        seen.add(key)
        settings = ", ".join(f"{name} {_shown(value)}" for name, value in sorted(record.settings.items()))
        instances = f"{run.instances:,}" if run.instances else ""
        times = (f"{record.seconds:,.1f}", f"{record.cpu_seconds:,.1f}")
        rows.append((title_of(run.system), str(run.dim), instances, *times, settings))
    return tuple(rows)


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return "(" + ", ".join(f"{name} {_shown(each)}" for name, each in sorted(value.items())) + ")"
    if isinstance(value, list | tuple):
        return " ".join(map(_shown, value))
    return f"{value:g}" if isinstance(value, float) else str(value)


def _corpus_rows(comparison: Comparison) -> tuple[tuple[str, ...], ...]:
    facts = comparison.corpus
    return (
        ("what", "how many"),
        ("sources", ", ".join(Path(source).name for source in facts.sources)),
        ("bytes of text", f"{facts.text_bytes:,}"),
        ("tokens", f"{facts.tokens:,}"),
        ("sentences", f"{facts.sentences:,}"),
        ("words in the vocabulary", f"{facts.words:,}"),
        ("tokens outside it", f"{facts.unknown_tokens:,}"),
        ("fingerprint", facts.fingerprint),
    )


def _markdown(title: str, sections: Sequence[Section]) -> str:
    lines = [f"# {title}", ""]
    for section in sections:
        lines += [f"## {section.title}", ""]
        for paragraph in section.paragraphs:
            lines += [paragraph, ""]
        if section.rows:
            lines += [markdown_table(section.rows)]
        if section.items:
            lines += [f"- {item}" for item in section.items]
            lines += [""]
        if section.figure:
            lines += [f"![{FIGURES[section.figure]}]({section.figure}.svg)", ""]
    return "\n".join(lines)


def _page(title: str, sections: Sequence[Section], drawings: Mapping[str, str]) -> str:
    """report.html: one page that needs nothing else, neither files nor the network; figures are drawn into it."""
    parts = [
        "<!DOCTYPE html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{html.escape(title)}</title><style>{_STYLE}</style></head><body>",
        f"<h1>{html.escape(title)}</h1>",
    ]
    for section in sections:
        parts.append(f"<section><h2>{html.escape(section.title)}</h2>")
        parts += [f"<p>{_inline(paragraph)}</p>" for paragraph in section.paragraphs if not section.figure]
        if section.rows:
            parts.append(f'<div class="wide">{_html_table(section.rows)}</div>')
        if section.items:
            parts.append(f"<ul>{''.join(f'<li>{_inline(item)}</li>' for item in section.items)}</ul>")
        if section.figure:
            caption = html.escape(FIGURES[section.figure])
            drawing = _own_ids(drawings[section.figure], section.figure)
            parts.append(f"<figure>{drawing}<figcaption>{caption}.</figcaption></figure>")
        parts.append("</section>")
    return "\n".join([*parts, "</body></html>", ""])


def _inline(text: str) -> str:
    """Escaped, with `code` and **bold** marked."""
    marked = re.sub(r"`([^`]*)`", r"<code>\1</code>", html.escape(text, quote=False))
    return re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", marked)


def _own_ids(svg: str, name: str) -> str:
    """Gives the ids of a drawing a prefix, so that several drawings can stand on one page."""
    svg = re.sub(r'\bid="([^"]+)"', rf'id="{name}-\1"', svg)
    svg = re.sub(r'"#([^"]+)"', rf'"#{name}-\1"', svg)
    return re.sub(r"url\(#([^)]+)\)", rf"url(#{name}-\1)", svg)


def _html_table(rows: Sequence[Sequence[str]]) -> str:
    """Numbers stand to the right, and a line above each row that names its system."""
    head, *body = rows
    heads = "".join(f"<th>{html.escape(cell)}</th>" for cell in head)
    lines = []
    for row in body:
        cells = [f"<td{_NUMBER_CLASS if re.fullmatch(_NUMBER, cell) else ''}>{_inline(cell)}</td>" for cell in row]
        lines.append(f"<tr{' class=opens' if row[0] else ''}>{''.join(cells)}</tr>")
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{''.join(lines)}</tbody></table>"


def _curves(
    runs: Sequence[SystemRun], position: Callable[[SystemRun], float]
) -> dict[str, dict[str, list[tuple[float, float]]]]:
    """For each column, the best accuracy of each system (over the measures) against `position` of its runs."""
    by_column: dict[str, dict[str, list[tuple[float, float]]]] = {}
    for run in runs:
        for column in columns_of(run.evaluation):
            outcome = run.evaluation[column.set]
            value = score(outcome, column.section, best_measure(outcome, column.section))
            lines = by_column.setdefault(column.head, {})
            lines.setdefault(title_of(run.system), []).append((position(run), value))
    return by_column


def _as_json(comparison: Comparison, command: str) -> dict[str, Any]:
    evaluations = [run.evaluation for run in comparison.table]
    ours, others = _ours_and_others(comparison)
    tests = {each.vectors: differences_to(each, others) for each in ours}
    return {
        "format": "relrep-comparison",
        "format_version": 1,
        "relrep_version": __version__,
        "command": command,
        "settings": asdict(comparison.settings),
        "corpus": {**asdict(comparison.corpus), "sources": [Path(each).name for each in comparison.corpus.sources]},
        "seconds": comparison.seconds,
        "table": TableOne.of(evaluations).to_json(),
        "tests": {
            system: {name: [each.to_json() for each in found] for name, found in against.items()}
            for system, against in tests.items()
        },
        "best_measures": [list(row) for row in evidence_rows(comparison.table)],
        "pooled_tests": [each.to_json() for each in pooled_tests(comparison.table)],
        "systems": [_system_json(run) for run in comparison.table],
        "by_instances": [_point_json(run) for run in comparison.by_instances],
        "by_dimensions": [_point_json(run) for run in comparison.by_dim],
    }


def _run_json(run: SystemRun) -> dict[str, Any]:
    record = run.trained
    named = {name: getattr(record, name) for name in ("settings", "seconds", "cpu_seconds", "reused", "curve")}
    return {"system": run.system, "dim": run.dim, "instances": run.instances, **named}


def _system_json(run: SystemRun) -> dict[str, Any]:
    """A system of the table, with all of its evaluation."""
    evidence = {} if run.evidence is None else {"evidence": run.evidence.to_json()}
    return {**_run_json(run), "evaluation": run.evaluation.to_json(), **evidence}


def _point_json(run: SystemRun) -> dict[str, Any]:
    """A point of a figure: its scores by column and measure suffice."""
    scores = {}
    for column in columns_of(run.evaluation):
        outcome = run.evaluation[column.set]
        scores[column.key] = {measure: score(outcome, column.section, measure) for measure in outcome.measures}
    return {**_run_json(run), "scores": scores}
