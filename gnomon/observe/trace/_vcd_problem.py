"""What is wrong with a value change, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.base.errors import GnomonError
from gnomon.observe.trace import _vcd_scan as at
from gnomon.observe.trace._activity import path_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gnomon.observe.trace._activity import Counts
    from gnomon.observe.trace._vcd_header import DeclaredNet
    from gnomon.observe.trace._vcd_scan import Array

_MOST_SHOWN = 40
_VALUES = frozenset("01xXzZuUwWlLhH-")


def scan_problem(file: str, st: Counts, buffer: Array, nets: Sequence[DeclaredNet]) -> GnomonError:
    """The error that stopped the scanner, with file, line and what was expected."""
    first = int(st[at.T_ERROR_AT])
    words = buffer[first : first + 80].tobytes().split()
    word = words[0].decode("ascii", errors="backslashreplace")
    net = nets[int(st[at.T_ERROR_NET])]
    return GnomonError(f"{file}:{int(st[at.T_LINE])}: {_message(st, word, net)}")


def _message(st: Counts, word: str, net: DeclaredNet) -> str:
    shown = repr(word if len(word) <= _MOST_SHOWN else word[: _MOST_SHOWN - 3] + "...")
    match int(st[at.T_ERROR]):
        case at.E_WORD if word[:1] in {"p", "P"}:
            return f"{shown} is a value of an extended VCD ($dumpports), not read here"
        case at.E_WORD:
            return f"expected a value change, a time mark such as #10, or a $keyword, found {shown}"
        case at.E_CODE if word[:1] in _VALUES and len(word) > 1:
            return f"identifier code {word[1:_MOST_SHOWN]!r} of {shown} is declared by no $var"
        case at.E_CODE:
            return f"identifier code {shown} is declared by no $var"
        case at.E_TIME:
            return f"expected '#' and a time in timescale units, found {shown}"
        case at.E_TIME_BACK:
            return f"time {shown} is before #{int(st[at.T_TIME])}: time only goes forward"
        case at.E_DIGIT:
            return f"expected a vector of the digits 0 1 x z, found {shown}"
        case at.E_WIDE:
            return f"{shown} has more digits than {_declared(net)} has bits, {net.width_bits}"
        case at.E_NO_CODE:
            return f"value {shown} without an identifier code right behind it"
        case at.E_CUT:
            return f"the file ends inside the value change that begins with {shown}"
        case at.E_DECLARATION:
            return f"{shown} after $enddefinitions"
        case at.E_NOT_BITS:
            return f"{shown} is a real number or text, but {_declared(net)} has bits"
        case _:
            return f"unknown keyword {shown}"


def _declared(net: DeclaredNet) -> str:
    scope, name, _, _ = net.names[0]
    return f"{path_of((*scope, name))} of line {net.line}"
