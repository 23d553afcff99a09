"""What ``--trace-window`` says: cycles, a function or two addresses of a program."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gnomon.base.errors import GnomonError
from gnomon.sim import Region, TraceWindow

if TYPE_CHECKING:
    from gnomon.program import Program

_FORMS = (
    "FIRST:END in cycles (either may be left out), FUNCTION, or 0xADDRESS:0xADDRESS; behind the"
    " last two @N for the Nth time, @all for every time"
)


def parse_window(text: str, program: Program, *, max_slots: int | None = None) -> TraceWindow:
    """The window that a text names: ``1000:2000``, ``multiply``, ``multiply@3``, ``0x80:0x90``.

    Raises:
        GnomonError: it is none, or the program has no such function.
    """
    place, at, which = text.partition("@")
    entry: int | None = 1
    if at:
        if which == "all":
            entry = None
        elif re.fullmatch(r"[0-9]{1,9}", which) and int(which) > 0:
            entry = int(which)
        else:
            raise GnomonError(f"--trace-window {text}: behind @ stands a number from 1, or all")
    cycles = re.fullmatch(r"([0-9_]*):([0-9_]*)", place)
    if cycles and place != ":" and not at:
        first, end = (part.replace("_", "") for part in cycles.groups())
        try:
            return TraceWindow(int(first or 0), int(end) if end else None, max_slots=max_slots)
        except GnomonError as error:
            raise GnomonError(f"--trace-window {text}: {error}") from None
    addresses = re.fullmatch(r"0[xX]([0-9a-fA-F]{1,8}):0[xX]([0-9a-fA-F]{1,8})", place)
    if addresses:
        start, last = (int(part, 16) for part in addresses.groups())
        return TraceWindow(region=Region("window", start, last), entry=entry, max_slots=max_slots)
    if not place or ":" in place:
        raise GnomonError(f"--trace-window {text}: no window; one is {_FORMS}")
    try:
        symbol = program.symbol(place)
    except GnomonError as error:
        raise GnomonError(f"--trace-window {text}: {error}; a window is {_FORMS}") from None
    return TraceWindow(region=Region("window", symbol.address), entry=entry, max_slots=max_slots)
