"""The model card: the README.md that explains a model folder to whoever finds it."""

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from relrep.model.model import Model

_SHOWN_PATTERNS = 12
_TRIED_PAIRS = 10_000


def model_card(name: str, model: "Model") -> str:
    """The card's Markdown text: what the model is, how to use it, how it was made, what is in the folder."""
    sections = [
        _what(name, model),
        _use(name, model),
        _facts("Corpus", model.config.get("corpus", {})),
        _facts("Settings", model.config.get("settings", {})),
        _history(model.config.get("history", [])),
        _relations(model),
        _facts("Versions", {"relrep": model.config.get("relrep_version"), **model.config.get("packages", {})}),
        _LIMITS,
    ]
    return "\n\n".join(section for section in sections if section) + "\n"


def markdown(text: object) -> str:
    """`text` with all that Markdown or HTML could take for markup made harmless: a corpus is not trusted.

    >>> markdown("<b>*a*|b")
    '&lt;b&gt;\\\\*a\\\\*\\\\|b'
    """
    escaped = str(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    escaped = escaped.replace("\\", "\\\\").replace("\n", " ").replace("\r", " ")
    for mark in "`*_[]|#~!":
        escaped = escaped.replace(mark, "\\" + mark)
    return escaped


def _what(name: str, model: "Model") -> str:
    vectors = model.vectors
    return (
        f"# {markdown(name)}\n\n"
        f"Word vectors that carry the semantic relations between words, learnt from plain text by "
        f"relrep {markdown(model.config.get('relrep_version'))}: {len(vectors):,} words, "
        f"{vectors.vector_size} dimensions."
    )


def _use(name: str, model: "Model") -> str:
    words = _example_pair(model)
    pair = " ".join(words)
    quoted = json.dumps(name, ensure_ascii=False).replace("`", "")
    return (
        "## Use\n\n```sh\n"
        f"relrep relation {quoted} {pair}    # how are the two related?\n"
        f"relrep search {quoted} {pair}      # which pairs are related alike?\n"
        "```\n\n```python\nfrom relrep.model.model import Model\n\n"
        f"model = Model.load({quoted})\nmodel.vectors[{words[0]!r}]\n```\n\n"
        "`model.safetensors` holds the vectors (tensor `vectors`), `vocab.txt` one word and count a line in the order "
        "of the rows, `config.json` every setting, `relations/` pairs of words, the patterns between them and how "
        "often each stands there, `index/` the corpus as token ids with the places of every word."
    )


def _example_pair(model: "Model") -> tuple[str, str]:
    """A pair to try the commands with: the one that meets most often among those without short words."""
    words, relations = model.vocabulary.words, model.relations
    if relations is not None:
        bound = relations.bound
        for row in (-bound.meetings).argsort(kind="stable")[:_TRIED_PAIRS].tolist():
            first, second = words[bound.first[row]], words[bound.second[row]]
            if min(len(first), len(second)) > 3 and (first + second).isascii() and (first + second).isalpha():
                return first, second
    return ("ostrich", "bird")


def _facts(title: str, facts: dict[str, Any]) -> str:
    if not facts:
        return ""
    flat: dict[str, Any] = {}
    for key, value in facts.items():  # settings stand stage by stage
        flat |= {f"{key} · {name}": one for name, one in value.items()} if isinstance(value, dict) else {key: value}
    rows = "\n".join(f"| {markdown(key)} | {_cell(value)} |" for key, value in flat.items())
    return f"## {title}\n\n| | |\n|---|---|\n{rows}"


def _cell(value: Any) -> str:
    if isinstance(value, dict | list):
        return markdown(json.dumps(value, ensure_ascii=False))
    return f"{value:,}" if type(value) is int else markdown(value)


def _history(history: list[Any]) -> str:
    rows = [entry for entry in history if isinstance(entry, dict)]
    if not rows:
        return ""
    columns = list(dict.fromkeys(key for row in rows for key in row))
    lines = ["| " + " | ".join(markdown(column) for column in columns) + " |", "|---" * len(columns) + "|"]
    lines += ["| " + " | ".join(_cell(row.get(column, "")) for column in columns) + " |" for row in rows]
    return "## Training\n\n" + "\n".join(lines)


def _relations(model: "Model") -> str:
    relations = model.relations
    if relations is None:
        return ""
    order = (-relations.patterns.occurrences).argsort(kind="stable")[:_SHOWN_PATTERNS]
    shown = ", ".join(f"“{markdown(relations.label(2 * int(pattern)))}”" for pattern in order)
    return (
        f"## Relations\n\n{relations.n_pairs:,} word pairs, {relations.n_patterns:,} patterns, "
        f"{len(relations.bound.counts.keys):,} counts. The most frequent patterns: {shown}."
    )


_LIMITS = (
    "## Limits\n\nThe vectors and the mined patterns repeat what the corpus says, its errors and prejudices "
    "included. Words outside `vocab.txt` have no vector. The index holds the corpus' text: pass the model on "
    "only where the text may go, or train with `--no-index`."
)
