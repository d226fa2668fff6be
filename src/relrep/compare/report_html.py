"""report.html: one page that needs nothing else, neither files nor the network."""

import html
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from relrep.compare.report import Section

STYLE = """
:root { color-scheme: light dark; --line: #8884; --soft: #8881; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 68rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.2rem; margin-top: 2.2rem; border-bottom: 1px solid var(--line); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .2rem .7rem; text-align: right; } tbody th, th:first-child, td:first-child { text-align: left; }
thead th { border-bottom: 1px solid var(--line); } tbody th { font-weight: normal; }
tr.opens > * { border-top: 1px solid var(--line); }
table.plain td { text-align: left; vertical-align: top; }
figure { margin: 1rem 0; } figure svg { max-width: 100%; height: auto; background: #fff; }
code { background: var(--soft); padding: .1rem .3rem; overflow-wrap: anywhere; }
li { margin: .2rem 0; }
"""


def page(title: str, sections: Sequence["Section"], drawings: Mapping[str, str], captions: Mapping[str, str]) -> str:
    """The whole page; figures are drawn into it."""
    parts = [
        "<!DOCTYPE html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{html.escape(title)}</title><style>{STYLE}</style></head><body>",
        f"<h1>{html.escape(title)}</h1>",
    ]
    for section in sections:
        parts.append(f"<section><h2>{html.escape(section.title)}</h2>")
        parts += [f"<p>{_inline(paragraph)}</p>" for paragraph in section.paragraphs if not section.figure]
        if section.table is not None:
            parts.append(f'<div class="wide">{section.table.to_html()}</div>')
        if section.rows:
            parts.append(f'<div class="wide">{_plain_table(section.rows)}</div>')
        if section.items:
            parts.append(f"<ul>{''.join(f'<li>{_inline(item)}</li>' for item in section.items)}</ul>")
        if section.figure:
            caption = html.escape(captions[section.figure])
            drawing = _own_ids(drawings[section.figure], section.figure)
            parts.append(f"<figure>{drawing}<figcaption>{caption}.</figcaption></figure>")
        parts.append("</section>")
    return "\n".join([*parts, "</body></html>", ""])


def _inline(text: str) -> str:
    """Escaped, with `code` marked.

    >>> _inline("run `a < b`")
    'run <code>a &lt; b</code>'
    """
    return re.sub(r"`([^`]*)`", r"<code>\1</code>", html.escape(text, quote=False))


def _own_ids(svg: str, name: str) -> str:
    """Gives the ids of a drawing a prefix, so that several drawings can stand on one page."""
    svg = re.sub(r'\bid="([^"]+)"', rf'id="{name}-\1"', svg)
    svg = re.sub(r'"#([^"]+)"', rf'"#{name}-\1"', svg)
    return re.sub(r"url\(#([^)]+)\)", rf"url(#{name}-\1)", svg)


def _plain_table(rows: Sequence[Sequence[str]]) -> str:
    head, *body = rows
    heads = "".join(f"<th>{html.escape(cell)}</th>" for cell in head)
    lines = ("".join(f"<td>{html.escape(cell)}</td>" for cell in row) for row in body)
    filled = "".join(f"<tr>{line}</tr>" for line in lines)
    return f'<table class="plain"><thead><tr>{heads}</tr></thead><tbody>{filled}</tbody></table>'
