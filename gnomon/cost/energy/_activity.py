"""Switching activity of a run: its work times the toggles of each event.

Toggles of a unit = sum over events of count x toggles of the event, plus idle toggles in cycles
without an event. The toggles of an event cover all cycles of its slot, including those of
neighboring sleeping harts.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

import numpy as np

from gnomon.arch import Architecture
from gnomon.base.errors import GnomonError
from gnomon.cost.energy._activity_table import ActivityTable, Slot
from gnomon.cost.energy._hamming import Toggles
from gnomon.sim import Work


class Event(StrEnum):
    """Events in addition to instructions."""

    IDLE = "idle"  # cycles without another event
    # Cycles of events beyond the length of the span: slots extend over its ends or overlap, so
    # idle toggles are subtracted.
    OVERLAP = "overlap"
    WAITING = "waiting"  # cycles
    RETRY = "retry"


_EMPTY = "vector.empty"
_WORD_BYTES = 4


@dataclass(frozen=True, slots=True, eq=False)
class EventActivity:
    """All events of one kind: an instruction or an :class:`Event`."""

    name: str
    count: int  # of events, or of cycles
    toggles: Toggles  # by unit, in all cycles of their slots
    estimated: bool = False  # whether toggles are estimated from other events, not measured


@dataclass(frozen=True, slots=True, eq=False)
class Activity:
    """Toggles of one span of a run."""

    table: str  # name of the activity table
    units: tuple[str, ...]
    data: str  # operand values assumed
    wall_cycles: int  # length of the span
    # share of instructions with the toggles of one active hart among sleeping ones, which are
    # about twice those among active harts
    alone_share: float
    events: tuple[EventActivity, ...]  # their toggles sum to those of the span
    idle_cycles: float  # cycles that no other event takes; below 0: cycles of `OVERLAP`

    @classmethod
    def from_work(
        cls,
        work: Work,
        architecture: Architecture,
        *,
        table: str = "t13x",
        data: str | None = None,
        share: float | None = None,
    ) -> Activity:
        """Compute the toggles by event and unit.

        Args:
            work: of a run, a region or a stage.
            architecture: the machine it ran on.
            table: name of the activity table.
            data: operand values, see ``ActivityTable.data``; None: the default of the table.
            share: ``alone_share``; None: that of the work.

        Raises:
            GnomonError: the machine was not measured, or an event is not in the table.
        """
        source = ActivityTable.load(table)
        check_conditions(f"activity table {source.name}", source.conditions, architecture)
        values = source.data_set(source.default_data if data is None else data)
        share = alone_share(work) if share is None else share
        simd = architecture.vcu.simd if architecture.vcu is not None else 1
        events = []
        cycles = 0.0

        def slots(name: str, count: int, one: Slot, three: Slot) -> None:
            nonlocal cycles  # between one and three active harts
            toggles = share * one.toggles + (1 - share) * three.toggles
            events.append(EventActivity(name, count, count * toggles))
            cycles += count * (share * one.cycles + (1 - share) * three.cycles)

        for name, count in work.instructions.items():
            if name != _EMPTY:
                slots(name, count, *(source.instruction(name, values, n) for n in (1, 3)))
        retries = work.retries + work.instructions.get(_EMPTY, 0)
        if retries:
            slots(Event.RETRY, retries, source.retry(simd, 1), source.retry(simd, 3))
        for name, each in work.vector.items():
            if each.narrow:
                raise GnomonError(
                    f"activity table {table} has no figures for 8- or 16-bit elements:"
                    f" {each.narrow} {name} ran with them"
                )
            line, estimated = source.vector_instruction(name, values, simd)
            words = each.size_bytes / _WORD_BYTES
            # Measured next to two sleeping harts; among active harts the slot is 1 cycle.
            slot_cycles = 3 * share + (1 - share)
            fixed = line.fixed - (3 - slot_cycles) * source.idle
            toggles = each.issued * fixed + words * line.per_word
            events.append(EventActivity(name, each.issued, toggles, estimated))
            cycles += each.issued * slot_cycles
        waiting = work.waiting_cycles
        if waiting:
            events.append(EventActivity(Event.WAITING, waiting, waiting * source.stalled))
        rest = work.wall_cycles - waiting - cycles
        events.append(_idle(round(rest), rest * source.idle))
        return cls(table, source.units, values.name, work.wall_cycles, share, tuple(events), rest)

    @classmethod
    def of_parts(
        cls,
        parts: Mapping[str, Work],
        whole: Work,
        architecture: Architecture,
        *,
        table: str = "t13x",
        data: str | None = None,
    ) -> dict[str, Activity]:
        """Return the activity of each part of some work, by name.

        Toggles and counts sum to those of the whole, ``IDLE`` less ``OVERLAP``: the share of
        sleeping neighbors is that of the whole, and whole cycles are rounded together.

        Raises:
            GnomonError: as :meth:`from_work`.
        """
        share = alone_share(whole)
        made = [cls.from_work(part, architecture, table=table, data=data, share=share)
                for part in parts.values()]  # fmt: skip
        exact = [each.idle_cycles for each in made]
        counts = [math.floor(rest) for rest in exact]
        missing = round(math.fsum(exact)) - sum(counts)
        largest = sorted(range(len(made)), key=lambda k: (counts[k] - exact[k], k))
        for place in largest[:missing]:
            counts[place] += 1
        return {
            name: replace(each, events=(*each.events[:-1], _idle(count, each.events[-1].toggles)))
            for name, each, count in zip(parts, made, counts, strict=True)
        }

    @property
    def toggles(self) -> Toggles:
        """Toggles by unit."""
        total = np.zeros(len(self.units))
        for event in self.events:
            total += event.toggles
        return total

    @property
    def total_per_cycle(self) -> float:
        """Toggles of all units per cycle."""
        return float(self.toggles.sum()) / self.wall_cycles if self.wall_cycles else 0.0

    def per_cycle(self) -> Toggles:
        """Return the toggles per cycle by unit."""
        return self.toggles / max(self.wall_cycles, 1)


def _idle(cycles: int, toggles: Toggles) -> EventActivity:
    """Return the event that fills a span up, or that takes off what is over it."""
    return EventActivity(Event.OVERLAP if cycles < 0 else Event.IDLE, abs(cycles), toggles)


def check_conditions(
    table: str, conditions: Mapping[str, tuple[Any, ...]], architecture: Architecture
) -> None:
    """Check that a table was measured on a machine.

    Raises:
        GnomonError: if it was not.
    """
    for path, allowed in conditions.items():
        value: object = architecture
        for part in path.split("."):
            value = getattr(value, part) if value is not None else None
        if path.startswith("vcu.") and architecture.vcu is None:
            continue
        if value not in allowed:
            shown = ", ".join(str(each).lower() for each in allowed)
            raise GnomonError(
                f"{table} has no figures for {path} ="
                f" {str(value).lower()} of {architecture.name} (measured: {shown})"
            )


def alone_share(work: Work) -> float:
    """Return the share of awake slots next to sleeping ones, as for one active hart.

    Source of the effect: operand nets switch on entry from a sleeping hart's slot and again on
    exit to one. This holds for every slot with one active hart, for every second with two, for
    none with three. Harts are assumed to sleep together: the hart with the most sleeping slots
    gives the number of rotations with a sleeping hart.
    """
    awake = work.awake_slots
    return min(1.0, max(work.parked_slots, default=0) / awake) if awake else 0.0
