"""Acceptance criteria of a study, measured values with limits: as CSV, page table and JSON."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan
from pathlib import Path
from typing import Any, Literal, Self

import pandas as pd
from pydantic import Field, model_validator

from gnomon.base.errors import require_known
from gnomon.base.frames import markdown
from gnomon.base.tables import Entry, check_table, read_yaml_table


@dataclass(frozen=True, slots=True)
class Criterion:
    """Acceptance criterion of a study, one line of a table.

    It limits one number, or each of several (``from_values``), or compares (``comparison``).
    """

    name: str  # such as `B6`
    what: str  # what is measured, in words
    value: float  # measured; of several, the one farthest from its limits; NaN of a comparison
    least: float | None = None  # smallest value that meets it; None for no limit
    most: float | None = None  # largest value that meets it; None for no limit
    weak: bool = False  # shown and not asserted
    remark: str = ""  # reason why it is not met, or a note
    before: str = ""  # result of a prototype with other random numbers; empty without one
    values: tuple[float, ...] = ()  # all measured values, if there are several
    form: str = ".3f"  # format of a number in text
    # in place of value and limits: the finding, the required relation, and whether it holds; None
    # if nothing is asserted
    comparison: tuple[str, str, bool | None] | None = None

    @classmethod
    def from_values(
        cls,
        name: str,
        what: str,
        values: Iterable[float],
        *,
        least: float | None = None,
        most: float | None = None,
        before: str = "",
        form: str = ".3f",
    ) -> Self:
        """Return a criterion that each of the values must meet."""

        def out(value: float) -> float:
            below = float("-inf") if least is None else least - value
            above = float("-inf") if most is None else value - most
            return float("inf") if isnan(value) else max(below, above)

        found = tuple(values)
        worst = max(found, key=out)
        return cls(name, what, worst, least, most, before=before, values=found, form=form)

    @property
    def met(self) -> bool | None:
        """Whether the value is within its limits; false for NaN. None if nothing is asserted."""
        if self.comparison is not None:
            return self.comparison[2]
        above = self.least is None or self.value >= self.least
        below = self.most is None or self.value <= self.most
        return bool(above and below and not isnan(self.value))

    @property
    def found(self) -> str:
        """Measured value as text; of several values the smallest and the largest."""
        if self.comparison is not None:
            return self.comparison[0]
        values = self.values or (self.value,)
        low, high = (format(value, self.form) for value in (min(values), max(values)))
        return low if low == high else f"{low} to {high}"

    @property
    def limit(self) -> str:
        """Limits as text."""
        if self.comparison is not None:
            return self.comparison[1]
        if self.least is None:
            return f"at most {self.most:g}"
        if self.most is None:
            return f"at least {self.least:g}"
        return f"{self.least:g} to {self.most:g}" if self.least < self.most else f"{self.least:g}"


def span(values: Iterable[float], form: str = ".3f") -> str:
    """Return the smallest and the largest of some numbers, as text."""
    return Criterion.from_values("", "", values, form=form).found


def criteria_json(criteria: Sequence[Criterion]) -> list[dict[str, Any]]:
    """Return one object for each criterion, for ``--json``; the same keys for all studies.

    ``value`` is null if quantities are compared, ``met`` if nothing is asserted. ``name`` and
    ``quantity`` repeat ``criterion`` and ``measured``.
    """
    return [
        {
            "criterion": each.name,
            "name": each.name,
            "measured": each.what,
            "quantity": each.what,
            "value": None if isnan(each.value) else float(each.value),
            "found": each.found,
            "limit": each.limit,
            "met": each.met,
            "asserted": not each.weak,
            "before": each.before,
            "remark": each.remark,
        }
        for each in criteria
    ]


_NUMBERS = ["criterion", "measured", "value", "limit", "met", "asserted", "remark"]
_FINDINGS = ["criterion", "quantity", "found", "limit", "met", "before", "remark"]


def criteria_frame(criteria: Sequence[Criterion]) -> pd.DataFrame:
    """Return the criteria as a table of text, each with its number."""
    return pd.DataFrame(criteria_json(criteria), columns=_NUMBERS, dtype=object).assign(
        value=[f"{each.value:.6g}" for each in criteria],
        met=[_yes(each.met) for each in criteria],
        asserted=[_yes(not each.weak) for each in criteria],
    )


def criteria_table(criteria: Sequence[Criterion]) -> str:
    """Return the criteria as a table for a page, with short values and verdicts."""
    shown = criteria_frame(criteria).drop(columns="asserted")
    shown["value"] = [_short(each.value) for each in criteria]
    shown["met"] = [verdict(each) for each in criteria]
    return markdown(shown, ("value", "limit"))


def verdict(criterion: Criterion) -> str:
    """Return whether a criterion is met, or only shown, as text."""
    if criterion.weak:
        return f"shown ({_yes(criterion.met)})"
    return "yes" if criterion.met else "**no**"


def summary(criteria: Sequence[Criterion]) -> str:
    """Return the numbers of criteria met and asserted, as a sentence."""
    met, asserted, shown = _counts(criteria)
    return f"{met} of {asserted} met; {shown} more are weak, and shown without being asserted."


def findings(criteria: Sequence[Criterion]) -> pd.DataFrame:
    """Return the criteria as a table of text, each with its finding and a prototype's result."""
    return pd.DataFrame(criteria_json(criteria), columns=_FINDINGS, dtype=object).assign(
        met=["shown only" if each.weak else _yes(each.met) for each in criteria]
    )


