"""Results of a deployment: figures, and whether it meets its requirements."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gnomon.arch import Architecture
from gnomon.base.errors import GnomonError
from gnomon.base.interval import Interval
from gnomon.deploy._account import Account
from gnomon.deploy._deployment import Deployment
from gnomon.deploy._model import STATES, DeploymentRecord, Requests, ServingDevice, Sleep, Times
from gnomon.deploy._service import Costs, Service
from gnomon.deploy.quantities import Requirement

PERCENTILES = {"p50": 50.0, "p99": 99.0, "p99.9": 99.9}
LEAST_FOR = {"p99": 100, "p99.9": 1000}  # decisions needed for the percentile


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
        if len(self.latency_ps) < LEAST_FOR.get(name, 1):
            return None
        return int(np.percentile(self.latency_ps, PERCENTILES[name], method="inverted_cdf"))

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
        return tuple(each.text for each in self._missed(self.figures))

    @property
    def keeps(self) -> bool:
        """Whether all requirements are met."""
        return not self.misses

    @property
    def verdict(self) -> str:
        """``yes``: all met; ``no``: one is not; ``not known``: a figure is unavailable."""
        figures = self.figures
        if any(figures[each.name] is not None for each in self._missed(figures)):
            return "no"
        return "yes" if self.keeps else "not known"

    def _missed(self, figures: Mapping[str, float | None]) -> list[Requirement]:
        return [each for each in self.deployment.require if not each.met_by(figures)]

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
        work_ps += float(update_ps[sample] @ self.requests.rewarded)
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
        latency = {f"{name}_us": to_us(self.latency(name)) for name in PERCENTILES}
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
            "latency": latency | {"worst_us": to_us(figures["worst"]),
                                  "mean_wait_us": to_us(figures["mean-wait"]),
                                  "closed_form_wait_us": to_us(self.closed_form_wait_ps())},
            "queue": {
                "mean_decisions": record.waiting_decision_ps / horizon_ps,
                "most_decisions": record.most_decisions,
                "mean_updates": record.waiting_update_ps / horizon_ps,
                "most_updates": record.most_updates,
            },
            "time": {
                "run_s": horizon_ps / 1e12,
                "utilisation": figures["utilisation"],
                "offered_load": self.offered_load,
                "states_s": {name: int(record.state_ps[number]) / 1e12
                             for number, name in enumerate(STATES)},
                "any_busy_s": record.any_busy_ps / 1e12,
                "fell_asleep": record.enters,
                "woke": record.wakes,
            },
            "energy": None if self.account is None else self.account.to_json(),
            "energy_reason": self.costs.reason,
            "battery_life_days": to_days(self.life_ps),
            "overdrawn_ma": self.overdrawn_ma,
            "not_included": list(self.deployment.not_included),
            "keeps": self.keeps,
            "misses": list(self.misses),
        }  # fmt: skip


def describe_device(deployment: Deployment, architecture: Architecture) -> ServingDevice:
    """Return harts and vector units of a machine with queues and sleep of a deployment.

    A stage of a vector variant occupies its vector unit from start to end, because its operands are
    in the scratchpads. With ``vcu.sharing: replicated`` each hart has its own unit. Harts that
    share functional units (``multithreaded``) are modeled as sharing the whole unit, which gives an
    upper bound on waits.

    Raises:
        GnomonError: if the machine has too few harts.
    """
    given, vcu, sleep = deployment.device, architecture.vcu, deployment.sleep
    if given.harts > architecture.core.harts:
        raise GnomonError(
            f"{given.harts} harts at work: {architecture.name} has {architecture.core.harts}"
        )
    return ServingDevice(
        harts=given.harts,
        vector_units=given.harts if vcu is not None and vcu.sharing == "replicated" else 1,
        priority=given.priority,
        preempt=given.preempt,
        decision_places=given.waiting_decisions,
        update_places=given.waiting_updates,
        sleep=None
        if sleep is None
        else Sleep(sleep.after_ps, round(sleep.enter_ps.counted), round(sleep.wake_ps.counted)),
    )


def count_servers(device: ServingDevice, service: Service) -> int:
    """Return the largest number of stages in service at once."""
    return min(device.harts, device.vector_units) if service.vector else device.harts


def to_us(ps: float | None) -> float | None:
    """Return a time in microseconds."""
    return None if ps is None else ps / 1e6


def to_days(life_ps: Interval | None) -> dict[str, float | None] | None:
    """Return a life in days by end of its interval; null for an end that is infinite."""
    if life_ps is None:
        return None
    days = life_ps.scaled(1 / (86_400 * 1e12), "days")
    ends = {"value": days.value, "low": days.low, "high": days.high}
    return {name: end if end < float("inf") else None for name, end in ends.items()}
