"""The deployment as a SimPy model: the readable reference of the compiled engine.

All events of an instant come first: stages end, rewards and requests arrive. Then the device
settles once: it wakes, starts stages, drops requests if a queue is full, and falls asleep. The
result is therefore independent of the order of simultaneous events.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

import simpy

from gnomon.deploy._model import ASLEEP, AWAKE, ENTERING, NEVER, UNLIMITED, WAKING, DeploymentRecord

if TYPE_CHECKING:
    from collections.abc import Generator

    import numpy as np
    import numpy.typing as npt

    from gnomon.deploy._model import Draw, Requests, ServingDevice, Stages

_UJ_PER_MW_PS = 1e-9


@dataclass(slots=True)
class _Job:
    """A stage that waits or runs."""

    request: int
    is_update: bool
    ready_ps: int
    left_ps: int = NEVER
    extra_mw: float = 0.0


@dataclass(slots=True)
class _Hart:
    number: int
    job: _Job | None = None
    since_ps: int = 0
    process: simpy.Process | None = None


def simulate_with_simpy(
    requests: Requests, stages: Stages, device: ServingDevice, draw: Draw
) -> DeploymentRecord:
    """Simulate a deployment with SimPy, at about 10^4 requests per second."""
    model = _Model(requests, stages, device, draw)
    model.run_until(requests.horizon_ps)
    model.pass_time(requests.horizon_ps)
    model.cut()
    return model.record


class _Model:
    def __init__(
        self, requests: Requests, stages: Stages, device: ServingDevice, draw: Draw
    ) -> None:
        self.env = simpy.Environment()
        self.requests, self.stages, self.device, self.draw = requests, stages, device, draw
        self.record = DeploymentRecord.empty(len(requests.arrival_ps))
        self.decisions: deque[_Job] = deque()
        self.updates: deque[_Job] = deque()
        self.rewards: list[_Job] = []  # of this instant
        self.harts = [_Hart(number) for number in range(device.harts)]
        self.state = AWAKE
        self.alarm: simpy.Process | None = None
        self.idle_long_enough = False
        self.updates_started = 0
        self.passed_ps = 0
        self.unsettled = True
        self.env.process(self.arrive())

    def run_until(self, end_ps: int) -> None:
        """Process the events before ``end_ps``; settle after the last event of each instant."""
        while self.env.peek() < end_ps:
            self.env.step()
            if self.unsettled and self.env.peek() > self.env.now:
                self.settle()
        self.env.run(until=end_ps)

    # Events ------------------------------------------------------------------------------------

    def arrive(self) -> Generator[simpy.Event, None, None]:
        for request, at in enumerate(self.requests.arrival_ps):
            yield self.env.timeout(int(at) - self.env.now)
            self.note_event()
            self.decisions.append(_Job(request, is_update=False, ready_ps=self.now))

    def reward(self, request: int) -> Generator[simpy.Event, None, None]:
        """Wait for the reward of a decision and queue its update."""
        yield self.env.timeout(int(self.requests.delay_ps[request]))
        self.note_event()
        self.record.update_ready_ps[request] = self.now
        self.rewards.append(_Job(request, is_update=True, ready_ps=self.now))

    def serve(self, hart: _Hart, job: _Job) -> Generator[simpy.Event, None, None]:
        """Serve a stage on a hart until it ends or is interrupted."""
        try:
            yield self.env.timeout(job.left_ps)
        except simpy.Interrupt:
            return
        self.note_event()
        self.leave(hart, job)
        if job.is_update:
            self.record.update_end_ps[job.request] = self.now
        else:
            self.record.select_end_ps[job.request] = self.now
            if self.requests.rewarded[job.request]:
                self.env.process(self.reward(job.request))

    def change_to(self, state: int, after_ps: int) -> Generator[simpy.Event, None, None]:
        """Wait for the end of falling asleep or waking and enter the new state."""
        yield self.env.timeout(after_ps)
        self.note_event()
        self.state = state

    def wait_until_idle(self, after_ps: int) -> Generator[simpy.Event, None, None]:
        """Wait until the device has been idle for ``after_ps``."""
        try:
            yield self.env.timeout(after_ps)
        except simpy.Interrupt:
            return
        self.note_event()
        self.alarm = None
        self.idle_long_enough = True  # work that arrives in the same instant prevents sleep

    # Reactions ---------------------------------------------------------------------------------

    @property
    def now(self) -> int:
        return int(self.env.now)

    @property
    def has_work(self) -> bool:
        return bool(self.decisions or self.updates)

    @property
    def busy(self) -> list[tuple[_Hart, _Job]]:
        return [(hart, hart.job) for hart in self.harts if hart.job is not None]

    def note_event(self) -> None:
        """Account the time until now; the device settles after all events of the instant."""
        self.pass_time(self.now)
        self.unsettled = True

    def settle(self) -> None:
        self.unsettled = False
        self.updates.extend(sorted(self.rewards, key=lambda job: job.request))
        self.rewards.clear()
        sleep = self.device.sleep
        if sleep is not None and self.state == ASLEEP and self.has_work:
            self.record.wakes += 1
            self.change(WAKING, AWAKE, sleep.wake_ps, self.draw.wake_uj)
        if self.state == AWAKE:
            self.start_stages()
            if self.device.preempt:
                self.preempt()
        self.refuse(self.decisions, self.device.decision_places, self.record.select_dropped)
        self.refuse(self.updates, self.device.update_places, self.record.update_dropped)
        self.record.most_decisions = max(self.record.most_decisions, len(self.decisions))
        self.record.most_updates = max(self.record.most_updates, len(self.updates))
        self.schedule_sleep()

    def change(self, meanwhile: int, to: int, after_ps: int, at_once_uj: float) -> None:
        """Wake or fall asleep, instantaneously or after ``after_ps``."""
        if after_ps == 0:
            self.record.energy_uj += at_once_uj
            self.state = to
        else:
            self.state = meanwhile
            self.env.process(self.change_to(to, after_ps))

    def schedule_sleep(self) -> None:
        sleep = self.device.sleep
        if sleep is None:
            return
        if self.state != AWAKE or self.busy or self.has_work:
            self.idle_long_enough = False
            if self.alarm is not None:
                self.alarm.interrupt()
                self.alarm = None
        elif self.idle_long_enough or sleep.after_ps == 0:
            self.idle_long_enough = False
            self.record.enters += 1
            self.change(ENTERING, ASLEEP, sleep.enter_ps, self.draw.enter_uj)
        elif self.alarm is None:
            self.alarm = self.env.process(self.wait_until_idle(sleep.after_ps))

    def start_stages(self) -> None:
        while self.has_work:
            free = next((hart for hart in self.harts if hart.job is None), None)
            units_left = self.device.vector_units - len(self.busy)
            if free is None or (self.stages.vector and units_left <= 0):
                return
            self.start(free, self.next_queue().popleft())

    def next_queue(self) -> deque[_Job]:
        if not self.decisions or not self.updates:
            return self.decisions or self.updates
        if self.device.priority == "in-order":
            older = self.decisions[0].ready_ps <= self.updates[0].ready_ps
            return self.decisions if older else self.updates
        return self.decisions if self.device.priority == "decisions-first" else self.updates

    def start(self, hart: _Hart, job: _Job) -> None:
        stages, record, draw = self.stages, self.record, self.draw
        sample = self.requests.sample[job.request]
        if not job.is_update:
            record.select_start_ps[job.request] = self.now
            job.left_ps = int(stages.select_ps[sample])
            job.extra_mw = float(draw.select_mw[sample])
        elif job.left_ps == NEVER:
            record.update_start_ps[job.request] = self.now
            self.updates_started += 1
            period = stages.correction_period
            corrects = period > 0 and self.updates_started % period == 0
            record.corrected[job.request] = corrects
            times, powers = (
                (stages.correcting_ps, draw.correcting_mw)
                if corrects
                else (stages.update_ps, draw.update_mw)
            )
            job.left_ps, job.extra_mw = int(times[sample]), float(powers[sample])
        hart.job, hart.since_ps = job, self.now
        hart.process = self.env.process(self.serve(hart, job))

    def leave(self, hart: _Hart, job: _Job) -> None:
        worked_ps = self.now - hart.since_ps
        record = self.record
        worked = record.update_worked_ps if job.is_update else record.select_worked_ps
        worked[job.request] += worked_ps
        job.left_ps -= worked_ps
        hart.job = None

    def preempt(self) -> None:
        while self.decisions:
            at_updates = [(hart, job) for hart, job in self.busy if job.is_update]
            if not at_updates:
                return
            last, job = max(at_updates, key=lambda each: (each[0].since_ps, each[0].number))
            assert last.process is not None
            last.process.interrupt()
            self.leave(last, job)
            self.record.preemptions += 1
            self.updates.appendleft(job)
            self.start(last, self.decisions.popleft())

    def refuse(self, queue: deque[_Job], places: int, dropped: npt.NDArray[np.bool_]) -> None:
        """Drop stages of this instant that exceed the queue; earlier ones have a place."""
        while places != UNLIMITED and len(queue) > places and queue[-1].ready_ps == self.now:
            dropped[queue.pop().request] = True

    # The account -------------------------------------------------------------------------------

    def pass_time(self, until_ps: int) -> None:
        """Account states, queues and energy since the previous call."""
        spent_ps = until_ps - self.passed_ps
        self.passed_ps = until_ps
        record, busy = self.record, self.busy
        record.state_ps[self.state] += spent_ps
        record.any_busy_ps += spent_ps if busy else 0
        record.waiting_decision_ps += float(spent_ps) * len(self.decisions)
        record.waiting_update_ps += float(spent_ps) * len(self.updates)
        power_mw = float(self.draw.state_mw[self.state])
        for _, job in busy:
            power_mw += job.extra_mw
        record.energy_uj += power_mw * spent_ps * _UJ_PER_MW_PS

    def cut(self) -> None:
        """Account the stages in service at the end of the run."""
        self.record.last_decisions = len(self.decisions)
        self.record.last_updates = len(self.updates)
        for hart, job in self.busy:
            self.leave(hart, job)
            self.record.serving_updates += job.is_update
            self.record.serving_decisions += not job.is_update
