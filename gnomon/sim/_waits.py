"""Waiting for a busy unit: in decode, or by trying again in every slot."""

from __future__ import annotations

from gnomon.base.compiled import State, inner
from gnomon.sim import _layout as at
from gnomon.sim._tables import CLASS_OF


@inner
def stall(
    cfg: State, hs: State, acct: State, dyn: State,
    h: int, spot: int, cycle: int, last: int, kind: int,
) -> int:  # fmt: skip
    """Wait in decode until the unit busy up to ``last`` is idle; returns the issue cycle."""
    waited = last + 2 - cycle
    if waited <= 0:
        return cycle
    acct[h, kind] += waited
    dyn[spot] += waited
    # The cycles belong to the hart whose instruction is still in execute: the one before.
    hs[(h + 1) % cfg[at.C_HARTS], at.H_CHARGED] += waited
    return cycle + waited


@inner
def retry(
    cfg: State, st: State, hs: State, acct: State, dyn: State, prof: State, entry: int,
    h: int, position: int, busy_until: int, cycle: int, limit: int,
) -> int:  # fmt: skip
    """Book the tries of a vector instruction whose unit is busy.

    Each try takes its slot as a jump to itself. Alone in the rotation, all of them are booked at
    once. Returns the number of tries.
    """
    tries = 1
    if busy_until < at.NEVER and st[at.S_MULTI] == 0 and cfg[at.C_TRACING] == 0:
        rotation = cfg[at.C_HARTS]
        tries = (busy_until - cycle + 1) // rotation + 1
        tries = max(1, min(tries, (limit - cycle) // rotation + 1))
    acct[h, at.K_ISSUE + CLASS_OF[entry & 0xFF]] -= tries
    acct[h, at.K_RETRY] += tries
    dyn[at.D_RETRY * len(prof) + position] += tries
    hs[h, at.H_RETRIES] += tries
    prof[position] += tries - 1
    return tries


@inner
def all_stuck(cfg: State, hs: State) -> bool:
    """No hart will ever do anything but repeat its instruction."""
    for k in range(cfg[at.C_HARTS]):
        if not (hs[k, at.H_PARKED] or hs[k, at.H_STUCK]):
            return False
    return True
