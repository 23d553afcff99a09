"""Outcomes of points and their cache: the outcomes of a job form one entry.

An entry never changes, so several sweeps may write outcomes at once. It is named by its family,
code and workload, so that a sweep reads only entries that may hold its own points, and by its
digest.
"""

import hashlib
import json
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from gnomon.base.cache import Store


@dataclass(frozen=True, slots=True)
class PointOutcome:
    """Metrics of a point, or the reason why there are none."""

    # by column; an unavailable metric is absent
    metrics: Mapping[str, int | float] = field(default_factory=dict)
    notes: Mapping[str, str] = field(default_factory=dict)  # why a metric is absent, by metric
    # other results: exit code, arm chosen, how the program was built
    facts: Mapping[str, str | int] = field(default_factory=dict)
    reason: str = ""  # reason of the failure; empty if there is none

    def to_json(self) -> dict[str, Any]:
        """Return the outcome as JSON-compatible data."""
        return asdict(self)


_KEY_BYTES = 32
_MOST_FAMILIES = 8
_FAST = 1  # compression
_MOST_PARTS = 64


@dataclass(frozen=True, slots=True)
class _Part:
    """Outcomes of one entry by column, so that many of them are few bytes.

    An outcome is its index in ``shared``, which has notes, facts and reasons, and its metrics.
    """

    names: tuple[str, ...]
    shared: tuple[PointOutcome, ...]
    kinds: npt.NDArray[np.int32]
    metrics: npt.NDArray[np.float64]

    def outcome(self, place: int) -> PointOutcome:
        """Return one of the outcomes."""
        shared, values = self.shared[self.kinds[place]], self.metrics[place].tolist()
        known = zip(self.names, values, strict=True)
        metrics = {name: value for name, value in known if value == value}  # noqa: PLR0124 - NaN
        return PointOutcome(metrics, shared.notes, shared.facts, shared.reason)


class OutcomeCache:
    """All cached outcomes, by key of the task.

    The data of an entry are one line of JSON, then for each outcome in the order of the keys: the
    keys, indices of shared parts, and metrics, little-endian; all compressed. Only keys stay in
    memory.
    """

    def __init__(self) -> None:
        """Open the cache."""
        self._store = Store("sweep", ".points")
        self._places: dict[str, dict[bytes, tuple[str, int]]] = {}
        self._parts: dict[str, _Part] = {}  # the entries read last

    def find(self, family: str, keys: Iterable[bytes]) -> Iterator[tuple[bytes, PointOutcome]]:
        """Yield the cached outcomes of tasks; absent and damaged ones are left out."""
        if family not in self._places:
            self._places[family] = dict(self._all(family))
        of_family = self._places[family]
        for key in keys:
            if key in of_family:
                name, place = of_family[key]
                part = self._part(name)
                if part is not None:
                    yield key, part.outcome(place)

    def _all(self, family: str) -> Iterator[tuple[bytes, tuple[str, int]]]:
        for name in self._store.keys(f"{family}-"):
            entry = self._store.load(name)
            if entry is not None:  # a damaged one is computed again, as the store reports
                for place, key in enumerate(unpack(entry.data)[1]):
                    yield key, (name, place)

    def _part(self, name: str) -> _Part | None:
        if name not in self._parts:
            entry = self._store.load(name)
            if entry is None:
                return None
            if len(self._parts) >= _MOST_PARTS:
                self._parts.pop(next(iter(self._parts)))
            self._parts[name] = unpack(entry.data)[0]
        return self._parts[name]

    def keep(self, family: str, outcomes: Mapping[bytes, PointOutcome]) -> None:
        """Cache outcomes by key."""
        data = pack(dict(sorted(outcomes.items())))
        self._store.keep(f"{family}-{hashlib.sha256(data).hexdigest()}", data)


class CodeHistory:
    """Families with which points of one sweep were cached: one for each version of the code."""

    def __init__(self, sweep: str) -> None:
        """Open the history of the sweep with this fingerprint."""
        self._store, self._sweep = Store("sweep-code", ".txt"), sweep
        self._added = set[str]()

    def _families(self) -> list[str]:
        entry = self._store.load(self._sweep)
        return [] if entry is None else entry.data.decode().split()

    def is_of_other_code(self, family: str) -> bool:
        """Return whether all points of the sweep in the cache are of other families."""
        known = self._families()
        outcomes = Store("sweep", ".points")
        return family not in known and any(outcomes.keys(f"{each}-") for each in known)

    def add(self, family: str) -> None:
        """Record that points of the sweep are cached with a family."""
        if family in self._added:
            return
        self._added.add(family)
        known = self._families()
        if family not in known:
            families = [*known, family][-_MOST_FAMILIES:]
            self._store.keep(self._sweep, " ".join(families).encode())


def pack(outcomes: Mapping[bytes, PointOutcome]) -> bytes:
    """Return outcomes by key as the data of an entry."""
    names = list(dict.fromkeys(name for each in outcomes.values() for name in each.metrics))
    texts = [
        json.dumps([each.notes, each.facts, each.reason], sort_keys=True)
        for each in outcomes.values()
    ]
    shared = {text: place for place, text in enumerate(dict.fromkeys(texts))}
    values = [[each.metrics.get(name, np.nan) for name in names] for each in outcomes.values()]
    head = json.dumps({"metrics": names, "shared": [*map(json.loads, shared)]})
    parts = (
        f"{head}\n".encode(),
        b"".join(outcomes),
        np.array([shared[text] for text in texts], "<i4").tobytes(),
        np.array(values, "<f8").tobytes(),
    )
    return zlib.compress(b"".join(parts), _FAST)


def unpack(data: bytes) -> tuple[_Part, list[bytes]]:
    """Return outcomes, and their keys."""
    head, _, rest = zlib.decompress(data).partition(b"\n")
    told = json.loads(head)
    names = tuple(told["metrics"])
    count = len(rest) // (_KEY_BYTES + 4 + 8 * len(names))
    end = count * _KEY_BYTES
    kinds = np.frombuffer(rest, "<i4", count, end)
    metrics = np.frombuffer(rest, "<f8", offset=end + 4 * count).reshape(count, len(names))
    shared = tuple(PointOutcome({}, *each) for each in told["shared"])
    keys = [rest[at : at + _KEY_BYTES] for at in range(0, end, _KEY_BYTES)]
    return _Part(names, shared, kinds, metrics), keys
