"""The declarations of a VCD: everything up to ``$enddefinitions $end``."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import NoReturn

from gnomon.base.errors import GnomonError
from gnomon.observe.trace._activity import format_timescale, parse_timescale, quoted
from gnomon.observe.trace._source import RecordingStream

EXTENDED = (
    "this is an extended VCD, whose port values (drivers and strengths) are not read; record with "
    "$dumpvars"
)
MAX_WIDTH_BITS = 1 << 22
MAX_BITS = 1 << 26
"""Limit over all nets: 4 GiB at about 60 bytes per bit. A larger file is taken as damaged."""

_MAX_CODE = 64  # characters; real ones have at most 5
_MAX_TOKEN = 1 << 20
_CHUNK_BYTES = 1 << 18
_TOKEN = re.compile(rb"[^ \t\r\n\v\f]+")
_RANGE = re.compile(r"(.+?)\s*\[(-?[0-9]{1,9})(?::(-?[0-9]{1,9}))?\]", re.DOTALL | re.ASCII)

# Variables without bits that could toggle: numbers, texts, moments and constants.
LEFT_OUT_TYPES = frozenset(
    ("real", "realtime", "shortreal", "real_parameter", "parameter", "event", "string", "sparray")
)
_KEYWORDS = frozenset(
    b"$comment $date $version $timescale $scope $upscope $var $enddefinitions "
    b"$dumpvars $dumpall $dumpon $dumpoff $dumpports".split()
)
_WITH_BODY = frozenset(("$timescale", "$scope", "$upscope", "$var", "$enddefinitions"))


@dataclass(slots=True)
class DeclaredNet:
    """One identifier code: the variables that share it are one net."""

    code: bytes
    width_bits: int
    line: int
    counted: bool
    names: list[tuple[tuple[str, ...], str, int | None, int | None]] = field(default_factory=list)


class Header:
    """The parsed declarations; ``rest`` are the bytes read beyond them, from ``line`` on.

    ``timescale_fs``: timescale of a recording that states none; 0: unknown.
    """

    def __init__(self, source: RecordingStream, timescale_fs: int = 0) -> None:
        self._given_fs = timescale_fs
        self._source = source
        self._buffer, self._at = b"", 0
        self.line = 1
        self.timescale_fs = 0
        self._scope: tuple[str, ...] = ()
        self._nets: dict[bytes, DeclaredNet] = {}
        self._left_out: Counter[str] = Counter()
        self._bits = 0
        self._words = self._split()
        self._read()
        self.nets = list(self._nets.values())
        self.left_out = dict(sorted(self._left_out.items()))

    @property
    def rest(self) -> bytes:
        return self._buffer[self._at :]

    def _split(self) -> Iterator[bytes]:
        buffer, at = b"", 0
        while True:
            match = _TOKEN.search(buffer, at)
            if match is None or match.end() == len(buffer):
                if match is not None and len(match[0]) > _MAX_TOKEN:
                    self._fail(f"a word of more than {_MAX_TOKEN} bytes")
                if more := self._source.read(_CHUNK_BYTES):
                    self._buffer, self._at = buffer, at = buffer[at:] + more, 0
                    continue
                if match is None:
                    return
            self.line += buffer.count(b"\n", at, match.start())
            self._at = at = match.end()
            yield match[0]

    def _read(self) -> None:
        does = {"$timescale": self._read_timescale, "$scope": self._enter, "$upscope": self._leave,
                "$var": self._read_var}  # fmt: skip
        for word in self._words:
            keyword = word.decode("utf-8", errors="replace").removeprefix("\ufeff")
            if not keyword.startswith("$"):
                self._fail(
                    f"expected a $keyword such as $var or $enddefinitions, found {quoted(word)}"
                )
            line = self.line
            body = self._read_body(keyword, line)
            if keyword in does:
                does[keyword](body, line)
            elif keyword.startswith("$dumpports"):
                self._fail(f"{keyword}: {EXTENDED}", line)
            elif keyword.startswith("$dump"):
                self._fail(f"{keyword} before $enddefinitions", line)
            elif keyword == "$enddefinitions":
                if body:
                    self._fail(f"expected $end after $enddefinitions, found {quoted(body[0])}")
                self.timescale_fs = self.timescale_fs or self._given_fs
                if not self._nets:
                    self._fail("no $var before $enddefinitions: nothing is recorded", line)
                return
        self._fail("the file ends inside the declarations, before $enddefinitions $end")

    def _fail(self, message: str, line: int | None = None) -> NoReturn:
        raise GnomonError(f"{self._source.name}:{line or self.line}: {message}")

    def _read_body(self, keyword: str, line: int) -> list[bytes]:
        body: list[bytes] = []
        for word in self._words:
            if word == b"$end":
                return body
            if keyword != "$comment" and word in _KEYWORDS:
                self._fail(
                    f"expected the $end of the {keyword} of line {line}, found {quoted(word)}"
                )
            if keyword in _WITH_BODY:
                body.append(word)
        message = f"the file ends before the $end of the {keyword} of line {line}"
        raise GnomonError(f"{self._source.name}:{self.line}: {message}")

    def _read_timescale(self, body: list[bytes], line: int) -> None:
        text = b" ".join(body).decode("ascii", errors="replace")
        self.timescale_fs = parse_timescale(text, partial(self._fail, line=line))
        if self._given_fs not in (0, self.timescale_fs):
            given = format_timescale(self._given_fs)
            self._fail(f"the timescale is {quoted(text)}, --timescale says {given}", line)

    def _enter(self, body: list[bytes], line: int) -> None:
        if not body:
            self._fail("expected '$scope type name $end'", line)
        # Some simulators leave the outermost scope without a name.
        self._scope = (*self._scope, _decode_name(b" ".join(body[1:])) or "(unnamed)")

    def _leave(self, _: list[bytes], line: int) -> None:
        if not self._scope:
            self._fail("$upscope without a $scope that is open", line)
        self._scope = self._scope[:-1]

    def _read_var(self, body: list[bytes], line: int) -> None:
        if len(body) < 4:
            self._fail(
                "expected '$var type width code name [range] $end', found "
                f"{quoted(b' '.join((b'$var', *body)))}",
                line,
            )
        kind = body[0].decode("ascii", errors="replace")
        width_text, code = body[1], body[2]
        counted = kind not in LEFT_OUT_TYPES
        if kind == "port":
            self._fail(f"$var port: {EXTENDED}", line)
        if not width_text.isdigit() or len(width_text) > 12:
            self._fail(f"expected a width in bits, found {quoted(width_text)}", line)
        width = int(width_text)
        if counted and not 1 <= width <= MAX_WIDTH_BITS:
            self._fail(f"width {width} is not between 1 and {MAX_WIDTH_BITS} bits", line)
        if len(code) > _MAX_CODE or not all(33 <= byte <= 126 for byte in code):
            self._fail(
                f"expected an identifier code of printable ASCII, found {quoted(code)}", line
            )
        known = self._nets.get(code)
        if known is None:
            known = self._nets[code] = DeclaredNet(code, width, line, counted)
            if not counted:
                self._left_out[f"{kind} variables"] += 1
            self._bits += width * counted
            if self._bits > MAX_BITS:
                self._fail(f"more than {MAX_BITS} bits are declared up to here", line)
        elif known.counted != counted or (counted and known.width_bits != width):
            self._fail(
                f"identifier code {quoted(code)} is declared with {width} bits as {kind}, and with "
                f"{known.width_bits} bits in line {known.line}",
                line,
            )
        known.names.append((self._scope, *_split_range(_decode_name(b" ".join(body[3:])), width)))


def _decode_name(data: bytes) -> str:
    """Return a name without the backslash that begins an escaped identifier."""
    return data.decode("utf-8", errors="backslashreplace").removeprefix("\\")


def _split_range(text: str, width_bits: int) -> tuple[str, int | None, int | None]:
    match = _RANGE.fullmatch(text)
    if match is None:
        return text, None, None
    left = int(match[2])
    right = left if match[3] is None else int(match[3])
    if abs(left - right) + 1 != width_bits:
        return text, None, None  # the brackets belong to the name, as for a word of a memory
    return match[1], left, right
