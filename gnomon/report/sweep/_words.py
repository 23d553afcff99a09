"""The words of the page: what ran, on what, how many points, what is not known and why."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gnomon.arch.keys import written
from gnomon.explore import format_quantity, sensitivities
from gnomon.report.sweep._data import word

if TYPE_CHECKING:
    from gnomon.report.sweep._shown import Shown


@dataclass(frozen=True, slots=True)
class Bar:
    """What one axis does to one quantity: a share from 0 to 1, and factors as text."""

    axis: str
    share: float
    factor: str
    most: str
    lines: int

    @property
    def percent(self) -> str:
        """The share for readers."""
        return f"{self.share:.0%}" if self.share >= 0.1 or not self.share else f"{self.share:.1%}"


@dataclass(frozen=True, slots=True)
class Taken:
    """One recommendation."""

    title: str
    values: tuple[tuple[str, str], ...]
    figures: tuple[tuple[str, str], ...]
    sentence: str
    front: int
    meeting: int
    points: int


def what_ran(shown: Shown) -> str:
    """What every point has in common."""
    sweep = shown.result.sweep
    fixed = [f"{name} {written(value)}" for name, value in sweep.fixed]
    single = [f"{a.name} {written(a.values[0])}" for a in sweep.axes if len(a.values) == 1]
    machine = [] if any(axis.name == "arch" for axis in sweep.axes) else [f"machine {sweep.arch}"]
    return ", ".join([*fixed, *single, *machine])


def bars(shown: Shown) -> list[tuple[str, list[Bar]]]:
    """For each objective, what every axis does to it; the strongest first."""
    return [
        (
            word(objective.metric),
            [
                Bar(
                    each.axis,
                    each.share,
                    f"{each.factor:.2f}",
                    f"{each.most:.2f}",
                    each.lines,
                )
                for each in sensitivities(shown.result, objective.metric)
            ],
        )
        for objective in shown.result.sweep.objectives
    ]


def recommendations(shown: Shown) -> list[Taken]:
    """One for each front."""
    sweep = shown.result.sweep
    found = []
    for choice in shown.choices:
        values: tuple[tuple[str, str], ...] = ()
        figures: tuple[tuple[str, str], ...] = ()
        if choice.take is not None:
            values = tuple(
                (sweep.axes[place].name, written(choice.take.values[place]))
                for place in shown.axes
                if sweep.axes[place].name not in sweep.per
            )
            figures = tuple(
                (word(metric), format_quantity(metric, value))
                for metric in shown.wanted
                if (value := choice.take.metric(metric)) is not None
            )
        found.append(
            Taken(
                title=", ".join(f"{name} {written(value)}" for name, value in choice.where),
                values=values,
                figures=figures,
                sentence=choice.sentence[0].upper() + choice.sentence[1:],
                front=len(choice.front),
                meeting=choice.meeting,
                points=choice.points,
            )
        )
    return found


def reasons(shown: Shown) -> list[tuple[int, str]]:
    """Why points failed, with how many; the most frequent first."""
    counted = Counter(row.outcome.reason for row in shown.result.failed)
    return [(count, reason) for reason, count in counted.most_common()]


def not_known(shown: Shown) -> list[tuple[int, str, str]]:
    """Why energy or area are not known, with how many points."""
    counted = Counter(note for row in shown.measured for note in row.outcome.notes.items())
    return [(count, name, why) for (name, why), count in counted.most_common()]


def builds(shown: Shown) -> list[str]:
    """Compilers and their flags, each once, without what differs by machine."""
    found = {str(row.outcome.facts["build"]) for row in shown.measured
             if "build" in row.outcome.facts}  # fmt: skip
    return sorted(found)
