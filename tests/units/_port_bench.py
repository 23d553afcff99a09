"""A generated port of units in a bench of Icarus: rows of requests in, lines of answers out."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from gnomon.arch.units import Unit


def run_bench(
    bench: Path, module: str, units: Iterable[Unit], rows: Iterable[str], folder: Path
) -> list[str]:
    """Return the lines that a bench prints for the rows of ``rows.hex``.

    ``module``: text of the port; ``bench``: file of the top module of the same name.
    """
    (folder / "rows.hex").write_text("\n".join(rows))
    (folder / "port.sv").write_text(module)
    sources = []
    for unit in units:
        assert unit.rtl is not None
        for name, text in unit.rtl.files:
            (folder / name).write_text(text)
            sources.append(name)
    build = ["iverilog", "-g2012", "-s", bench.stem, "-o", "bench", str(bench), "port.sv"]
    subprocess.run([*build, *sources], cwd=folder, check=True)
    ran = subprocess.run(
        ["vvp", "-n", "bench"], cwd=folder, check=True, capture_output=True, text=True
    )
    return ran.stdout.splitlines()
