"""The device as a SimPy model: the readable reference of the compiled engine.

All events of an instant come first: runs end, requests arrive. Then the device settles once: it
wakes, starts runs, drops requests if a queue is full, and falls asleep. The result is therefore
independent of the order of simultaneous events.
"""

from __future__ import annotations

from bisect import insort
from dataclasses import dataclass
from typing import TYPE_CHECKING

import simpy

from gnomon.deploy._model import ASLEEP, AWAKE, ENTERING, NEVER, UNLIMITED, WAKING
from gnomon.deploy._stages import ANY_HART, OUTSIDE, StageRecord

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from gnomon.deploy._stages import PipelineModel, StageModel

_UJ_PER_MW_PS = 1e-9


@dataclass(slots=True)
class _Job:
    """A request that waits, or its run."""

    stage: int
    number: int
    key: tuple[int, int, int, int]  # order of service
    ready_ps: int
    left_ps: int = NEVER
    extra_mw: float = 0.0


@dataclass(slots=True)
class _Hart:
    number: int
    job: _Job | None = None
    since_ps: int = 0
    process: simpy.Process | None = None


@dataclass(slots=True)
class _Group:
    """Finished runs of another stage since the latest request."""

    finished: int = 0
    oldest_ps: int = NEVER


def simulate_with_simpy(model: PipelineModel) -> StageRecord:
    """Simulate a pipeline with SimPy, at about 10^4 requests per second."""
    device = _Device(model)
    device.run_until(model.horizon_ps)
    device.pass_time(model.horizon_ps)
    device.cut()
    return device.record


