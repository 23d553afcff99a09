"""Snapshots of the counts of a machine: a span of time is the difference of two of them.

A snapshot is one vector of counts that only grow. Issues are counted for the current word at a pc.
If a program overwrites executed instructions, their earlier issues are counted for the new ones.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from gnomon.arch import MOST_DEVICES, Architecture
from gnomon.isa import INSTRUCTIONS
from gnomon.sim import _ops as op
from gnomon.sim._accounting import WAITS
from gnomon.sim._codes import BUSES, MAX_HARTS
from gnomon.sim._devices import list_mapped
from gnomon.sim._machine import Machine
from gnomon.sim._structs import VECTOR_STAT
from gnomon.sim._units import number_instructions
from gnomon.sim._work import AccessCount, BusCount, VectorCount, Work

Array = npt.NDArray[np.int64]

CSR_READ, CSR_WRITE, CSR_VECTOR = "csr.read", "csr.write", "csr.vector"
VECTOR_EMPTY = "vector.empty"

_ROWS = op.NOP  # those of the table, and vector instructions of units
_CSR_KINDS = (CSR_READ, CSR_WRITE, CSR_VECTOR)
_EXTRA_NAMES = {op.NOP: "nop", op.LOAD_X0: "load.x0", op.ILLEGAL: "illegal",
                op.ILLEGAL_LSU: "illegal"}  # fmt: skip
NAMES = (
    *(row.mnemonic for row in INSTRUCTIONS),
    *(_EXTRA_NAMES.get(number, "") for number in range(len(INSTRUCTIONS), op.OP_COUNT)),
    *_CSR_KINDS,
)
KINDS = len(NAMES)
_PARKED = KINDS
_WAITS = _PARKED + MAX_HARTS
_RETRIES = _WAITS + 1
_VECTOR = _RETRIES + 1
_COLUMNS = VECTOR_STAT.dtype.itemsize // 8
_TOGGLES = _VECTOR + _ROWS * _COLUMNS
_ACCESSES = _TOGGLES + 2 * len(BUSES)
WORK_COUNTS = _ACCESSES + 2 * MOST_DEVICES
"""Length of a snapshot."""

_VECTOR_ROWS = sorted([*op.TRANSFERS, *op.VECTOR])
TO_UNIT = [*_VECTOR_ROWS, op.ILLEGAL_KDSP, op.ILLEGAL_KMEM]


def kinds_of(entries: npt.NDArray[np.void]) -> Array:
    """Return the kind of each entry: its operation, or its kind of CSR access."""
    kinds = entries["op"].astype(np.int64)
    csr = np.isin(kinds, op.CSR_ACCESSES)
    writes = (kinds == op.CSRRW) | (kinds == op.CSRRWI) | (entries["rs1"] != 0)
    vector = np.isin(entries["imm"], op.VECTOR_CSRS)
    access = np.where(writes, np.where(vector, 2, 1), 0)
    return np.where(csr, op.OP_COUNT + access, kinds)


def snapshot(machine: Machine) -> Array:
    """Return the counts of a machine up to now, of shape (``WORK_COUNTS``,)."""
    first, last = machine.text
    harts = machine.harts
    result = np.zeros(WORK_COUNTS, dtype=np.int64)
    issues = machine.issues()[:, first:last].sum(axis=0)
    hit = np.flatnonzero(issues)
    kinds = kinds_of(machine.decoded[first:last][hit])
    np.add.at(result, kinds, issues[hit])
    account = machine.acct[:harts]
    if machine.cfg["is_t13"]:  # an in-order core sleeps without issues
        result[op.WFI] -= account["parked"].sum()
    result[_PARKED : _PARKED + harts] = account["parked"]
    for h in range(harts):
        if machine.hs["parked"][h]:
            result[_PARKED + h] += machine.issued(h) - machine.hs["park_issued"][h]
    result[_WAITS] = sum(account[name].sum() for name in WAITS)
    if "fetch" in machine.arrays:  # of all other machines, static waits do not count
        fetch = machine.decoded["fetch"][first:last][hit].astype(np.int64)
        result[_WAITS] += (issues[hit] * fetch).sum()
    result[_RETRIES] = account["retry"].sum()
    vectors = machine.vstat[:harts].view(np.int64).reshape(harts, -1)
    result[_VECTOR:_TOGGLES] = vectors.sum(axis=0)
    buses = machine.buses()
    if buses is not None:
        result[_TOGGLES:_ACCESSES] = buses.sum(axis=0)
    if "devices" in machine.arrays:
        devices = machine.arrays["devices"]
        for place, name in enumerate(("reads", "writes")):
            result[_ACCESSES + place :: 2][: len(devices)] = devices[name]
    return result


def bus_counts(counts: Array) -> dict[str, BusCount]:
    """Return the values and toggles of each bus by its name."""
    values, toggles = counts.reshape(2, len(BUSES)).tolist()
    return dict(zip(BUSES, map(BusCount, values, toggles), strict=True))


def work_of(span: Array, wall_cycles: int, machine: Machine) -> Work:
    """Return the work (counts by instruction and unit) done between two snapshots.

    ``span`` is the difference of the snapshots.
    """
    names = names_of(machine.architecture)
    table = span[_VECTOR:_TOGGLES].view(VECTOR_STAT.dtype)
    vector = {
        names[number]: VectorCount(*(int(table[n][number]) for n in ("issued", "bytes", "narrow")))
        for number in _VECTOR_ROWS
        if table["issued"][number]
    }
    retries = int(span[_RETRIES])
    executed = sum(count.issued for count in vector.values())
    return Work(
        wall_cycles=wall_cycles,
        instructions=named_counts(
            span[:KINDS],
            int(span[TO_UNIT].sum()) - retries - executed,
            names,
        ),
        vector=vector,
        retries=retries,
        parked_slots=tuple(span[_PARKED : _PARKED + machine.harts].tolist()),
        waiting_cycles=int(span[_WAITS]),
        buses=bus_counts(span[_TOGGLES:_ACCESSES]) if "toggles" in machine.arrays else {},
        accesses={
            name: AccessCount(reads, writes)
            for name, (reads, writes) in zip(
                list_mapped(machine.architecture), span[_ACCESSES:].reshape(-1, 2).tolist(),
                strict=False,
            )
            if reads or writes
        },
    )  # fmt: skip


def names_of(architecture: Architecture) -> tuple[str, ...]:
    """Return the name of each kind on a machine: also of the instructions of its units."""
    names = list(NAMES)
    for number, (_, each) in number_instructions(architecture).items():
        names[number] = each.mnemonic
    return tuple(names)


def named_counts(counts: Array, empty: int, names: Sequence[str]) -> dict[str, int]:
    """Return counts by kind and name; vector kinds only with the executions without work.

    ``names``: of the kinds, see :func:`names_of`.
    """
    found: dict[str, int] = {}
    for kind in np.flatnonzero(counts).tolist():
        if kind not in TO_UNIT:
            found[names[kind]] = found.get(names[kind], 0) + int(counts[kind])
    return found | ({VECTOR_EMPTY: empty} if empty else {})
