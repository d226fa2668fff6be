"""A tiny model whose corpus is full of markup: what an explorer must show as text and never run."""

from pathlib import Path

from relrep.corpus.encoded import EncodedCorpus
from relrep.model import Model, write_model
from tiny_model import mine, sentences, vectors_for

IMAGE = "<img/src=x/onerror=window.hacked=1>"
SCRIPT = "<script>window.hacked=1</script>"


def build_hostile(folder: Path) -> Model:
    """The tiny model with words and midfixes that are HTML."""
    lines = [f"the {IMAGE} is a large bird .".split()] * 6
    lines += [f"paris {SCRIPT} <b>of</b> france .".split()] * 6
    corpus = EncodedCorpus.from_sentences(sentences() + lines)
    vectors = vectors_for(corpus)
    return write_model(
        folder,
        vocabulary=corpus.vocabulary,
        vectors=vectors,
        initial=vectors[:, ::-1].copy(),
        relations=mine(corpus),
        corpus_for_index=corpus,
        config={"settings": {"dim": 24, "seed": 7}},
    )
