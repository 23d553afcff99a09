"""``python -m benchmarks.deploy``: how many requests a second a deployment simulates, both engines.

The same device for both: two harts, updates later, sleep, limited queues. The SimPy model gets
fewer requests; those must end as the compiled engine says.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.clock import cpu_of_call
from gnomon.base.errors import CheckFailed, GnomonError
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


def main() -> None:
    """Measure, print, and with ``--check`` judge."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.deploy", description=__doc__)
    parser.add_argument("--check", action="store_true", help="exit 1 if a limit is not kept")
    arguments = parser.parse_args()
    try:
        timed(simulate_compiled, 10)  # compiles, or loads what was compiled
        slow_seconds, slow = timed(simulate_with_simpy, FEW)
        _, same = timed(simulate_compiled, FEW)
        if not np.array_equal(slow.update_end_ps, same.update_end_ps):
            raise CheckFailed("the engines differ: times of one say nothing of the other")
        seconds, _ = timed(simulate_compiled, MANY)
        speed, slow_speed = MANY / seconds, FEW / slow_seconds
        print(f"compiled  {MANY:>9,} requests  {seconds:6.2f} s  {speed:>9,.0f} /s")
        print(f"SimPy     {FEW:>9,} requests  {slow_seconds:6.2f} s  {slow_speed:>9,.0f} /s")
        print(f"compiled over SimPy: {speed / slow_speed:,.0f}")
        if arguments.check and seconds > LIMIT_SECONDS:
            raise CheckFailed(f"limit not kept: {seconds:.1f} s, limit {LIMIT_SECONDS:g} s")
    except GnomonError as error:
        print(f"benchmarks: {error}", file=sys.stderr)
        sys.exit(error.exit_code)


if __name__ == "__main__":
    main()
