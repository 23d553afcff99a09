"""Which keys of a machine a run cannot have depended on.

A run is a function of its program and of the machine, but not of all of the machine: a program
that never divides runs alike with any divider. The engine's own counts say what was executed, so
each run can tell which keys it has not observed. Another machine that differs in those alone
gives the same run, to the last bit, and need not be simulated. What is not named here counts as
observed.
"""

import hashlib
import json
from collections.abc import Iterable
from functools import lru_cache

import numpy as np

from gnomon.arch import Architecture
from gnomon.base.errors import GnomonError
from gnomon.sim import _ops as op
from gnomon.sim._machine import Machine
from gnomon.sim._run import Run

NEVER_OBSERVED = ("area", "clock", "name", "power", "schema", "source", "title")
"""Keys that the engine does not know; what a program knows of them is in its own bytes."""

ONE_USER = "vcu.sharing: shared or replicated"
"""Not a key: with one hart at the vector unit these two are the same machine."""

_TO_VECTOR_UNIT = (*op.TRANSFERS, *op.VECTOR)
_AS_IF = (op.ILLEGAL, op.ILLEGAL_LSU, op.ILLEGAL_KMEM, op.ILLEGAL_KDSP)


def unobserved_keys(machine: Machine, *, rewritten: bool) -> tuple[str, ...]:
    """Return the dotted keys, in order, and ``ONE_USER``, that this run has not observed.

    Args:
        machine: after the run.
        rewritten: some instruction was executed that the program itself had written; counts are
            then of the instructions that stand there now.
    """
    if rewritten:
        return NEVER_OBSERVED
    keys = [*NEVER_OBSERVED]
    first, last = machine.text
    entries = machine.decoded[first:last]
    issues = machine.issues()[:, first:last].T
    operations = entries["op"]

    def issued(numbers: Iterable[int]) -> tuple[bool, bool]:
        """Whether any hart executed one of them, and whether one besides hart 0 did."""
        by_hart = issues[np.isin(operations, list(numbers))].sum(axis=0)
        return bool(by_hart.any()), bool(by_hart[1:].any())

    if not issued(op.DIVISIONS)[0]:
        keys += ["core.divider", "core.divider_table"]
    if machine.architecture.vcu is None:
        return tuple(sorted(keys))
    csr = np.isin(operations, op.CSR_ACCESSES)
    to_vector_csr = csr & np.isin(entries["imm"], op.VECTOR_CSRS)
    used, shared = issued([*_TO_VECTOR_UNIT, *_AS_IF])
    if not used and not issues[to_vector_csr].any():
        return tuple(sorted([*keys, "vcu.*"]))
    if not issued(op.VECTOR_DIVISIONS)[0]:
        keys += ["vcu.divider", "vcu.divider_table"]
    # An atomic access waits for the vector unit of its hart, whose it may be depends on sharing;
    # a broadcast reaches the scratchpads of all.
    if not (shared or issued([op.AMOSWAP])[1] or issued([op.KBCASTLD])[0]):
        keys.append(ONE_USER)
    return tuple(sorted(keys))


def observed_fingerprint(architecture: Architecture, unobserved: Iterable[str]) -> str:
    """Return the SHA-256 (hexadecimal) of what is left of a machine without some keys.

    Machines with the same one give the same run of a program that did not observe these.
    """
    return _fingerprint(architecture, tuple(unobserved))


@lru_cache(maxsize=4096)
def _fingerprint(architecture: Architecture, unobserved: tuple[str, ...]) -> str:
    machine = _observed_keys(architecture, unobserved)
    text = "\n".join(f"{k} {machine[k]}" for k in sorted(machine))
    return hashlib.sha256(text.encode()).hexdigest()


def check_run_machine(run: Run, architecture: Architecture) -> None:
    """Reject a machine on which a run would be another one.

    Raises:
        GnomonError: names the keys that the run depends on and that have another value there.
    """
    here, there = (
        _observed_keys(each, run.unobserved) for each in (run.architecture, architecture)
    )
    keys = sorted(key for key in {*here, *there} if here.get(key) != there.get(key))
    if keys:
        raise GnomonError(
            f"{run.program} ran on {run.arch}; {architecture.name} has another"
            f" {', '.join(keys)}, so that the run would be another one there"
        )


def _observed_keys(architecture: Architecture, unobserved: tuple[str, ...]) -> dict[str, str]:
    """Return the keys of a machine that a run depends on, and their values as JSON."""
    machine = dict(_texts(architecture))
    for key in unobserved:
        section, _, name = key.rpartition(".")
        if key == ONE_USER:
            if machine.get("vcu.sharing") == '"replicated"':
                machine["vcu.sharing"] = '"shared"'
        elif name == "*":
            machine = {k: v for k, v in machine.items() if not k.startswith(f"{section}.")}
        else:
            machine.pop(key, None)
    return machine


@lru_cache(maxsize=4096)
def _texts(architecture: Architecture) -> dict[str, str]:
    """Return the values of keys as JSON by dotted name; a section itself is ``{}``."""
    texts: dict[str, str] = {}
    for key, value in architecture.to_dict().items():
        section = value if isinstance(value, dict) else {}
        for name, each in section.items():
            texts[f"{key}.{name}"] = json.dumps(each, sort_keys=True)
        texts[key] = "{}" if isinstance(value, dict) else json.dumps(value)
    return texts
