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
from gnomon.sim import _ops as op
from gnomon.sim._machine import Machine
from gnomon.sim._run import Run

_TO_VECTOR_UNIT = (*op.TRANSFERS, *op.VECTOR)
_AS_IF = (op.ILLEGAL, op.ILLEGAL_LSU, op.ILLEGAL_KMEM, op.ILLEGAL_KDSP)


def unobserved_keys(machine: Machine, *, rewritten: bool) -> tuple[str, ...]:
    """Dotted keys, in order, and ``Run.ONE_USER``, that this run has not observed.

    Args:
        machine: after the run.
        rewritten: some instruction was executed that the program itself had written; counts are
            then of the instructions that stand there now.
    """
    if rewritten:
        return Run.NEVER_OBSERVED
    keys = [*Run.NEVER_OBSERVED]
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
        keys.append(Run.ONE_USER)
    return tuple(sorted(keys))


@lru_cache(maxsize=4096)
def observed_fingerprint(architecture: Architecture, unobserved: tuple[str, ...]) -> str:
    """See :meth:`Run.fingerprint`."""
    machine = observed_keys(architecture, unobserved)
    text = "\n".join(f"{k} {machine[k]}" for k in sorted(machine))
    return hashlib.sha256(text.encode()).hexdigest()


def observed_keys(architecture: Architecture, unobserved: tuple[str, ...]) -> dict[str, str]:
    """The keys of a machine that a run depends on, and their values as JSON."""
    machine = dict(_texts(architecture))
    for key in unobserved:
        section, _, name = key.rpartition(".")
        if key == Run.ONE_USER:
            if machine.get("vcu.sharing") == '"replicated"':
                machine["vcu.sharing"] = '"shared"'
        elif name == "*":
            machine = {k: v for k, v in machine.items() if not k.startswith(f"{section}.")}
        else:
            machine.pop(key, None)
    return machine


@lru_cache(maxsize=4096)
def _texts(architecture: Architecture) -> dict[str, str]:
    """Values of keys as JSON: those of a section by their dotted names, and whether it is there."""
    texts: dict[str, str] = {}
    for key, value in architecture.to_dict().items():
        section = value if isinstance(value, dict) else {}
        for name, each in section.items():
            texts[f"{key}.{name}"] = json.dumps(each, sort_keys=True)
        texts[key] = "{}" if isinstance(value, dict) else json.dumps(value)
    return texts
