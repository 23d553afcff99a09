"""The same deployment compiled: one event loop over arrays, 10^6 requests in a second or so.

The rules are those of ``_simpy_model.py``, written once more; tests hold one against the other.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gnomon.base.compiled import entry_point, inner, without_collection
from gnomon.deploy._model import (
    ASLEEP,
    AWAKE,
    ENTERING,
    NEVER,
    PRIORITIES,
    UNLIMITED,
    WAKING,
    Record,
    as_times,
)

if TYPE_CHECKING:
    from gnomon.deploy._model import Device, Draw, Requests, Stages

_UJ_PER_MW_PS = 1e-9
_FAR = np.int64(2**63 - 1)

# The numbers of the device, and of what happened, each in one array.
(D_HARTS, D_UNITS, D_PRIORITY, D_PREEMPT, D_DECISION_PLACES, D_UPDATE_PLACES, D_SLEEPS, D_AFTER,
 D_ENTER, D_WAKE, D_PERIOD, D_VECTOR, D_HORIZON) = range(13)  # fmt: skip
(T_ANY_BUSY, T_LAST_DECISIONS, T_LAST_UPDATES, T_MOST_DECISIONS, T_MOST_UPDATES, T_ENTERS, T_WAKES,
 T_PREEMPTIONS, T_SERVING_DECISIONS, T_SERVING_UPDATES) = range(10)  # fmt: skip
_TOTALS = 10
S_ENERGY_UJ, S_WAITING_DECISIONS, S_WAITING_UPDATES = range(3)
_SUMS = 3
# Of each hart: request or NEVER, whether an update, start of this turn, its end.
H_JOB, H_UPDATE, H_SINCE, H_END = range(4)


def simulate_compiled(requests: Requests, stages: Stages, device: Device, draw: Draw) -> Record:
    """Run it."""
    sleep = device.sleep
    numbers = as_times(
        [
            device.harts,
            device.vector_units,
            PRIORITIES.index(device.priority),
            device.preempt,
            device.decision_places,
            device.update_places,
            sleep is not None,
            sleep.after_ps if sleep else 0,
            sleep.enter_ps if sleep else 0,
            sleep.wake_ps if sleep else 0,
            stages.correction_period,
            stages.vector,
            requests.horizon_ps,
        ]
    )
    n = len(requests.arrival_ps)
    record = Record.empty(n)
    totals = np.zeros(_TOTALS, dtype=np.int64)
    sums = np.zeros(_SUMS)
    with without_collection():
        _run(
            numbers,
            (requests.arrival_ps, requests.sample, requests.rewarded, requests.delay_ps),
            (stages.select_ps, stages.update_ps, stages.correcting_ps),
            (draw.state_mw, draw.select_mw, draw.update_mw, draw.correcting_mw),
            (draw.enter_uj, draw.wake_uj),
            (
                record.select_start_ps,
                record.select_end_ps,
                record.select_worked_ps,
                record.update_ready_ps,
                record.update_start_ps,
                record.update_end_ps,
                record.update_worked_ps,
            ),
            (record.corrected, record.select_dropped, record.update_dropped),
            record.state_ps,
            totals,
            sums,
            np.empty((4, n + 1), dtype=np.int64),
            np.full(n, NEVER, dtype=np.int64),
            np.full((device.harts, 4), NEVER, dtype=np.int64),
            np.zeros(device.harts),
        )
    record.any_busy_ps = int(totals[T_ANY_BUSY])
    record.energy_uj = float(sums[S_ENERGY_UJ])
    record.waiting_decision_ps = float(sums[S_WAITING_DECISIONS])
    record.waiting_update_ps = float(sums[S_WAITING_UPDATES])
    record.last_decisions = int(totals[T_LAST_DECISIONS])
    record.last_updates = int(totals[T_LAST_UPDATES])
    record.serving_decisions = int(totals[T_SERVING_DECISIONS])
    record.serving_updates = int(totals[T_SERVING_UPDATES])
    record.most_decisions = int(totals[T_MOST_DECISIONS])
    record.most_updates = int(totals[T_MOST_UPDATES])
    record.enters = int(totals[T_ENTERS])
    record.wakes = int(totals[T_WAKES])
    record.preemptions = int(totals[T_PREEMPTIONS])
    return record


@inner
def _earlier(ready: Any, one: Any, other: Any) -> Any:
    """Order of rewards: by time, then by request."""
    return ready[one] < ready[other] or (ready[one] == ready[other] and one < other)


@inner
def _push(heap: Any, size: Any, ready: Any, request: Any) -> Any:
    """Put a request into the heap of rewards on their way."""
    place = size
    heap[place] = request
    while place > 0:
        above = (place - 1) // 2
        if not _earlier(ready, heap[place], heap[above]):
            break
        heap[place], heap[above] = heap[above], heap[place]
        place = above
    return size + 1


@inner
def _pop(heap: Any, size: Any, ready: Any) -> Any:
    """Take the first; it is then at ``heap[size - 1]``."""
    size -= 1
    heap[0], heap[size] = heap[size], heap[0]
    place = 0
    while True:
        best = place
        for below in (2 * place + 1, 2 * place + 2):
            if below < size and _earlier(ready, heap[below], heap[best]):
                best = below
        if best == place:
            return size
        heap[place], heap[best] = heap[best], heap[place]
        place = best


def _events(
    numbers: Any,
    requests: Any,
    stages: Any,
    powers: Any,
    lumps: Any,
    times: Any,
    flags: Any,
    state_ps: Any,
    totals: Any,
    sums: Any,
    room: Any,
    left: Any,
    hart: Any,
    extra_mw: Any,
) -> None:
    """All of it; the arrays are made outside."""
    arrival, sample, rewarded, delay = requests
    select_ps, update_ps, correcting_ps = stages
    state_mw, select_mw, update_mw, correcting_mw = powers
    select_start, select_end, select_worked, ready, update_start, update_end, update_worked = times
    corrected, select_dropped, update_dropped = flags
    n, harts, horizon = len(arrival), numbers[D_HARTS], numbers[D_HORIZON]

    # Two queues, each from its first to before its last; when a reward on its way will be back, by
    # request; the heap of these. ``left`` is what an interrupted update still takes.
    decisions, updates, due, heap = room[0], room[1], room[2], room[3]
    decision_first = decision_last = update_first = update_last = 0
    on_way = 0
    busy = 0
    state, change_at, sleep_at = AWAKE, _FAR, _FAR
    next_request = updates_started = 0
    energy_uj = waiting_decision_ps = waiting_update_ps = 0.0
    now = np.int64(0)

    while True:
        # All that happens at this instant.
        for h in range(harts):
            if hart[h, H_JOB] != NEVER and hart[h, H_END] == now:
                job = hart[h, H_JOB]
                hart[h, H_JOB] = NEVER
                busy -= 1
                if hart[h, H_UPDATE]:
                    update_worked[job] += now - hart[h, H_SINCE]
                    update_end[job] = now
                else:
                    select_worked[job] += now - hart[h, H_SINCE]
                    select_end[job] = now
                    if rewarded[job]:
                        due[job] = now + delay[job]
                        on_way = _push(heap, on_way, due, job)
        while on_way > 0 and due[heap[0]] == now:
            on_way = _pop(heap, on_way, due)
            job = heap[on_way]
            ready[job] = now
            updates[update_last] = job
            update_last += 1
        while next_request < n and arrival[next_request] == now:
            decisions[decision_last] = next_request
            decision_last += 1
            next_request += 1
        if change_at == now:
            state = AWAKE if state == WAKING else ASLEEP
            change_at = _FAR

        # The device settles: it wakes,
        if state == ASLEEP and (decision_first < decision_last or update_first < update_last):
            totals[T_WAKES] += 1
            if numbers[D_WAKE] == 0:
                energy_uj += lumps[1]
                state = AWAKE
            else:
                state = WAKING
                change_at = now + numbers[D_WAKE]
        # starts stages,
        while state == AWAKE:
            waits_decision = decision_first < decision_last
            waits_update = update_first < update_last
            if not waits_decision and not waits_update:
                break
            at = -1
            if busy < harts and (not numbers[D_VECTOR] or busy < numbers[D_UNITS]):
                at = 0
                while hart[at, H_JOB] != NEVER:
                    at += 1
            elif numbers[D_PREEMPT] and waits_decision:
                for h in range(harts):
                    if (
                        hart[h, H_JOB] != NEVER
                        and hart[h, H_UPDATE]
                        and (at < 0 or hart[h, H_SINCE] >= hart[at, H_SINCE])
                    ):
                        at = h
                if at >= 0:  # that update goes back to where it came from
                    job = hart[at, H_JOB]
                    worked = now - hart[at, H_SINCE]
                    update_worked[job] += worked
                    left[job] = hart[at, H_END] - now
                    hart[at, H_JOB] = NEVER
                    busy -= 1
                    totals[T_PREEMPTIONS] += 1
                    update_first -= 1
                    updates[update_first] = job
                    waits_update = False  # the decision takes its place, whatever the priority
            if at < 0:
                break
            if waits_decision and waits_update:
                if numbers[D_PRIORITY] == 0:
                    takes_update = False
                elif numbers[D_PRIORITY] == 1:
                    takes_update = True
                else:
                    takes_update = arrival[decisions[decision_first]] > ready[updates[update_first]]
            else:
                takes_update = not waits_decision
            if takes_update:
                job = updates[update_first]
                update_first += 1
                if left[job] == NEVER:
                    update_start[job] = now
                    updates_started += 1
                    if numbers[D_PERIOD] > 0 and updates_started % numbers[D_PERIOD] == 0:
                        corrected[job] = True
                        left[job] = correcting_ps[sample[job]]
                    else:
                        left[job] = update_ps[sample[job]]
                length = left[job]
                extra_mw[at] = (
                    correcting_mw[sample[job]] if corrected[job] else update_mw[sample[job]]
                )
            else:
                job = decisions[decision_first]
                decision_first += 1
                select_start[job] = now
                length = select_ps[sample[job]]
                extra_mw[at] = select_mw[sample[job]]
            hart[at, H_JOB] = job
            hart[at, H_UPDATE] = takes_update
            hart[at, H_SINCE] = now
            hart[at, H_END] = now + length
            busy += 1
        # refuses who comes now and finds no place,
        if numbers[D_DECISION_PLACES] != UNLIMITED:
            while (
                decision_last - decision_first > numbers[D_DECISION_PLACES]
                and arrival[decisions[decision_last - 1]] == now
            ):
                decision_last -= 1
                select_dropped[decisions[decision_last]] = True
        if numbers[D_UPDATE_PLACES] != UNLIMITED:
            while (
                update_last - update_first > numbers[D_UPDATE_PLACES]
                and ready[updates[update_last - 1]] == now
            ):
                update_last -= 1
                update_dropped[updates[update_last]] = True
        totals[T_MOST_DECISIONS] = max(totals[T_MOST_DECISIONS], decision_last - decision_first)
        totals[T_MOST_UPDATES] = max(totals[T_MOST_UPDATES], update_last - update_first)
        # and falls asleep if nobody has come for long enough.
        works = busy > 0 or decision_first < decision_last or update_first < update_last
        if not numbers[D_SLEEPS] or state != AWAKE or works:
            sleep_at = _FAR
        else:
            if sleep_at == _FAR:
                sleep_at = now + numbers[D_AFTER]
            if sleep_at == now:
                sleep_at = _FAR
                totals[T_ENTERS] += 1
                if numbers[D_ENTER] == 0:
                    energy_uj += lumps[0]
                    state = ASLEEP
                else:
                    state = ENTERING
                    change_at = now + numbers[D_ENTER]

        # Until something happens again.
        then = min(change_at, sleep_at)
        if next_request < n:
            then = min(then, arrival[next_request])
        if on_way > 0:
            then = min(then, due[heap[0]])
        for h in range(harts):
            if hart[h, H_JOB] != NEVER:
                then = min(then, hart[h, H_END])
        then = min(then, horizon)
        spent = then - now
        state_ps[state] += spent
        if busy > 0:
            totals[T_ANY_BUSY] += spent
        waiting_decision_ps += float(spent) * (decision_last - decision_first)
        waiting_update_ps += float(spent) * (update_last - update_first)
        power_mw = state_mw[state]
        for h in range(harts):
            if hart[h, H_JOB] != NEVER:
                power_mw += extra_mw[h]
        energy_uj += power_mw * spent * _UJ_PER_MW_PS
        now = then
        if now == horizon:
            break

    for h in range(harts):
        if hart[h, H_JOB] != NEVER:
            job = hart[h, H_JOB]
            worked = now - hart[h, H_SINCE]
            if hart[h, H_UPDATE]:
                update_worked[job] += worked
                totals[T_SERVING_UPDATES] += 1
            else:
                select_worked[job] += worked
                totals[T_SERVING_DECISIONS] += 1
    totals[T_LAST_DECISIONS] = decision_last - decision_first
    totals[T_LAST_UPDATES] = update_last - update_first
    sums[S_ENERGY_UJ] = energy_uj
    sums[S_WAITING_DECISIONS] = waiting_decision_ps
    sums[S_WAITING_UPDATES] = waiting_update_ps


def _digest() -> str:
    """Of the files whose numbers the loop freezes: an old binary never meets a new number."""
    digest = hashlib.sha256()
    for name in ("_model.py", "_compiled.py"):
        digest.update(Path(__file__).with_name(name).read_bytes())
    return digest.hexdigest()[:16]


_run = entry_point(_events, f"system-{_digest()}")
