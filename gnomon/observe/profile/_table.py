"""The profile as one table, a row for each instruction."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from gnomon.isa import disassemble

if TYPE_CHECKING:
    from gnomon.observe.profile._profile import RunProfile


def profile_csv(profile: RunProfile) -> str:
    """CSV with cycles by cause and fJ; the first row holds what comes before any instruction.

    Its ``cycles`` sum to the wall cycles of the run, ``energy_fj`` to its energy.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    causes = list(profile.parts)
    columns = [f"{name.replace('.', '_')}_cycles" for name in causes]
    writer.writerow(["pc", "function", "source", "code", "cycles", *columns, "energy_fj"])
    writer.writerow(["", "", "", "boot", profile.boot_cycles, *([""] * len(causes)), ""])
    for k, address in enumerate(profile.addresses):
        values = [int(profile.parts[name][k]) for name in causes]
        line = profile.lines[k]
        writer.writerow(
            [
                f"{address:08x}", profile.functions[k], str(line) if line else "",
                disassemble(profile.words[k], address), sum(values), *values,
                "" if profile.energy_fj is None else int(profile.energy_fj[k]),
            ]
        )  # fmt: skip
    return out.getvalue()
