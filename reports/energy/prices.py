"""Energy per instruction, by active harts and SIMD, and of kernels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

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


@dataclass(frozen=True, slots=True)
class ScalarEnergy:
    """One instruction in all cycles of its slot.

    Attributes:
        name: of the class.
        harts: how many are active, 1 or 3.
        cycles: of the slot, those of sleeping harts beside it included.
        switching_nj: by operand values.
        clock_nj: clock energy of these cycles.
    """

    name: str
    harts: int
    cycles: float
    switching_nj: dict[str, float]
    clock_nj: float


@dataclass(frozen=True, slots=True)
class VectorEnergy:
    """One vector instruction of 32 words with one active hart, switching alone.

    Attributes:
        name: the instruction.
        simd: words per cycle.
        switching_nj: by operand values.
        per_word_nj: of one more word, by operand values.
        estimated: an estimate from other instructions.
    """

    name: str
    simd: int
    switching_nj: dict[str, float]
    per_word_nj: dict[str, float]
    estimated: bool


def scalar_energies() -> tuple[ScalarEnergy, ...]:
    """All scalar classes."""
    machine = load_architecture("t13-simd4")
    table = activity_table("t13x")
    clock_nj = power_table(POWER).clock.value / machine.clock * 1e6
    found = []
    for harts in (1, 3):
        parked = (0, 1, 1) if harts == 1 else (0, 0, 0)
        for name, instruction in SCALAR.items():
            slot = table.scalar(table.instructions[instruction], table.data["q15"], harts)
            work = Work(round(1000 * slot.cycles), {instruction: 1000}, {}, 0,
                        tuple(1000 * n for n in parked), 0)  # fmt: skip
            nj = {
                data: _event_nj(price_work(work, machine, power=POWER, data=data), instruction)
                for data in CLASS_DATA
            }
            found.append(ScalarEnergy(name, harts, slot.cycles, nj, clock_nj * slot.cycles))
    return tuple(found)


def vector_energies() -> tuple[VectorEnergy, ...]:
    """All vector instructions and transfers that are shown."""
    table, prices = activity_table("t13x"), power_table(POWER)
    per_toggle = prices.pj_per_toggle(table.units)
    found = []
    for simd in SIMD:
        machine: Architecture = load_architecture(f"t13-paper-simd{simd}")
        for name in VECTOR:
            nj, per_word = {}, {}
            for data in CLASS_DATA:
                count = {name: VectorCount(1000, 4000 * WORDS, 0)}
                work = Work(3000, {}, count, 0, (0, 1000, 1000), 0)
                nj[data] = _event_nj(price_work(work, machine, power=POWER, data=data), name)
                line, estimated = vector_activity(table, name, table.data_set(data), simd)
                per_word[data] = float(line.per_word @ per_toggle) * 1e-3
            found.append(VectorEnergy(name, simd, nj, per_word, estimated))
    return tuple(found)


def _event_nj(energy: Energy, name: str) -> float:
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
