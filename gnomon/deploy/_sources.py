"""Sources of requests that users write as SimPy processes.

A source does not observe the device. It runs before the device, and both engines get its times.
"""

from collections.abc import Callable, Generator
from pathlib import Path

import numpy as np
import simpy

from gnomon.base.errors import GnomonError, allowed_hint
from gnomon.base.loading import imported_file
from gnomon.deploy._model import PS_PER_S, Times

_MOST_REQUESTS = 20_000_000
_MOST_EVENTS = 100_000_000
Source = Callable[[simpy.Environment, Callable[[], None], np.random.Generator],
                  Generator[simpy.Event, None, None]]  # fmt: skip


def record_source(file: Path, function: str, length_ps: int, rng: np.random.Generator) -> Times:
    """Run a SimPy process of a user until the end of the run; return the times of its requests.

    Raises:
        GnomonError: if the function is missing, fails, or makes too many requests.
    """
    with imported_file(file) as module:
        process = getattr(module, function, None)
        if not callable(process):
            names = [name for name, each in vars(module).items() if callable(each)]
            raise GnomonError(f"{file}: no function {function!r} {allowed_hint(function, names)}")
        return collect_requests(process, length_ps, rng, f"{file}:{function}")


def collect_requests(
    process: Source, length_ps: int, rng: np.random.Generator, place: str = "source"
) -> Times:
    """Return the times in ps at which a SimPy process, which counts seconds, makes requests.

    Raises:
        GnomonError: if it makes too many requests, or is not a generator.
    """
    env = simpy.Environment()
    times: list[int] = []

    def request() -> None:
        if len(times) >= _MOST_REQUESTS:
            raise GnomonError(f"{place}: more than {_MOST_REQUESTS:,} requests")
        times.append(round(env.now * PS_PER_S))

    started = process(env, request, rng)
    if not isinstance(started, Generator):
        raise GnomonError(f"{place}: must be a SimPy process: a function with yield env.timeout()")
    env.process(started)
    for _ in range(_MOST_EVENTS):
        if env.peek() * PS_PER_S >= length_ps:
            found = np.array(times, dtype=np.int64)
            return found[found < length_ps]
        try:
            env.step()
        except Exception as error:  # noqa: BLE001 - the user sees it
            # SimPy raises a copy without the lines of the process.
            cause = error.__cause__ or error
            if "Invalid yield value" in str(cause):
                told = " ".join(str(cause).split())
                raise GnomonError(
                    f"{place}: must yield events of env, such as env.timeout(1.0): {told}"
                ) from None
            raise cause from None
    raise GnomonError(f"{place}: more than {_MOST_EVENTS:,} events before the end of the run")
