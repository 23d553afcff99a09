"""The model against a closed form: mean wait of M/D/1 (Pollaczek-Khinchine)."""

from __future__ import annotations

import math

import numpy as np
import pytest

from gnomon.deploy._learner_stages import simulate_learner, simulate_learner_with_simpy
from gnomon.deploy._model import Draw, Requests, ServingDevice

from .test_engines import constant

SERVICE_PS = 10**9


def poisson(load: float, n: int, seed: int) -> Requests:
    gaps = np.random.default_rng(seed).exponential(SERVICE_PS / load, n + 1)
    times = np.rint(np.cumsum(gaps)).astype(np.int64)
    none = np.zeros(n, dtype=np.int64)
    return Requests(times[:-1], int(times[-1]), none, none > 0, none)


def waits_ps(requests: Requests, simulate: object) -> np.ndarray:
    stages = constant(SERVICE_PS, 1)
    record = simulate(requests, stages, ServingDevice(), Draw.nothing(1))  # type: ignore[operator]
    served = record.select_start_ps >= 0
    return (record.select_start_ps - requests.arrival_ps)[served]


def closed_form_ps(load: float) -> float:
    return load * SERVICE_PS / (2 * (1 - load))


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("load", [0.3, 0.5, 0.7])
def test_mean_wait_of_a_million_requests_within_one_percent(load: float, seed: int) -> None:
    mean = waits_ps(poisson(load, 10**6, seed), simulate_learner).mean()
    assert mean == pytest.approx(closed_form_ps(load), rel=0.01)


@pytest.mark.parametrize("load", [0.3, 0.7])
def test_simpy_waits_as_long_within_its_own_error(load: float) -> None:
    waits = waits_ps(poisson(load, 4000, 3), simulate_learner_with_simpy)
    # Waits that follow each other are alike, so the error is that of the means of long batches.
    batches = waits[: len(waits) // 20 * 20].reshape(20, -1).mean(axis=1)
    error_ps = batches.std(ddof=1) / math.sqrt(20)
    assert abs(waits.mean() - closed_form_ps(load)) < 3 * error_ps
