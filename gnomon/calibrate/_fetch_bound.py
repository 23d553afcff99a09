"""A core whose fetch delivers words more slowly than it executes them, which no probe measures."""

from __future__ import annotations

from typing import Final

from gnomon.calibrate import _programs as programs
from gnomon.calibrate._device import Device, Waits, program_of
from gnomon.calibrate._measure import Refused, execute_cycles, list_steps
from gnomon.calibrate._programs import PLAIN
from gnomon.isa import disassemble, encode

_A, _RD, _FREE, _DATA = 10, 12, 13, 8
_ROW: Final = 16
_BEHIND: Final = 3  # plain instructions after others that may show it


def check_fetch_bound(device: Device) -> None:
    """Check that plain words in a row do not wait for their fetch.

    While an instruction takes long or waits, words wait in the core; then they take fewer cycles
    than in a row.

    Raises:
        Refused: if they wait; the message has a program.
    """
    if not device.sees_all:
        return
    blocks = _list_blocks(device)
    row = [PLAIN] * _ROW
    words = programs.whole([*row, *(word for block in blocks for word in (*block, *row))])
    program = program_of(words, device.start)
    retired = device.execute(program, Waits(0, 0))
    at = {each.pc: number for number, each in enumerate(retired)}

    def cycles_at(address: int) -> int:
        return execute_cycles(retired, at.get(address, len(retired)), 1) or 0

    place = device.start + 4 * (programs.BEFORE + _ROW)
    usual, *others = (cycles_at(place - 4 * n) for n in range(1, _ROW // 2))
    if {*others} != {usual}:
        return  # the cycles of plain words depend on something else
    for block in blocks:
        end = place + 4 * len(block)
        long = max(cycles_at(address) for address in range(place, end, 4))
        behind = [cycles_at(end + 4 * number) for number in range(_BEHIND)]
        if long > usual > min(behind) > 0:
            shown = [*block, *[PLAIN] * (behind.index(min(behind)) + 1)]
            lines = [f"    {place + 4 * n:#x}  {disassemble(word, place + 4 * n)}"
                     for n, word in enumerate(shown)]  # fmt: skip
            raise Refused(
                f"core.fetch is not identifiable: plain words in a row take {usual} cycles, but "
                f"{min(behind)} after an instruction of {long}: the core executes faster than it "
                "fetches, so the cycles of short instructions do not show; no probe measures such "
                "a core\n" + "\n".join(lines),
                list_steps(program, retired[at[place] - 2 : at[place] + len(shown) + 1]),
            )
        place = end + 4 * _ROW


def _list_blocks(device: Device) -> list[list[int]]:
    """Return instructions that take long, and two of which the second may wait for the first."""
    waits = [encode("addi", rd=_RD, imm=1), encode("add", rd=_FREE, rs1=_RD, rs2=_RD)]
    of = {"slli": [encode("slli", rd=_RD, rs1=_A, imm=31)], "add": waits,
          "lw": [encode("lw", rd=_RD, rs1=_DATA)]}  # fmt: skip
    if "div" in programs.units(device.isa):
        of["div"] = [encode("div", rd=_RD, rs1=_A, rs2=_A)]
    return [block for name, block in of.items() if name not in device.excluded]
