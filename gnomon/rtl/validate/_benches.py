"""gnomon's RTL under cocotb, compared with the simulator: dividers and the vector unit."""

import importlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from gnomon.base.content import content
from gnomon.base.errors import GnomonError
from gnomon.base.files import Content, write_file
from gnomon.base.progress import Steps
from gnomon.rtl import Bench, Tool, find_simulator
from gnomon.rtl.bench import benches_importable
from gnomon.rtl.designs import (
    DIVIDER_KINDS,
    LANES,
    checked_kinds,
    divider_bench,
    vector_divider_bench,
)
from gnomon.rtl.validate._record import Record

VECTOR_KIND = "klessydra_vl_std"
"""The divider of the vector unit of the paper's machines."""


def check_dividers(
    *,
    random: int,
    seed: int,
    kinds: Sequence[str] = (),
    waves: Path | None = None,
    steps: Steps | None = None,
) -> tuple[Record, ...]:
    """Compare divisions with corner operands and random operands in the benches.

    Args:
        random: random divisions per divider, and elements per width of the vector division.
        seed: seed for random operands.
        kinds: dividers to compare, without vector division; empty: all and vector division.
        waves: folder for a recording of every bench, 100 MHz.
        steps: progress; gets each compared quantity.

    Raises:
        GnomonError: if the simulator, a divider or the benches (in a wheel) are missing.
    """
    checked_kinds(kinds)
    tool, steps = find_simulator(), steps or Steps()
    steps.plan(len(kinds) or len(DIVIDER_KINDS) + len(LANES))
    _check_benches_exist()
    chosen = "".join(f" --divider {kind}" for kind in kinds)
    command = f"gnomon validate dividers{chosen} --random {random} --seed {seed}"
    records: list[Record] = []

    def add(what: str, values: str, cycles: str, outcome: dict[str, Any]) -> None:
        for quantity, compared, wrong, worst in _list_rows(outcome):
            records.append(Record(
                f"{what}: {values if quantity == 'values' else cycles}",
                "cocotb", compared, wrong, worst if wrong else None,
                command, str(seed), f"{tool.name} {tool.version}",
            ))  # fmt: skip
        steps(what)

    for kind in kinds or DIVIDER_KINDS:
        arguments = {"kind": kind, "width": 32, "random": random}
        outcome = _run_bench(divider_bench(kind), tool, seed, arguments, waves and waves / kind)
        add(f"divider {kind}", "quotient and remainder", "cycles", outcome)
    for lanes in () if kinds else LANES:
        # A vector has 2 * lanes + 1 elements on average.
        vectors = max(1, random // (2 * lanes))
        arguments = {"kind": VECTOR_KIND, "lanes": lanes, "zero_as_riscv": 0, "vectors": vectors}
        outcome = _run_bench(
            vector_divider_bench(VECTOR_KIND, lanes), tool, seed, arguments,
            waves and waves / f"vector_{lanes}",
        )  # fmt: skip
        add(f"vector division, {lanes} x {VECTOR_KIND}", "elements", "busy cycles", outcome)
    return tuple(records)


def _list_rows(outcome: dict[str, Any]) -> Iterator[tuple[str, int, int, str]]:
    example = "; ".join(outcome["examples"][:1])
    values = outcome.get("elements", outcome["compared"])
    yield "values", values, outcome["value_mismatches"], example
    worst = f"{outcome['worst_residual_cycles']:+d} cycles"
    yield "cycles", outcome["compared"], outcome["cycle_mismatches"], worst


def _run_bench(
    bench: Bench, tool: Tool, seed: int, arguments: dict[str, Any], waves: Path | None
) -> dict[str, Any]:
    given = {**arguments, "judge": False}
    with TemporaryDirectory(prefix="gnomon-") as folder:
        outcome = bench.run(
            Path(folder), seed=seed, simulator=tool, arguments=given, waves=waves is not None
        )
        if waves is not None:
            for recording in (*Path(folder).glob("*.fst"), *Path(folder).glob("*.vcd")):
                write_file(waves.with_suffix(recording.suffix), recording.read_bytes())
    return outcome


def _check_benches_exist() -> None:
    if not content("rtl_tests", "benches", "dividers.py").is_file():
        raise GnomonError("the cocotb benches are not part of the wheel: use a checkout of gnomon")


def check_vector(vectors: int, steps: Steps) -> dict[str, Content]:
    """Run random streams on gnomon's vector unit and return the files of the report by name.

    Args:
        vectors: number of vector instructions per SIMD width.
        steps: progress; gets each compared width.

    Raises:
        CheckFailed: if the unit differs from the simulator.
        GnomonError: if the simulator or the benches (in a wheel) are missing.
    """
    _check_benches_exist()
    with benches_importable():
        report = importlib.import_module("rtl_tests.benches.vector_report")
        steps.plan(len(LANES))
        files: dict[str, Content] = report.run(vectors, steps)
    return files
