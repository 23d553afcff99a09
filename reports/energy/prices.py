"""Energy per instruction, by active harts and SIMD, and of kernels."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

import pandas as pd

from gnomon.arch import load_architecture
from gnomon.bench.kernels import find_kernel, measure
from gnomon.cost.energy import activity_table, power_table, price_work, vector_activity
from gnomon.sim import VectorCount, Work

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gnomon.arch import Architecture
    from gnomon.bench.kernels import Kernel, KernelRun, Variant
    from gnomon.cost.energy import Energy

SIMD = (1, 2, 4, 8)
WORDS = 32
CLASS_DATA = ("sparse", "dense")
SWITCHING_NJ = tuple(f"switching_{data}_nj" for data in CLASS_DATA)
PER_WORD_NJ = tuple(f"per_word_{data}_nj" for data in CLASS_DATA)
POWER = "t13"

SCALAR = {
    "nop": "nop", "add, sub": "add", "and, or, xor": "and", "shifts": "sll", "slt": "slt",
    "addi": "addi", "lui": "lui", "auipc": "auipc", "load": "lw", "store": "sw", "mul": "mul",
    "mulh": "mulh", "mulhu": "mulhu", "div, rem": "div", "divu, remu": "divu", "branch": "beq",
    "jump": "jal", "CSR read": "csr.read", "CSR write": "csr.write",
    "CSR write, vector": "csr.vector",
}  # fmt: skip
VECTOR = (
    "kaddv", "ksubv", "kvmul", "ksvmulrf", "kdotp", "kdotpps", "kvred", "ksrav", "kvslt", "krelu",
    "kbcast", "kvcp", "kmemld", "kmemstr", "kvmulps", "ksvmulpsrf", "kvdiv",
)  # fmt: skip


def scalar_energies() -> pd.DataFrame:
    """``instructions.csv`` in numbers: classes with one active hart and with three.

    Cycles are those of the slot, those of sleeping harts beside it included; energy is that of
    switching, by operand values, and of the clock in these cycles.
    """
    machine = load_architecture("t13-simd4")
    table = activity_table("t13x")
    clock_nj = power_table(POWER).clock.value / machine.clock * 1e6
    rows = []
    for harts, parked in ((1, (0, 1000, 1000)), (3, (0, 0, 0))):
        for name, instruction in SCALAR.items():
            slot = table.scalar(table.instructions[instruction], table.data["q15"], harts)
            work = Work(round(1000 * slot.cycles), {instruction: 1000}, {}, 0, parked, 0)
            switching = (_event_nj(work, machine, data, instruction) for data in CLASS_DATA)
            rows.append((name, harts, slot.cycles, *switching, clock_nj * slot.cycles))
    return pd.DataFrame(
        rows, columns=["class", "active_harts", "cycles", *SWITCHING_NJ, "clock_nj"]
    )


def vector_energies() -> pd.DataFrame:
    """``vector-instructions.csv`` in numbers: of ``WORDS`` words, and of one word more.

    Switching alone, one active hart; ``estimated`` from other instructions.
    """
    table, prices = activity_table("t13x"), power_table(POWER)
    per_toggle = prices.pj_per_toggle(table.units)
    rows = []
    for simd, name in product(SIMD, VECTOR):
        machine = load_architecture(f"t13-paper-simd{simd}")
        work = Work(3000, {}, {name: VectorCount(1000, 4000 * WORDS, 0)}, 0, (0, 1000, 1000), 0)
        switching, per_word, estimated = [], [], False
        for data in CLASS_DATA:
            switching.append(_event_nj(work, machine, data, name))
            line, estimated = vector_activity(table, name, table.data_set(data), simd)
            per_word.append(float(line.per_word @ per_toggle) * 1e-3)
        rows.append((name, simd, WORDS, *switching, *per_word, estimated))
    return pd.DataFrame(
        rows, columns=["instruction", "simd", "words", *SWITCHING_NJ, *PER_WORD_NJ, "estimated"]
    )


def _event_nj(work: Work, machine: Architecture, data: str, name: str) -> float:
    energy = price_work(work, machine, power=POWER, data=data)
    event = next(each for each in energy.events if each.event == name)
    return event.energy_uj / event.count * 1e3


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
