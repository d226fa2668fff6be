"""Text to token ids: sources, readers, sentences and tokens, vocabulary."""

from relrep.corpus.encode import CorpusFacts, encode
from relrep.corpus.encoded import SENTENCE_END, UNKNOWN, EncodedCorpus
from relrep.corpus.settings import CorpusSettings
from relrep.corpus.vocabulary import Vocabulary

__all__ = [
    "SENTENCE_END",
    "UNKNOWN",
    "CorpusFacts",
    "CorpusSettings",
    "EncodedCorpus",
    "Vocabulary",
    "encode",
]
