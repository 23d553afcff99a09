"""Benchmark cases: programs, machines, and how often each program repeats its work."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from gnomon.arch import Architecture, load_architecture
from gnomon.program import Program, build

PROGRAMS = Path(__file__).parent / "programs"


@dataclass(frozen=True, slots=True)
class Case:
    """One program on one machine. ``repeats`` takes about one second of CPU time."""

    source: str
    machine: str
    repeats: int
    active_harts: int = 1
    sharing: Literal["", "shared", "replicated", "multithreaded"] = ""  # "": no vector work
    portable: bool = False  # portable C: runs on any machine, not only on this kind

    @property
    def name(self) -> str:
        """Name for tables: program, and sharing of the vector unit."""
        return f"{self.source} {self.sharing}".rstrip()

    @property
    def vector(self) -> bool:
        """Whether the case does vector work."""
        return bool(self.sharing)

    def architecture(self) -> Architecture:
        """Load the machine."""
        return load_architecture(
            self.machine, [f"vcu.sharing={self.sharing}"] if self.vector else []
        )

    def build(self, repeats: int | None = None) -> Program:
        """Build the program, with another number of repeats if ``repeats`` is given."""
        return build(
            [PROGRAMS / f"{self.source}.c"],
            self.architecture(),
            defines={"REPEATS": self.repeats if repeats is None else repeats},
            active_harts=self.active_harts,
        )


CASES = (
    Case("matmul", "t13-simd4", 4000, portable=True),
    Case("mix", "t13-simd4", 30_000, portable=True),
    Case("matmul", "rv32im", 4000, portable=True),
    Case("mix", "rv32im", 30_000, portable=True),
    Case("scalar3", "t13-simd4", 2000, active_harts=3),
    Case("vector3", "t13-simd4", 60_000, active_harts=3, sharing="shared"),
    Case("vector3", "t13-simd4", 60_000, active_harts=3, sharing="replicated"),
    Case("vector3", "t13-simd4", 60_000, active_harts=3, sharing="multithreaded"),
)
