"""Programs of ``programs.yaml`` on the gates of a machine, with the engine's counts."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field

from gnomon import load_program
from gnomon.arch import Architecture, load_architecture
from gnomon.base.content import content
from gnomon.base.tables import Entry, check_table, read_yaml_table
from gnomon.calibrate.energy_programs import training_programs
from gnomon.gates.flow import GateMachine
from gnomon.gates.marginal import sleep_others, training_loops
from gnomon.gates.measured import GateMeter, MeasuredRun
from gnomon.gates.vector_loops import list_vector_loops
from gnomon.klessydra.checkout import Checkout
from gnomon.measure.kernels import KernelBench, find_kernel, include_folders
from gnomon.program import Program, build
from gnomon.sim import Work, simulate

PROGRAMS = Path(__file__).with_name("programs.yaml")
WINDOW_CYCLES = 64
_MIXED = ("mixture", "nested")
_MOST_CYCLES = 100_000


class Named(Entry):
    """Program with one of three kinds of origin."""

    name: str = ""
    reference: str = ""
    source: str = ""
    kernel: str = ""
    variant: str = ""
    n: int = 0
    harts: int = 1
    machines: list[str] = Field(default=[])

    def title(self) -> str:
        """Return its title on the page."""
        own = f"{self.kernel}, {self.variant}, n = {self.n}" if self.kernel else ""
        return self.name or self.reference or own or Path(self.source).stem

    def built(self, architecture: Architecture) -> Program:
        """Build it for a machine; a kernel gets the inputs of its model, seed 0."""
        if self.reference:
            place = ("tests", "reference", "t13x", "programs", f"{self.reference}.elf")
            return load_program(content(*place))
        if self.source:
            return build(
                [content(*self.source.split("/"))], architecture, include=include_folders(),
                active_harts=self.harts,
            )  # fmt: skip
        kernel = find_kernel(self.kernel)
        bench = KernelBench(kernel, kernel.variant(self.variant), architecture)
        return bench.loaded(bench.check(kernel.square(self.n)), seed=0, program=bench.build())


class Loops(Entry):
    """How many of the loops train a table."""

    mixtures: int
    most_cycles: int
    vector: int

    def built(self, architecture: Architecture) -> Iterator[Program]:
        """Yield the loops for a machine; all harts but one sleep.

        Loops of divisions are shorter than those of other classes, which have 8 rounds of 16.
        """
        mixed = 0
        start = int(architecture.core.reset_pc)
        for each in training_programs(architecture, start, sleep_others()):
            if each.name.startswith(_MIXED) and mixed < self.mixtures:
                run = simulate(each, architecture, max_cycles=_MOST_CYCLES)
                if run.exit_cycle <= self.most_cycles:
                    mixed += 1
                    yield each
            elif each.name == "random 0" or ("," in each.name and each.name[:3] != "div"):
                yield each
        yield from islice(list_vector_loops(architecture), self.vector)
        for loop in training_loops(architecture):
            yield replace(loop.program, name=f"loop of {loop.side}")


class Programs(Entry):
    """``programs.yaml``."""

    schema_version: Literal[2] = Field(alias="schema")
    loops: Loops
    training: list[Named]
    held_out: list[Named]
    blind: list[Named]
    equal: list[Named]  # run on request, to prove the netlists

    def references(self) -> list[str]:
        """Return the programs run on the RTL that prove all netlists."""
        return [each.reference for each in (*self.training, *self.equal) if each.reference]

    @classmethod
    def read(cls) -> "Programs":
        """Read the file of this folder."""
        return check_table(read_yaml_table(PROGRAMS, "programs"), cls)


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """A program on the gates.

    Attributes:
        pj: of the data path, by unit.
        wire_pj_per_ff: by unit.
        work: counts of the engine.
    """

    program: str
    exit_code: int
    crc32: str
    settled_ns: float
    clock_pj: float
    gated_pj: float
    bank_reads: int
    bank_writes: int
    pj: npt.NDArray[np.float64]
    wire_pj_per_ff: npt.NDArray[np.float64]
    work: Work

    @property
    def cycles(self) -> int:
        """Cycles of the whole program."""
        return self.work.wall_cycles

    @classmethod
    def from_run(cls, program: str, ran: MeasuredRun) -> "Measured":
        """Return a program that ran on gates and simulator."""
        did = ran.gates
        return cls(program, ran.exit_code, ran.crc32, did.settled_ns, did.clock_pj, did.gated_pj,
                   did.bank_reads, did.bank_writes, did.pj.sum(axis=0), did.wire_pj_per_ff,
                   ran.work)  # fmt: skip


@cache
def gate_machine(name: str, liberty: Path, core: Checkout | None = None) -> GateMachine:
    """Return a shipped machine, or a user's core in its setting, as cells of a library."""
    return GateMachine.from_architecture(load_architecture(name), liberty, core)


def measure(meter: GateMeter, title: str, program: Program) -> Measured:
    """Run one program on both; reject it unless they are equal.

    Raises:
        CheckFailed: if they are not equal.
        GnomonError: if the program does not terminate.
    """
    return Measured.from_run(title, meter.measure(program, WINDOW_CYCLES))
