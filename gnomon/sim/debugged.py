"""A run under external control: its state between two instructions, steps, breakpoints.

Machine and cycles are those of a normal run. A breakpoint is a mark on a word, as for regions, and
a step is a quantum of one issue.
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from gnomon.sim import _codes as at
from gnomon.sim._machine import Machine

_PC = 32  # number of the pc, after the registers
_LOOK_CYCLES = 2_000_000  # between two checks for an interrupt
_ENDS = (at.STOP_EXIT, at.STOP_HANG, at.STOP_FAULT, at.STOP_HARD_LIMIT)


class DebugSession:
    """The debugger's view of a run. Harts count from 0."""

    def __init__(self, machine: Machine, advance: Callable[[int], int]) -> None:
        """Attach to a machine that ``advance`` runs at most to a cycle; it returns a STOP code."""
        self._machine, self._advance = machine, advance
        self._reported = (-1, -1)
        self.stop = at.STOP_QUANTUM

    @property
    def harts(self) -> int:
        """Number of harts."""
        return self._machine.harts

    @property
    def cycle(self) -> int:
        """The cycle in which the next instruction issues, unless it has to wait."""
        return int(self._machine.st["cycle"])

    @property
    def ended(self) -> bool:
        """Whether the run has ended."""
        return self.stop in _ENDS

    @property
    def exit_code(self) -> int | None:
        """Exit code of the program; None if it has not exited."""
        return int(self._machine.st["exit_code"]) if self.stop == at.STOP_EXIT else None

    def asleep(self, hart: int) -> bool:
        """Return whether a hart is in a wfi and out of the rotation."""
        return bool(self._machine.hs["parked"][hart])

    def registers(self, hart: int) -> list[int]:
        """Return x0 to x31 and the pc of the next instruction."""
        machine = self._machine
        return [*machine.regs[hart, :_PC].tolist(), int(machine.hs["pc"][hart]) & 0xFFFF_FFFF]

    def set_register(self, hart: int, number: int, value: int) -> None:
        """Write a register or the pc; x0 stays 0."""
        if number == _PC:
            self._machine.hs["pc"][hart] = value
        elif number:
            self._machine.regs[hart, number] = value

    def read(self, hart: int, address: int, size: int) -> bytes:
        """Return memory, or scratchpads as this hart sees them; shorter at their end."""
        found, offset = self._place(hart, address)
        return found[offset : offset + size].tobytes()

    def write(self, hart: int, address: int, data: bytes) -> bool:
        """Write data memory or scratchpads; return False for other addresses."""
        found, offset = self._place(hart, address)
        code = self._machine.places[0]
        if offset + len(data) > len(found) or code.base <= address < code.end:
            return False
        found[offset : offset + len(data)] = list(data)
        return True

    def _place(self, hart: int, address: int) -> tuple[npt.NDArray[np.uint8], int]:
        cfg = self._machine.cfg
        pads = self._machine.arrays["spm"].view("u1")
        one = int(cfg["spm_count"]) * int(cfg["spm_size"])
        own = one * hart if cfg["sharing"] != at.SHARED else 0
        memories = [(each.base, each.bytes_in(self._machine.ram)) for each in self._machine.places]
        for base, bytes_ in (*memories, (int(cfg["spm_base"]), pads[own : own + one])):
            if 0 <= address - base < len(bytes_):
                return bytes_, address - base
        return pads[:0], 0

    def set_breakpoint(self, address: int, *, there: bool) -> bool:
        """Set or remove a breakpoint at an instruction; return False if it is impossible."""
        machine = self._machine
        index = machine.word_index(address)
        align = machine.architecture.core.alignment_bytes
        if address % align or not 0 <= index < len(machine.decoded):
            return False
        (machine.mark if there else machine.unmark)(index)
        return True

    def go(self, hart: int | None, interrupted: Callable[[], bool]) -> int:
        """Run until a breakpoint, the end or an interrupt; with a hart, until its next issue.

        All harts run together, as always. A step of a sleeping hart is one issue of any hart.
        Returns the hart that stopped.
        """
        machine, st = self._machine, self._machine.st
        issued = None if hart is None else machine.issued(hart)
        end = int(st["cycle"]) + (_LOOK_CYCLES if hart is None else 0)
        while True:
            slots = int(st["slots"])
            self.stop = self._advance(end)
            if self.ended:
                return int(st["hart"])
            if self.stop == at.STOP_MARK:
                here = (int(st["hart"]), int(st["slots"]))
                if here != self._reported:
                    self._reported = here
                    return here[0]
                st["step_over"] = 1
                continue
            moved = int(st["slots"]) > slots
            if hart is not None and moved and (self.asleep(hart) or machine.issued(hart) != issued):
                return hart
            if hart is None and interrupted():
                return int(st["hart"])
            # An instruction that waits issues later than the end of a step.
            end = max(end + (not moved), int(st["cycle"]) + (_LOOK_CYCLES if hart is None else 0))
