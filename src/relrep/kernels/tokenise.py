"""Tokens and sentences straight from UTF-8 bytes: no Python string is made.

`relrep.reference.sentences` says the same slowly. The input must be valid UTF-8 that ends with a line break.
"""

import numpy as np
from numba import njit

# Classes of characters (see relrep.corpus.characters, which fills the table).
SPACE = 0
LOWER = 1
UPPER = 2
LETTER = 3  # letters without case, marks
DIGIT = 4
HYPHEN = 5
APOSTROPHE = 6
LINE_BREAK = 7
FULL_STOP = 8
EXCLAMATION = 9  # also ? and …: ends a sentence where a space follows
HARD_STOP = 10  # ends a sentence whatever follows (。)
PUNCTUATION = 11
INVISIBLE = 12  # soft hyphens: as if not there

_FNV_OFFSET = np.uint64(14695981039346656037)
_FNV_PRIME = np.uint64(1099511628211)
_UNKNOWN = -2
_END = -1

# What the words of a list of abbreviations do to a full stop behind them.
NEVER_ENDS = 1
NOT_BEFORE_DIGIT = 2


@njit(cache=True, nogil=True, inline="always")
def _mix(value):
    value ^= value >> np.uint64(32)
    value *= np.uint64(0x9E3779B97F4A7C15)
    value ^= value >> np.uint64(29)
    return value


@njit(cache=True, nogil=True)
def hash_bytes(data, start, stop):
    """A 64-bit hash of data[start:stop]."""
    code = _FNV_OFFSET
    for i in range(start, stop):
        code = (code ^ np.uint64(data[i])) * _FNV_PRIME
    return _mix(code)


@njit(cache=True, nogil=True, inline="always")
def _same(a, a_start, b, b_start, length):
    for i in range(length):  # noqa: SIM110 (numba compiles the loop)
        if a[a_start + i] != b[b_start + i]:
            return False
    return True


@njit(cache=True, nogil=True, inline="always")
def _decode(data, i):
    """The character at data[i] and how many bytes it takes."""
    byte = np.int32(data[i])
    if byte < 0x80:
        return byte, 1
    if byte < 0xE0:
        return ((byte & 0x1F) << 6) | (np.int32(data[i + 1]) & 0x3F), 2
    if byte < 0xF0:
        return ((byte & 0x0F) << 12) | ((np.int32(data[i + 1]) & 0x3F) << 6) | (
            np.int32(data[i + 2]) & 0x3F
        ), 3
    return (
        ((byte & 0x07) << 18)
        | ((np.int32(data[i + 1]) & 0x3F) << 12)
        | ((np.int32(data[i + 2]) & 0x3F) << 6)
        | (np.int32(data[i + 3]) & 0x3F)
    ), 4


@njit(cache=True, nogil=True, inline="always")
def _encode(character, text, at):
    """Writes a character as UTF-8 to text[at:] and says how many bytes it took."""
    if character < 0x80:
        text[at] = character
        return 1
    if character < 0x800:
        text[at] = 0xC0 | (character >> 6)
        text[at + 1] = 0x80 | (character & 0x3F)
        return 2
    if character < 0x10000:
        text[at] = 0xE0 | (character >> 12)
        text[at + 1] = 0x80 | ((character >> 6) & 0x3F)
        text[at + 2] = 0x80 | (character & 0x3F)
        return 3
    text[at] = 0xF0 | (character >> 18)
    text[at + 1] = 0x80 | ((character >> 12) & 0x3F)
    text[at + 2] = 0x80 | ((character >> 6) & 0x3F)
    text[at + 3] = 0x80 | (character & 0x3F)
    return 4


@njit(cache=True, nogil=True)
def _lookup_fixed(hashes, kinds, code):
    # The abbreviations: a small sorted array of hashes.
    low = 0
    high = len(hashes)
    while low < high:
        middle = (low + high) // 2
        if hashes[middle] < code:
            low = middle + 1
        else:
            high = middle
    if low < len(hashes) and hashes[low] == code:
        return kinds[low]
    return 0


