"""The trap that ended a program through its start-up code, as text."""

from typing import NamedTuple

import numpy as np

from gnomon.base.errors import CheckFailed, GnomonError
from gnomon.program import Program
from gnomon.program.lines import source_lines
from gnomon.sim._codes import ILLEGAL_INSTRUCTION
from gnomon.sim._illegal import why_illegal
from gnomon.sim._run import Run
from gnomon.sim._texts import CAUSES

_INTERRUPT = 1 << 31  # in mcause


class Crash(NamedTuple):
    """A run that ended in the trap handler of the start-up code."""

    cause: int  # `mcause`: bit 31, set for an interrupt, and the lower 16 bits
    address: int  # of the instruction that trapped, or that an interrupt replaced
    hart: int | None  # the hart whose trap ended the run; None if the program has no symbols
    function: str  # that contains the address; empty if none does
    line: str  # `file:line`; empty without debug information
    # why an illegal instruction is illegal on this machine; else empty
    detail: str = ""

    def __str__(self) -> str:
        """Return one sentence."""
        what = CAUSES.get(self.cause, f"cause 0x{self.cause:X}")
        hart = "" if self.hart is None else f" on hart {self.hart}"
        function = f" in {self.function}" if self.function else ""
        line = f" ({self.line})" if self.line else ""
        detail = f"; {self.detail}" if self.detail else ""
        return f"trap{hart}: {what} at 0x{self.address:08X}{function}{line}{detail}"


def crash_of(run: Run, program: Program) -> Crash | None:
    """Return the trap that ended a run; None for any other end.

    A program that exits with such a code has not printed the words of the trap handler.
    """
    if not run.trapped or run.exit_code is None:
        return None
    low = run.exit_code & 0xFFFF
    causes = [place for place, word in enumerate(run.printed) if word & 0xFFFF == low]
    if not causes or causes[0] + 1 == len(run.printed):
        return None
    printed = (word for word in reversed(run.printed[:-1]) if word in (low, _INTERRUPT | low))
    cause = next(printed, low)
    hart = _find_exiting_hart(run, program)
    address = _find_trap_address(run, hart, run.printed[causes[0] + 1 :])
    function = program.function_at(address)
    line = source_lines(program, [address])[0] if function else None
    detail = ""
    if cause == ILLEGAL_INSTRUCTION:
        detail = why_illegal(_read_word(run, address), run.architecture)
    name = function.name if function else ""
    return Crash(cause, address, hart, name, str(line or "").removeprefix("./"), detail)


def _read_word(run: Run, address: int) -> int:
    """Return the instruction at an address at the end of the run."""
    place = address - int(run.architecture.memory.instruction.base)
    word = int.from_bytes(run.instruction_memory[place : place + 4], "little")
    short = run.architecture.core.alignment_bytes == 2 and word & 3 != 3
    return word & 0xFFFF if short else word


def _find_exiting_hart(run: Run, program: Program) -> int | None:
    """Return the hart that reached the exit store: the run ends there, so no other hart did."""
    try:
        ending = program.symbol("gnomon_exit")
    except GnomonError:
        return None
    first, end = map(run.profile.place, (ending.address, ending.address + ending.size_bytes))
    issues = run.profile.issues[:, first:end]
    reached = [len(np.trim_zeros(row, "b")) for row in issues]
    return int(np.argmax(reached)) if any(reached) else None


def _find_trap_address(run: Run, hart: int | None, printed: tuple[int, ...]) -> int:
    """Return the last word printed at which this hart trapped; harts may print alternately."""
    trapped = run.profile.parts["trap"]
    rows = trapped.sum(axis=0) if hart is None else trapped[hart]
    places = {run.profile.address(int(word)) for word in np.flatnonzero(rows)}
    return next((word for word in reversed(printed) if word in places), printed[-1])


def bad_end(run: Run, program: Program) -> str | None:
    """Return a text about an abnormal end of a run; None if the program exited normally."""
    if run.halted != "exit":
        return f"did not finish ({run.halted}): {run.reason}{entry_elsewhere(run, program)}"
    crash = crash_of(run, program)
    return None if crash is None else f"{crash}{entry_elsewhere(run, program)}"


def entry_elsewhere(run: Run, program: Program) -> str:
    """Return a clause if the machine does not start at the entry of the program, or nothing."""
    reset = run.architecture.core.reset_pc
    if not isinstance(reset, int) or program.entry == reset:
        return ""
    return f"; the program's entry is 0x{program.entry:X}, this machine starts at 0x{reset:X}"


def check_end(run: Run, program: Program) -> None:
    """Reject a run that did not exit normally.

    Raises:
        GnomonError: if it faulted, hung or was cut off.
        CheckFailed: if it crashed: its own runtime ended it, as in ``gnomon run``.
    """
    ended = bad_end(run, program)
    if ended is not None:
        kind = CheckFailed if run.halted == "exit" else GnomonError
        raise kind(f"{run.program}: {ended}")
