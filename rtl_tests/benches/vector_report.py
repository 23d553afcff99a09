"""The large runs of the vector unit, and their report.

``python -m rtl_tests.benches.vector_report --vectors 100000`` runs random streams until that many
vector instructions were executed at each SIMD, and writes ``reports/validation/rtl-vector.*``.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gnomon.base.files import write_file
from gnomon.rtl import Tool, chosen_simulator
from rtl_tests.benches.vector_coverage import cells_met, coverage_csv, executed
from rtl_tests.benches.vector_design import run_streams
from rtl_tests.benches.vector_stream import TRANSFERS, VECTORS, Config

FIRST_SEED = 1000
STREAMS, LENGTH = 20, 120  # of one run of the simulator
SIMD = (1, 2, 4, 8)


@dataclass
class Totals:
    """What was compared at one SIMD. Every fifth run has one accelerator per hart."""

    simd: int
    runs: int = 0
    compared: Counter[str] = field(default_factory=Counter)
    covered: Counter[str] = field(default_factory=Counter)

    @property
    def vectors(self) -> int:
        """Vector instructions executed: not refused, not of length 0."""
        return executed(self.covered, VECTORS)

    def next_config(self) -> Config:
        """Of the next run."""
        return Config(simd=self.simd, accelerators=3 if self.runs % 5 == 4 else 1)

    def add(self, outcome: dict[str, Any]) -> None:
        """Count one run in."""
        self.runs += 1
        self.compared.update(outcome["compared"])
        self.covered.update(outcome["covered"])


def run_until(totals: Totals, vectors: int, folder: Path, simulator: Tool) -> None:
    """Run until so many vector instructions were executed.

    Raises:
        BenchFailed: the unit differs from the model.
    """
    while totals.vectors < vectors:
        outcome = run_streams(
            totals.next_config(), folder / f"{totals.simd}-{totals.runs % 5 == 4}",
            seed=FIRST_SEED + totals.runs, simulator=simulator,
            directed=False, random=STREAMS, length=LENGTH,
        )  # fmt: skip
        assert outcome["undecided"] == 0
        totals.add(outcome)


def report(all_totals: list[Totals], vectors: int, simulator: Tool) -> dict[str, str]:
    """The files of the report by name."""
    command = f"python -m rtl_tests.benches.vector_report --vectors {vectors}"
    tool = f"{simulator.name} {simulator.version}"
    runs = sum(t.runs for t in all_totals)
    replicated = sum(t.runs // 5 for t in all_totals)
    rows = ["quantity,truth,compared,mismatches,worst,command,seed,tool"]
    lines = [
        "# Our vector unit against the simulator",
        "",
        "Random streams of vector instructions and transfers, 4 scratchpads of 256 bytes, every",
        f"fifth run with one accelerator per hart ({replicated} of {runs} here). Compared: first",
        "and last cycle of every busy interval, every trap, the words that each instruction",
        "leaves, all scratchpads and the bus requests at the end of a stream.",
        f"`{command}` on {tool}.",
        "",
        "| SIMD | seeds | vector instructions | transfers | refused | intervals | words | wrong |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for t in all_totals:
        refused = sum(n for cell, n in t.covered.items() if cell.startswith("refused|"))
        transfers = executed(t.covered, TRANSFERS)
        seeds = f"{FIRST_SEED}..{FIRST_SEED + t.runs - 1}"
        lines.append(
            f"| {t.simd} | {seeds} | {t.vectors:,} | {transfers:,} | {refused:,} | "
            f"{t.compared['busy intervals']:,} | {t.compared['words']:,} | 0 |"
        )
        rows += [
            f"vcu SIMD {t.simd}: {what},cocotb,{t.compared[what]},0,,{command},{seeds},{tool}"
            for what in ("busy intervals", "words")
        ]
    lines += [
        "",
        "## Situations met",
        "",
        "Cells of instruction x width x length class x placement x what else went on that were",
        "met, of those that exist; counts in `coverage/rtl-vector.csv`.",
        "",
        "| instruction | " + " | ".join(f"SIMD {t.simd}" for t in all_totals) + " |",
        "|---|" + "---|" * len(all_totals),
    ]
    for name in VECTORS:
        met = [cells_met(t.covered, Config(simd=t.simd), name) for t in all_totals]
        lines.append(f"| {name} | " + " | ".join(f"{a} of {b}" for a, b in met) + " |")
    return {
        "rtl-vector.md": "\n".join(lines) + "\n",
        "rtl-vector.csv": "\n".join(rows) + "\n",
        "coverage/rtl-vector.csv": coverage_csv({t.simd: t.covered for t in all_totals}),
    }


def main() -> None:
    """Run and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--vectors", type=int, default=100_000, help="instructions per SIMD")
    parser.add_argument("--out", type=Path, default=Path("reports", "validation"))
    told = parser.parse_args()
    simulator = chosen_simulator()
    all_totals = []
    with tempfile.TemporaryDirectory() as folder:
        for simd in SIMD:
            totals = Totals(simd)
            run_until(totals, told.vectors, Path(folder), simulator)
            all_totals.append(totals)
            print(f"SIMD {simd}: {totals.vectors} vector instructions", file=sys.stderr)
    for name, text in report(all_totals, told.vectors, simulator).items():
        (told.out / name).parent.mkdir(parents=True, exist_ok=True)
        write_file(told.out / name, text.encode())


if __name__ == "__main__":
    main()