@njit(cache=True, nogil=True)
def tokenise(
    data,
    classes,
    lower,
    keep_punctuation,
    abbreviation_hashes,
    abbreviation_kinds,
    max_word_bytes,
    ids,
    text,
    starts,
    hashes,
    counts,
    table,
):
    """Cuts a block of text into sentences of local word ids; returns how many ids and how many words there are.

    `ids` number the words of this block by first occurrence; each sentence is closed by -1; a token of about
    `max_word_bytes` bytes or more is -2. The spelling of word w is text[starts[w]:starts[w + 1]], its hash hashes[w], and it
    occurs counts[w] times. `table` (all -1, its length a power of two) is the hash table; where it gets half full, the
    number of words returned is -1. (Growing arrays in here would cost far more: numba then counts references in the loop.)
    """
    n = len(data)
    n_ids = 0
    n_words = 0
    starts[0] = 0
    mask = np.uint64(len(table) - 1)

    sentence_start = 0  # in ids
    ends = False  # a full stop or the like was seen, and nothing after it but closing punctuation and spaces
    ends_before_digit = True  # … and it ends the sentence even before a digit
    spaced = False  # … and a space after it
    next_sentence = 0  # where in ids the next sentence would begin, if it does
    last_token_stop = -1  # where in data the last word ended
    last_token_letters = 0  # its length in characters, if it is all letters
    last_token_hash = np.uint64(0)
    last_was_stop = False

    i = 0
    while i < n:
        character, width = _decode(data, i)
        kind = classes[character]

        if kind == SPACE:
            i += width
            if ends and not spaced:
                spaced = True
                next_sentence = n_ids
            last_was_stop = False
            continue
        if kind == INVISIBLE:
            i += width
            continue

        if kind == LINE_BREAK or kind == HARD_STOP:
            if kind == HARD_STOP and keep_punctuation:
                pass  # falls through to the punctuation token below
            else:
                if n_ids > sentence_start:
                    ids[n_ids] = _END
                    n_ids += 1
                sentence_start = n_ids
                ends = False
                spaced = False
                last_was_stop = False
                last_token_stop = -1
                i += width
                continue

        is_word = kind >= LOWER and kind <= DIGIT
        if is_word:
            if ends and spaced and kind != LOWER and (kind != DIGIT or ends_before_digit):
                # The sentence ended before the punctuation that opened this one.
                if next_sentence > sentence_start:
                    for k in range(n_ids, next_sentence, -1):
                        ids[k] = ids[k - 1]
                    ids[next_sentence] = _END
                    n_ids += 1
                    sentence_start = next_sentence + 1
            ends = False
            spaced = False
            last_was_stop = False

        # One token: a word with inner hyphens and apostrophes, or one character of punctuation.
        if is_word or keep_punctuation:
            token_start = starts[n_words]
            length = 0
            code = _FNV_OFFSET
            characters = 0
            all_letters = True
            while True:
                if length + 8 > max_word_bytes:
                    length = max_word_bytes + 1  # too long: still read to its end, but not stored
                else:
                    if kind == APOSTROPHE:
                        folded = np.int32(39)
                    elif kind == HYPHEN:
                        folded = np.int32(45)
                    else:
                        folded = lower[character]
                    before = length
                    length += _encode(folded, text, token_start + length)
                    for k in range(token_start + before, token_start + length):
                        code = (code ^ np.uint64(text[k])) * _FNV_PRIME
                characters += 1
                if kind == DIGIT or kind == HYPHEN or kind == APOSTROPHE:
                    all_letters = False
                i += width
                if not is_word:
                    break
                # The next character that shows; a joint counts only if a word character follows it.
                joint = i
                joint_kind = 0
                going_on = False
                while joint < n:
                    character, width = _decode(data, joint)
                    kind = classes[character]
                    if kind == INVISIBLE:
                        joint += width
                        continue
                    if kind >= LOWER and kind <= DIGIT:
                        going_on = True
                        break
                    if (kind == HYPHEN or kind == APOSTROPHE) and joint_kind == 0:
                        joint_kind = kind
                        joint += width
                        continue
                    break
                if not going_on:
                    break
                if joint_kind != 0:
                    mark = np.uint8(39) if joint_kind == APOSTROPHE else np.uint8(45)
                    if length + 8 > max_word_bytes:
                        length = max_word_bytes + 1
                    else:
                        text[token_start + length] = mark
                        length += 1
                        code = (code ^ np.uint64(mark)) * _FNV_PRIME
                    characters += 1
                    all_letters = False
                i = joint
            code = _mix(code)

            if length > max_word_bytes:
                ids[n_ids] = _UNKNOWN
            else:
                slot = code & mask
                found = -1
                while table[slot] >= 0:
                    word = table[slot]
                    if (
                        hashes[word] == code
                        and starts[word + 1] - starts[word] == length
                        and _same(text, starts[word], text, token_start, length)
                    ):
                        found = word
                        break
                    slot = (slot + np.uint64(1)) & mask
                if found < 0:
                    found = n_words
                    hashes[n_words] = code
                    counts[n_words] = 0
                    starts[n_words + 1] = token_start + length
                    n_words += 1
                    table[slot] = found
                    if 2 * n_words > len(table):
                        return n_ids, -1
                counts[found] += 1
                ids[n_ids] = found
            n_ids += 1
            if is_word:
                last_token_stop = i
                last_token_letters = characters if all_letters else 0
                last_token_hash = code
                continue
        else:
            i += width

        # Here the character was punctuation (kept as a token or not).
        if kind == FULL_STOP:
            if last_was_stop:
                ends = True  # an ellipsis
                ends_before_digit = True
            elif last_token_stop == i - width:
                held = _lookup_fixed(abbreviation_hashes, abbreviation_kinds, last_token_hash)
                if last_token_letters == 1 or held == NEVER_ENDS:
                    ends = False
                else:
                    ends = True
                    ends_before_digit = held != NOT_BEFORE_DIGIT
            else:
                ends = True
                ends_before_digit = True
            spaced = False
            last_was_stop = True
        elif kind == EXCLAMATION:
            ends = True
            ends_before_digit = True
            spaced = False
            last_was_stop = False
        elif kind == HARD_STOP:
            if n_ids > sentence_start:
                ids[n_ids] = _END
                n_ids += 1
            sentence_start = n_ids
            ends = False
            spaced = False
            last_was_stop = False
        else:
            last_was_stop = False

    if n_ids > sentence_start:
        ids[n_ids] = _END
        n_ids += 1
    return n_ids, n_words


