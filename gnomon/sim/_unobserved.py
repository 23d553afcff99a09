"""The keys of a machine that a run cannot have depended on.

A run depends on its program and on parts of the machine: a program without divisions runs equally
with any divider. The engine's counts show which instructions were executed, so each run can derive
the keys that it has not observed. A machine that differs only in these keys gives the same run, bit
by bit, and need not be simulated. All other keys count as observed.
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
"""Keys that the engine does not read; values that a program depends on are in its own bytes."""

ONE_USER = "vcu.sharing: shared or replicated"
"""Not a key: with one hart at the vector unit these two are the same machine."""

_TO_VECTOR_UNIT = (*op.TRANSFERS, *op.VECTOR)
_AS_IF = (op.ILLEGAL, op.ILLEGAL_LSU, op.ILLEGAL_KMEM, op.ILLEGAL_KDSP)


def unobserved_keys(machine: Machine, *, rewritten: bool) -> tuple[str, ...]:
    """Return the dotted keys, in order, and ``ONE_USER``, that this run has not observed.

    Args:
        machine: after the run.
        rewritten: whether an instruction was executed that the program itself had written; counts
            then refer to the current instructions.
    """
    if rewritten:
        return NEVER_OBSERVED
    keys = [*NEVER_OBSERVED]
    first, last = machine.text
    entries = machine.decoded[first:last]
    issues = machine.issues()[:, first:last].T
    operations = entries["op"]

    def issued(numbers: Iterable[int]) -> tuple[bool, bool]:
        """Return whether any hart executed one of them, and whether one other than hart 0 did."""
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
    # An atomic access waits for the vector unit of its hart, which depends on sharing; a broadcast
    # writes the scratchpads of all harts.
    if not (shared or issued([op.AMOSWAP])[1] or issued([op.KBCASTLD])[0]):
        keys.append(ONE_USER)
    return tuple(sorted(keys))


def observed_fingerprint(architecture: Architecture, unobserved: Iterable[str]) -> str:
    """Return the SHA-256 (hexadecimal) of a machine without some keys.

    Machines with equal digests give the same run of a program that did not observe these keys.
    """
    return _compute_fingerprint(architecture, tuple(unobserved))


@lru_cache(maxsize=4096)
def _compute_fingerprint(architecture: Architecture, unobserved: tuple[str, ...]) -> str:
    machine = _list_observed_keys(architecture, unobserved)
    text = "\n".join(f"{k} {machine[k]}" for k in sorted(machine))
    return hashlib.sha256(text.encode()).hexdigest()


def check_run_machine(run: Run, architecture: Architecture) -> None:
    """Reject a machine on which the run would differ.

    Raises:
        GnomonError: if keys that the run depends on have other values there; names them.
    """
    here, there = (
        _list_observed_keys(each, run.unobserved) for each in (run.architecture, architecture)
    )
    keys = sorted(key for key in {*here, *there} if here.get(key) != there.get(key))
    if keys:
        raise GnomonError(
            f"{run.program} ran on {run.arch}; {architecture.name} has other values of"
            f" {', '.join(keys)}, so the run does not apply to it: simulate again"
        )


def _list_observed_keys(architecture: Architecture, unobserved: tuple[str, ...]) -> dict[str, str]:
    """Return the keys of a machine that a run depends on, and their values as JSON."""
    machine = dict(_list_key_texts(architecture))
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
def _list_key_texts(architecture: Architecture) -> dict[str, str]:
    """Return the values of keys as JSON by dotted name; for a section, ``{}``."""
    texts: dict[str, str] = {}
    for key, value in architecture.to_dict().items():
        section = value if isinstance(value, dict) else {}
        for name, each in section.items():
            texts[f"{key}.{name}"] = json.dumps(each, sort_keys=True)
        texts[key] = "{}" if isinstance(value, dict) else json.dumps(value)
    return texts
