"""The hottest functions and instructions of a run."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

from gnomon.isa import decode, disassemble
from gnomon.report._terminal import console, table

if TYPE_CHECKING:
    from gnomon.program import Program
    from gnomon.sim import Run

_SHOWN_FUNCTIONS = 10
_SHOWN_INSTRUCTIONS = 20


def print_profile(run: Run, program: Program) -> None:
    """Print where the awake harts spent their cycles.

    Shares are of the cycles outside ``wfi``: a sleeping hart keeps its slots, and those say
    nothing about the program. An instruction's cycles are its stay in execute and its waits in
    decode, all harts together.
    """
    issues = run.profile.issues.sum(axis=0)
    cycles = run.profile.cycles.sum(axis=0)
    words = _words(program)
    rows = []
    functions: dict[str, int] = defaultdict(int)
    for index in np.flatnonzero(issues):
        address = run.profile.base_address + 4 * int(index)
        word = words.get(address, 0)
        decoded = decode(word)
        if decoded is not None and decoded.instruction.mnemonic == "wfi":
            continue
        function = program.function_at(address)
        name = function.name if function else "?"
        functions[name] += int(cycles[index])
        rows.append((int(cycles[index]), int(issues[index]), address, word, name))
    awake = sum(functions.values()) or 1
    out = console()
    hot = table("hottest functions", 1, "function", "cycles", "share")
    # Ties by name and by address: the same run prints the same text.
    ranked = sorted(functions.items(), key=lambda item: (-item[1], item[0]))
    for name, spent in ranked[:_SHOWN_FUNCTIONS]:
        hot.add_row(name, f"{spent:,}", f"{spent / awake:.1%}")
    out.print(hot)
    out.print(
        "  in execute or held in decode, all awake harts; slots of other harts are not in it\n"
    )
    lines = table(
        "hottest instructions",
        3,
        *("pc", "function", "instruction", "issued", "cycles", "each", "share"),
    )
    for spent, count, address, word, name in sorted(rows, key=lambda row: (-row[0], row[2]))[
        :_SHOWN_INSTRUCTIONS
    ]:
        lines.add_row(
            f"{address:08x}",
            *(name, disassemble(word, address)),
            *(f"{count:,}", f"{spent:,}", f"{spent / count:.1f}", f"{spent / awake:.1%}"),
        )
    out.print(lines)


def _words(program: Program) -> dict[int, int]:
    """Instruction words by address, as loaded: code that changes itself is shown as it began."""
    words: dict[int, int] = {}
    for segment in program.segments:
        if segment.executable:
            whole = segment.data[: len(segment.data) & -4]
            values = np.frombuffer(whole, dtype="<u4").tolist()
            words |= {segment.address + 4 * i: value for i, value in enumerate(values)}
    return words
