"""The pure-Python oracle of the tests, on the first cycles of a case."""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING

from benchmarks.clock import Task, cpu_of_call
from benchmarks.engine import awake_instructions
from gnomon.base.errors import CheckFailed
from gnomon.sim import simulate

if TYPE_CHECKING:
    from benchmarks.cases import Case

NAME = "oracle"
CYCLES = 500_000


def oracle_present() -> bool:
    """Whether the tests are beside the benchmarks."""
    return (
        importlib.util.find_spec("tests") is not None
        and importlib.util.find_spec("tests.oracle") is not None
    )


def oracle_task(case: Case, cycles: int = CYCLES) -> Task:
    """Time the oracle up to a cycle, checked against the engine up to the same cycle.

    Raises:
        CheckFailed: the two do not agree.
    """
    from tests.oracle import Oracle, OracleConfig

    program, architecture = case.build(), case.architecture()
    assert architecture.vcu is not None
    oracle = Oracle(
        OracleConfig(
            simd=architecture.vcu.simd,
            sharing=architecture.vcu.sharing,
            superscalar=architecture.core.superscalar,
        )
    )
    segments = [(segment.address, segment.data) for segment in program.segments]
    expected = simulate(program, architecture, max_cycles=cycles)

    def once() -> float:
        runs = []
        # The oracle takes the last cycle by number, the engine the number of cycles.
        seconds = cpu_of_call(
            lambda: runs.append(oracle.run(segments, expected.exit_cycle, trace=False))
        )
        issued = tuple(hart.issued for hart in expected.harts)
        seen = (runs[0].issued, f"{runs[0].data_ram_crc32:08x}")
        if seen != (issued, expected.memory_crc32["data"]):
            raise CheckFailed(
                f"{case.name} on {case.machine}: after {cycles} cycles the oracle and the engine"
                f" differ: issues and data CRC {seen}, engine"
                f" {(issued, expected.memory_crc32['data'])}"
            )
        return seconds

    return Task(case, NAME, awake_instructions(expected), expected.wall_cycles, once)
