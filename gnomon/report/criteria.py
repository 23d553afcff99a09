"""Acceptance criteria of a study: as CSV, as a table of its page, as JSON."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from gnomon.base.errors import known
from gnomon.base.frames import frame, markdown
from gnomon.base.tables import Entry, check_table, read_yaml_table
from gnomon.learn.criterion import Criterion

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    import pandas as pd


def criteria_frame(criteria: Sequence[Criterion]) -> pd.DataFrame:
    """One row for each."""
    columns = ("criterion", "measured", "value", "limit", "met", "asserted", "remark")
    rows = (
        (each.name, each.what, f"{each.value:.6g}", each.limit, _yes(each.met),
         _yes(not each.weak), each.remark)
        for each in criteria
    )  # fmt: skip
    return frame(columns, rows)


def criteria_table(criteria: Sequence[Criterion]) -> str:
    """The same for a page."""
    columns = ("criterion", "measured", "value", "limit", "met", "remark")
    rows = (
        (each.name, each.what, _short(each.value), each.limit, verdict(each), each.remark)
        for each in criteria
    )
    return markdown(frame(columns, rows), ("value", "limit"))


def criteria_json(criteria: Sequence[Criterion]) -> list[dict[str, Any]]:
    """The same for ``--json``."""
    return [
        {
            "criterion": each.name,
            "measured": each.what,
            "value": float(each.value),
            "limit": each.limit,
            "met": each.met,
            "asserted": not each.weak,
        }
        for each in criteria
    ]


def verdict(criterion: Criterion) -> str:
    """Whether it is met, or only shown."""
    if criterion.weak:
        return f"shown ({_yes(criterion.met)})"
    return "yes" if criterion.met else "**no**"


def summary(criteria: Sequence[Criterion]) -> str:
    """How many are met."""
    asserted = [each for each in criteria if not each.weak]
    met = sum(bool(each.met) for each in asserted)
    shown = len(criteria) - len(asserted)
    return f"{met} of {len(asserted)} met; {shown} more are weak, and shown without being asserted."


def _yes(value: object) -> str:
    return "yes" if value else "no"


def _short(value: float) -> str:
    return f"{value:.1e}" if 0 < abs(value) < 1e-3 else f"{value:.3g}"


class Stated(Entry):
    """A criterion as ``criteria.yaml`` of a study states it; limits may differ by a key.

    Attributes:
        what: what is measured, in words.
        name: as it is shown, where several are shown under one name.
        least: smallest value that meets it.
        most: largest value that meets it.
        limit: of quantities that are compared, what must hold between them.
        before: what a prototype gave, on other random numbers.
        form: of a number in words.
        weak: shown and not asserted.
        remark: what is to be known about it.
        remark_if: when: a value that is met, missed, or below a number; without it, always.
    """

    what: str
    name: str = ""
    least: float | dict[str, float] | None = None
    most: float | dict[str, float] | None = None
    limit: str = ""
    before: str | dict[str, str] = ""
    form: str = ".3f"
    weak: bool = False
    remark: str = ""
    remark_if: Literal["met", "missed"] | float | None = None


class _Criteria(Entry):
    schema_version: Literal[1] = Field(alias="schema")
    criteria: dict[str, Stated]


class Judge:
    """Holds what is measured against ``criteria.yaml``.

    The key chooses between limits, such as a size, and fills ``{}`` in the name of a criterion.
    """

    def __init__(self, path: Path) -> None:
        """Read the file.

        Raises:
            GnomonError: it is wrong.
        """
        self._stated = check_table(read_yaml_table(path), _Criteria).criteria

    def least(self, name: str, key: str = "") -> float:
        """The smallest value that meets a criterion, where it is compared, too."""
        return float(_of(self._stated[name].least, key))

    def before(self, name: str, key: str = "") -> str:
        """What a prototype gave."""
        return _of(self._stated[name].before, key) or ""

    def keys(self, name: str) -> list[str]:
        """What the largest values of a criterion differ by."""
        most = self._stated[name].most
        return list(most) if isinstance(most, dict) else []

    def number(
        self, name: str, value: float, key: str = "", *, most: float | None = None, **words: object
    ) -> Criterion:
        """One number; ``words`` are those in braces, ``most`` is a limit that is not stated."""
        stated = self._stated[known("criterion", name, self._stated)]
        criterion = Criterion(
            stated.name or name,
            stated.what.format(**words),
            value,
            least=_of(stated.least, key),
            most=_of(stated.most, key) if most is None else most,
            weak=stated.weak,
        )
        when = stated.remark_if
        said = (
            value < when
            if isinstance(when, int | float)
            else when is None or criterion.met == (when == "met")
        )
        return replace(criterion, remark=stated.remark.format(**words)) if said else criterion

    def each(self, name: str, values: Iterable[float], key: str = "") -> Criterion:
        """Each of the values must be within the limits."""
        stated = self._stated[known("criterion", name, self._stated)]
        return Criterion.of_all(
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
        """Quantities held against each other, ``numbers`` are those in the words of the limit."""
        stated = self._stated[known("criterion", name, self._stated)]
        limit = stated.limit.format(**numbers or {})
        before = _of(stated.before, key) or ""
        comparison = (found, limit, met)
        name = name.format(key)
        return Criterion.compared(name, stated.what, comparison, before=before, remark=remark)


def _of(value: Any, key: str) -> Any:
    return value.get(key) if isinstance(value, dict) else value


def tally(criteria: Sequence[Criterion]) -> str:
    """How many are met, such as ``12 of 13 met; 1 more shown only``."""
    judged = [each for each in criteria if not each.weak]
    met = sum(bool(each.met) for each in judged)
    shown = len(criteria) - len(judged)
    return f"{met} of {len(judged)} met{f'; {shown} more shown only' if shown else ''}"


def findings(criteria: Sequence[Criterion]) -> pd.DataFrame:
    """All in words: what was found, the limit, whether it is met, what a prototype gave."""
    return frame(
        ("criterion", "quantity", "found", "limit", "met", "before", "remark"),
        (
            (each.name, each.what, each.found, each.limit,
             "shown only" if each.weak else _yes(each.met), each.before, each.remark)
            for each in criteria
        ),
    )  # fmt: skip


def findings_json(criteria: Sequence[Criterion]) -> list[dict[str, Any]]:
    """The same for ``--json``; ``met`` is null where nothing is asserted."""
    return [
        {
            "name": each.name,
            "quantity": each.what,
            "found": each.found,
            "limit": each.limit,
            "met": each.met,
            "before": each.before,
            "remark": each.remark,
        }
        for each in criteria
    ]
