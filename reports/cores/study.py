"""``gnomon report cores``: one step of LinUCB on six cores, and the effect of the vector unit."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import pandas as pd

from gnomon.arch import load_architecture
from gnomon.base.errors import GnomonError
from gnomon.base.frames import frame
from gnomon.calibrate.calibration import Calibration
from gnomon.cli.study import option, study_command
from gnomon.cost.area import RESOURCES, Area
from gnomon.measure.learners import EmbeddedSizes, LearnerBench, find_embedded_learner
from gnomon.report.study import Steps, StudyReport

LEARNER = "linucb-disjoint"
SIZES = EmbeddedSizes(8, 8)
CORES = ("serv", "picorv32", "picorv32-fast", "hazard3", "hazard3-faster", "t13")
RUNS = (
    *((name, "optimized", 1) for name in CORES),
    ("t13", "optimized", 3),
    *((f"t13-paper-simd{lanes}", "optimized-vector", 1) for lanes in (1, 2, 4, 8)),
)
"""Machine, variant, harts that share the arms."""
_COLUMNS = ("machine", "variant", "harts", "select_cycles", "update_cycles", "step_cycles",
            "instructions", *RESOURCES, "synthesis")  # fmt: skip


_CORE = "User's copy of the RTL of a machine, to synthesize."
Cores = Annotated[list[str] | None, option("--core MACHINE=CORE.yaml", _CORE)]


def _synthesized(cores: Sequence[str]) -> dict[str, tuple[Mapping[str, float], str]]:
    found = dict[str, tuple[Mapping[str, float], str]]()
    for each in cores:
        name, _, path = each.partition("=")
        if name not in CORES or not path:
            raise GnomonError(f"--core: must be MACHINE=CORE.yaml, not {each!r} "
                              f"(machines: {', '.join(CORES)})")  # fmt: skip
        found[name] = Calibration.area(Path(path))
    return found


def run_cores(
    progress: Steps | None = None,
    *,
    cores: Cores = None,
) -> StudyReport:
    """Measure each core; count its area if a copy of its RTL is given."""
    areas, learner, rows = _synthesized(cores or ()), find_embedded_learner(LEARNER), []
    for machine, name, harts in (progress or Steps()).over(RUNS, lambda each: each[0]):
        architecture, variant = load_architecture(machine), learner.variant(name, "tuned")
        bench = LearnerBench(learner, variant, architecture, SIZES, harts)
        run = bench.measure(case="random", details=False)
        select, update = run.select.wall_cycles, run.update.wall_cycles
        counts, source = areas.get(machine, _ours(machine))
        rows.append((machine, name, harts, select, update, select + update,
                     run.select.issued + run.update.issued,
                     *(counts.get(each) for each in RESOURCES), source))  # fmt: skip
    return report_of(frame(_COLUMNS, rows))


def _ours(machine: str) -> tuple[Mapping[str, float], str]:
    """Return the resources of a machine with gnomon's RTL and their source; empty without."""
    if not machine.startswith("t13"):
        return {}, ""
    whole = Area.from_architecture(load_architecture(machine)).whole
    if whole is None:
        return {}, ""
    return {name: whole.resources.of(name).value for name in RESOURCES}, whole.source


def report_of(rows: pd.DataFrame) -> StudyReport:
    steps: Any = rows.set_index(["machine", "harts"])["step_cycles"].to_dict()
    scalar = {name: steps[name, 1] for name in CORES}
    slowest, fastest = (f(scalar, key=scalar.__getitem__) for f in (max, min))
    vector = {lanes: steps[f"t13-paper-simd{lanes}", 1] for lanes in (1, 2, 4, 8)}
    known = rows.dropna(subset=["lut"])
    facts: dict[str, Any] = {
        "title": find_embedded_learner(LEARNER).title,
        "sizes": SIZES,
        "fraction_bits": find_embedded_learner(LEARNER).variant(RUNS[0][1], "tuned").fraction_bits,
        "cycles": rows[[*_COLUMNS[:7]]],
        "area": known[["machine", *RESOURCES]].drop_duplicates().assign(
            **{"LUT x cycles, millions": known["lut"] * known["step_cycles"] / 1e6}
        ),
        "syntheses": known[["machine", "synthesis"]].drop_duplicates().to_dict("records"),
        "without": [name for name in CORES if name not in set(known["machine"])],
        "slowest": slowest,
        "fastest": fastest,
        "fewest": scalar[fastest],
        "factor": scalar[slowest] / scalar[fastest],
        "vector": {lanes: scalar["t13"] / cycles for lanes, cycles in vector.items()},
        "three": steps["t13", 3],
        "vector_cycles": vector,
    }  # fmt: skip
    return StudyReport(
        Path(__file__).parent, "cores", facts, {"cores": rows},
        answer={"rows": rows.astype(object).where(rows.notna(), None).to_dict("records")},
    )  # fmt: skip


main = study_command(run_cores, title="measuring cores")
