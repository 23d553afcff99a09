"""The first study: what the vector unit gives to a matrix sum and a matrix product."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gnomon.arch import load_architecture
from gnomon.base.errors import GnomonError
from gnomon.bench.kernels import build_kernel, find_kernel, measure

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gnomon.bench.kernels import KernelRun

STUDY_KERNELS = ("add", "multiply")
STUDY_SIZES = (4, 6, 8, 10, 12, 16, 20, 24, 28, 32)
STUDY_SIMD = (1, 2, 4, 8)


@dataclass(frozen=True, slots=True)
class StudyRow:
    """One measurement; ``simd`` is None for the scalar variant.

    Speedups are cycles of the scalar variant over cycles of this one, by wall clock and by the
    cycles in which the hart holds the execute stage.
    """

    kernel: str
    size: int
    simd: int | None
    run: KernelRun = field(repr=False)
    wall_speedup: float
    hart_speedup: float

    def to_json(self) -> dict[str, Any]:
        """Plain data; the columns of the CSV file."""
        return {
            "kernel": self.kernel,
            "n": self.size,
            "variant": self.run.variant,
            "simd": self.simd,
            "wall_cycles": self.run.wall_cycles,
            "hart_cycles": self.run.hart_cycles,
            "instructions_issued": self.run.issued,
            "wall_speedup": round(self.wall_speedup, 4),
            "hart_speedup": round(self.hart_speedup, 4),
            "largest_error": self.run.error,
            "error_bound": self.run.error_bound,
        }


@dataclass(frozen=True, slots=True)
class Study:
    """All rows, by kernel, then by SIMD (scalar first), then by size."""

    machine: str
    machine_title: str
    clock_hz: int
    scratchpad_bytes: int
    sharing: str
    seed: int
    rows: tuple[StudyRow, ...]

    def select(self, kernel: str, simd: int | None) -> list[StudyRow]:
        """The rows of one curve."""
        return [row for row in self.rows if row.kernel == kernel and row.simd == simd]

    @property
    def kernels(self) -> tuple[str, ...]:
        """Kernels in order."""
        return tuple(dict.fromkeys(row.kernel for row in self.rows))

    @property
    def widths(self) -> tuple[int, ...]:
        """SIMD values in order."""
        return tuple(dict.fromkeys(row.simd for row in self.rows if row.simd is not None))


def run_study(
    machine: str = "t13-simd4",
    overrides: Sequence[str] = (),
    *,
    sizes: Sequence[int] = STUDY_SIZES,
    widths: Sequence[int] = STUDY_SIMD,
    seed: int = 0,
    progress: Callable[[str], None] = lambda _: None,
) -> Study:
    """Measure both kernels, scalar and with each SIMD, on n x n matrices.

    Every result is compared bit by bit with its model. The scalar variant runs on the machine as
    it is: the vector unit does not touch it.

    Raises:
        GnomonError: the machine cannot run the kernels.
        CheckFailed: a result is wrong.
    """
    base = load_architecture(machine, overrides)
    if base.vcu is None:
        raise GnomonError(
            f"{base.name} has no vector unit, whose width the study varies; take a machine with"
            " one, such as t13-simd4"
        )
    rows: list[StudyRow] = []
    for name in STUDY_KERNELS:
        kernel = find_kernel(name)
        scalar: dict[int, KernelRun] = {}
        for simd in (None, *widths):
            variant = kernel.variant("scalar" if simd is None else "vector")
            architecture = base
            if simd is not None:
                architecture = load_architecture(machine, [*overrides, f"vcu.simd={simd}"])
            program = build_kernel(kernel, variant, architecture)
            for size in sizes:
                run = measure(
                    kernel,
                    variant,
                    architecture,
                    kernel.square(size),
                    seed=seed,
                    program=program,
                )
                first = scalar.setdefault(size, run)
                rows.append(
                    StudyRow(
                        kernel=name,
                        size=size,
                        simd=simd,
                        run=run,
                        wall_speedup=first.wall_cycles / run.wall_cycles,
                        hart_speedup=first.hart_cycles / run.hart_cycles,
                    )
                )
                progress(f"{name}, {'scalar' if simd is None else f'SIMD {simd}'}, n = {size}")
    return Study(
        machine=base.name,
        machine_title=base.title,
        clock_hz=base.clock,
        scratchpad_bytes=base.vcu.scratchpads.size,
        sharing=base.vcu.sharing,
        seed=seed,
        rows=tuple(rows),
    )


def study_steps(sizes: Sequence[int] = STUDY_SIZES, widths: Sequence[int] = STUDY_SIMD) -> int:
    """How many times ``progress`` is called."""
    return len(STUDY_KERNELS) * (1 + len(widths)) * len(sizes)
