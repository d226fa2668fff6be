"""Stop words: a pair made of two of them says nothing and is not mined."""

from pathlib import Path

from relrep.errors import RelrepError

ENGLISH = frozenset(
    ["a", "about", "above", "across", "after", "again", "against", "all", "almost", "alone", "along", "already", "also", "although", "always", "am", "among", "an", "and", "another", "any", "anybody", "anyone", "anything", "anywhere", "are", "around", "as", "at", "away", "be", "became", "because", "become", "been", "before", "behind", "being", "below", "between", "both", "but", "by", "can", "cannot", "could", "did", "do", "does", "done", "down", "during", "each", "either", "else", "enough", "etc", "even", "ever", "every", "everybody", "everyone", "everything", "few", "for", "from", "further", "had", "has", "have", "having", "he", "hence", "her", "here", "hers", "herself", "him", "himself", "his", "how", "however", "i", "if", "in", "indeed", "instead", "into", "is", "it", "its", "itself", "just", "last", "least", "less", "let", "many", "may", "me", "might", "mine", "more", "most", "much", "must", "my", "myself", "neither", "never", "no", "nobody", "none", "nor", "not", "nothing", "now", "nowhere", "of", "off", "often", "on", "once", "one", "only", "onto", "or", "other", "others", "otherwise", "our", "ours", "ourselves", "out", "over", "own", "per", "perhaps", "quite", "rather", "same", "several", "shall", "she", "should", "since", "so", "some", "somebody", "someone", "something", "sometimes", "still", "such", "than", "that", "the", "their", "theirs", "them", "themselves", "then", "there", "therefore", "these", "they", "this", "those", "though", "through", "throughout", "thus", "to", "together", "too", "toward", "towards", "under", "until", "up", "upon", "us", "very", "was", "we", "were", "what", "whatever", "when", "whenever", "where", "whereas", "wherever", "whether", "which", "while", "who", "whoever", "whole", "whom", "whose", "why", "will", "with", "within", "without", "would", "yet", "you", "your", "yours", "yourself", "yourselves", "s", "t", "d", "ll", "m", "re", "ve", "don't", "doesn't", "didn't", "isn't", "wasn't", "weren't", "can't", "couldn't", "won't", "wouldn't", "shouldn't", "hasn't", "haven't", "hadn't", "it's", "i'm"]
)


def load_stop_words(name: str) -> frozenset[str]:
    """The stop words that the setting names: `english`, `none`, or a file with one word a line.

    >>> "the" in load_stop_words("english"), len(load_stop_words("none"))
    (True, 0)
    """
    if name == "none":
        return frozenset()
    if name == "english":
        return ENGLISH
    try:
        text = Path(name).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise RelrepError(
            f"{name}: the stop words cannot be read ({error}); give english, none, or a text file"
        ) from error
    return frozenset(line.strip() for line in text.splitlines() if line.strip())
