"""Large runs of the vector unit, and their report: ``gnomon validate vector``."""

import lzma
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gnomon.base.files import Content
from gnomon.base.frames import frame, markdown
from gnomon.report.page import render_markdown
from gnomon.rtl import Tool, find_simulator
from gnomon.rtl.validate import Record, format_records
from rtl_tests.benches.vector_coverage import cells_met, coverage_csv, executed
from rtl_tests.benches.vector_design import run_streams
from rtl_tests.benches.vector_stream import TRANSFERS, VECTORS, Config

FIRST_SEED = 1000
STREAMS, LENGTH = 20, 120  # of one run of the simulator
SIMD = (1, 2, 4, 8)


@dataclass
class Totals:
    """Totals of comparisons at one SIMD. Every fifth run has one accelerator per hart."""

    simd: int
    runs: int = 0
    compared: Counter[str] = field(default_factory=Counter)
    covered: Counter[str] = field(default_factory=Counter)

    @property
    def vectors(self) -> int:
        """Number of executed vector instructions: not rejected, not of length 0."""
        return executed(self.covered, VECTORS)

    @property
    def seeds(self) -> str:
        """Seeds of all runs."""
        return f"{FIRST_SEED}..{FIRST_SEED + self.runs - 1}"

    def add(self, outcome: dict[str, Any]) -> None:
        """Count one run in."""
        self.runs += 1
        self.compared.update(outcome["compared"])
        self.covered.update(outcome["covered"])


def run_until(totals: Totals, vectors: int, folder: Path, simulator: Tool) -> None:
    """Run until this number of vector instructions were executed.

    Raises:
        CheckFailed: if the unit differs from the model.
    """
    while totals.vectors < vectors:
        replicated = totals.runs % 5 == 4
        outcome = run_streams(
            Config(simd=totals.simd, accelerators=3 if replicated else 1),
            folder / f"{totals.simd}-{replicated}", seed=FIRST_SEED + totals.runs,
            simulator=simulator, directed=False, random=STREAMS, length=LENGTH,
        )  # fmt: skip
        assert outcome["undecided"] == 0
        totals.add(outcome)


def report(all_totals: list[Totals], vectors: int, simulator: Tool) -> dict[str, Content]:
    """Return the files of the report by name."""
    command = f"gnomon validate vector --vectors {vectors}"
    tool = f"{simulator.name} {simulator.version}"
    records = [
        Record(f"vcu SIMD {t.simd}: {what}", "cocotb", t.compared[what], 0, None,
               command, t.seeds, tool)
        for t in all_totals
        for what in ("busy intervals", "words")
    ]  # fmt: skip
    columns = ("SIMD", "seeds", "vector instructions", "transfers", "refused", "intervals",
               "words", "wrong")  # fmt: skip
    totals = []
    for t in all_totals:
        refused = sum(n for cell, n in t.covered.items() if cell.startswith("refused|"))
        compared = (t.vectors, executed(t.covered, TRANSFERS), refused,
                    t.compared["busy intervals"], t.compared["words"])  # fmt: skip
        totals.append((t.simd, t.seeds, *(f"{count:,}" for count in compared), 0))
    cells = []
    for name in VECTORS:
        met = (cells_met(t.covered, Config(simd=t.simd), name) for t in all_totals)
        cells.append((name, *(f"{a} of {b}" for a, b in met)))
    heads = ("instruction", *(f"SIMD {t.simd}" for t in all_totals))
    told = {
        "command": command,
        "tool": tool,
        "runs": sum(t.runs for t in all_totals),
        "replicated": sum(t.runs // 5 for t in all_totals),
        "totals": markdown(frame(columns, totals)),
        "cells": markdown(frame(heads, cells)),
    }
    page = render_markdown(Path(__file__).parent, "vector_report.md.j2", told)
    return {
        "rtl-vector.md": page,
        "rtl-vector.csv": format_records(records, "").decode(),
        "coverage/rtl-vector.csv.xz": lzma.compress(
            coverage_csv({t.simd: t.covered for t in all_totals}).encode()
        ),
    }


def run(vectors: int, done: Callable[[str], None]) -> dict[str, Content]:
    """Run at every SIMD; return the files of the report.

    Raises:
        CheckFailed: if the unit differs from the model.
    """
    simulator = find_simulator()
    all_totals = [Totals(simd) for simd in SIMD]
    with tempfile.TemporaryDirectory() as folder:
        for totals in all_totals:
            run_until(totals, vectors, Path(folder), simulator)
            done(f"SIMD {totals.simd}")
    return report(all_totals, vectors, simulator)
