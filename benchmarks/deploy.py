"""How many requests a second a deployment simulates, both engines.

The same device for both: two harts, updates later, sleep, limited queues. The SimPy model gets
fewer requests; those must end as the compiled engine says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from benchmarks.harness import Limit, cpu_of_call
from gnomon.base.errors import CheckFailed
from gnomon.deploy import (
    Device,
    Draw,
    Record,
    Requests,
    Rewards,
    Sleep,
    Stages,
    Stream,
    check_conservation,
    make_requests,
    simulate_compiled,
    simulate_with_simpy,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.harness import Found

MANY, FEW = 1_000_000, 10_000
LIMIT_SECONDS = 30.0  # for MANY requests, compiled, checks included

_STAGES = Stages.constant(400_000_000, 200_000_000)
_DEVICE = Device(harts=2, decision_places=8, update_places=8, sleep=Sleep(10**8, 10**7, 10**8))


def requests(count: int) -> Requests:
    """Poisson, about 70 % load."""
    stream = Stream("poisson", 400_000_000, 0, count, seed=1)
    return make_requests(stream, Rewards(10**10, "exponential", 0.8), 1, "drawn")


def timed(simulate: Callable[..., Record], count: int) -> tuple[float, Record]:
    """CPU seconds of requests, run and checks; and what happened."""
    found: list[Record] = []

    def run() -> None:
        made = requests(count)
        found.append(simulate(made, _STAGES, _DEVICE, Draw.nothing(1)))
        check_conservation(made, _STAGES, found[-1])

    seconds = cpu_of_call(run)
    return seconds, found[-1]


def measure(found: Found, _: int) -> None:
    """How many requests a second both engines simulate.

    Raises:
        CheckFailed: the engines differ.
    """
    timed(simulate_compiled, 10)  # compiles, or loads what was compiled
    slow_seconds, slow = timed(simulate_with_simpy, FEW)
    _, same = timed(simulate_compiled, FEW)
    if not np.array_equal(slow.update_end_ps, same.update_end_ps):
        raise CheckFailed("the engines differ: times of one say nothing of the other")
    seconds, _ = timed(simulate_compiled, MANY)
    rows = [
        {"engine": name, "requests": count, "cpu_seconds": each, "per_second": count / each}
        for name, count, each in (("compiled", MANY, seconds), ("SimPy", FEW, slow_seconds))
    ]
    found.add("deployments", rows, [Limit(f"{MANY:,} requests", "s CPU", seconds, LIMIT_SECONDS)])
