"""Limits as people write them, and what can be limited.

Such as ``wall_cycles <= baseline + 2 %`` and ``stack <= 2 KiB``; every quantity by workload, and
the settings of programs that are built.
"""

import re
from dataclasses import dataclass
from fractions import Fraction

from gnomon.base.errors import GnomonError, did_you_mean
from gnomon.base.units import SHORT
from gnomon.explore.metrics import METRICS, Metric, find_metric, unit_scale
from gnomon.explore.settings import WorkloadSetting

_NUMBER = r"([0-9][0-9_,]*(?:\.[0-9]+)?)\s*(\S*)"
_LIMIT = re.compile(SHORT + r"\s*([A-Za-z_][\w-]*)\s*(\S*?)\s*(?=[0-9b])(.+?)\s*", re.ASCII)
_ABSOLUTE = re.compile(_NUMBER, re.ASCII)
_RELATIVE = re.compile(rf"baseline(?:\s*\+\s*{_NUMBER})?", re.ASCII)
_SIGNS = ("<=", "≤")
BUILD_SETTINGS = (
    WorkloadSetting("compiler", "word", "zig or gcc, for .c and .S files", "zig"),
    WorkloadSetting("optimization", "word", "level of the compiler, for .c and .S files", "-O2"),
    WorkloadSetting(
        "active-harts", "int", "how many harts run main, for .c and .S files", 1, least=1
    ),
)
"""Settings of a program in a budget, in addition to those in a sweep."""

_OF_PROGRAMS = (
    Metric("text_bytes", "instructions", ("kernel", "program")),
    Metric("static_bytes", "static data, constants included", ("kernel", "program")),
    Metric("stack_bytes", "deepest stacks of all active harts together", ("program",)),
    Metric("memory_bytes", "instructions, static data and stacks together", ("program",)),
)

METRICS_OF: dict[str, dict[str, Metric]] = {
    workload: {metric.name: metric for metric in (*METRICS, *_OF_PROGRAMS) if workload in metric.of}
    for workload in ("learner", "kernel", "program")
}
"""By workload and column: what can be limited."""


@dataclass(frozen=True, slots=True)
class Limit:
    """An upper limit, included."""

    metric: Metric  # of what
    text: str  # as it was written
    bound: Fraction  # in the unit of the metric; of a relative one: how much beyond the baseline
    relative: bool = False  # to the baseline
    percent: bool = False  # the bound is a share of the baseline, in percent
    where: str = ""  # file and line, for messages

    def most(self, baseline: float | None) -> Fraction:
        """The largest value that keeps it; a relative one needs the baseline."""
        if not self.relative:
            return self.bound
        assert baseline is not None
        start = Fraction(str(baseline))  # as the baseline writes it
        return start * (1 + self.bound / 100) if self.percent else start + self.bound


def parse_limit(text: object, workload: str) -> Limit:
    """Read one limit of what this workload measures."""
    match = _LIMIT.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        raise GnomonError(
            f"{text!r} is not a limit; write a quantity, <= and a number with its unit, or baseline"
            " with what may come on top: 'stack <= 2 KiB', 'wall_cycles <= baseline + 2 %'"
        )
    word, sign, right = match.groups()
    shown = " ".join(match[0].split())
    metric = find_metric(word, workload, (*METRICS, *_OF_PROGRAMS))
    if sign not in _SIGNS:
        raise GnomonError(f"{shown!r}: a budget is an upper limit; write <= instead of {sign!r}")
    relative = _RELATIVE.fullmatch(right)
    number, unit = (relative or _ABSOLUTE.fullmatch(right) or _nothing(shown, right)).groups()
    percent = relative is not None and unit == "%"
    if number is None:
        return Limit(metric, shown, Fraction(0), relative=True)
    value = Fraction(number.replace(",", "").replace("_", ""))
    if not percent:
        value *= unit_scale(shown, metric, unit, ["%"] if relative is not None else [])
    return Limit(metric, shown, value, relative is not None, percent)


def _nothing(shown: str, right: str) -> re.Match[str]:
    near = did_you_mean(right.split(maxsplit=1)[0], ["baseline"])
    raise GnomonError(
        f"{shown!r}: {right!r} is no bound (allowed: a number with its unit, baseline, baseline + a"
        f" number with its unit or %{near})"
    )
