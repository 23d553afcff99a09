"""``gnomon report correction``: what the periodic correction gains and costs."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

import pandas as pd

from gnomon.base.content import find
from gnomon.base.errors import GnomonError
from gnomon.base.files import read_text, write_files
from gnomon.base.frames import csv_text, frame, worded
from gnomon.report.study import (
    Json,
    Out,
    Pages,
    Size,
    Steps,
    default_out,
    finish,
    size_of,
    steps_progress,
)

from .measure import ARMS, FIXED_COLUMNS, DeviceCase, fixed_errors, measure_case
from .page import page
from .schedules import GAIN_COLUMNS, ScheduleCase, run_schedules

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from gnomon.bench.learners import LearnerRun

_BUILD: Final = re.compile(r"Compiler: (?P<compiler>.*); flags of the first run: `(?P<flags>.*)`")
_DISJOINT, _HYBRID = "linucb-disjoint", "linucb-hybrid"


@dataclass(frozen=True, slots=True)
class CorrectionSize:
    """How large a study is.

    Attributes:
        name: as on the command line.
        schedules: the float runs.
        device: the runs on machines.
        fixed_steps: how many in fixed point.
        fixed_seeds: of these steps.
    """

    name: str
    schedules: tuple[ScheduleCase, ...]
    device: tuple[DeviceCase, ...]
    fixed_steps: int
    fixed_seeds: tuple[int, ...]


def _device(
    disjoint: tuple[int, ...], hybrid: dict[int, tuple[int, ...]]
) -> tuple[DeviceCase, ...]:
    """Context features of the disjoint learner; features of arms by those of the hybrid one."""
    sizes: list[tuple[str, int, int | None]] = [(_DISJOINT, d, None) for d in disjoint]
    sizes += [(_HYBRID, d, f) for d, features in hybrid.items() for f in features]
    return tuple(
        DeviceCase(learner, d, f, unit) for learner, d, f in sizes for unit in ("scalar", "vector")
    )


CORRECTION_SIZES = {
    "small": CorrectionSize(
        "small",
        (ScheduleCase("uniform", rounds=1500, periods=(250, 25)),),
        _device((4,), {4: (4,)}),
        1500,
        (1,),
    ),
    "full": CorrectionSize(
        "full",
        (ScheduleCase("uniform"), ScheduleCase("normal")),
        _device((4, 8, 16, 32), {4: (4, 8, 16, 32), 8: (4, 8, 16, 32)}),
        12_000,
        (1, 2, 3),
    ),
}


@dataclass(frozen=True, slots=True)
class Results:
    """All results.

    Attributes:
        gain: one row per law, variant and period.
        device: one row per measured step.
        fixed: one row per seed and period.
        compiler: name and version.
        flags: of the first run of a corrected variant.
    """

    gain: pd.DataFrame
    device: pd.DataFrame
    fixed: pd.DataFrame
    compiler: str
    flags: str


def read_results(folder: Path) -> Results:
    """What an earlier run has written: its tables, and the compiler that its page names.

    Raises:
        GnomonError: a file is not there, or the page names none.
    """
    text = read_text(folder / "correction.md")
    build = _BUILD.search(text)
    if build is None:
        raise GnomonError(f"{folder / 'correction.md'}: names no compiler")
    gain, device, fixed = (
        pd.read_csv(folder / f"correction_{name}.csv") for name in ("gain", "device", "fixed")
    )
    return Results(gain, device, fixed, build["compiler"], build["flags"])


def run_correction(size: CorrectionSize, progress: Steps | None = None) -> Results:
    """Run the study.

    Raises:
        CheckFailed: a machine computed another bit than this computer.
    """
    progress = progress or Steps()
    progress.plan(len(size.device) + len(size.fixed_seeds) + 100 * len(size.schedules))
    runs: list[LearnerRun] = []
    for case in size.device:
        runs += measure_case(case)
        progress(f"cost, {case.learner}")
    errors: list[tuple[object, ...]] = []
    for seed in size.fixed_seeds:
        errors += fixed_errors(size.schedules[0].periods, size.fixed_steps, seed)
        progress("fixed point")
    gains = [
        row
        for each in size.schedules
        for row in run_schedules(each, partial(progress, f"gain, {each.law}"))
    ]
    gain = frame(GAIN_COLUMNS, gains)
    forms = dict.fromkeys(GAIN_COLUMNS[3:8], ".4f") | {"largest_drift": ".4e"}
    gain = worded(gain, forms).where(gain.notna(), None)
    build = runs[1].build
    compiler = f"{build.compiler} {build.version}"
    fixed = frame(FIXED_COLUMNS, errors)
    fixed = worded(fixed, dict.fromkeys(FIXED_COLUMNS[3:], ".6f")).where(fixed.notna(), None)
    return Results(gain, _device_frame(runs), fixed, compiler, " ".join(build.flags))


def write_correction(size: CorrectionSize, results: Results, folder: Path) -> tuple[Path, ...]:
    """Write page and tables into a folder; the same results give the same bytes.

    Raises:
        GnomonError: a file cannot be written.
    """
    files = {
        "correction.md": page(size, results),
        "correction_gain.csv": csv_text(results.gain),
        "correction_device.csv": csv_text(results.device),
        "correction_fixed.csv": csv_text(results.fixed),
    }
    return write_files(folder, files)


def _device_frame(runs: Iterable[LearnerRun]) -> pd.DataFrame:
    """``correction_device.csv``."""
    return frame(
        ("learner", "d", "f", "arms", "arch", "variant", "update", "select_hart_cycles",
         "select_wall_cycles", "update_hart_cycles", "update_wall_cycles", "model_bytes",
         "static_bytes", "text_bytes", "stack_bytes"),
        (
            (run.learner, run.sizes.d, run.sizes.f, ARMS, run.arch, run.variant,
             "correcting" if run.correcting else "ordinary",
             run.select.hart_cycles, run.select.wall_cycles, run.update.hart_cycles,
             run.update.wall_cycles, run.model_bytes, run.static_bytes, run.text_bytes,
             run.stack_bytes[0])
            for run in runs
        ),
    )  # fmt: skip


def main(
    *, size: Size = "small", pages: Pages = False, out: Out = None, as_json: Json = False
) -> None:
    """Measure and write."""
    chosen = size_of("full" if pages else size, CORRECTION_SIZES)
    folder = out or default_out("correction")
    if pages:
        text = page(chosen, read_results(find("reports", "correction").folder))
        paths = write_files(folder, {"correction.md": text})
    else:
        with steps_progress("measuring") as progress:
            results = run_correction(chosen, progress)
        paths = write_correction(chosen, results, folder)
    finish({}, paths, as_json=as_json)
