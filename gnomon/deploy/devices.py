"""Devices of firmware whose behavior is a SimPy model: requests and program in one run."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Generator
from pathlib import Path
from typing import Any

import numpy as np
import simpy

from gnomon.base.schema import ParseContext, validate_tree
from gnomon.base.yaml import FileError, Mapping, Origin, Problem, read_file
from gnomon.deploy._keys import RequestKeys, RewardKeys
from gnomon.deploy._model import PS_PER_S, Times
from gnomon.deploy.streams import make_requests, read_times

_TAKE, _DONE, _WAITING, _LEFT, _DROPPED = 0x00, 0x04, 0x08, 0x0C, 0x10


class SimpyDevice:
    """A device with a SimPy environment; ``env.now`` is the cycle.

    Events of a cycle come before accesses of that cycle. A subclass starts its processes in
    ``__init__``, and overrides :meth:`on_read`, :meth:`on_write` and :meth:`requests`.
    """

    def __init__(self) -> None:
        """Make the environment at cycle 0."""
        self.env = simpy.Environment()

    def on_read(self, offset: int, lanes: int) -> int:
        """Return the word at an offset, now."""
        raise NotImplementedError

    def on_write(self, offset: int, value: int, lanes: int) -> None:
        """Write the bytes of a word that ``lanes`` names, now."""
        raise NotImplementedError

    def requests(self) -> bool:
        """Return whether the device requests its interrupt, now; change nothing."""
        return False

    def advance(self, cycle: int) -> None:
        """Process the events up to a cycle.

        Raises:
            Exception: of a process, as it was raised there.
        """
        env = self.env
        try:
            while env.peek() <= cycle:
                env.step()
            if env.now < cycle:
                env.run(until=cycle)  # there is no event until then; it sets the time
        except Exception as error:  # noqa: BLE001 - raised again
            # SimPy raises a copy without the lines of the process.
            raise (error.__cause__ or error) from None

    def read(self, offset: int, lanes: int, cycle: int) -> int:
        """Return the word at an offset."""
        self.advance(cycle)
        return self.on_read(offset, lanes)

    def write(self, offset: int, value: int, lanes: int, cycle: int) -> None:
        """Write the bytes of a word."""
        self.advance(cycle)
        self.on_write(offset, value, lanes)

    def level(self, cycle: int) -> bool:
        """Return whether the device requests its interrupt in a cycle."""
        self.advance(cycle)
        return self.requests()

    def next(self, cycle: int) -> int | None:
        """Return the cycle of the next event."""
        self.advance(cycle)
        due = self.env.peek()
        return None if due == math.inf else max(math.ceil(due), cycle + 1)


class ArrivalDevice(SimpyDevice):
    """Requests that arrive at given times, wait in a queue, and are served by firmware.

    Registers, each a word:

    - 0x00 take: a read removes the oldest request and returns its number, from 1 on; 0: none waits
    - 0x04 done: a write of its number ends its service; any other number is counted as a mistake
    - 0x08 waiting: requests in the queue
    - 0x0C left: requests that still arrive, wait or are served; 0: the run may end
    - 0x10 dropped: requests that found the queue full

    It requests its interrupt while a request waits.
    """

    def __init__(self, arrival_ps: Times, clock_hz: int, places: int) -> None:
        """Take the times of requests.

        Args:
            arrival_ps: arrivals in ps, in order, such as of :func:`read_arrivals`.
            clock_hz: of the core; a request arrives in the first cycle that begins at its time or
                later.
            places: of the queue.
        """
        super().__init__()
        self._clock_hz, self._places = clock_hz, places
        self._arrival = [-(-int(ps) * clock_hz // PS_PER_S) for ps in arrival_ps]
        self._taken: dict[int, int] = {}
        self._done: dict[int, int] = {}
        self._waiting: deque[int] = deque()
        self._dropped = self._arrived = self._most_waiting = self._wrong = 0
        self.env.process(self._arrive())

    def _arrive(self) -> Generator[simpy.Event, None, None]:
        for number, cycle in enumerate(self._arrival, 1):
            yield self.env.timeout(cycle - self.env.now)
            self._arrived += 1
            if len(self._waiting) < self._places:
                self._waiting.append(number)
            else:
                self._dropped += 1
            self._most_waiting = max(self._most_waiting, len(self._waiting))

    def requests(self) -> bool:
        """Return whether a request waits."""
        return bool(self._waiting)

    def on_read(self, offset: int, lanes: int) -> int:
        """Return the word at an offset; a read of `take` removes a request."""
        del lanes
        if offset == _TAKE and self._waiting:
            number = self._waiting.popleft()
            self._taken[number] = int(self.env.now)
            return number
        left = len(self._arrival) - self._dropped - len(self._done)
        return {_WAITING: len(self._waiting), _LEFT: left, _DROPPED: self._dropped}.get(offset, 0)

    def on_write(self, offset: int, value: int, lanes: int) -> None:
        """End the service of a request; of one that is not in service, count the mistake."""
        del lanes
        if offset != _DONE:
            return
        if value in self._taken and value not in self._done:
            self._done[value] = int(self.env.now)
        else:
            self._wrong += 1

    def results(self) -> dict[str, Any]:
        """Return counts, and latencies of served requests in µs: from arrival to done."""
        found: dict[str, Any] = {
            "arrived": self._arrived, "served": len(self._done), "dropped": self._dropped,
            "most_waiting": self._most_waiting,
        }  # fmt: skip
        if self._wrong:
            found["not_in_service"] = self._wrong
        if not self._done:
            return found
        arrival = np.array([self._arrival[number - 1] for number in self._done])
        latency = (np.array([*self._done.values()]) - arrival) * (1e6 / self._clock_hz)
        waited = np.array([self._taken[number] for number in self._done]) - arrival
        return found | {
            "mean_waiting_us": float(waited.mean()) * 1e6 / self._clock_hz,
            "mean_latency_us": float(latency.mean()),
            "p99_latency_us": float(np.quantile(latency, 0.99, method="inverted_cdf")),
            "worst_latency_us": float(latency.max()),
        }


def sample_arrivals(keys: RequestKeys, recorded: Times | None = None) -> Times:
    """Return the arrivals of a stream in ps: those of a deployment with the same keys."""
    return make_requests(keys, RewardKeys(), 1, "in-order", recorded).arrival_ps


def read_arrivals(path: Path) -> Times:
    """Return the arrivals in ps that the section ``requests`` of a deployment file describes.

    Raises:
        GnomonError: if the section is missing or wrong, with file and line.
    """
    tree, twice = read_file(path, "deployment", str(path))
    section = tree.at("requests")
    if not isinstance(section, Mapping):
        raise FileError([Problem(Origin(str(path), 1), "requests", "missing (a section)")])
    keys = validate_tree(section, RequestKeys, twice, reading=ParseContext(path.parent))
    return sample_arrivals(keys, read_times(path.parent / keys.file) if keys.file else None)
