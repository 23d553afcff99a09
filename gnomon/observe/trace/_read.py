"""One door for all formats: the content decides."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from gnomon.base.errors import GnomonError
from gnomon.observe.trace._fst import read_fst
from gnomon.observe.trace._saif_read import read_saif
from gnomon.observe.trace._source import open_source, sniff
from gnomon.observe.trace._vcd import WHOLE, Window, read_vcd

if TYPE_CHECKING:
    from pathlib import Path

    from gnomon.observe.trace._activity import Activity


def read_activity(
    path: str | Path,
    *,
    scope: str | None = None,
    window: Window = WHOLE,
    clock_net: str | None = None,
    find_clock: bool = False,
) -> Activity:
    """Toggles and times of every bit of a VCD, FST or SAIF file, gzip or not.

    Args:
        path: the file, or ``-`` for standard input (not FST).
        scope: pattern of the instances to count, each with all below it; None = all.
        window: part of the time to count (not SAIF, which holds totals).
        clock_net: path of the net that is the clock.
        find_clock: without ``clock_net``, take the outermost net named like a clock, if it is the
            only one there.

    Raises:
        GnomonError: the file cannot be read or is malformed (with file and line), an option does
            not fit its content, or the library for FST is not installed.
    """
    with open_source(path) as source:
        form = sniff(source)
        if form == "saif":
            if window != WHOLE:
                raise GnomonError(
                    f"{source.name}: --from and --to need a VCD or FST; SAIF holds totals only"
                )
            return read_saif(source, scope=scope, clock_net=clock_net, find_clock=find_clock)
        read = partial(
            read_vcd,
            scope=scope,
            window=window,
            clock_net=clock_net,
            find_clock=find_clock,
            origin=form,
        )
        return read(source) if form == "vcd" else read_fst(path, read)
