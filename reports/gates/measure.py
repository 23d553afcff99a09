"""Programs of ``programs.yaml`` on the gates of a machine, with the engine's counts."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field

from gnomon import load_program
from gnomon.arch import Architecture, load_architecture
from gnomon.base.content import content
from gnomon.base.tables import Entry, check_table, read_yaml_table
from gnomon.gates.flow import GateMachine
from gnomon.klessydra.checkout import Checkout
from gnomon.measure.kernels import KernelBench, find_kernel, include_folders
from gnomon.program import Program, build
from gnomon.sim import Work

PROGRAMS = Path(__file__).with_name("programs.yaml")
WINDOW_CYCLES = 64


class Named(Entry):
    """Program with one of three kinds of origin."""

    name: str = ""
    reference: str = ""
    source: str = ""
    kernel: str = ""
    variant: str = ""
    n: int = 0
    harts: int = 1

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


class Programs(Entry):
    """``programs.yaml``."""

    schema_version: Literal[1] = Field(alias="schema")
    training: list[Named]
    held_out: list[Named]
    equal: list[Named]  # run as well, to prove the netlists

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
        pj: of the data path; shape (windows, units).
        wire_pj_per_ff: by unit, of the whole program.
        works: counts of the engine in each window.
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
    works: tuple[Work, ...]

    @property
    def cycles(self) -> int:
        """Cycles of the whole program."""
        return sum(each.wall_cycles for each in self.works)


@cache
def gate_machine(name: str, liberty: Path, core: Checkout | None = None) -> GateMachine:
    """Return a shipped machine, or a user's core in its setting, as cells of a library."""
    return GateMachine.from_architecture(load_architecture(name), liberty, core)


def measure(
    machine: str, liberty: str, core: Checkout | None, netlist: str, title: str
) -> Measured:
    """Run one program on both; reject it unless they are equal.

    Args:
        machine: its name.
        liberty: the file of its cells.
        core: of the user; None: gnomon's RTL.
        netlist: digest of its netlist and library; it decides the result.
        title: of the program.

    Raises:
        CheckFailed: if they are not equal.
        GnomonError: if the program cannot be built for the machine, or does not terminate.
    """
    gates, programs = gate_machine(machine, Path(liberty), core), Programs.read()
    assert gates.digest() == netlist
    every = (*programs.training, *programs.held_out, *programs.equal)
    program = next(each for each in every if each.title() == title)
    ran = gates.run(program.built(gates.architecture), window_cycles=WINDOW_CYCLES, toggles=True)
    did, works = ran.gates, ran.run.toggle_windows
    assert [each.wall_cycles for each in works] == ran.cycles.tolist()
    return Measured(
        title, ran.run.exit_code or 0, str(ran.run.memory_crc32["data"]), did.settled_ns,
        float(did.clock_pj.sum()), did.gated_pj, did.bank_reads, did.bank_writes, did.energy_pj,
        did.wire_pj_per_ff, works,
    )  # fmt: skip
