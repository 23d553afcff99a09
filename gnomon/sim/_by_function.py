"""The work of a run by instruction word and by function."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from gnomon.arch import Architecture
from gnomon.base.values import apportion
from gnomon.isa import fetched_words
from gnomon.program import NO_FUNCTION, Program
from gnomon.sim import _ops as op
from gnomon.sim._run import Run
from gnomon.sim._snapshot import (
    KINDS,
    TO_UNIT,
    VECTOR_EMPTY,
    Array,
    bus_counts,
    kinds_of,
    named_counts,
    names_of,
)
from gnomon.sim._tables import pack
from gnomon.sim._work import VectorCount, Work


def find_executed_words(run: Run, architecture: Architecture) -> npt.NDArray[np.uint32]:
    """Return the instructions that took cycles, by address; 16 bits if compressed."""
    hit = run.profile.spent
    memory = np.frombuffer(run.instruction_memory, dtype="<u4").astype(np.uint32)
    first = -run.profile.place(int(architecture.memory.instruction.base))
    compressed = architecture.core.alignment_bytes == 2
    return fetched_words(memory, first + hit, compressed=compressed)


def compute_fetch_cycles(words: npt.NDArray[np.uint32], architecture: Architecture) -> Array:
    """Return the cycles that each instruction waits for the next one, without taken branches."""
    return pack(words, architecture)["fetch"].astype(np.int64)


def find_executed_kinds(run: Run, architecture: Architecture) -> list[str]:
    """Return the kind of each instruction word that took cycles, by address."""
    names = names_of(architecture)
    return [names[kind] for kind in _pack_executed(run, architecture)[1].tolist()]


def split_work_by_function(
    run: Run, program: Program, architecture: Architecture
) -> dict[str, Work]:
    """Split the work of a run by function, in the order of their addresses.

    Slots of sleeping harts, with their cycles and bus values, are apportioned to the functions that
    run at the same time, by awake slots. An in-order core sleeps in the function of its wfi.
    """
    entries, kinds = _pack_executed(run, architecture)
    profile, work = run.profile, run.work
    hit = profile.spent
    issues = profile.issues.sum(axis=0)[hit]
    slept = profile.parts["parked"].sum(axis=0)[hit]
    cycles = profile.cycles.sum(axis=0)[hit]
    alone = architecture.core.model == "inorder"  # it sleeps without issues, and no other hart runs
    waits = cycles - issues * (1 + entries["extra"].astype(np.int64)) - (slept if alone else 0)
    waits = np.maximum(waits, 0)
    names = [program.function_name(profile.address(index)) for index in hit.tolist()]
    groups = list(dict.fromkeys(names)) or [NO_FUNCTION]
    place = {name: number for number, name in enumerate(groups)}
    of = np.array([place[name] for name in names], dtype=np.int64)
    table = np.zeros((len(groups), KINDS), dtype=np.int64)
    np.add.at(table, (of, kinds), issues)

    def summed(values: Array, chosen: npt.NDArray[np.bool_]) -> Array:
        sums = np.bincount(of[chosen], weights=values[chosen], minlength=len(groups))
        return sums.astype(np.int64)

    # Sleeping harts issue their wfi repeatedly; these slots are not instructions.
    everywhere = np.ones(len(of), dtype=np.bool_)
    asleep = summed(slept, everywhere)
    table[:, op.WFI] -= 0 if alone else asleep
    awake = table.sum(axis=1)
    own = summed(cycles, everywhere)
    if not alone:
        own += apportion(int(asleep.sum()), awake) - asleep
    own[place.get(NO_FUNCTION, 0)] += run.wall_cycles - int(own.sum())
    parked = np.array(
        [asleep] if alone else [apportion(slots, awake) for slots in work.parked_slots]
    )
    empty = apportion(work.instructions.get(VECTOR_EMPTY, 0), table[:, TO_UNIT].sum(axis=1))
    retries = apportion(work.retries, summed(issues, np.isin(kinds, op.VECTOR)))
    waiting = apportion(work.waiting_cycles, summed(waits, everywhere))
    executed = _apportion_vectors(work, table, names_of(architecture))
    carried = None if profile.buses is None else profile.buses[hit]
    slots = np.zeros_like(slept) if alone else slept
    buses = None if carried is None else _apportion_buses(carried, of, issues, slots, awake)
    return {
        name: Work(
            wall_cycles=int(own[number]),
            instructions=named_counts(table[number], int(empty[number]), names_of(architecture)),
            vector=executed[number],
            retries=int(retries[number]),
            parked_slots=tuple(parked[:, number].tolist()),
            waiting_cycles=int(waiting[number]),
            buses={} if buses is None else bus_counts(buses[number]),
        )
        for number, name in enumerate(groups)
    }


def _apportion_buses(carried: Array, of: Array, issues: Array, slept: Array, awake: Array) -> Array:
    """Return bus values and toggles by function; those of sleeping harts by awake slots.

    Args:
        carried: by word and bus, those of sleeping harts at their ``wfi``.
        of: the function of each word.
        issues: slots of each word, including sleeping harts.
        slept: slots of sleeping harts at each word.
        awake: slots of each function without sleeping harts.
    """
    result = np.zeros((len(awake), carried.shape[1]), dtype=np.int64)
    np.add.at(result, of, carried)
    for word in np.flatnonzero(slept).tolist():
        parts = np.array([int(slept[word]), int(issues[word] - slept[word])], dtype=np.int64)
        for bus, count in enumerate(carried[word].tolist()):
            asleep = int(apportion(count, parts)[0])
            result[of[word], bus] -= asleep
            result[:, bus] += apportion(asleep, awake)
    return result


def _pack_executed(run: Run, architecture: Architecture) -> tuple[npt.NDArray[np.void], Array]:
    """Return the words that took cycles as entries, and the kind of each."""
    entries = pack(find_executed_words(run, architecture), architecture)
    return entries, kinds_of(entries)


def _apportion_vectors(
    work: Work, table: Array, names: Sequence[str]
) -> list[dict[str, VectorCount]]:
    found: list[dict[str, VectorCount]] = [{} for _ in table]
    for name, count in work.vector.items():
        weights = table[:, names.index(name)]
        columns = [
            apportion(part, weights) for part in (count.issued, count.size_bytes, count.narrow)
        ]
        for number, parts in enumerate(zip(*columns, strict=True)):
            if parts[0] or parts[1]:
                found[number][name] = VectorCount(*map(int, parts))
    return found
