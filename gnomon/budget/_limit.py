"""One limit as people write it: ``wall_cycles <= baseline + 2 %``, ``stack <= 2 KiB``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from gnomon.base.errors import GnomonError, did_you_mean
from gnomon.budget._keys import METRICS_OF
from gnomon.explore.metrics import UNITS

if TYPE_CHECKING:
    from gnomon.explore import Metric

_NUMBER = r"([0-9][0-9_,]*(?:\.[0-9]+)?)\s*(\S*)"
_LIMIT = re.compile(r"\s*([A-Za-z_][\w-]*)\s*(\S*?)\s*(?=[0-9b])(.+?)\s*", re.ASCII)
_ABSOLUTE = re.compile(_NUMBER, re.ASCII)
_RELATIVE = re.compile(rf"baseline(?:\s*\+\s*{_NUMBER})?", re.ASCII)
_SIGNS = ("<=", "≤")
_COUNTED = "cycles"  # the only quantities that need no unit


@dataclass(frozen=True, slots=True)
class Limit:
    """An upper limit, included.

    Attributes:
        metric: of what.
        text: as it was written.
        bound: in the unit of the metric; of a relative one: how much beyond the baseline.
        relative: to the baseline.
        percent: the bound is a share of the baseline, in percent.
        where: file and line, for messages.
    """

    metric: Metric
    text: str
    bound: Fraction
    relative: bool = False
    percent: bool = False
    where: str = ""

    def most(self, baseline: float | None) -> Fraction:
        """The largest value that keeps it; a relative one needs the baseline."""
        if not self.relative:
            return self.bound
        assert baseline is not None
        start = Fraction(baseline)
        return start * (1 + self.bound / 100) if self.percent else start + self.bound


def parse_limit(text: object, workload: str, where: str = "") -> Limit:
    """Read one limit of what this workload measures.

    Raises:
        GnomonError: it is not one; the message says what is wrong and what may be written.
    """
    match = _LIMIT.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        raise GnomonError(
            f"{text!r} is not a limit; write a quantity, <= and a number with its unit, or baseline"
            " with what may come on top: 'stack <= 2 KiB', 'wall_cycles <= baseline + 2 %'"
        )
    word, sign, right = match.groups()
    shown = " ".join(match[0].split())
    metric = _find(word, workload)
    if sign not in _SIGNS:
        raise GnomonError(f"{shown!r}: a budget is an upper limit; write <= instead of {sign!r}")
    relative = _RELATIVE.fullmatch(right)
    number, unit = (relative or _ABSOLUTE.fullmatch(right) or _nothing(shown, right)).groups()
    percent = relative is not None and unit == "%"
    if number is None:
        return Limit(metric, shown, Fraction(0), relative=True, where=where)
    value = Fraction(number.replace(",", "").replace("_", ""))
    if not percent:
        value *= _scale(shown, metric, unit, percent=relative is not None)
    return Limit(metric, shown, value, relative is not None, percent, where)


def _nothing(shown: str, right: str) -> re.Match[str]:
    near = did_you_mean(right.split(maxsplit=1)[0], ["baseline"])
    raise GnomonError(
        f"{shown!r}: {right!r} is no bound (allowed: a number with its unit, baseline, baseline + a"
        f" number with its unit or %{near})"
    )


def _find(word: str, workload: str) -> Metric:
    metrics = METRICS_OF[workload]
    names = {metric.word: metric for metric in metrics.values()} | metrics
    if word not in names:
        words = [metric.word for metric in metrics.values()]
        raise GnomonError(
            f"{word!r} is not measured for a {workload} (allowed: {', '.join(words)}"
            f"{did_you_mean(word, names)})"
        )
    return names[word]


def _scale(shown: str, metric: Metric, unit: str, *, percent: bool) -> Fraction:
    units = UNITS[metric.unit]
    allowed = ", ".join([*units, *(["%"] if percent else [])])
    if not unit and metric.unit != _COUNTED:
        raise GnomonError(f"{shown!r}: {metric.word} needs its unit (allowed: {allowed})")
    if unit and unit not in units:
        alike = [known for known in units if known.casefold() == unit.casefold()]
        near = f", did you mean {alike[0]!r}?" if alike else did_you_mean(unit, units)
        raise GnomonError(
            f"{shown!r}: {unit!r} is not a unit of {metric.word} (allowed: {allowed}{near})"
        )
    return units.get(unit, Fraction(1))
