"""Outcomes of points and their cache: the outcomes of a job form one entry.

An entry never changes, so several sweeps may write outcomes at once. It is named by its family,
code and workload, so that a sweep reads only entries that may hold its own points, and by its
digest.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

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


@dataclass(slots=True)
class OutcomeCache:
    """All cached outcomes, by key of the task.

    The data of an entry are lines: the key, a space, the outcome as JSON.
    """

    _store: Store = field(default_factory=lambda: Store("sweep", ".outcomes"))
    _read: dict[str, dict[str, str]] = field(default_factory=dict)

    def find(self, family: str, key: str) -> PointOutcome | None:
        """Return the outcome of a task, or None if it is absent or damaged."""
        if family not in self._read:
            self._read[family] = self._all(family)
        text = self._read[family].get(key)
        return None if text is None else PointOutcome(**json.loads(text))

    def _all(self, family: str) -> dict[str, str]:
        found: dict[str, str] = {}
        for name in self._store.keys(f"{family}-"):
            entry = self._store.load(name)
            if entry is None:  # damaged, as reported by the store: its points are computed again
                continue
            for line in entry.data.decode().splitlines():
                key, _, text = line.partition(" ")
                found[key] = text
        return found

    def keep(self, family: str, outcomes: Mapping[str, PointOutcome]) -> None:
        """Cache outcomes by key."""
        texts = {key: json.dumps(each.to_json(), sort_keys=True) for key, each in outcomes.items()}
        data = "".join(f"{key} {text}\n" for key, text in sorted(texts.items())).encode()
        self._store.keep(f"{family}-{hashlib.sha256(data).hexdigest()}", data)
