"""Interface to the scanner of value changes: its state between two calls, and its functions.

The scanner is written in C (``scan.c``); this module defines its state for both languages.
"""

import ctypes
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from gnomon.base import structs
from gnomon.base.native import Native, load_native
from gnomon.base.structs import Field, Struct, constants

Array = npt.NDArray[Any]

_STATES = 5  # times per bit
_DIRECT_LENGTH = 3
_DIRECT_SIZE = 94 + 94**2 + 94**3 + 1  # codes of up to three characters
_UNKNOWN = 2
_MOST_INTERVALS = 256

ERRORS: Final = {
    "none": "",
    "word": "expected a value change, a time mark such as #10, or a $keyword, found {shown}",
    "code": "identifier code {shown} is declared by no $var",
    "time": "expected '#' and a time in timescale units, found {shown}",
    "time-back": "time {shown} is before #{time}: time only goes forward",
    "digit": "expected a vector of the digits 0 1 x z, found {shown}",
    "wide": "{shown} has more digits than {net} has bits, {width}",
    "no-code": "value {shown} without an identifier code right after it",
    "keyword": "unknown keyword {shown}",
    "cut": "the file ends inside the value change that begins with {shown}",
    "declaration": "{shown} after $enddefinitions",
    "not-bits": "{shown} is a real number or text, but {net} has bits",
}
"""Errors in the command that stopped the scanner."""

SCANNER: Final = Struct(
    "Scanner",
    "State of the scan of a recording.",
    (
        Field("time", "current time in timescale units; -1 before the first time mark"),
        Field("line", "line of the next command, or of the error"),
        Field("start", "first time mark"),
        Field("from", "window: changes at from <= time < to count"),
        Field("to"),
        Field("skipping", "inside $comment: 1"),
        Field("suspended", "between $dumpoff and $dumpon: 1"),
        Field("stopped", "the end of the window is reached"),
        Field("error", "E_*: one of ERRORS"),
        Field("error_at", "position in the buffer"),
        Field("error_net"),
        Field("block_line", "line of the $dump... or $comment that is open, or 0"),
        Field("changes", "value changes read"),
        Field("clock_net", "or -1"),
        Field("clock_last", "time of the last rising edge, also before the window"),
        Field("clock_open", "the clock is known since that edge: 1"),
        Field("interval_rows", "number of different times between two rising edges so far"),
        Field("interval_limit", "largest number of them"),
        Field("further_intervals", "intervals of other lengths"),
        Field("nets"),
        Field("bits"),
        Field("words"),
        Field("slot_mask", "slots are a power of two, less this one"),
        Field("direct", "net by short code", "int32_t", pointer=True),
        Field("slots", "net by long code: open addressing", "int32_t", pointer=True),
        Field("codes", "identifier codes, concatenated", "uint8_t", pointer=True),
        Field("code_at", "start of the code of a net in codes", pointer=True),
        Field("net_bit", "first bit of a net; -1: not counted, -2: it has none", pointer=True),
        Field("net_word", "first word of a vector", pointer=True),
        Field("net_width", "", pointer=True),
        Field("ones", "bits of vectors: 1 or z", "uint64_t", pointer=True),
        Field("strange", "bits of vectors: x or z", "uint64_t", pointer=True),
        Field("now", "value of a bit: 0, 1, x, z", "uint8_t", pointer=True),
        Field(
            "before", "value of a bit before the time of its last change", "uint8_t", pointer=True
        ),
        Field("since", "time of the last change of a bit", pointer=True),
        Field("toggles", "", pointer=True),
        Field("times", "by bit and value", pointer=True),
        Field("intervals", "rows of time between two rising edges and its count", pointer=True),
    ),
)


def _headers() -> Mapping[str, str]:
    numbers = {f"E_{name.upper().replace('-', '_')}": k for k, name in enumerate(ERRORS)}
    text = ['#include "native.h"', constants(numbers), SCANNER.declaration()]
    return {"scan_state.h": "\n".join(text) + "\n"}


_HERE = Path(__file__)
LIBRARY: Final = Native(
    "vcd",
    "the reader of recordings",
    (_HERE.with_name("scan.c"),),
    (_HERE, Path(structs.__file__)),
    _headers,
)


class Scan:
    """The scan of one recording."""

    def __init__(self, codes: Sequence[bytes], net_bit: Array, net_width: Array) -> None:
        self._functions = load_native(LIBRARY)
        self._functions.scan.restype = ctypes.c_int64
        counted = net_bit >= 0
        bits = int(net_width[counted].sum())
        words = np.where(counted & (net_width > 1), (net_width + 63) // 64, 0)
        word_count = int(words.sum())
        long_codes = sum(len(code) > _DIRECT_LENGTH for code in codes)
        slot_count = 1 << max(1, (2 * long_codes).bit_length())
        self.now = np.full(bits, _UNKNOWN, dtype=np.uint8)  # value of each bit
        self.since = np.full(bits, -1, dtype=np.int64)  # time of its last change
        self.toggles = np.zeros(bits, dtype=np.int64)
        self.times = np.zeros((bits, _STATES), dtype=np.int64)  # in each state
        self._arrays: dict[str, Array] = {
            "direct": np.full(_DIRECT_SIZE, -1, dtype=np.int32),
            "slots": np.full(slot_count, -1, dtype=np.int32),
            "codes": np.frombuffer(b"".join(codes), dtype=np.uint8),
            "code_at": np.cumsum([0, *map(len, codes)], dtype=np.int64),
            "net_bit": net_bit,
            "net_word": np.cumsum(words) - words,
            "net_width": net_width,
            "ones": np.zeros(word_count, dtype=np.uint64),
            "strange": np.full(word_count, ~np.uint64(0), dtype=np.uint64),
            "now": self.now,
            "before": self.now.copy(),
            "since": self.since,
            "toggles": self.toggles,
            "times": self.times,
            "intervals": np.zeros((_MOST_INTERVALS, 2), dtype=np.int64),
        }
        self.state = SCANNER.make()  # the numbers, by name
        self.state["time"] = self.state["start"] = -1
        self.state["nets"] = len(codes)
        self.state["bits"] = bits
        self.state["words"] = word_count
        self.state["slot_mask"] = slot_count - 1
        self.state["interval_limit"] = _MOST_INTERVALS
        SCANNER.point(self.state, self._arrays)
        self._pointer = ctypes.c_void_p(self.state.ctypes.data)
        self._functions.index_codes(self._pointer)

    @property
    def intervals(self) -> dict[int, int]:
        """Histogram of the times between two rising edges of the clock."""
        rows = self._arrays["intervals"][: int(self.state["interval_rows"])]
        return {int(length): int(count) for length, count in rows}

    @property
    def error(self) -> str:
        return [*ERRORS][self.state["error"]]

    def read(self, buffer: Array, count: int, *, final: bool) -> int:
        """Read the commands in ``buffer[:count]``; return the number of bytes consumed.

        The remaining bytes are an incomplete command, or one with the error in ``error``.
        ``final``: no data follow.
        """
        done = self._functions.scan(
            self._pointer, ctypes.c_void_p(buffer.ctypes.data), ctypes.c_int64(count), final
        )
        return int(done)
