"""``gnomon report gate-energy``: a designer's view of the gate-level tables."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from scipy.stats import kendalltau

from gnomon.arch import load_architecture
from gnomon.base.content import content
from gnomon.base.errors import GnomonError
from gnomon.base.frames import worded
from gnomon.cli.study import study_command
from gnomon.cost.energy import Energy
from gnomon.measure.kernels import KernelBench, find_kernel
from gnomon.measure.learners import EmbeddedSizes, LearnerBench, find_embedded_learner
from gnomon.report.canvas import COLOURS, legend, panels, size_axis
from gnomon.report.study import Keeps, Steps, StudyReport
from gnomon.sim import Work

KERNEL, SIZES, SIMD = "multiply", (4, 8, 16, 32), (1, 4)
OPERANDS = {"full range": (0, 1), "small": (8, 1), "one in eight": (0, 8)}
"""Operands by name: bits they are shifted to the right, and every how many-th is kept."""
LEARNERS = ("ares", "bento-epsilon-greedy", "linucb-disjoint", "linucb-window", "softucb")
D, ARMS = 8, 8
STATED = {"stated": "value", "stated_low": "low", "stated_high": "high"}
"""Wires and clock tree, and the ends of their model."""
_CONTROL = ("fetch", "control", "csrs", "vector control")
FPGA = "t13"


def machine_of(simd: int) -> str:
    """Return the machine of a width; scalar code runs on the narrowest."""
    return f"t13-simd{simd or 1}"


def priced(work: Work, machine: str) -> dict[str, float]:
    """Return pJ by the machine's table: units, all of the data path, the ungated clock.

    ``stated``: addition of wires and the clock tree by the table's model, with its ends.
    """
    energy = Energy.from_work(work, load_architecture(machine), power=f"osu018-{machine}")
    units = dict(energy.units)
    stated = (units.pop("wires") + units.pop("clock tree")).scaled(1e6, "pJ")
    pj = {name: 1e6 * each.value for name, each in units.items()}
    clock, leakage = pj.pop("clock"), pj.pop("leakage")
    ends = {name: getattr(stated, end) for name, end in STATED.items()}
    return {**pj, "data path": sum(pj.values()), "clock": clock, "leakage": leakage, **ends}


def kernel_work(n: int, simd: int, operands: str) -> tuple[int, Work]:
    """Return wall cycles and work of a matrix product; simd 0: scalar code."""
    machine = machine_of(simd)
    architecture = load_architecture(machine, [f"power=osu018-{machine}"])
    kernel = find_kernel(KERNEL)
    bench = KernelBench(kernel, kernel.variant("vector" if simd else "scalar"), architecture)
    extents = bench.check(kernel.square(n))
    shift, step = OPERANDS[operands]
    given = tuple(
        np.where(np.arange(values.size).reshape(values.shape) % step == 0, values >> shift, 0)
        for values in kernel.operands(bench.fixed, extents, 0)
    )
    run = bench.measure(extents, operands=given)
    return run.wall_cycles, run.work


def _bench(name: str, variant: str, simd: int) -> LearnerBench:
    machine, learner = machine_of(simd), find_embedded_learner(name)
    chosen = next(each for each in learner.variants if each.name == variant)
    architecture = load_architecture(machine, [f"power=osu018-{machine}"])
    return LearnerBench(learner, chosen, architecture, EmbeddedSizes(D, ARMS))


def runs(name: str, variant: str, simd: int) -> bool:
    """Return whether a machine supports a variant: the public T13 divides no vectors."""
    try:
        _bench(name, variant, simd).check()
    except GnomonError:
        return False
    return True


def learner_work(name: str, variant: str, simd: int) -> tuple[int, Work]:
    """Return wall cycles and work of a decision and an update after random steps."""
    run = _bench(name, variant, simd).measure(case="random", details=False)
    cycles = sum(each.wall_cycles for each in run.stages)
    return cycles, Work.joined(each.work for each in run.stages)


def kernels(progress: Steps, keeps: Keeps) -> pd.DataFrame:
    """Return a row for each matrix product: pJ for each multiply-accumulate."""
    netlists: Any = pd.read_csv(content("reports", "gates", "netlists.csv"), index_col="machine")
    gated = netlists["gated_clock_pj"]
    plan = [(n, simd, "full range") for n in SIZES for simd in (0, *SIMD)]
    plan += [(16, simd, name) for name in OPERANDS if name != "full range" for simd in (0, *SIMD)]
    rows = []
    for n, simd, operands in progress.over(plan, lambda each: f"{KERNEL} {each[0]}"):
        cycles, work = keeps.measuring(kernel_work, n, simd, operands)
        pj, products = priced(work, machine_of(simd)), n**3
        gated_pj = cycles * float(gated[machine_of(simd)])
        data, clock = pj["data path"], pj["clock"] + pj["leakage"]
        rows.append({
            "operands": operands, "n": n, "simd": simd, "wall_cycles": cycles,
            "data_pj_per_mac": data / products, "total_pj_per_mac": (data + clock) / products,
            "gated_pj_per_mac": (data + gated_pj + pj["leakage"]) / products,
            **{f"{name}_pj_per_mac": pj[name] / products for name in STATED},
            "registers_percent": 100 * pj["registers"] / data,
            "control_percent": 100 * sum(pj[unit] for unit in _CONTROL) / data,
            "lanes_percent": 100 * (pj["lanes"] + pj["lane multipliers"]) / data,
        })  # fmt: skip
    return pd.DataFrame(rows)


def learners(progress: Steps, keeps: Keeps) -> pd.DataFrame:
    """Return a row for each learner and width: µJ of a step by both kinds of table."""
    every = (
        (name, each.name, simd)
        for name in LEARNERS for each in find_embedded_learner(name).variants
        for simd in (SIMD if each.vector else (0,))
        if each.once is None and runs(name, each.name, simd)
    )  # fmt: skip
    plan = list(dict.fromkeys(every))  # lines may have variants of one name: the first counts
    rows = []
    for name, variant, simd in progress.over(plan, lambda each: f"{each[0]} {each[1]}"):
        cycles, work = keeps.measuring(learner_work, name, variant, simd)
        pj = priced(work, machine_of(simd))
        fpga = Energy.from_work(work, load_architecture(machine_of(simd)), power=FPGA, data="dense")
        rows.append({
            "learner": name, "variant": variant, "simd": simd, "wall_cycles": cycles,
            "data_uj": pj["data path"] / 1e6,
            "total_uj": (pj["data path"] + pj["clock"] + pj["leakage"]) / 1e6,
            "fpga_uj": fpga.energy_uj.value,
        })  # fmt: skip
    return pd.DataFrame(rows)


_KINDS = {"data_pj_per_mac": "data path", "gated_pj_per_mac": "gated clock",
          "total_pj_per_mac": "ungated clock"}  # fmt: skip


def best_widths(table: Any) -> pd.DataFrame:
    """Return the SIMD of least energy by n, for each kind of clock; 0 is scalar code."""
    full = table[table["operands"] == "full range"].set_index("simd")
    best: pd.DataFrame = full.groupby("n")[[*_KINDS]].idxmin().astype(int)
    return best.rename(columns=_KINDS).reset_index()


def orders(table: Any) -> dict[str, Any]:
    """Return the rank agreement of learners by both tables, and the largest change."""
    gates, fpga = table["total_uj"], table["fpga_uj"]
    pairs = [(i, j) for i in range(len(table)) for j in range(i)]
    turned = [(i, j) for i, j in pairs if (gates[i] - gates[j]) * (fpga[i] - fpga[j]) < 0]
    moved = (gates.rank() - fpga.rank()).abs()
    return {
        "tau": float(kendalltau(gates, fpga).statistic), "pairs": len(pairs),
        "turned": len(turned), "moved": int(moved.max()), "most": table.loc[moved.idxmax()],
        "same_best": bool(gates.idxmin() == fpga.idxmin()), "best": table.loc[gates.idxmin()],
        "fpga_best": table.loc[fpga.idxmin()],
    }  # fmt: skip


def says(table: Any) -> dict[str, Any]:
    """Return the facts that choose the sentences of the page."""
    largest = table[(table["operands"] == "full range") & (table["n"] == max(SIZES))]
    of = largest.set_index("simd")
    one = table[table["n"] == 16].set_index(["operands", "simd"])["data_pj_per_mac"]
    full, *others = OPERANDS
    small = {name: [float(one[name, k] / one[full, k]) for k in (0, *SIMD)] for name in others}
    whole, stated = of["total_pj_per_mac"], {name: of[f"{name}_pj_per_mac"] for name in STATED}
    clock = 100 - 100 * of["data_pj_per_mac"] / whole
    saved = 100 - 100 * of["gated_pj_per_mac"] / whole
    added = {name: 100 * each / whole for name, each in stated.items()}
    widths = {name: int((whole + each).idxmin()) for name, each in stated.items()}
    return {
        "added": added, "widths": widths, "of": of, "small": small, "n": max(SIZES),
        "most": max(SIMD),
        "clock": (clock.min(), clock.max()), "saved": (saved.min(), saved.max()),
    }  # fmt: skip


def _figure(table: Any) -> Figure:
    figure, (row,) = panels(1, 3, size=(11.0, 3.6))
    full = table[table["operands"] == "full range"]
    for axes, (kind, title) in zip(row, _KINDS.items(), strict=True):
        for k, (simd, own) in enumerate(full.groupby("simd")):
            label = f"SIMD {simd}" if simd else "scalar"
            axes.plot(own["n"], own[kind], "os^Dv"[k] + "-", color=COLOURS[k], label=label)
        low, high = full[[*_KINDS]].min(axis=None), full[[*_KINDS]].max(axis=None)
        axes.set(title=title, yscale="log", ylim=(0.8 * low, 1.25 * high))
        size_axis(axes, SIZES, "n")
    row[0].set_ylabel("pJ per multiply-accumulate")
    legend(figure, row[0], 5)
    return figure


def _run(progress: Steps, keeps: Keeps) -> StudyReport:
    products, steps = kernels(progress, keeps), learners(progress, keeps)
    per_mac = {name: ".1f" for name in products.columns if name.endswith(("_mac", "_percent"))}
    per_step = {name: ".4g" for name in steps.columns if name.endswith("_uj")}
    tables = {"kernels": worded(products, per_mac), "learners": worded(steps, per_step)}
    facts = {
        **tables, "best": best_widths(products), "says": says(products), "orders": orders(steps),
        "d": D, "arms": ARMS,
    }  # fmt: skip
    return StudyReport(
        Path(__file__).parent, "gate_energy", facts, tables, {"kernels": _figure}, results=products
    )


main = study_command(_run, title="simulating")
