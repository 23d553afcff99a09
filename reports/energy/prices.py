"""Energy per instruction, by active harts and SIMD, and of kernels."""

from collections.abc import Sequence
from itertools import product

import pandas as pd

from gnomon.arch import Architecture, load_architecture
from gnomon.base.interval import Interval
from gnomon.cost.energy import ActivityTable, Energy, PowerTable
from gnomon.measure.kernels import Kernel, KernelBench, find_kernel
from gnomon.report.study import Steps
from gnomon.sim import VectorCount, Work

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
    """Return ``instructions.csv`` in numbers: classes with one active hart and with three.

    Cycles are those of the slot, including sleeping harts. Energy is of switching, by operand
    values, and of the clock in these cycles.
    """
    machine = load_architecture("t13-simd4")
    table = ActivityTable.load("t13x")
    clock_nj = PowerTable.load(POWER).clock_power_mw.value / machine.clock * 1e6
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
    """Return ``vector-instructions.csv`` in numbers: of ``WORDS`` words, and of one word more.

    Switching alone, one active hart; ``estimated`` from other instructions.
    """
    table, prices = ActivityTable.load("t13x"), PowerTable.load(POWER)
    per_toggle = prices.pj_per_toggle(table.units)
    rows = []
    for simd, name in product(SIMD, VECTOR):
        machine = load_architecture(f"t13-paper-simd{simd}")
        work = Work(3000, {}, {name: VectorCount(1000, 4000 * WORDS, 0)}, 0, (0, 1000, 1000), 0)
        switching, per_word, estimated = [], [], False
        for data in CLASS_DATA:
            switching.append(_event_nj(work, machine, data, name))
            line, estimated = table.vector_instruction(name, table.data_set(data), simd)
            per_word.append(float(line.per_word @ per_toggle) * 1e-3)
        rows.append((name, simd, WORDS, *switching, *per_word, estimated))
    return pd.DataFrame(
        rows, columns=["instruction", "simd", "words", *SWITCHING_NJ, *PER_WORD_NJ, "estimated"]
    )


def _event_nj(work: Work, machine: Architecture, data: str, name: str) -> float:
    energy = Energy.from_work(work, machine, power=POWER, data=data)
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


_ENDS = {"": "value", "_low": "low", "_high": "high"}
"""How columns of an interval are named, and which end of it each holds."""
KERNEL_COLUMNS = (
    "kernel", "extents", "variant", "simd", "wall_cycles", "time_us",
    *(f"energy{end}_uj" for end in _ENDS), *(f"power{end}_mw" for end in _ENDS),
    *(f"energy_delay{end}_uj_us" for end in _ENDS), "toggles_per_cycle", "extrapolated",
)  # fmt: skip


def ends_of(interval: Interval) -> list[float]:
    return [getattr(interval, end) for end in _ENDS.values()]


def kernel_energies(
    progress: Steps | None = None, kernels: Sequence[Kernel] | None = None
) -> pd.DataFrame:
    """Run and price kernels: their first variant, and ``vector`` where there is one, by width.

    Returns:
        One row for each run, with ``KERNEL_COLUMNS``; ``simd`` is 0 for scalar code on the core.
    """
    plan = [
        (kernel, variant, simd)
        for kernel in ([find_kernel(name) for name in STUDIED] if kernels is None else kernels)
        for variant in kernel.variants
        for simd in ([0] if variant is kernel.variants[0] else SIMD * (variant.name == "vector"))
    ]
    rows = []
    for kernel, variant, simd in (progress or Steps()).over(plan, lambda each: each[0].name):
        machine = load_architecture(machine_of(simd))
        extents = kernel.square(KERNEL_SIZE)
        run = KernelBench(kernel, variant, machine).measure(extents)
        energy = Energy.from_work(run.work, machine, power=POWER, data=KERNEL_DATA)
        rows.append(
            (kernel.name, "x".join(map(str, extents)), variant.name, simd, energy.wall_cycles,
             energy.time_us, *ends_of(energy.energy_uj), *ends_of(energy.power_mw),
             *ends_of(energy.energy_delay_uj_us), energy.toggles_per_cycle, energy.extrapolated)
        )  # fmt: skip
    return pd.DataFrame(rows, columns=KERNEL_COLUMNS)


def machine_of(simd: int) -> str:
    """Return the machine of a width; 0: the scalar core."""
    return f"t13-paper-simd{simd}" if simd else "t13"
