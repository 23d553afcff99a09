"""The value changes of a VCD, compiled: one pass over the bytes, a few numbers per bit.

This file is self-contained on purpose: Numba keys its cache on the one file that holds a
function, so every number that the compiled code freezes must stand here.

The buffer may end anywhere. A command that is not complete is left to the next call, which gets
it again with more bytes behind it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from gnomon.base.compiled import entry_point, inner, int64

if TYPE_CHECKING:
    Array = npt.NDArray[Any]

# --- st: the scanner -------------------------------------------------------------------------
T_TIME: Final = 0  # of the instant, in timescale units; -1 before the first time mark
T_LINE: Final = 1
T_START: Final = 2  # first time mark
T_FROM: Final = 3  # window: changes at FROM <= time < TO count
T_TO: Final = 4
T_SKIPPING: Final = 5  # inside $comment: 1
T_ERROR: Final = 6
T_ERROR_AT: Final = 7  # where in the buffer
T_ERROR_NET: Final = 8
T_BLOCK_LINE: Final = 9  # line of the $dump… or $comment that is open, or 0
T_CLOCK_NET: Final = 10  # or -1
T_CLOCK_FIRST: Final = 11  # rising edges, also before the window: first, last, how many
T_CLOCK_LAST: Final = 12
T_CLOCK_RISES: Final = 13
T_CHANGES: Final = 14  # value changes read
T_STOPPED: Final = 15  # the end of the window is reached
T_COUNT: Final = 16

# --- what is wrong -----------------------------------------------------------------------------
E_NONE: Final = 0
E_WORD: Final = 1  # not a value change, time mark or keyword
E_CODE: Final = 2  # identifier code that no $var declares
E_TIME: Final = 3  # not a time
E_TIME_BACK: Final = 4
E_DIGIT: Final = 5  # a vector digit that is none of 0 1 x z
E_WIDE: Final = 6  # more digits than the net has bits
E_NO_CODE: Final = 7  # a value without a code
E_KEYWORD: Final = 8
E_CUT: Final = 9  # the file ends inside a command
E_DECLARATION: Final = 10  # $var, $scope … after $enddefinitions
E_NOT_BITS: Final = 11  # a real number for a net of bits

BASE: Final = 94  # characters an identifier code may have
DIRECT_LENGTH: Final = 3  # codes up to this length are found in a table
DIRECT_SIZE: Final = BASE + BASE**2 + BASE**3 + 1
_MAX_TIME: Final = 1 << 62
KEY_MASK: Final = (1 << 55) - 1  # keeps the key of a long code from overflowing

# What a byte can begin: 0..3 a value, then the others. x and z last, so that "both below 2" is a
# test for 0 and 1. GHDL and extended writers also use the nine values of std_logic.
_SPACE: Final = 10
_VECTOR: Final = 11
_NUMBER: Final = 12
_TIME_MARK: Final = 13
_DOLLAR: Final = 14
_OTHER: Final = 15


def _kinds() -> npt.NDArray[np.uint8]:
    kinds = np.full(256, _OTHER, dtype=np.uint8)
    for text, kind in (
        ("0lL", 0), ("1hH", 1), ("xXuUwW-", 2), ("zZ", 3), (" \t\r\n\v\f", _SPACE),
        ("bB", _VECTOR), ("rRsS", _NUMBER), ("#", _TIME_MARK), ("$", _DOLLAR),
    ):  # fmt: skip
        for character in text:
            kinds[ord(character)] = kind
    return kinds


KINDS = _kinds()


@inner
def find_code(
    buffer: Array, first: int, last: int,
    direct: Array, slots: Array, code_bytes: Array, code_at: Array,
) -> int:  # fmt: skip
    """The net of the identifier code in ``buffer[first:last]``, or -1."""
    length = last - first
    key = int64(0)
    for k in range(first, last):
        byte = int64(buffer[k])
        if byte < 33 or byte > 126:
            return -1
        key = (key * BASE + byte - 32) & KEY_MASK
    if length <= DIRECT_LENGTH:
        return int64(direct[key])
    mask = int64(len(slots) - 1)
    place = (key ^ (key >> 20)) & mask  # as the table was filled
    while True:
        net = int64(slots[place])
        if net < 0:
            return -1
        begin = int64(code_at[net])
        if int64(code_at[net + 1]) - begin == length:
            same = True
            for k in range(length):
                if code_bytes[begin + k] != buffer[first + k]:
                    same = False
                    break
            if same:
                return net
        place = (place + 1) & mask


@inner
def set_bit(
    bit: int, value: int, time: int, window: int,
    now: Array, before: Array, since: Array, toggles: Array, times: Array,
) -> None:  # fmt: skip
    """Take over a new value of one bit; ``window`` is the first time that counts.

    A second change in one instant replaces the first: only settled values count.
    """
    old = int64(now[bit])
    if since[bit] == time:
        if time >= window:
            settled = int64(before[bit])
            toggles[bit] += (1 if settled + value == 1 else 0) - (1 if settled + old == 1 else 0)
    else:
        if time >= window:
            times[5 * bit + old] += time - max(int64(since[bit]), window)
            if old + value == 1:
                toggles[bit] += 1
        before[bit] = old
        since[bit] = time
    now[bit] = value


@inner
def set_vector(
    buffer: Array, first: int, last: int, net: int, kinds: Array, time: int, window: int,
    net_bit: Array, net_word: Array, net_width: Array, ones: Array, strange: Array,
    now: Array, before: Array, since: Array, toggles: Array, times: Array,
) -> int:  # fmt: skip
    """Take over a vector value; 0, or what is wrong with it.

    Digits are packed into words, so that only bits that differ cost more than their digit. Fewer
    digits than bits extend with 0, or with x or z if the first digit is that.
    """
    width = int64(net_width[net])
    while last - first > width and buffer[first] == 48:
        first += 1
    if last - first > width:
        for k in range(first, last):
            if kinds[buffer[k]] > 3:
                return E_DIGIT
        return E_WIDE
    left = int64(kinds[buffer[first]])
    if left > 3:
        return E_DIGIT
    fill_one = np.uint64(0)
    fill_strange = np.uint64(0)
    if left >= 2:
        fill_strange = ~np.uint64(0)
        if left == 3:
            fill_one = ~np.uint64(0)
    digit = last - 1
    base = int64(net_bit[net])
    word = int64(net_word[net])
    for low in range(0, width, 64):
        count = min(int64(64), width - low)
        one = np.uint64(0)
        odd = np.uint64(0)
        given = min(count, max(int64(0), digit - first + 1))
        for k in range(given):
            kind = int64(kinds[buffer[digit - k]])
            if kind > 3:
                return E_DIGIT
            one |= np.uint64(kind & 1) << np.uint64(k)
            odd |= np.uint64(kind >> 1) << np.uint64(k)
        digit -= given
        if given < 64:
            above = ~np.uint64(0) << np.uint64(given)
            one |= fill_one & above
            odd |= fill_strange & above
        changed = (one ^ ones[word]) | (odd ^ strange[word])
        if count < 64:
            changed &= ~(~np.uint64(0) << np.uint64(count))
        ones[word] = one
        strange[word] = odd
        k = 0
        while changed != 0:
            if changed & np.uint64(0xFF) == 0:
                changed >>= np.uint64(8)
                k += 8
                continue
            if changed & np.uint64(1):
                shift = np.uint64(k)
                value = int64((one >> shift) & np.uint64(1)) + 2 * int64(
                    (odd >> shift) & np.uint64(1)
                )
                set_bit(base + low + k, value, time, window, now, before, since, toggles, times)
            changed >>= np.uint64(1)
            k += 1
        word += 1
    return E_NONE


@inner
def all_unknown(
    time: int, window: int, ones: Array, strange: Array,
    now: Array, before: Array, since: Array, toggles: Array, times: Array,
) -> None:  # fmt: skip
    """Nobody looks from here on. The block of x values that should follow is not always there."""
    for word in range(len(ones)):
        ones[word] = np.uint64(0)
        strange[word] = ~np.uint64(0)
    for bit in range(len(now)):
        if now[bit] != 2:
            set_bit(bit, int64(2), time, window, now, before, since, toggles, times)


@inner
def note_rise(st: Array, time: int) -> None:
    """A rising edge of the clock; two in one instant are one."""
    if st[T_CLOCK_RISES] == 0:
        st[T_CLOCK_FIRST] = time
    if st[T_CLOCK_RISES] == 0 or st[T_CLOCK_LAST] != time:
        st[T_CLOCK_RISES] += 1
    st[T_CLOCK_LAST] = time


@inner
def word_is(buffer: Array, first: int, last: int, text: Array, begin: int, end: int) -> bool:
    """Whether ``buffer[first:last]`` is ``text[begin:end]``."""
    if last - first != end - begin:
        return False
    for k in range(last - first):
        if buffer[first + k] != text[begin + k]:
            return False
    return True


KEYWORDS: Final = (
    "$end", "$comment", "$dumpvars", "$dumpall", "$dumpon", "$dumpoff", "$vcdclose",
    "$var", "$scope", "$upscope", "$timescale", "$enddefinitions",
)  # fmt: skip
_END: Final = 0
_COMMENT: Final = 1
_DUMPOFF: Final = 5
_LAST_BLOCK: Final = 6
KEYWORD_BYTES = np.frombuffer("".join(KEYWORDS).encode(), dtype=np.uint8).copy()
KEYWORD_AT = np.cumsum([0] + [len(word) for word in KEYWORDS])


@entry_point
def scan(
    buffer: Array, count: int, final: bool, st: Array, kinds: Array,
    keyword_bytes: Array, keyword_at: Array,
    direct: Array, slots: Array, code_bytes: Array, code_at: Array,
    net_bit: Array, net_word: Array, net_width: Array,
    ones: Array, strange: Array, now: Array, before: Array, since: Array, toggles: Array,
    times: Array,
) -> int:  # fmt: skip
    """Read the commands in ``buffer[:count]``; returns how many bytes are done with.

    ``final``: nothing comes behind. ``st[T_ERROR]`` tells what stopped it. A net whose ``net_bit``
    is below 0 is known but not counted: -1 has bits, -2 has none (a real number, an event).
    """
    at = int64(0)
    time = int64(st[T_TIME])
    line = int64(st[T_LINE])
    window = max(int64(st[T_START]), int64(st[T_FROM]))
    skipping = st[T_SKIPPING] != 0
    clock = int64(st[T_CLOCK_NET])
    changes = int64(0)
    error = E_NONE
    error_at = int64(0)
    while True:
        while at < count and kinds[buffer[at]] == _SPACE:
            if buffer[at] == 10:
                line += 1
            at += 1
        if at >= count:
            break
        begin = at
        begin_line = line
        end = at + 1
        while end < count and kinds[buffer[end]] != _SPACE:
            end += 1
        if end >= count and not final:
            break
        if skipping:
            if word_is(buffer, begin, end, keyword_bytes, keyword_at[_END], keyword_at[_END + 1]):
                skipping = False
                st[T_BLOCK_LINE] = 0
            at = end
            continue
        kind = int64(kinds[buffer[begin]])
        if kind <= 3:
            if end == begin + 1:
                error = E_CUT if end >= count else E_NO_CODE
                error_at = begin
                break
            net = find_code(buffer, begin + 1, end, direct, slots, code_bytes, code_at)
            if net < 0:
                error, error_at = E_CODE, begin
                break
            changes += 1
            bit = int64(net_bit[net])
            if bit >= 0:
                if net_width[net] == 1:
                    if now[bit] != kind:
                        if net == clock and kind == 1 and now[bit] == 0 and time >= 0:
                            note_rise(st, time)
                        set_bit(bit, kind, time, window, now, before, since, toggles, times)
                else:
                    error = set_vector(
                        buffer, begin, begin + 1, net, kinds, time, window,
                        net_bit, net_word, net_width, ones, strange,
                        now, before, since, toggles, times,
                    )  # fmt: skip
            at = end
        elif kind == _VECTOR or kind == _NUMBER:
            code = end
            while code < count and kinds[buffer[code]] == _SPACE:
                if buffer[code] == 10:
                    line += 1
                code += 1
            if code >= count:
                if final:
                    error, error_at = E_CUT, begin
                line = begin_line
                break
            code_end = code + 1
            while code_end < count and kinds[buffer[code_end]] != _SPACE:
                code_end += 1
            if code_end >= count and not final:
                line = begin_line
                break
            if end == begin + 1 and kind == _VECTOR:
                error, error_at = E_DIGIT, begin
                line = begin_line
                break
            net = find_code(buffer, code, code_end, direct, slots, code_bytes, code_at)
            if net < 0:
                error, error_at = E_CODE, code
                break
            changes += 1
            bit = int64(net_bit[net])
            if kind == _NUMBER:
                if bit != -2:
                    error, error_at = E_NOT_BITS, begin
                    st[T_ERROR_NET] = net
                    line = begin_line
                    break
            elif bit >= 0:
                if net_width[net] == 1 and end == begin + 2:
                    value = int64(kinds[buffer[begin + 1]])
                    if value > 3:
                        error = E_DIGIT
                    elif now[bit] != value:
                        if net == clock and value == 1 and now[bit] == 0 and time >= 0:
                            note_rise(st, time)
                        set_bit(bit, value, time, window, now, before, since, toggles, times)
                else:
                    error = set_vector(
                        buffer, begin + 1, end, net, kinds, time, window,
                        net_bit, net_word, net_width, ones, strange,
                        now, before, since, toggles, times,
                    )  # fmt: skip
                if error != 0:
                    error_at = begin
                    st[T_ERROR_NET] = net
                    line = begin_line
                    break
            at = code_end
        elif kind == _TIME_MARK:
            mark = int64(0)
            good = end > begin + 1
            for k in range(begin + 1, end):
                digit = int64(buffer[k]) - 48
                if digit < 0 or digit > 9 or mark > _MAX_TIME // 10 - 1:
                    good = False
                    break
                mark = mark * 10 + digit
            if not good:
                error, error_at = E_TIME, begin
                break
            if mark < time:
                error, error_at = E_TIME_BACK, begin
                break
            if mark >= st[T_TO]:
                st[T_STOPPED] = 1
                if time < 0:
                    st[T_START] = mark
                time = mark
                break
            if time < 0:
                # Values before the first mark are those of its instant.
                st[T_START] = mark
                window = max(mark, int64(st[T_FROM]))
                for k in range(len(since)):
                    since[k] = mark
            time = mark
            at = end
        elif kind == _DOLLAR:
            which = -1
            for k in range(len(keyword_at) - 1):
                if word_is(buffer, begin, end, keyword_bytes, keyword_at[k], keyword_at[k + 1]):
                    which = k
                    break
            if which < 0 or which > _LAST_BLOCK:
                error = E_DECLARATION if which >= 0 else E_KEYWORD
                error_at = begin
                break
            if which == _END:
                st[T_BLOCK_LINE] = 0
            else:
                if which == _DUMPOFF:
                    all_unknown(time, window, ones, strange, now, before, since, toggles, times)
                st[T_BLOCK_LINE] = line
                skipping = which == _COMMENT or which == _LAST_BLOCK
            at = end
        else:
            error, error_at = E_WORD, begin
            break
    st[T_TIME] = time
    st[T_LINE] = line
    st[T_SKIPPING] = 1 if skipping else 0
    st[T_ERROR] = error
    st[T_ERROR_AT] = error_at
    st[T_CHANGES] += changes
    return at
