"""Disassembly with what each instruction cost, function by function."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from gnomon.isa import disassemble
from gnomon.observe.profile._profile import FJ_PER_PJ

if TYPE_CHECKING:
    from gnomon.observe.profile._profile import RunProfile

_HEAD = f"{'cycles':>12} {'share':>6} {'issued':>11} {'stalls':>11} {'pJ':>14}"


def annotated_text(profile: RunProfile) -> str:
    """Every executed instruction with cycles, issues, stalls and pJ.

    Stalls are waits in decode, retries and waits for the next instruction. Shares are of all cycles
    but those of sleeping harts. Where the program names source lines, they stand between, with
    their text if the file is there.
    """
    parts = profile.parts
    stalls = np.sum(
        [v for name, v in parts.items() if name.startswith(("wait.", "retry."))], axis=0
    )
    cycles = np.sum([v for name, v in parts.items() if name != "parked"], axis=0)
    awake = int(cycles.sum()) or 1
    files: dict[str, list[str]] = {}
    lines = []
    for row in profile.by_function():
        mine = [k for k, name in enumerate(profile.functions) if name == row.name]
        lines += [f"{row.name}: {row.cycles:,} cycles, {row.cycles / awake:.1%}", _HEAD]
        before = None
        for k in mine:
            line = profile.lines[k]
            if line is not None and line != before:
                lines.append(f"{'':>60}{line}{_source(files, line.file, line.line)}")
            before = line or before
            energy = "-"
            if profile.energy_fj is not None:
                energy = f"{int(profile.energy_fj[k]) / FJ_PER_PJ:,.1f}"
            address, word = profile.addresses[k], profile.words[k]
            lines.append(
                f"{int(cycles[k]):>12,} {int(cycles[k]) / awake:>6.1%}"
                f" {int(parts['issue'][k]):>11,} {int(stalls[k]):>11,} {energy:>14}"
                f"  {address:08x}  {disassemble(word, address)}"
            )
        lines.append("")
    return "\n".join(lines)


def _source(files: dict[str, list[str]], name: str, number: int) -> str:
    if name not in files:
        try:
            files[name] = Path(name).read_text("utf-8", "replace").splitlines()
        except (OSError, ValueError):
            files[name] = []
    text = files[name]
    return f"  {text[number - 1].strip()}" if 0 < number <= len(text) else ""
