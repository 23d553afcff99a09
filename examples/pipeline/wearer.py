"""A source of requests: the wearer moves for a while, then rests."""

from __future__ import annotations

from collections.abc import Callable, Generator

import numpy as np
import simpy


def move(
    env: simpy.Environment, request: Callable[[], None], rng: np.random.Generator
) -> Generator[simpy.Event, None, None]:
    """Request a batch of samples each second of a movement; times are in seconds."""
    while True:
        yield env.timeout(rng.exponential(120.0))  # rest
        for _ in range(int(rng.integers(20, 90))):
            request()
            yield env.timeout(1.0)
