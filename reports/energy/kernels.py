"""Energy of kernels: scalar, and on the vector unit at each width."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gnomon.arch import load_architecture
from gnomon.bench.kernels import find_kernel, measure
from gnomon.cost.energy import price_work

from .classes import POWER, SIMD

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gnomon.bench.kernels import Kernel, KernelRun, Variant
    from gnomon.cost.energy import Energy

KERNEL_SIZE = 16
STUDIED = (
    "add", "sub", "scale", "transpose", "multiply", "multiply-transposed", "matvec", "outer", "dot",
    "argmax", "divide", "sqrt", "exp", "log", "softmax", "gaussian", "solve-lower", "solve-upper",
    "solve-positive", "lu", "invert", "invert-symmetric", "sherman-morrison", "woodbury",
    "grow-inverse",
)  # fmt: skip
"""Kernels of the study, in the order of its tables."""

KERNEL_DATA = "dense"
"""Operand values assumed: the kernels run on random data of the kernel's own range."""


@dataclass(frozen=True, slots=True)
class KernelEnergy:
    """One kernel, variant and width; ``simd`` is None for scalar code."""

    kernel: str
    extents: tuple[int, ...]
    variant: str
    simd: int | None
    run: KernelRun
    energy: Energy


def _plan(kernels: Sequence[Kernel] | None) -> list[tuple[Kernel, Variant, int | None]]:
    plan: list[tuple[Kernel, Variant, int | None]] = []
    for kernel in [find_kernel(name) for name in STUDIED] if kernels is None else kernels:
        for variant in kernel.variants:
            if variant.name == kernel.variants[0].name:
                plan.append((kernel, variant, None))
            elif variant.name == "vector":
                plan += [(kernel, variant, simd) for simd in SIMD]
    return plan


def kernels_steps() -> int:
    """How many times ``progress`` is called for all kernels."""
    return len(_plan(None))


def kernel_energies(
    progress: Callable[[str], None] = lambda _: None,
    kernels: Sequence[Kernel] | None = None,
    size: int = KERNEL_SIZE,
) -> tuple[KernelEnergy, ...]:
    """Run and price kernels: their first variant, and ``vector`` where there is one.

    Raises:
        CheckFailed: a result differs from its model.
    """
    found = []
    for kernel, variant, simd in _plan(kernels):
        machine = load_architecture("t13" if simd is None else f"t13-paper-simd{simd}")
        extents = kernel.square(size)
        run = measure(kernel, variant, machine, extents)
        energy = price_work(run.work, machine, power=POWER, data=KERNEL_DATA)
        found.append(KernelEnergy(kernel.name, extents, variant.name, simd, run, energy))
        progress(f"{kernel.name} {variant.name} {simd or ''}")
    return tuple(found)
