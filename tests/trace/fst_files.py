"""FST files for the tests, written with the C library itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def write_fst(
    path: Path,
    nets: Sequence[tuple[str, int]],
    changes: Sequence[tuple[int, int, str]],
    end: int,
    *,
    off: tuple[int, int] | None = None,
) -> Path:
    """Write nets (name, bits) of an instance ``tb`` with changes (time in ns, net, digits).

    A second name ``dut/alias`` is given to the first net. ``off``: recording is switched off in
    between.
    """
    from _libfstapi import ffi, lib

    context = lib.fstWriterCreate(str(path).encode(), 1)
    lib.fstWriterSetTimescaleFromString(context, b"1ns")
    lib.fstWriterSetScope(context, lib.FST_ST_VCD_MODULE, b"tb", ffi.NULL)

    def declare(name: str, bits: int, alias: int) -> int:
        span = f" [{bits - 1}:0]" if bits > 1 else ""
        kind, direction = lib.FST_VT_VCD_WIRE, lib.FST_VD_IMPLICIT
        return int(
            lib.fstWriterCreateVar(context, kind, direction, bits, f"{name}{span}".encode(), alias)
        )

    handles = [declare(name, bits, 0) for name, bits in nets]
    lib.fstWriterSetScope(context, lib.FST_ST_VCD_MODULE, b"dut", ffi.NULL)
    declare("alias", nets[0][1], handles[0])
    lib.fstWriterSetUpscope(context)
    lib.fstWriterSetUpscope(context)
    marks = {time for time, _, _ in changes} | {end} | set(off or ())
    for time in sorted(marks):
        lib.fstWriterEmitTimeChange(context, time)
        if off is not None and time in off:
            lib.fstWriterEmitDumpActive(context, int(time == off[1]))
        for when, net, digits in changes:
            if when == time:
                lib.fstWriterEmitValueChange(context, handles[net], digits.encode())
    lib.fstWriterClose(context)
    return path
