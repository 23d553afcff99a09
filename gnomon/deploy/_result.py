"""Results of a deployment: figures, and whether it meets its requirements."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gnomon.arch import Architecture
from gnomon.base.interval import Interval
from gnomon.base.sums import dot
from gnomon.deploy._account import Account
from gnomon.deploy._deployment import Deployment
from gnomon.deploy._device import check_harts, count_vector_units, describe_sleep
from gnomon.deploy._model import DeploymentRecord, Requests, ServingDevice, Times
from gnomon.deploy._outcome import (
    PERCENTILES,
    compute_percentile,
    convert_to_us,
    describe_outcome,
    describe_time,
    list_missed,
)
from gnomon.deploy._scenario import Scenario
from gnomon.deploy._service import Costs, Service


@dataclass(frozen=True, slots=True, eq=False)
class DeploymentResult:
    """Result of a deployment run."""

    deployment: Deployment  # the deployment
    architecture: Architecture  # the machine, at its clock
    service: Service  # the measured steps
    costs: Costs  # their times and energies at this clock
    requests: Requests = field(repr=False)  # the requests
    record: DeploymentRecord = field(repr=False)  # the events of each request
    latency_ps: Times = field(repr=False)  # latency of each decision, in order of arrival
    missed: int  # requests without a decision by the deadline; 0 without one
    account: Account | None  # energy; None: unavailable
    # battery life; None: no battery, or an unavailable or zero drain
    life_ps: Interval | None
    overdrawn_ma: float | None  # peak current, if the battery cannot deliver it

    @property
    def scenario(self) -> Scenario:
        """Machine, power, battery and requirements."""
        return self.deployment

    @property
    def horizon_ps(self) -> int:
        """Length of the run."""
        return self.requests.horizon_ps

    @property
    def clock_hz(self) -> int:
        """Clock of the machine in Hz."""
        return int(self.architecture.clock)

    @property
    def arrived(self) -> int:
        """Number of requests."""
        return len(self.requests.arrival_ps)

    @property
    def dropped(self) -> int:
        """Number of requests that were dropped because the queue was full."""
        return int(self.record.select_dropped.sum())

    def latency(self, name: str) -> int | None:
        """Return a percentile of the latency of decisions, in ps: one of ``PERCENTILES``.

        None: there are too few decisions.
        """
        return compute_percentile(self.latency_ps, name)

    @property
    def figures(self) -> dict[str, float | None]:
        """Figures by name of the requirement, in ps, mW, or as shares."""
        record, n = self.record, self.arrived
        started = record.select_start_ps >= 0
        waits = (record.select_start_ps - self.requests.arrival_ps)[started]
        back = int((record.update_ready_ps >= 0).sum())
        worked_ps = int(record.select_worked_ps.sum() + record.update_worked_ps.sum())
        harts_ps = self.deployment.device.harts * self.requests.horizon_ps
        return {
            **{name: self.latency(name) for name in PERCENTILES},
            "worst": int(self.latency_ps.max()) if len(self.latency_ps) else None,
            "mean-wait": float(waits.mean()) if len(waits) else None,
            "missed": None if self.deployment.deadline_ps is None else self.missed / n,
            "dropped": self.dropped / n,
            "dropped-updates": int(record.update_dropped.sum()) / back if back else 0.0,
            "utilisation": worked_ps / harts_ps,
            "power": None if self.account is None else self.account.power_mw.high,
            "battery-life": None if self.life_ps is None else self.life_ps.low,
        }

    @property
    def misses(self) -> tuple[str, ...]:
        """Requirements that are not met, as written in the file."""
        return tuple(each.text for each in list_missed(self.deployment, self.figures))

    @property
    def keeps(self) -> bool:
        """Whether all requirements are met."""
        return not self.misses

    @property
    def verdict(self) -> str:
        """``yes``: all met; ``no``: one is not; ``not known``: a figure is unavailable."""
        figures = self.figures
        if any(figures[each.name] is not None for each in list_missed(self.deployment, figures)):
            return "no"
        return "yes" if self.keeps else "not known"

    @property
    def servers(self) -> int:
        """Largest number of stages in service at once."""
        return count_servers(describe_device(self.deployment, self.architecture), self.service)

    @property
    def offered_load(self) -> float:
        """Offered work over capacity; from 1 on, queues grow or requests are dropped."""
        stages, sample = self.costs.stages, self.requests.sample
        period = stages.correction_period
        corrections = 1 / period if period else 0.0
        update_ps = (1 - corrections) * stages.update_ps + corrections * stages.correcting_ps
        work_ps = float(stages.select_ps[sample].astype(np.float64).sum())
        work_ps += float(dot(update_ps[sample], self.requests.rewarded))
        return work_ps / (self.servers * self.requests.horizon_ps)

    def closed_form_wait_ps(self) -> float | None:
        """Return the mean wait by the Pollaczek-Khinchine formula, which holds for M/G/1 only.

        W = rate E[S^2] / (2 (1 - load)); None for another stream or device, or a load of 1 or more.
        """
        deployment, stages = self.deployment, self.costs.stages
        plain = (
            deployment.requests.arrivals == "poisson"
            and deployment.device.harts == 1
            and deployment.sleep is None
            and deployment.rewards.share == 0
            and deployment.device.waiting_decisions < 0
            and deployment.learner.service == "drawn"
        )
        times = stages.select_ps.astype(np.float64)
        load = float(times.mean()) / deployment.requests.period_ps
        if not plain or load >= 1:
            return None
        return float((times**2).mean()) / deployment.requests.period_ps / (2 * (1 - load))

    def to_json(self) -> dict[str, Any]:
        """Return JSON-compatible data under the documented names."""
        record, figures = self.record, self.figures
        latency = {f"{name}_us": convert_to_us(self.latency(name)) for name in PERCENTILES}
        horizon_ps = self.requests.horizon_ps
        return {
            "arch": self.architecture.name,
            "clock_hz": self.clock_hz,
            "requests": {
                "arrived": self.arrived,
                "decided": int((record.select_end_ps >= 0).sum()),
                "in_work": record.serving_decisions,
                "waiting": record.last_decisions,
                "dropped": self.dropped,
                "missed": None if self.deployment.deadline_ps is None else self.missed,
            },
            "updates": {
                "rewards": int((record.update_ready_ps >= 0).sum()),
                "made": int((record.update_end_ps >= 0).sum()),
                "in_work": record.serving_updates,
                "waiting": record.last_updates,
                "dropped": int(record.update_dropped.sum()),
                "corrections": int(record.corrected.sum()),
                "interrupted": record.preemptions,
            },
            "latency": latency
            | {
                "worst_us": convert_to_us(figures["worst"]),
                "mean_wait_us": convert_to_us(figures["mean-wait"]),
                "closed_form_wait_us": convert_to_us(self.closed_form_wait_ps()),
            },
            "queue": {
                "mean_decisions": record.waiting_decision_ps / horizon_ps,
                "most_decisions": record.most_decisions,
                "mean_updates": record.waiting_update_ps / horizon_ps,
                "most_updates": record.most_updates,
            },
            "time": describe_time(self),
            **describe_outcome(self),
        }


def describe_device(deployment: Deployment, architecture: Architecture) -> ServingDevice:
    """Return harts and vector units of a machine with queues and sleep of a deployment.

    Raises:
        GnomonError: if the machine has too few harts.
    """
    given = deployment.device
    check_harts(architecture, given.harts)
    return ServingDevice(
        harts=given.harts,
        vector_units=count_vector_units(architecture, given.harts),
        priority=given.priority,
        preempt=given.preempt,
        decision_places=given.waiting_decisions,
        update_places=given.waiting_updates,
        sleep=describe_sleep(deployment.sleep),
    )


def count_servers(device: ServingDevice, service: Service) -> int:
    """Return the largest number of stages in service at once."""
    return min(device.harts, device.vector_units) if service.vector else device.harts
