"""Limits, such as ``wall_cycles <= baseline + 2 %`` and ``stack <= 2 KiB``.

Also every quantity that can be limited, by workload, and the build settings of programs.
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
    WorkloadSetting("optimization", "word", "compiler level, for .c and .S files", "-O2"),
    WorkloadSetting(
        "active-harts", "int", "number of harts that run main, for .c and .S files", 1, least=1
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
"""Quantities that can be limited, by workload and column."""


@dataclass(frozen=True, slots=True)
class Limit:
    """An upper limit, which includes its bound."""

    metric: Metric  # the limited quantity
    text: str  # the limit as written
    bound: Fraction  # in the unit of the metric; of a relative limit, the amount above the baseline
    relative: bool = False  # whether the bound is relative to the baseline
    percent: bool = False  # whether the bound is a share of the baseline, in percent
    where: str = ""  # file and line, for messages

    def most(self, baseline: float | None) -> Fraction:
        """Return the largest value that meets the limit; a relative one needs the baseline."""
        if not self.relative:
            return self.bound
        assert baseline is not None
        start = Fraction(str(baseline))  # as the baseline writes it
        return start * (1 + self.bound / 100) if self.percent else start + self.bound


def parse_limit(text: object, workload: str) -> Limit:
    """Parse one limit on a quantity of this workload.

    Raises:
        GnomonError: if the text is not a limit, or the workload has no such quantity.
    """
    match = _LIMIT.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        raise GnomonError(
            f"{text!r} is not a limit; write a quantity, <= and a number with its unit, or baseline"
            " plus a margin: 'stack <= 2 KiB', 'wall_cycles <= baseline + 2 %'"
        )
    word, sign, right = match.groups()
    shown = " ".join(match[0].split())
    metric = find_metric(word, workload, (*METRICS, *_OF_PROGRAMS))
    if sign not in _SIGNS:
        raise GnomonError(f"{shown!r}: a budget is an upper limit; write <= instead of {sign!r}")
    relative = _RELATIVE.fullmatch(right)
    number, unit = (relative or _ABSOLUTE.fullmatch(right) or _reject_bound(shown, right)).groups()
    percent = relative is not None and unit == "%"
    if number is None:
        return Limit(metric, shown, Fraction(0), relative=True)
    value = Fraction(number.replace(",", "").replace("_", ""))
    if not percent:
        value *= unit_scale(shown, metric, unit, ["%"] if relative is not None else [])
    return Limit(metric, shown, value, relative is not None, percent)


def _reject_bound(shown: str, right: str) -> re.Match[str]:
    near = did_you_mean(right.split(maxsplit=1)[0], ["baseline"])
    raise GnomonError(
        f"{shown!r}: {right!r} is not a bound (allowed: a number with its unit, baseline, baseline"
        f" + a number with its unit or %{near})"
    )
