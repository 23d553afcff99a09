"""Reader of SAIF files: totals of every net."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NoReturn, TypeAlias

import numpy as np

from gnomon.base.errors import GnomonError, did_you_mean
from gnomon.observe.trace._activity import (
    STATES,
    ClockSeen,
    NetActivity,
    Signal,
    parse_timescale,
    path_of,
    quoted,
)
from gnomon.observe.trace._selection import EVERYTHING, Selection
from gnomon.observe.trace._source import RecordingStream

_CHUNK_BYTES = 1 << 20
_LARGEST_BYTES = 256 << 20  # it is held in memory as a whole
_SPACE = rb"[ \t\r\n\v\f]"
# Indices in round brackets, as VHDL writes them, are part of a name.
_PLAIN = rb'(?:\\.|/(?![/*])|[^\s()"\\/])+(?:\([0-9]+(?:[:,][0-9]+)*\))*'
_GAP = re.compile(rb"(?:" + _SPACE + rb"+|/\*.*?\*/|//[^\n]*)*", re.DOTALL)
_WORD = re.compile(rb'(?P<mark>[()])|"(?P<quoted>[^"\n]*)"|(?P<plain>' + _PLAIN + rb")", re.DOTALL)
# The usual form of a net, for speed; other forms are parsed word by word.
_NET = re.compile(
    rb"S*\(S*(P)((?:S*\(S*[A-Z][A-Z0-9]S+[0-9]{1,18}(?:\.[0-9]{0,18})?S*\))+)S*\)".replace(
        b"S", _SPACE
    ).replace(b"(P)", b"(" + _PLAIN + b")"),
    re.DOTALL,
)
_VALUE = re.compile(rb"([A-Z][A-Z0-9])[ \t\r\n\v\f]+([0-9.]+)")
_NUMBER = re.compile(r"[0-9]{1,18}(?:\.[0-9]{0,18})?", re.ASCII)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_MAX_DEPTH = 4096
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_HEADER = ("SAIFVERSION", "DIRECTION", "DESIGN", "DATE", "VENDOR", "PROGRAM_NAME", "VERSION",
           "PROGRAM_VERSION", "DIVIDER", "TIMESCALE", "DURATION", "INSTANCE")  # fmt: skip
_STATE_KEYS = tuple(state.upper() for state in STATES)
_GLITCH_KEYS = ("TG", "IG", "IK")
_KEYS = (*_STATE_KEYS, "TC", *_GLITCH_KEYS)
_KEY_SET = frozenset(_KEYS)


def read_saif(source: RecordingStream, selection: Selection = EVERYTHING) -> NetActivity:
    """Read a SAIF file.

    Raises:
        GnomonError: if the file is malformed, with its line, or nothing is selected.
    """
    return _Reader(source, selection).read()


def unescaped(text: str) -> str:
    """Return a name without the backslashes that escape the next character."""
    return _ESCAPE.sub(r"\1", text) if "\\" in text else text


Number: TypeAlias = "int | Fraction"


def _parse_number(text: str) -> Number:
    """Return a number, as an integer if it is whole: some tools write 20 as 20.00."""
    value = Fraction(text)
    return value.numerator if value.denominator == 1 else value


def _format_decimal(value: Number) -> str:
    return str(value) if value.denominator == 1 else str(float(value))


@dataclass(slots=True)
class _Table:
    """Entries of one kind: toggles and unknown time of all, and rows of the counted ones."""

    known: dict[tuple[str, ...], dict[str, tuple[int, Number]]] = field(default_factory=dict)
    signals: list[Signal] = field(default_factory=list)
    toggles: list[int] = field(default_factory=list)
    rows: list[tuple[Number, ...]] = field(default_factory=list)
    glitches: Counter[str] = field(default_factory=Counter)

    def times(self, factor: int) -> list[tuple[int, ...]]:
        """Return the times of the rows in units that are finer by ``factor``."""
        return [tuple(int(each * factor) for each in row) for row in self.rows]


class _Reader:
    """Reader that parses word by word, and nets of the usual form at once.

    The file is held in memory.
    """

    def __init__(self, source: RecordingStream, selection: Selection) -> None:
        self._file = source.name
        self._data = self._read_all(source)
        self._at = 3 * self._data.startswith(_BYTE_ORDER_MARK)
        self._selection = selection
        self._header: dict[str, str] = {}
        self._timescale_fs = 0
        self._duration = Fraction(0)
        self._tables = {what: _Table() for what in ("NET", "PORT")}
        self._scopes: dict[tuple[str, ...], None] = {}
        self._left_out: Counter[str] = Counter()

    @staticmethod
    def _read_all(source: RecordingStream) -> bytes:
        parts, size = [], 0
        while part := source.read(_CHUNK_BYTES):
            parts.append(part)
            size += len(part)
            if size > _LARGEST_BYTES:
                raise GnomonError(f"{source.name}: a SAIF of more than {_LARGEST_BYTES >> 20} MiB")
        return b"".join(parts)

    def _fail(self, message: str) -> NoReturn:
        """Reject the file, with the line of the last word."""
        line = self._data.count(b"\n", 0, self._at) + 1
        raise GnomonError(f"{self._file}:{line}: {message}")

    def _next(self) -> tuple[str, str] | None:
        """Return the kind (mark, quoted or plain) and text of the next word; None at the end.

        A mark is ``(`` or ``)``.
        """
        gap = _GAP.match(self._data, self._at)
        assert gap is not None
        self._at = gap.end()
        match = _WORD.match(self._data, self._at)
        if match is None:
            rest = self._data[self._at : self._at + 2]
            if not rest:
                return None
            if rest == b"/*":
                self._fail("the file ends inside a comment")
            if rest[:1] == b'"':
                self._fail('expected the closing " of a text on the same line')
            self._fail(f"expected a word, found {rest[:1]!r}")
        self._at = match.end()
        kind = str(match.lastgroup)
        return kind, match[kind].decode("utf-8", errors="backslashreplace")

    def _match_net(self) -> tuple[str, dict[str, Number]] | None:
        """Return name and attributes of the next net if it has the usual form.

        None leaves the position unchanged: the net is then parsed word by word.
        """
        match = _NET.match(self._data, self._at)
        if match is None:
            return None
        pairs = _VALUE.findall(match[2])
        values = {
            key.decode(): int(value) if value.isdigit() else _parse_number(value.decode())
            for key, value in pairs
        }
        if len(values) != len(pairs):
            return None
        self._at = match.end()
        return unescaped(match[1].decode("utf-8", errors="backslashreplace")), values

    def _read_word(self, expected: str) -> tuple[str, str]:
        word = self._next()
        if word is None:
            self._fail(f"the file ends, expected {expected}")
        return word

    def _read_text(self, what: str) -> str:
        kind, text = self._read_word(what)
        if kind == "mark":
            self._fail(f"expected {what}, found {text!r}")
        return text if kind == "quoted" else unescaped(text)

    def _read_mark(self, marks: str, what: str) -> str:
        kind, text = self._read_word(what)
        if kind != "mark" or text not in marks:
            self._fail(f"expected {what}, found {quoted(text)}")
        return text

    def read(self) -> NetActivity:
        self._read_mark("(", "'(SAIFILE'")
        if self._read_text("SAIFILE") != "SAIFILE":
            self._fail("expected '(SAIFILE' at the beginning")
        while self._read_mark("()", "'(' or the ')' that closes SAIFILE") == "(":
            self._read_item()
        extra = self._next()
        if extra is not None:
            self._fail(f"expected the end of the file, found {quoted(extra[1])}")
        if not self._scopes:
            self._fail("expected an INSTANCE: nothing is recorded")
        # Ports are further names of nets of the parent instance; listed nets are sufficient.
        nets, ports = self._tables["NET"], self._tables["PORT"]
        of_ports = not any(nets.known.values())
        taken = ports if of_ports else nets
        if not taken.signals:
            if self._selection.scope is not None:
                raise self._selection.refuse(self._file, self._scopes)
            self._fail("no NET and no PORT in any instance")
        if not of_ports and (count := sum(map(len, ports.known.values()))):
            self._left_out["PORT entries"] = count
        for key, glitches in taken.glitches.items():
            self._left_out[f"{key} (glitches)"] = glitches
        factor = self._find_factor(taken)
        table = np.array(taken.times(factor), dtype=np.int64)
        left_out = dict(sorted(self._left_out.items()))
        return NetActivity(
            self._file, "saif", self._timescale_fs // factor, 0, int(self._duration * factor),
            tuple(taken.signals), np.array(taken.toggles, dtype=np.int64), table, left_out,
            self._find_clock(taken, factor), of_ports=of_ports,
        )  # fmt: skip

    def _find_factor(self, table: _Table) -> int:
        """Return the factor by which a finer timescale makes all times whole numbers."""
        parts = {each.denominator for row in table.rows for each in row}
        parts.add(self._duration.denominator)
        whole = (10**k for k in range(19) if not any(10**k % each for each in parts))
        factor = next(whole, 10**19)
        if self._timescale_fs % factor or self._duration * factor >= 10**18:
            self._fail("times have more decimals than a femtosecond or 18 digits hold")
        return factor

    def _read_item(self) -> None:
        key = self._read_text("a keyword")
        if key not in _HEADER:
            self._fail(
                f"unknown item {quoted(key)}, expected one of {', '.join(_HEADER)}"
                f"{did_you_mean(key, _HEADER)}"
            )
        if key == "INSTANCE":
            for needed in ("SAIFVERSION", "DIRECTION", "TIMESCALE", "DURATION"):
                if needed not in self._header:
                    self._fail(f"expected {needed} before the first INSTANCE")
            self._read_instances()
            return
        if key in self._header:
            self._fail(f"a second {key}")
        parts = []
        while (word := self._read_word(f"the ')' of {key}"))[0] != "mark":
            parts.append(word[1])
        if word[1] == "(":
            self._fail(f"expected the ')' of {key}, found '('")
        value = self._header[key] = " ".join(parts)
        if key == "SAIFVERSION" and value != "2.0":
            self._fail(f'expected SAIFVERSION "2.0", found {quoted(value)}')
        if key == "DIRECTION" and value != "backward":
            self._fail(f'expected DIRECTION "backward" (from a simulation), found {quoted(value)}')
        if key == "TIMESCALE":
            self._timescale_fs = parse_timescale(value, self._fail)
        if key == "DURATION":
            if not _NUMBER.fullmatch(value) or not _parse_number(value):
                self._fail(f"expected a DURATION in timescale units, found {quoted(value)}")
            self._duration = Fraction(value)

    def _read_instances(self) -> None:
        """Parse one INSTANCE with all below it, in a loop because the file decides the depth."""
        path: tuple[str, ...] = (self._read_instance_name(),)
        self._scopes[path] = None
        while path:
            if self._read_mark("()", "'(' or the ')' that closes an INSTANCE") == ")":
                path = path[:-1]
                continue
            key = self._read_text("NET, PORT or INSTANCE")
            if key == "INSTANCE":
                path = (*path, self._read_instance_name())
                if len(path) > _MAX_DEPTH:
                    self._fail(f"instances nest more than {_MAX_DEPTH} deep")
                self._scopes[path] = None
            elif key in {"NET", "PORT"}:
                self._read_nets(path, key)
            else:
                self._fail(
                    f"expected NET, PORT or INSTANCE, found {quoted(key)}; state- and "
                    "path-dependent activity is not read"
                )

    def _read_instance_name(self) -> str:
        kind, text = self._read_word("an instance name")
        if kind == "quoted":  # the library cell, optional; or the name, where nothing follows
            before = self._at
            kind, further = self._read_word("an instance name")
            if kind == "mark":
                self._at = before
                return text
            text = further if kind == "plain" else unescaped(further)
        if kind == "quoted":
            return text
        if kind != "plain":
            self._fail(f"expected an instance name, found {quoted(text)}")
        return unescaped(text)

    def _read_nets(self, path: tuple[str, ...], what: str) -> None:
        table = self._tables[what]
        while True:
            plain = self._match_net()
            if plain is None:
                if self._read_mark("()", f"'(' or the ')' that closes {what}") == ")":
                    return
                plain = self._read_net(path)
            self._take(path, *plain, table)

    def _read_net(self, path: tuple[str, ...]) -> tuple[str, dict[str, Number]]:
        name = self._read_text("a net name")
        label = path_of((*path, name))
        values: dict[str, Number] = {}
        while self._read_mark("()", f"'(' or the ')' that closes net {label}") == "(":
            key = self._read_text("an attribute")
            if key not in _KEY_SET:
                self._reject_attribute(label, key)
            if key in values:
                self._fail(f"net {label}: a second {key}")
            text = self._read_text(f"a number after {key}")
            if not _NUMBER.fullmatch(text):
                self._fail(f"expected a number of at most 18 digits after {key}, found {text!r}")
            values[key] = _parse_number(text)
            self._read_mark(")", f"the ')' of {key}")
        return name, values

    def _take(
        self, path: tuple[str, ...], name: str, values: dict[str, Number], table: _Table
    ) -> None:
        if not values.keys() <= _KEY_SET:
            odd = next(key for key in values if key not in _KEY_SET)
            self._reject_attribute(path_of((*path, name)), odd)
        if "TC" not in values:
            self._fail(f"net {path_of((*path, name))}: expected a TC, the number of toggles")
        if values["TC"].denominator != 1:
            self._fail(f"net {path_of((*path, name))}: expected a whole number of toggles")
        times = tuple([values.get(key, 0) for key in _STATE_KEYS])
        if sum(times) != self._duration:
            given = ", ".join(key for key in _STATE_KEYS if key in values) or "nothing"
            self._fail(
                f"net {path_of((*path, name))}: expected times that sum to the DURATION "
                f"{_format_decimal(self._duration)}, found {given} with"
                f" {_format_decimal(sum(times))}"
            )
        known = table.known.setdefault(path, {})
        if name in known:
            self._fail(f"a second net {path_of((*path, name))}")
        toggles = int(values["TC"])
        known[name] = (toggles, sum(times[2:]))
        for key in _GLITCH_KEYS:
            if values.get(key):
                table.glitches[key] += int(values[key])
        if self._selection.takes(path):
            table.signals.append(Signal(path, name, 1, len(table.signals)))
            table.toggles.append(toggles)
            table.rows.append(times)

    def _reject_attribute(self, label: str, key: str) -> NoReturn:
        self._fail(
            f"net {label}: unknown attribute {quoted(key)}, expected one of"
            f" {', '.join(_KEYS)}{did_you_mean(key, _KEYS)}"
        )

    def _find_clock(self, table: _Table, factor: int) -> ClockSeen | None:
        if not (self._selection.clock_net or self._selection.find_clock):
            return None
        places = [(path, *net) for path, nets in table.known.items() for net in nets.items()]
        nets = ((path, name, row) for row, (path, name, _) in enumerate(places))
        net, row = self._selection.find_clock_net(self._file, nets) or ("", -1)
        toggles, unknown = places[row][2] if row >= 0 else (0, 0)
        if not toggles and not self._selection.clock_net:
            return None
        # Subtract the time in which the value of the clock is unknown.
        known = (self._duration - unknown) * factor
        period = 2 * known / toggles if toggles and known else None
        return ClockSeen(net, toggles, period, exact_edges=False)