@njit(cache=True, nogil=True)
def unite(text, starts, counts):
    """Gives equal spellings one number: (number of each entry, first entry of each number, summed counts)."""
    n = len(starts) - 1
    size = 1 << 10
    while size < 2 * n:
        size *= 2
    table = np.full(size, -1, dtype=np.int32)
    mask = np.uint64(size - 1)
    number = np.empty(n, dtype=np.int32)
    first = np.empty(n, dtype=np.int64)
    hashes = np.empty(n, dtype=np.uint64)
    total = np.zeros(n, dtype=np.int64)
    n_numbers = 0
    for entry in range(n):
        code = hash_bytes(text, starts[entry], starts[entry + 1])
        length = starts[entry + 1] - starts[entry]
        slot = code & mask
        found = -1
        while table[slot] >= 0:
            other = table[slot]
            if (
                hashes[other] == code
                and starts[first[other] + 1] - starts[first[other]] == length
                and _same(text, starts[first[other]], text, starts[entry], length)
            ):
                found = other
                break
            slot = (slot + np.uint64(1)) & mask
        if found < 0:
            found = n_numbers
            table[slot] = found
            first[found] = entry
            hashes[found] = code
            n_numbers += 1
        total[found] += counts[entry]
        number[entry] = found
    return number, first[:n_numbers].copy(), total[:n_numbers].copy()


@njit(cache=True, nogil=True)
def renumber(ids, new_ids, out):
    """out = new_ids[ids], marks (negative ids) kept."""
    for i in range(len(ids)):
        old = ids[i]
        out[i] = new_ids[old] if old >= 0 else old
