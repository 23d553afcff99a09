"""What the area page shows: machines, and what kernels make of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gnomon.arch import load_architecture
from gnomon.content.reports.energy.prices import KernelEnergy, kernel_energies, kernels_steps
from gnomon.cost.area import area

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gnomon.arch import Architecture
    from gnomon.base.interval import Interval
    from gnomon.bench.kernels import Kernel
    from gnomon.cost.area import Area

BASE = "t13-paper-simd4"
"""The machine that one key at a time is changed of."""
SHARINGS = ("shared", "replicated", "multithreaded")
DIVIDERS = (
    "restoring_r2",
    "restoring_r4",
    "unrolled_4",
    "early_clz_r2",
    "klessydra_vl_std",
    "klessydra_vl_hf",
    "combinational",
)
SCRATCHPADS = (1, 2, 4, 8)


@dataclass(frozen=True, slots=True)
class MachineArea:
    """One machine: a shipped one, or the base with one key changed (``change``)."""

    group: str
    label: str
    change: str
    area: Area


@dataclass(frozen=True, slots=True)
class KernelArea:
    """One kernel on one machine: ``simd`` is None for scalar code on the core alone."""

    kernel: KernelEnergy
    area: Area

    @property
    def lut_us(self) -> Interval:
        """LUT x µs; the interval is that of the area alone."""
        return self.area.total.lut * self.kernel.energy.time_us


@dataclass(frozen=True, slots=True)
class AreaStudy:
    """Machines and kernels."""

    machines: tuple[MachineArea, ...]
    kernels: tuple[KernelArea, ...]

    def names(self) -> tuple[str, ...]:
        """Kernels with a vector variant, in their order."""
        return tuple(
            dict.fromkeys(k.kernel.kernel for k in self.kernels if k.kernel.simd is not None)
        )

    def scalar(self, name: str) -> KernelArea:
        """Scalar code of a kernel."""
        return next(k for k in self.kernels if (k.kernel.kernel, k.kernel.simd) == (name, None))

    def vector(self, name: str) -> tuple[KernelArea, ...]:
        """A kernel on the vector unit, by width."""
        own = (k for k in self.kernels if k.kernel.kernel == name and k.kernel.simd is not None)
        return tuple(sorted(own, key=lambda k: k.kernel.simd or 0))


def area_steps() -> int:
    """How many times ``progress`` is called."""
    return kernels_steps()


def run_area(
    progress: Callable[[str], None] = lambda _: None, kernels: Sequence[Kernel] | None = None
) -> AreaStudy:
    """Price machines, and run kernels on them.

    Raises:
        CheckFailed: a result differs from its model.
    """
    priced = []
    for each in kernel_energies(progress, kernels):
        machine = "t13" if each.simd is None else f"t13-paper-simd{each.simd}"
        priced.append(KernelArea(each, area(load_architecture(machine))))
    return AreaStudy(tuple(_machines()), tuple(priced))


def _machines() -> list[MachineArea]:
    found = [_machine("width", "no vector unit", "t13")]
    found += [_machine("width", f"SIMD {n}", f"t13-paper-simd{n}") for n in (1, 2, 4, 8)]
    for sharing in SHARINGS:
        found.append(_machine("sharing", sharing, BASE, f"vcu.sharing={sharing}"))
    for name in DIVIDERS:
        found.append(_machine("divider", name, BASE, f"vcu.divider={name}"))
    for count in SCRATCHPADS:
        found.append(
            _machine("scratchpads", f"{count} of 16 KiB", BASE, f"vcu.scratchpads.count={count}")
        )
    return found


def _machine(group: str, label: str, machine: str, change: str = "") -> MachineArea:
    described: Architecture = load_architecture(machine, [change] if change else [])
    return MachineArea(group, label, change, area(described))
