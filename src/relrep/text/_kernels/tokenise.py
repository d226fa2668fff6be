"""Tokens and sentences straight from UTF-8 bytes: no Python string is made.

`relrep.reference.text.sentences` says the same slowly. The input must be valid UTF-8 that ends with a line break.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from relrep.core.compiling import njit_now as njit
from relrep.core.intrinsics import byte_at, int32_at, prefetch, put_byte, put_eight
from relrep.text._kernels.words import (
    LOWERCASE,
    address_of,
    decode,
    eight_before,
    encode,
    fold_ascii,
    key_at,
    same_words,
    slot_of,
)
from relrep.text.encoded import SENTENCE_END, UNKNOWN

# Classes of characters (see relrep.text.tokenizer, which fills the table).
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

# The second half of a slot of the tokeniser's table: number of the word, whether it is long, and its count.
_NUMBER = np.uint64((1 << 31) - 1)
_LONG = np.uint64(1 << 31)
_ONE_OCCURRENCE = np.uint64(1 << 32)
_WAITING = 256  # words that are read before they are numbered: their slots fit in the nearest cache

# What a full stop means, by the abbreviation before it (see relrep.text.tokenizer); flags, as STARTER is.
NEVER = 1  # the sentence goes on
UNLESS_STARTER = 2  # it goes on, unless a word follows that usually begins a sentence
NOT_BEFORE_DIGIT = 4  # it ends, unless a number follows
STARTER = 8  # what such a word is itself
_ENDS = 16  # it ends
_GOES_ON = 0


class Rules(NamedTuple):
    """What the characters are, how they are lower-cased, and which words are abbreviations: sorted keys and flags."""

    classes: NDArray[np.uint8]
    lower: NDArray[np.int32]
    abbreviation_keys: NDArray[np.uint64]
    abbreviation_flags: NDArray[np.int64]
    keep_punctuation: bool
    max_word_bytes: int


@njit(cache=True, nogil=True)
def _flags_of(keys: NDArray[np.uint64], flags: NDArray[np.int64], key: Any) -> Any:
    """The flags of the word with this key, by a search in the sorted keys; 0 if it is not among them."""
    low = 0
    high = len(keys)
    while low < high:
        middle = (low + high) // 2
        if keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    return flags[low] if low < len(keys) and keys[low] == key else 0


@njit(cache=True, nogil=True)
def _next_kind(at: int, end: int, classes: int) -> Any:
    """The class of the next character that shows."""
    kind = np.int64(LINE_BREAK)
    while at < end:
        character, width = decode(at)
        kind = np.int64(byte_at(classes + character))
        if kind != INVISIBLE:
            break
        at += width
    return kind


@njit(cache=True, nogil=True)
def _meaning_of_stop(flags: Any, kind: Any, is_single: Any) -> Any:
    """What a full stop means behind a word with these flags, first character and length."""
    if is_single and kind != DIGIT:
        return _GOES_ON if flags & NEVER != 0 and kind == LOWER else UNLESS_STARTER
    if flags & NEVER != 0:
        return _GOES_ON
    if flags & (UNLESS_STARTER | NOT_BEFORE_DIGIT) != 0:
        return flags & (UNLESS_STARTER | NOT_BEFORE_DIGIT)
    return _ENDS


@njit(cache=True, nogil=True)
def _begins_sentence(ending: Any, kind: Any, key: Any, keys: NDArray[np.uint64], flags: NDArray[np.int64]) -> Any:
    """Whether a word with this first character and key begins a sentence behind a stop that means `ending`."""
    if ending == UNLESS_STARTER:
        return kind == UPPER and _flags_of(keys, flags, key) & STARTER != 0
    return kind != LOWER and (ending != NOT_BEFORE_DIGIT or kind != DIGIT)


@njit(cache=True, nogil=True, inline="always")
def _is_word(kind: Any) -> Any:
    return kind >= LOWER and kind <= DIGIT


@njit(cache=True, nogil=True, inline="always")
def _read_word(at: int, end: int, classes: int, lower: int, case_bits: Any, word: int) -> Any:
    """Reads the word that begins at address `at` and writes it, folded, to address `word`.

    Returns where it ends, its length in bytes and its length in characters. `classes` and `lower` are addresses too.
    """
    length = 0
    characters = 0
    while True:
        # Nearly all text: a run of ASCII letters and digits.
        while True:
            eight, count = fold_ascii(eight_before(at, end), case_bits)
            put_eight(word + length, eight)
            length += count
            characters += count
            at += count
            if count < 8:
                break
        if byte_at(at) == 32:
            break

        # The next character that shows; a joint counts only if a word character follows it.
        ahead = at
        joint = np.int64(0)
        character = np.int32(0)
        width = 0
        kind = np.int64(SPACE)
        while ahead < end:
            character, width = decode(ahead)
            kind = np.int64(byte_at(classes + character))
            if kind != INVISIBLE:
                if (kind != HYPHEN and kind != APOSTROPHE) or joint != 0:
                    break
                joint = kind
            ahead += width
        if not _is_word(kind):
            break
        at = ahead
        if joint != 0:
            put_byte(word + length, 39 if joint == APOSTROPHE else 45)
            length += 1
            characters += 1
        if character >= 0x80 or kind == LETTER:  # (of ASCII only where tokens are given)
            length += encode(int32_at(lower + 4 * character), word + length)
            characters += 1
            at += width
    return at, length, characters


@njit(cache=True, nogil=True)
def _number(
    ids: NDArray[np.int32],
    waiting_keys: NDArray[np.uint64],
    waiting_starts: NDArray[np.int64],
    out: Any,
    table: NDArray[np.uint64],
    n_words: int,
) -> int:
    """Turns places among the waiting words into word numbers, new words getting the next ones; says how many.

    In a loop of its own, because the look-ups, which mostly wait for memory, then overlap.
    """
    text, starts, keys = out.text, out.starts, out.keys
    mask = np.uint64(len(table) // 2 - 1)
    spellings = address_of(text)
    for i in range(len(ids)):
        place = ids[i]
        if place < 0:
            continue
        key = waiting_keys[place]
        start = waiting_starts[place]
        length = waiting_starts[place + 1] - start
        # A slot holds a word's key, and its number (from 1), whether it is long, and its count in one.
        long = np.uint64(0) if length <= 8 else _LONG
        slot = slot_of(key, mask)
        while True:
            held = table[2 * slot + 1]
            if held == 0:
                if 4 * n_words + 4 > len(table):
                    return -1
                for k in range(length):
                    text[starts[n_words] + k] = text[start + k]
                table[2 * slot] = key
                keys[n_words] = key
                starts[n_words + 1] = starts[n_words] + length
                n_words += 1
                held = np.uint64(n_words) | long
                break
            if table[2 * slot] == key and held & _LONG == long:
                if long == 0:
                    break
                word = np.int64(held & _NUMBER) - 1
                if starts[word + 1] - starts[word] == length and same_words(
                    spellings + starts[word], spellings + start, length
                ):
                    break
            slot = (slot + np.uint64(1)) & mask
        table[2 * slot + 1] = held + _ONE_OCCURRENCE
        ids[i] = np.int32(held & _NUMBER) - 1
    return n_words


@njit(cache=True, nogil=True)
def tokenise(
    data: NDArray[np.uint8], rules: Rules, out: Any, table: NDArray[np.uint64], pages: NDArray[np.int64]
) -> tuple[int, int]:
    """Cuts a block of text into sentences of local word ids; returns how many ids and how many words there are.

    Into the arrays of `out`, a TokenBlock: `ids` number the words of this block by first occurrence; each sentence is
    closed by SENTENCE_END; a token of more than `max_word_bytes` bytes is UNKNOWN. `table` (zeros, two for each of a
    power of two of slots) is the hash table; where it gets half full, the number of words returned is -1. (Growing
    arrays in here would cost far more: numba then counts references in the loop.) `pages` has two columns: where in the
    data a page ends, behind a line break; and, filled in here, how many ids there are by then.
    """
    classes, lower, abbreviation_keys, abbreviation_flags, keep_punctuation, max_word_bytes = rules
    ids, text, starts, counts, _ = out
    n_ids = 0
    n_words = np.int64(0)
    starts[0] = 0
    case_bits = LOWERCASE if lower[65] == 97 else np.uint64(0)
    at = address_of(data)
    end = at + len(data)
    spellings = address_of(text)
    class_of = address_of(classes)
    lower_of = address_of(lower)
    slots = address_of(table)
    mask = np.uint64(len(table) // 2 - 1)

    # Words wait to be numbered until there are some, spelt behind the numbered ones: `_number` says why.
    n_waiting = 0
    first_waiting = 0  # in ids
    waiting_keys = np.empty(_WAITING, dtype=np.uint64)
    waiting_starts = np.zeros(_WAITING + 1, dtype=np.int64)
    free = 0  # in text

    sentence_start = 0  # in ids
    # What the last full stop or the like means, if only closing punctuation and spaces came since.
    ending: Any = np.int64(_GOES_ON)
    spaced = False  # … and a space after it
    next_sentence = 0  # where in ids the next sentence would begin, if it does
    in_reference = False  # in square brackets right behind the stop
    last_token_stop = 0  # at which address the last word ended
    last_token_kind = classes[0]  # its first character
    last_token_single = False  # which is all of it
    last_token_key = np.uint64(0)
    last_was_stop = False
    first = at
    page = 0

    while at < end:
        character, width = decode(at)
        kind = classes[character]

        if kind == SPACE:
            at += width
            if ending != _GOES_ON and not spaced:
                spaced = True
                next_sentence = n_ids
            last_was_stop = False
            continue
        if kind == INVISIBLE:
            if last_token_stop == at:
                last_token_stop += width
            at += width
            continue

        if kind == LINE_BREAK or (kind == HARD_STOP and not keep_punctuation):
            if n_ids > sentence_start:
                ids[n_ids] = SENTENCE_END
                n_ids += 1
            sentence_start = n_ids
            ending = _GOES_ON
            last_was_stop = False
            at += width
            if page < len(pages) and pages[page, 0] <= at - first:
                pages[page, 1] = n_ids
                page += 1
            continue

        # One token: a word with inner hyphens and apostrophes, or one character of punctuation.
        is_word = _is_word(kind)
        if is_word or keep_punctuation:
            spelling = spellings + free
            if is_word:
                at, length, characters = _read_word(at, end, class_of, lower_of, case_bits, spelling)
                key = key_at(spelling, length)
                if ending != _GOES_ON:
                    if (
                        spaced
                        and next_sentence > sentence_start
                        and _begins_sentence(ending, kind, key, abbreviation_keys, abbreviation_flags)
                        and (ending != UNLESS_STARTER or _next_kind(at, end, class_of) != FULL_STOP)  # "J. A. Smith"
                    ):
                        # The sentence ended before the punctuation that opened this one.
                        for k in range(n_ids, next_sentence, -1):
                            ids[k] = ids[k - 1]
                        ids[next_sentence] = SENTENCE_END
                        n_ids += 1
                        if next_sentence < first_waiting:
                            first_waiting += 1
                        sentence_start = next_sentence + 1
                    if spaced or not in_reference or kind != DIGIT:
                        ending = _GOES_ON
                last_was_stop = False
                last_token_stop = at
                last_token_kind = kind
                last_token_single = characters == 1
                last_token_key = key
            else:
                at += width
                folded = lower[character]
                if kind == APOSTROPHE:
                    folded = np.int32(39)
                elif kind == HYPHEN:
                    folded = np.int32(45)
                length = encode(folded, spelling)
                key = key_at(spelling, length)

            if length > max_word_bytes:
                ids[n_ids] = UNKNOWN
            else:
                ids[n_ids] = n_waiting
                waiting_keys[n_waiting] = key
                prefetch(slots + 16 * np.int64(slot_of(key, mask)))
                free += length
                n_waiting += 1
                waiting_starts[n_waiting] = free
            n_ids += 1
            if n_waiting == _WAITING:
                n_words = _number(ids[first_waiting:n_ids], waiting_keys, waiting_starts, out, table, n_words)
                if n_words < 0:
                    return n_ids, -1
                first_waiting = n_ids
                n_waiting = 0
                free = starts[n_words]
                waiting_starts[0] = free
            if is_word:
                continue
        else:
            at += width

        # Here the character was punctuation (kept as a token or not).
        if kind == FULL_STOP:
            ending = _ENDS
            if last_token_stop == at - width and not last_was_stop:
                flags = _flags_of(abbreviation_keys, abbreviation_flags, last_token_key)
                ending = _meaning_of_stop(flags, last_token_kind, last_token_single)
        elif kind == EXCLAMATION:
            ending = _ENDS
        elif kind == HARD_STOP:
            if n_ids > sentence_start:
                ids[n_ids] = SENTENCE_END
                n_ids += 1
            sentence_start = n_ids
            ending = _GOES_ON
        elif ending != _GOES_ON and not spaced and (character == 91 or character == 93):
            in_reference = character == 91
        if kind == FULL_STOP or kind == EXCLAMATION:
            spaced = False
            in_reference = False
        last_was_stop = kind == FULL_STOP

    if n_ids > sentence_start:
        ids[n_ids] = SENTENCE_END
        n_ids += 1
    n_words = _number(ids[first_waiting:n_ids], waiting_keys, waiting_starts, out, table, n_words)
    for slot in range(len(table) // 2):
        held = table[2 * slot + 1]
        if held != 0:
            counts[np.int64(held & _NUMBER) - 1] = np.int64(held >> np.uint64(32))
    return n_ids, n_words
