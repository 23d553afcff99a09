"""What the results of a deployment and of a pipeline have in common."""

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np

from gnomon.arch import Architecture
from gnomon.base.interval import Interval
from gnomon.deploy._account import Account
from gnomon.deploy._model import STATES, DeploymentRecord, Times
from gnomon.deploy._scenario import Scenario
from gnomon.deploy._service import Pricing
from gnomon.deploy._stages import StageRecord
from gnomon.deploy.quantities import Requirement

PERCENTILES = {"p50": 50.0, "p99": 99.0, "p99.9": 99.9}
_LEAST_FOR = {"p99": 100, "p99.9": 1000}  # times needed for the percentile


class Outcome(Protocol):
    """Result of a deployment or a pipeline."""

    @property
    def scenario(self) -> Scenario:
        """Machine, power, battery and requirements."""

    @property
    def costs(self) -> Pricing:
        """Source of the energies."""

    @property
    def architecture(self) -> Architecture:
        """The machine, at its clock."""

    @property
    def record(self) -> DeploymentRecord | StageRecord:
        """Events and totals of the run."""

    @property
    def horizon_ps(self) -> int:
        """Length of the run."""

    @property
    def figures(self) -> dict[str, float | None]:
        """Figures by name of the requirement, in ps, mW, or as shares."""

    @property
    def offered_load(self) -> float:
        """Offered work over capacity; from 1 on, queues grow or requests are dropped."""

    @property
    def account(self) -> Account | None:
        """Energy; None: unavailable."""

    @property
    def life_ps(self) -> Interval | None:
        """Battery life; None: no battery, or an unavailable or zero drain."""

    @property
    def overdrawn_ma(self) -> float | None:
        """Peak current, if the battery cannot deliver it."""

    @property
    def keeps(self) -> bool:
        """Whether all requirements are met."""

    @property
    def misses(self) -> tuple[str, ...]:
        """Requirements that are not met, as written in the file."""


def list_missed(scenario: Scenario, figures: Mapping[str, float | None]) -> tuple[Requirement, ...]:
    """Return the requirements that figures do not meet."""
    return tuple(each for each in scenario.require if not each.met_by(figures))


def compute_percentile(times: Times, name: str) -> int | None:
    """Return a percentile, one of ``PERCENTILES``; None: there are too few times."""
    if len(times) < _LEAST_FOR.get(name, 1):
        return None
    return int(np.percentile(times, PERCENTILES[name], method="inverted_cdf"))


def describe_time(result: Outcome) -> dict[str, Any]:
    """Return the times of the device in a run as JSON-compatible data."""
    record = result.record
    states = {name: int(record.state_ps[number]) / 1e12 for number, name in enumerate(STATES)}
    return {
        "run_s": result.horizon_ps / 1e12,
        "utilisation": result.figures["utilisation"],
        "offered_load": result.offered_load,
        "states_s": states,
        "any_busy_s": record.any_busy_ps / 1e12,
        "fell_asleep": record.enters,
        "woke": record.wakes,
    }


def describe_outcome(result: Outcome) -> dict[str, Any]:
    """Return energy, battery life and verdict as JSON-compatible data."""
    return {
        "energy": None if result.account is None else result.account.to_json(),
        "energy_reason": result.costs.reason,
        "battery_life_days": _convert_to_days(result.life_ps),
        "overdrawn_ma": result.overdrawn_ma,
        "not_included": list(result.scenario.not_included),
        "keeps": result.keeps,
        "misses": list(result.misses),
    }


def convert_to_us(ps: float | None) -> float | None:
    """Return a time in microseconds."""
    return None if ps is None else ps / 1e6


def _convert_to_days(life_ps: Interval | None) -> dict[str, float | None] | None:
    """Return a life in days by end of its interval; null for an end that is infinite."""
    if life_ps is None:
        return None
    days = life_ps.scaled(1 / (86_400 * 1e12), "days")
    ends = {"value": days.value, "low": days.low, "high": days.high}
    return {name: end if end < float("inf") else None for name, end in ends.items()}