class _Device:
    def __init__(self, model: PipelineModel) -> None:
        self.env = simpy.Environment()
        self.model, self.stages = model, model.stages
        self.first = model.first_job
        self.record = StageRecord.empty(model)
        self.queues: list[list[_Job]] = [[] for _ in self.stages]  # each in order of service
        self.groups = [_Group() for _ in self.stages]
        self.ended: list[_Job] = []  # in this instant
        self.started = [0 for _ in self.stages]
        self.harts = [_Hart(number) for number in range(model.harts)]
        self.state = AWAKE
        self.alarm: simpy.Process | None = None
        self.idle_long_enough = False
        self.passed_ps = 0
        self.unsettled = True
        for place, stage in enumerate(self.stages):
            if stage.after == OUTSIDE:
                self.env.process(self.request(place, stage))

    def run_until(self, end_ps: int) -> None:
        """Process the events before ``end_ps``; settle after the last event of each instant."""
        while self.env.peek() < end_ps:
            self.env.step()
            if self.unsettled and self.env.peek() > self.env.now:
                self.settle()
        self.env.run(until=end_ps)

    # Events ------------------------------------------------------------------------------------

    def request(self, place: int, stage: StageModel) -> Generator[simpy.Event, None, None]:
        """Make the requests of a stage that come from outside."""
        for number, at in enumerate(stage.due_ps):
            yield self.env.timeout(int(at) - self.env.now)
            self.note_event()
            if stage.wanted is None or stage.wanted[number]:
                self.arrive(place, number, self.now)

    def request_later(
        self, place: int, number: int, origin_ps: int
    ) -> Generator[simpy.Event, None, None]:
        """Make the request that follows from a run of another stage, after its delay."""
        yield self.env.timeout(int(self.stages[place].due_ps[number]))
        self.note_event()
        self.arrive(place, number, origin_ps)

    def serve(self, hart: _Hart, job: _Job) -> Generator[simpy.Event, None, None]:
        """Serve a run on a hart until it ends or is interrupted."""
        try:
            yield self.env.timeout(job.left_ps)
        except simpy.Interrupt:
            return
        self.note_event()
        self.leave(hart, job)
        self.record.end_ps[self.row(job)] = self.now
        self.ended.append(job)

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
        return any(self.queues)

    @property
    def busy(self) -> list[tuple[_Hart, _Job]]:
        return [(hart, hart.job) for hart in self.harts if hart.job is not None]

    def row(self, job: _Job) -> int:
        """Return the place of a job in the arrays of the record."""
        return self.first[job.stage] + job.number

    def note_event(self) -> None:
        """Account the time until now; the device settles after all events of the instant."""
        self.pass_time(self.now)
        self.unsettled = True

    def arrive(self, place: int, number: int, origin_ps: int) -> None:
        """Queue a request of this instant."""
        key = (-self.stages[place].priority, self.now, place, number)
        job = _Job(place, number, key, self.now)
        self.record.origin_ps[self.row(job)] = origin_ps
        self.record.ready_ps[self.row(job)] = self.now
        insort(self.queues[place], job, key=lambda each: each.key)

    def settle(self) -> None:
        self.unsettled = False
        for job in sorted(self.ended, key=self.row):
            self.follow(job)
        self.ended.clear()
        sleep = self.model.sleep
        if sleep is not None and self.state == ASLEEP and self.has_work:
            self.record.wakes += 1
            self.change(WAKING, AWAKE, sleep.wake_ps, self.model.wake_uj)
        if self.state == AWAKE:
            while self.start_one() or self.interrupt_one():
                pass
        for place, queue in enumerate(self.queues):
            self.refuse(queue, self.stages[place].places)
            self.record.most_waiting[place] = max(self.record.most_waiting[place], len(queue))
        self.schedule_sleep()

    def follow(self, job: _Job) -> None:
        """Make the requests that follow from the end of a run."""
        for place, stage in enumerate(self.stages):
            if stage.after != job.stage:
                continue
            group, origin_ps = self.groups[place], int(self.record.origin_ps[self.row(job)])
            if group.oldest_ps == NEVER or origin_ps < group.oldest_ps:
                group.oldest_ps = origin_ps
            group.finished += 1
            if group.finished % stage.every:
                continue
            number = job.number if stage.every == 1 else group.finished // stage.every - 1
            origin_ps, group.oldest_ps = group.oldest_ps, NEVER
            if stage.wanted is not None and not stage.wanted[number]:
                continue
            if stage.due_ps[number] == 0:
                self.arrive(place, number, origin_ps)
            else:
                self.env.process(self.request_later(place, number, origin_ps))

    def change(self, meanwhile: int, to: int, after_ps: int, at_once_uj: float) -> None:
        """Wake or fall asleep, instantaneously or after ``after_ps``."""
        if after_ps == 0:
            self.record.energy_uj += at_once_uj
            self.state = to
        else:
            self.state = meanwhile
            self.env.process(self.change_to(to, after_ps))

    def schedule_sleep(self) -> None:
        sleep = self.model.sleep
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
            self.change(ENTERING, ASLEEP, sleep.enter_ps, self.model.enter_uj)
        elif self.alarm is None:
            self.alarm = self.env.process(self.wait_until_idle(sleep.after_ps))

    def waiting_in_order(self) -> Iterator[tuple[StageModel, _Job]]:
        """Yield the first request of each stage in order of service."""
        for job in sorted((queue[0] for queue in self.queues if queue), key=lambda each: each.key):
            yield self.stages[job.stage], job

    def harts_of(self, stage: StageModel) -> list[_Hart]:
        return [hart for hart in self.harts if stage.hart in (ANY_HART, hart.number)]

    def has_unit(self, stage: StageModel, given_back: bool = False) -> bool:
        """Return whether a vector unit is free for a stage, if it needs one."""
        used = sum(self.stages[job.stage].vector for _, job in self.busy) - given_back
        return not stage.vector or used < self.model.vector_units

    def start_one(self) -> bool:
        """Start the first request that a free hart can serve."""
        for stage, job in self.waiting_in_order():
            free = next((hart for hart in self.harts_of(stage) if hart.job is None), None)
            if free is not None and self.has_unit(stage):
                self.start(free, self.queues[job.stage].pop(0))
                return True
        return False

    def interrupt_one(self) -> bool:
        """Interrupt a run for the first request of higher priority: the lowest, then the latest."""
        for stage, job in self.waiting_in_order():
            victims = []
            for hart in self.harts_of(stage):
                if hart.job is None:
                    continue
                other = self.stages[hart.job.stage]
                if (
                    other.interruptible
                    and other.priority < stage.priority
                    and self.has_unit(stage, given_back=other.vector)
                ):
                    victims.append(((-other.priority, hart.since_ps, hart.number), hart, hart.job))
            if victims:
                _, hart, victim = max(victims, key=lambda each: each[0])
                assert hart.process is not None
                hart.process.interrupt()
                self.leave(hart, victim)
                self.record.interrupted[victim.stage] += 1
                self.start(hart, self.queues[job.stage].pop(0))
                insort(self.queues[victim.stage], victim, key=lambda each: each.key)
                return True
        return False

    def start(self, hart: _Hart, job: _Job) -> None:
        stage, record, row = self.stages[job.stage], self.record, self.row(job)
        if job.left_ps == NEVER:
            record.start_ps[row] = self.now
            self.started[job.stage] += 1
            period = stage.correction_period
            corrects = period > 0 and self.started[job.stage] % period == 0
            record.corrected[row] = corrects
            times, powers = (
                (stage.corrected_ps, stage.corrected_mw)
                if corrects
                else (stage.run_ps, stage.extra_mw)
            )
            sample = stage.sample[job.number]
            job.left_ps, job.extra_mw = int(times[sample]), float(powers[sample])
        hart.job, hart.since_ps = job, self.now
        hart.process = self.env.process(self.serve(hart, job))

    def leave(self, hart: _Hart, job: _Job) -> None:
        worked_ps = self.now - hart.since_ps
        self.record.worked_ps[self.row(job)] += worked_ps
        job.left_ps -= worked_ps
        hart.job = None

    def refuse(self, queue: list[_Job], places: int) -> None:
        """Drop requests of this instant that exceed the queue; earlier ones have a place."""
        while (
            places != UNLIMITED
            and len(queue) > places
            and queue[-1].ready_ps == self.now
            and queue[-1].left_ps == NEVER
        ):
            self.record.dropped[self.row(queue.pop())] = True

    # The account -------------------------------------------------------------------------------

    def pass_time(self, until_ps: int) -> None:
        """Account states, queues and energy since the previous call."""
        spent_ps = until_ps - self.passed_ps
        self.passed_ps = until_ps
        record, busy = self.record, self.busy
        record.state_ps[self.state] += spent_ps
        record.any_busy_ps += spent_ps if busy else 0
        for place, queue in enumerate(self.queues):
            record.waiting_ps[place] += float(spent_ps) * len(queue)
        power_mw = float(self.model.state_mw[self.state])
        for _, job in busy:
            power_mw += job.extra_mw
        record.energy_uj += power_mw * spent_ps * _UJ_PER_MW_PS

    def cut(self) -> None:
        """Account the runs in service at the end of the run."""
        for place, queue in enumerate(self.queues):
            self.record.last_waiting[place] = len(queue)
        for hart, job in self.busy:
            self.leave(hart, job)
            self.record.serving[job.stage] += 1
