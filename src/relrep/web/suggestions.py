"""What may follow, while a query is being typed."""

from dataclasses import dataclass

from relrep.web.explorer import Explorer
from relrep.web.words import partners_of


@dataclass(frozen=True)
class Suggestion:
    """A whole query to choose, and what it is."""

    query: str
    what: str


def suggest(explorer: Explorer, typed: str, n: int = 8) -> tuple[Suggestion, ...]:
    """Completions of the last word, of a pattern in quotes, or, after one word and a space, words it is paired with."""
    line = typed.lstrip()
    if line[:1] in ('"', "“"):
        return _patterns(explorer, line.strip('"“” '), n)
    *done, last = line.split(" ")
    done = [word for word in done if word]
    if not last:
        return _partners(explorer, done[0], n) if len(done) == 1 else ()
    if len(done) > 3 or last == "?":
        return ()
    before = "".join(f"{word} " for word in done)
    what = "word" if not done else ""
    words = explorer.spellings.completions(last, n) or explorer.spellings.completions(last.lower(), n)
    return tuple(Suggestion(before + word, what) for word in words)


def _patterns(explorer: Explorer, text: str, n: int) -> tuple[Suggestion, ...]:
    relations = explorer.model.relations
    if relations is None:
        return ()
    found = dict.fromkeys(known for known in relations.ids_by_text if known.startswith(text))
    return tuple(Suggestion(f'"{known}"', "pattern") for known in list(found)[:n])


def _partners(explorer: Explorer, word: str, n: int) -> tuple[Suggestion, ...]:
    place = explorer.id_of(word)
    if place < 0:
        return ()
    pairs = partners_of(explorer, place, n)
    here = explorer.model.vocabulary.words[place]
    others = [pair.second if pair.first == here else pair.first for pair in pairs]
    return tuple(Suggestion(f"{here} {other}", "pair") for other in others)
