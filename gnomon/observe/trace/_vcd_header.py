"""The declarations of a VCD: everything up to ``$enddefinitions $end``."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NoReturn

from gnomon.base.errors import GnomonError
from gnomon.observe.trace._activity import parse_timescale

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gnomon.observe.trace._read import Source

MAX_WIDTH_BITS = 1 << 22
MAX_BITS = 1 << 26
"""Of all nets together: at about 60 bytes each, 4 GiB. More is a damaged file."""

_MAX_CODE = 64  # characters; real ones have at most 5
_MAX_TOKEN = 1 << 20
_CHUNK_BYTES = 1 << 18
_TOKEN = re.compile(rb"[^ \t\r\n\v\f]+")
_RANGE = re.compile(r"(.+?)\s*\[(-?[0-9]{1,9})(?::(-?[0-9]{1,9}))?\]", re.DOTALL | re.ASCII)

# Variables without bits that could toggle: numbers, texts, moments and constants.
LEFT_OUT_TYPES = frozenset(
    ("real", "realtime", "shortreal", "real_parameter", "parameter", "event", "string", "sparray")
)


@dataclass(slots=True)
class DeclaredNet:
    """One identifier code: the variables that share it are one net."""

    code: bytes
    width_bits: int
    line: int
    counted: bool
    names: list[tuple[tuple[str, ...], str, int | None, int | None]] = field(default_factory=list)


@dataclass(slots=True)
class Header:
    """What the declarations say. ``rest`` are the bytes read beyond them, from ``line`` on."""

    timescale_fs: int
    nets: list[DeclaredNet]
    scopes: list[tuple[str, ...]]
    left_out: dict[str, int]
    rest: bytes
    line: int


class _Tokens:
    """Words of a stream with their lines. ``rest`` is what has been read beyond the last one."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._buffer = b""
        self._at = 0
        self.line = 1

    def __iter__(self) -> Iterator[bytes]:
        while True:
            match = _TOKEN.search(self._buffer, self._at)
            if match is None or match.end() == len(self._buffer):
                if match is not None and len(match[0]) > _MAX_TOKEN:
                    raise GnomonError(
                        f"{self._source.name}:{self.line}: a word of more than {_MAX_TOKEN} bytes"
                    )
                more = self._source.read(_CHUNK_BYTES)
                if more:
                    self._drop_read()
                    self._buffer += more
                    continue
                if match is None:
                    return
            self.line += self._buffer.count(b"\n", self._at, match.start())
            self._at = match.end()
            yield match[0]

    def _drop_read(self) -> None:
        self._buffer = self._buffer[self._at :]
        self._at = 0

    @property
    def rest(self) -> bytes:
        return self._buffer[self._at :]


def read_header(source: Source) -> Header:
    """Read declarations up to ``$enddefinitions $end``.

    Raises:
        GnomonError: with file and line, what is there and what was expected.
    """
    return _Declarations(source).read()


