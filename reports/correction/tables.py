"""The results as tables, as they are in the CSV files; the page is made of them."""

from __future__ import annotations

import re
from dataclasses import astuple, dataclass
from typing import TYPE_CHECKING, Final

import pandas as pd

from gnomon.base.errors import GnomonError
from gnomon.base.files import read_text
from gnomon.base.frames import frame

from .measure import ARMS

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from gnomon.bench.learners import LearnerRun

    from .schedules import ScheduleGain

_BUILD: Final = re.compile(r"Compiler: (?P<compiler>.*); flags of the first run: `(?P<flags>.*)`")


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


def gain_frame(gains: Iterable[ScheduleGain]) -> pd.DataFrame:
    """``correction_gain.csv``."""
    return frame(
        ("contexts", "variant", "period", "peak_orders", "after_orders", "median_orders",
         "before_orders", "last_orders", "largest_drift", "state_bytes"),
        (
            (law, variant, period, *(None if each is None else f"{each:.4f}" for each in orders),
             f"{drift:.4e}", size_bytes)
            for law, variant, period, *orders, drift, size_bytes in map(astuple, gains)
        ),
    )  # fmt: skip


def device_frame(runs: Iterable[LearnerRun]) -> pd.DataFrame:
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
