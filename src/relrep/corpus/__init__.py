"""Text to token ids: sources, readers, sentences and tokens, vocabulary."""

from typing import TYPE_CHECKING

from relrep.lazy_names import lazy_names

if TYPE_CHECKING:
    from relrep.corpus.encoded import SENTENCE_END, UNKNOWN, EncodedCorpus
    from relrep.corpus.encoding import CorpusFacts, encode
    from relrep.corpus.settings import CorpusSettings
    from relrep.corpus.vocabulary import Vocabulary

__all__ = ["SENTENCE_END", "UNKNOWN", "CorpusFacts", "CorpusSettings", "EncodedCorpus", "Vocabulary", "encode"]
__getattr__ = lazy_names(
    __name__,
    {
        "SENTENCE_END": "relrep.corpus.encoded",
        "UNKNOWN": "relrep.corpus.encoded",
        "CorpusFacts": "relrep.corpus.encoding",
        "CorpusSettings": "relrep.corpus.settings",
        "EncodedCorpus": "relrep.corpus.encoded",
        "Vocabulary": "relrep.corpus.vocabulary",
        "encode": "relrep.corpus.encoding",
    },
)