class _Declarations:
    def __init__(self, source: Source) -> None:
        self._file = source.name
        self._tokens = _Tokens(source)
        self._words = iter(self._tokens)
        self._timescale_fs: int | None = None
        self._scope: tuple[str, ...] = ()
        self._scopes: list[tuple[str, ...]] = []
        self._nets: dict[bytes, DeclaredNet] = {}
        self._left_out: Counter[str] = Counter()
        self._bits = 0

    def read(self) -> Header:
        for word in self._words:
            keyword = word.decode("ascii", errors="replace")
            if not keyword.startswith("$"):
                self._fail(
                    f"expected a $keyword such as $var or $enddefinitions, found {_shown(word)}"
                )
            line = self._tokens.line
            body = self._body(keyword, line)
            if keyword == "$enddefinitions":
                if body:
                    self._fail(f"expected $end after $enddefinitions, found {_shown(body[0])}")
                return self._finish(line)
            if keyword == "$timescale":
                self._timescale(body, line)
            elif keyword == "$scope":
                self._enter(body, line)
            elif keyword == "$upscope":
                self._leave(line)
            elif keyword == "$var":
                self._var(body, line)
            elif keyword.startswith("$dump"):
                self._fail(f"{keyword} before $enddefinitions", line)
        raise self._problem("the file ends inside the declarations, before $enddefinitions $end")

    def _fail(self, message: str, line: int | None = None) -> NoReturn:
        raise self._problem(message, line)

    def _problem(self, message: str, line: int | None = None) -> GnomonError:
        return GnomonError(f"{self._file}:{line or self._tokens.line}: {message}")

    def _body(self, keyword: str, line: int) -> list[bytes]:
        body: list[bytes] = []
        for word in self._words:
            if word == b"$end":
                return body
            if keyword != "$comment" and word in _KEYWORDS:
                self._fail(
                    f"expected the $end of the {keyword} of line {line}, found {_shown(word)}"
                )
            if keyword in _WITH_BODY:
                body.append(word)
        raise self._problem(f"the file ends before the $end of the {keyword} of line {line}")

    def _timescale(self, body: list[bytes], line: int) -> None:
        text = b" ".join(body).decode("ascii", errors="replace")
        scale = parse_timescale(text)
        if scale is None:
            self._fail(
                f"expected a timescale of 1, 10 or 100 s, ms, us, ns, ps or fs, found {text!r}",
                line,
            )
        self._timescale_fs = scale

    def _enter(self, body: list[bytes], line: int) -> None:
        if not body:
            self._fail("expected '$scope type name $end'", line)
        # Some simulators leave the outermost scope without a name.
        name = _text(b" ".join(body[1:])) or "(unnamed)"
        self._scope = (*self._scope, name)
        self._scopes.append(self._scope)

    def _leave(self, line: int) -> None:
        if not self._scope:
            self._fail("$upscope without a $scope that is open", line)
        self._scope = self._scope[:-1]

    def _var(self, body: list[bytes], line: int) -> None:
        if len(body) < 4:
            self._fail(
                "expected '$var type width code name [range] $end', found "
                f"{_shown(b' '.join((b'$var', *body)))}",
                line,
            )
        kind = body[0].decode("ascii", errors="replace")
        width_text, code = body[1], body[2]
        counted = kind not in LEFT_OUT_TYPES
        if not width_text.isdigit() or len(width_text) > 12:
            self._fail(f"expected a width in bits, found {_shown(width_text)}", line)
        width = int(width_text)
        if counted and not 1 <= width <= MAX_WIDTH_BITS:
            self._fail(f"width {width} is not between 1 and {MAX_WIDTH_BITS} bits", line)
        if len(code) > _MAX_CODE or not all(33 <= byte <= 126 for byte in code):
            self._fail(
                f"expected an identifier code of printable ASCII, found {_shown(code)}", line
            )
        name, left, right = _name_and_range(_text(b" ".join(body[3:])), width)
        known = self._nets.get(code)
        if known is None:
            known = DeclaredNet(code, width, line, counted)
            self._nets[code] = known
            if counted:
                self._bits += width
                if self._bits > MAX_BITS:
                    self._fail(f"more than {MAX_BITS} bits are declared up to here", line)
            else:
                self._left_out[f"{kind} variables"] += 1
        elif known.counted != counted or (counted and known.width_bits != width):
            self._fail(
                f"identifier code {_shown(code)} is declared with {width} bits as {kind}, and with "
                f"{known.width_bits} bits in line {known.line}",
                line,
            )
        known.names.append((self._scope, name, left, right))

    def _finish(self, line: int) -> Header:
        if self._timescale_fs is None:
            self._fail("no $timescale before $enddefinitions, as in '$timescale 1 ns $end'", line)
        if not self._nets:
            self._fail("no $var before $enddefinitions: nothing is recorded", line)
        return Header(
            self._timescale_fs,
            list(self._nets.values()),
            self._scopes,
            dict(sorted(self._left_out.items())),
            self._tokens.rest,
            self._tokens.line,
        )


_KEYWORDS = frozenset(
    b"$comment $date $version $timescale $scope $upscope $var $enddefinitions "
    b"$dumpvars $dumpall $dumpon $dumpoff $dumpports".split()
)
_WITH_BODY = frozenset(("$timescale", "$scope", "$upscope", "$var", "$enddefinitions"))


def _text(data: bytes) -> str:
    """A name; the backslash that begins an escaped identifier is no part of it."""
    name = data.decode("utf-8", errors="backslashreplace")
    return name.removeprefix("\\")


def _name_and_range(text: str, width_bits: int) -> tuple[str, int | None, int | None]:
    match = _RANGE.fullmatch(text)
    if match is None:
        return text, None, None
    left = int(match[2])
    right = left if match[3] is None else int(match[3])
    if abs(left - right) + 1 != width_bits:
        return text, None, None  # brackets that belong to the name, such as a word of a memory
    return match[1], left, right


def _shown(word: bytes) -> str:
    text = word.decode("ascii", errors="backslashreplace")
    return repr(text if len(text) <= 40 else text[:37] + "...")
