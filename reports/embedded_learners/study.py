"""``gnomon experiment embedded-learners``: SoftUCB and ARES-P in C, compared with float.

Number formats on the host, and the cost of a step on each machine.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import groupby, product
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MultipleLocator

from gnomon.arch import load_architecture
from gnomon.base.errors import GnomonError, require_known
from gnomon.base.frames import frame, worded
from gnomon.base.result_cache import Keep, compute_uncached
from gnomon.cli.study import study_command
from gnomon.cost.energy import OptionalEnergy
from gnomon.measure.learners import (
    EmbeddedSizes,
    LearnerBench,
    LearnerVariant,
    find_embedded_learner,
)
from gnomon.report.canvas import COLOURS, panels
from gnomon.report.study import Steps, StudyReport
from gnomon.sim import Work

from .formats import FORMAT_BITS, ares_formats, softucb_formats
from .step_costs import VECTOR_MACHINES as MACHINES
from .step_costs import lossless_bits

_UJ = ("select_uj", "update_uj", *(f"energy{end}_uj" for end in ("", "_low", "_high")))
_IN_SMALL = ("optimized", "optimized-vector", "standard-vector")


@dataclass(frozen=True, slots=True)
class EmbeddedLearners:
    """Each implementation in each format compared with float, and on each machine."""

    size: str
    # see :mod:`.formats`; ``inverse_bits`` None if they are not chosen separately
    formats: pd.DataFrame
    costs: pd.DataFrame  # see ``measure_costs``


def run_embedded(
    size: str = "small", progress: Steps | None = None, keep: Keep = compute_uncached
) -> EmbeddedLearners:
    progress = progress or Steps()
    full = require_known("size", size, MACHINES) == "full"
    bits = FORMAT_BITS if full else (12, 16)
    cases = _cases(size)
    progress.plan(2 + len(cases) * len(MACHINES[size]))
    soft, ares = progress.count(
        ["softucb, formats", "ares, formats"],
        keep.each([
            partial(_formats, "softucb", environments=40 if full else 4,
                    rounds=2048 if full else 200, bits=bits),
            partial(_formats, "ares", runs=20 if full else 2,
                    rounds=1000 if full else 200, bits=bits),
        ]),
    )  # fmt: skip
    measured = list(product(cases, MACHINES[size]))
    costs = progress.count(
        [f"{case[0]}, {machine}" for case, machine in measured],
        keep.each(partial(measure_costs, *case, machine) for case, machine in measured),
    )
    formats = pd.DataFrame([*soft, *ares], dtype=object)
    return EmbeddedLearners(size, formats, pd.DataFrame(costs))


def _cases(size: str) -> list[tuple[str, str, EmbeddedSizes, LearnerVariant]]:
    full = size == "full"
    soft, ares = find_embedded_learner("softucb"), find_embedded_learner("ares")
    sizes = EmbeddedSizes(20, 50) if full else EmbeddedSizes(4, 6)
    cases = [
        ("softucb", f"K = {sizes.arms}, d = {sizes.d}", sizes, variant) for variant in soft.variants
    ]
    cases += [
        ("ares", f"3 arms, 3 numbers, windows up to {windows}", EmbeddedSizes(3, 3),
         variant.with_parameters(LEARNER_WINDOWS=windows))
        for windows in ((4, 10) if full else (2,))
        for variant in ares.variants
    ]  # fmt: skip
    return [case for case in cases if full or case[3].name in _IN_SMALL]


def _formats(learner: str, **settings: Any) -> tuple[dict[str, Any], ...]:
    return tuple((softucb_formats if learner == "softucb" else ares_formats)(**settings))


def measure_costs(
    name: str, case: str, sizes: EmbeddedSizes, variant: LearnerVariant, machine: str
) -> dict[str, Any]:
    """Run a step and price it, operands dense; compare every bit with the host.

    Returns:
        Columns of ``embedded_costs.csv``, the ``arm`` that was chosen, and the ``run`` as JSON.
        ``case`` has its sizes and parameters; energies are dynamic.
    """
    architecture = load_architecture(machine)
    bench = LearnerBench(find_embedded_learner(name), variant, architecture, sizes)
    run = bench.measure(case="random", details=False)
    works = [run.select.work, run.update.work]
    quotes = [
        OptionalEnergy.from_work(each, architecture, data="dense")
        for each in (*works, Work.joined(works))
    ]
    if any(quote.energy is None for quote in quotes):
        raise GnomonError(f"{machine} names no power table: its energy is not known")
    select, update, both = (quote.energy.energy_uj for quote in quotes if quote.energy)
    return {
        "learner": run.learner, "case": case, "variant": run.variant, "arch": run.arch,
        "select_cycles": run.select.wall_cycles, "update_cycles": run.update.wall_cycles,
        "time_us": run.time_us, "select_uj": select.value, "update_uj": update.value,
        "energy_uj": both.value, "energy_low_uj": both.low, "energy_high_uj": both.high,
        "model_bytes": run.model_bytes, "static_bytes": run.static_bytes,
        "text_bytes": run.text_bytes, "stack_bytes": max(run.stack_bytes), "arm": run.arm,
        "run": run.to_json(),
    }  # fmt: skip


def report_of(learners: EmbeddedLearners) -> StudyReport:
    formats, costs = learners.formats, learners.costs.drop(columns=["arm", "run"])
    choices = learners.costs.groupby(["learner", "variant", "case"])["arm"].nunique()
    apart = {f"{learner} {variant}" for learner, variant, _ in choices[choices > 1].index}
    forms = dict.fromkeys(("equal_following", "equal_alone"), ".6f") | dict.fromkeys(
        ("regret", "float_regret", "regret_ratio"), ".4f"
    )
    facts = {"size": learners.size, "apart": sorted(apart), "least": _least(formats),
             "formats": _shown(formats), "costs": _sharing(costs)}  # fmt: skip
    tables = {
        "formats": worded(formats, forms).rename(columns={"float_regret": "regret_float"}),
        "costs": worded(costs, {"time_us": ".2f", **dict.fromkeys(_UJ, ".4f")}),
    }
    told = [
        {"case": case, **run, "energy_uj": energy_uj}
        for case, run, energy_uj in learners.costs[["case", "run", "energy_uj"]].to_numpy()
    ]
    answer = {"formats": formats.to_dict("records"), "costs": told}
    return StudyReport(
        Path(__file__).parent, "embedded", facts, tables, {"formats": draw_formats}, answer,
        "embedded_", formats,
    )  # fmt: skip


def _least(formats: pd.DataFrame) -> pd.DataFrame:
    is_alike = formats["inverse_bits"] == formats["fraction_bits"]
    alike = is_alike.map({True: ", V^-1 alike", False: ""})
    name = formats["learner"] + " " + formats["variant"] + alike + ", " + formats["case"]
    ratios = formats.set_index("fraction_bits")["regret_ratio"].groupby(name.to_numpy(), sort=False)
    return frame(
        ("implementation", "fewest fraction bits from which on regret is at most 2 % above"),
        ((name, lossless_bits(of) or "none measured") for name, of in ratios),
    )


def _shown(formats: pd.DataFrame) -> pd.DataFrame:
    heads = {
        "implementation": "implementation", "fraction_bits": "fraction bits",
        "inverse_bits": "bits of V^-1", "equal_following": "equal, following",
        "equal_alone": "equal, alone", "regret": "regret", "regret_ratio": "over float",
    }  # fmt: skip
    name = formats["learner"] + " " + formats["variant"] + ", " + formats["case"]
    texts = worded(formats.assign(implementation=name), {
        "inverse_bits": "", "equal_following": ".2%", "equal_alone": ".2%", "regret": ".3g",
        "regret_ratio": ".3f",
    })  # fmt: skip
    return texts[list(heads)].rename(columns=heads)


def _sharing(costs: pd.DataFrame) -> pd.DataFrame:
    """Merge machines with the same figures into one row."""
    forms = dict.fromkeys(("energy_uj", "energy_low_uj", "energy_high_uj"), ".3g")
    texts: Any = worded(costs, {
        **dict.fromkeys(("select_cycles", "update_cycles", "model_bytes", "text_bytes",
                         "stack_bytes"), ","),
        "time_us": ",.1f", "select_uj": ".3g", "update_uj": ".3g", **forms,
    })  # fmt: skip
    value, low, high = (texts[name] for name in forms)
    texts["µJ"] = value + " (" + low + " to " + high + ")"
    heads = {
        "learner": "learner", "case": "case", "variant": "variant",
        "select_cycles": "select cycles", "update_cycles": "update cycles", "time_us": "µs",
        "select_uj": "µJ select", "update_uj": "µJ update", "µJ": "µJ",
        "model_bytes": "model bytes", "text_bytes": "text bytes", "stack_bytes": "stack bytes",
    }  # fmt: skip
    table: pd.DataFrame = texts.groupby(list(heads), sort=False)["arch"].agg(_names).reset_index()
    table.insert(3, "machine", table.pop("arch"))
    return table.rename(columns=heads)


def _names(machines: pd.Series[str]) -> str:
    """Join names that differ in their last letter alone: t13-simd1, 2, 4, 8."""
    families = groupby(machines, key=lambda machine: machine[:-1])
    return "; ".join(family + ", ".join(name[-1] for name in of) for family, of in families)


_TITLES = {"softucb": "SoftUCB", "ares": "ARES-P"}
_KINDS = (
    ("softucb", "standard", False, "literal"),
    ("softucb", "optimized", False, "incremental"),
    ("softucb", "optimized", True, "incremental, V⁻¹ alike"),
    ("softucb", "online", False, "online"),
    ("softucb", "optimized-vector", False, "vector"),
    ("ares", "standard", False, "windows"),
    ("ares", "optimized", False, "one factor"),
    ("ares", "standard", True, "windows, V⁻¹ alike"),
    ("ares", "standard-vector", False, "vector"),
)


def draw_formats(formats: pd.DataFrame) -> Figure:
    figure, grid = panels(2, 2, size=(8.4, 5.6), sharex=True)
    for learner, title, equal, regret in zip(_TITLES, _TITLES.values(), *grid, strict=True):
        kinds = [kind for kind in _KINDS if kind[0] == learner]
        for colour, (_, variant, alike, label) in zip(COLOURS, kinds, strict=False):
            own = formats[formats["learner"].eq(learner) & formats["variant"].eq(variant)]
            own = own[own["inverse_bits"].notna() == alike]
            first = own["case"].iloc[0] if len(own) else ""
            own = own[own["case"] == first]
            bits = own["fraction_bits"].tolist()
            style = {"color": colour, "marker": "o", "markersize": 3.5, "linewidth": 1.2}
            equal.plot(bits, (100 * own["equal_following"]).tolist(), label=label, **style)
            regret.plot(bits, own["regret_ratio"].tolist(), **style)
            equal.set_title(f"{title}: {first}", size=9)
        regret.axhspan(0.98, 1.02, color="#DDDDDD", zorder=0)
        regret.set_xlabel("fraction bits")
        regret.xaxis.set_major_locator(MultipleLocator(2))
        equal.legend(frameon=False, fontsize=8, loc="lower right")
    grid[0][0].set_ylabel("equal arms, following (%)")
    grid[1][0].set_ylabel("regret over float (grey: ±2 %)")
    return figure


main = study_command(
    lambda size, progress, keeps: report_of(run_embedded(size, progress, keeps.measuring)),
    {name: name for name in MACHINES},
    independent=True,
)