def tally(criteria: Sequence[Criterion]) -> str:
    """Return the number of criteria met, such as ``12 of 13 met; 1 more shown only``."""
    met, asserted, shown = _counts(criteria)
    return f"{met} of {asserted} met{f'; {shown} more shown only' if shown else ''}"


def _counts(criteria: Sequence[Criterion]) -> tuple[int, int, int]:
    """Return the numbers of criteria that are met, asserted, and shown only."""
    asserted = [each for each in criteria if not each.weak]
    return sum(bool(each.met) for each in asserted), len(asserted), len(criteria) - len(asserted)


def _yes(value: object) -> str:
    return "yes" if value else "no"


def _short(value: float) -> str:
    return f"{value:.1e}" if 0 < abs(value) < 1e-3 else f"{value:.3g}"


class Stated(Entry):
    """Criterion as stated in ``criteria.yaml`` of a study; limits may depend on a key."""

    what: str  # what is measured, in words
    source: Literal["paper", "derivation", "prototype"]  # origin of its limit
    catches: str = ""  # for compared quantities: the deviation that the comparison detects
    name: str = ""  # displayed name, if several criteria share one name
    least: float | dict[str, float] | None = None  # smallest value that meets it
    most: float | dict[str, float] | None = None  # largest value that meets it
    limit: str = ""  # for compared quantities: the required relation
    before: str | dict[str, str] = ""  # result of a prototype with other random numbers
    form: str = ".3f"  # format of a number in text
    weak: bool = False  # shown and not asserted
    remark: str = ""  # what is to be known about it
    # condition: a value that is met, missed, or below a number; without it, always
    remark_if: Literal["met", "missed"] | float | None = None

    @model_validator(mode="after")
    def _has_power(self) -> Self:
        if self.limit and not self.catches:
            raise ValueError("a limit in words must state the deviation that it catches")
        return self


class _Criteria(Entry):
    schema_version: Literal[1] = Field(alias="schema")
    criteria: dict[str, Stated]


class CriteriaChecker:
    """Comparison of measured values with ``criteria.yaml``.

    The key selects among limits, such as a size, and replaces ``{}`` in the name of a criterion.
    """

    def __init__(self, path: Path) -> None:
        """Read the file.

        Raises:
            GnomonError: if the file is wrong.
        """
        # as in the file, by key
        self.stated: Mapping[str, Stated] = check_table(read_yaml_table(path), _Criteria).criteria

    def _of(self, name: str) -> Stated:
        return self.stated[require_known("criterion", name, self.stated)]

    def least(self, name: str, key: str = "") -> float:
        """Return the smallest value that meets a criterion, also for a comparison."""
        return float(_of(self.stated[name].least, key))

    def before(self, name: str, key: str = "") -> str:
        """Return the result of a prototype."""
        return _of(self.stated[name].before, key) or ""

    def keys(self, name: str) -> list[str]:
        """Return the keys of the largest values of a criterion."""
        most = self.stated[name].most
        return list(most) if isinstance(most, dict) else []

    def number(
        self, name: str, value: float, key: str = "", *, most: float | None = None, **words: object
    ) -> Criterion:
        """Return a criterion for one number; ``words`` fill its text, ``most`` sets a limit."""
        stated = self._of(name)
        criterion = Criterion(
            stated.name or name,
            stated.what.format(**words),
            value,
            least=_of(stated.least, key),
            most=_of(stated.most, key) if most is None else most,
            weak=stated.weak,
        )
        when = stated.remark_if
        applies = (
            value < when
            if isinstance(when, int | float)
            else when is None or criterion.met == (when == "met")
        )
        return replace(criterion, remark=stated.remark.format(**words)) if applies else criterion

    def each(self, name: str, values: Iterable[float], key: str = "") -> Criterion:
        """Return a criterion that each of the values must meet."""
        stated = self._of(name)
        return Criterion.from_values(
            name.format(key),
            stated.what,
            values,
            least=_of(stated.least, key),
            most=_of(stated.most, key),
            before=_of(stated.before, key) or "",
            form=stated.form,
        )

    def compare(
        self,
        name: str,
        found: str,
        *,
        met: bool | None,
        key: str = "",
        remark: str = "",
        numbers: Mapping[str, float | str] | None = None,
    ) -> Criterion:
        """Return a criterion that compares quantities; ``numbers`` fill the text of its limit."""
        stated = self._of(name)
        return Criterion(
            name.format(key),
            stated.what,
            float("nan"),
            weak=met is None,
            remark=remark,
            before=_of(stated.before, key) or "",
            comparison=(found, stated.limit.format(**numbers or {}), met),
        )


def _of(value: Any, key: str) -> Any:
    return value.get(key) if isinstance(value, dict) else value
