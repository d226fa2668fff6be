"""A tiny model whose corpus is full of markup: what an explorer must show as text and never run."""

from pathlib import Path

from relrep.model.model import Model, write_model
from relrep.text.encoded import EncodedCorpus
from relrep.text.index import CorpusIndex
from tiny_model import STOP_WORDS, sentences, table_of, vectors_for

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
        relations=table_of(corpus),
        index=CorpusIndex.of(corpus),
        config={"settings": {"training": {"dim": 24, "seed": 7}}, "stop_words": sorted(STOP_WORDS)},
    )
