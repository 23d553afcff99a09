"""Outcomes of points that are kept: those of a job in one entry, as making files takes long.

An entry never changes, so several sweeps may keep outcomes at once. It is named by its family,
code and workload, so that a sweep reads what may be its own, and by its digest.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from gnomon.base.cache import Store
from gnomon.explore._evaluate import Outcome


@dataclass(slots=True)
class Outcomes:
    """All that are kept, by key of the task.

    The data of an entry are lines: the key, a space, the outcome as JSON.
    """

    _store: Store = field(default_factory=lambda: Store("sweep", ".outcomes"))
    _read: dict[str, dict[str, str]] = field(default_factory=dict)

    def find(self, family: str, key: str) -> Outcome | None:
        """The outcome of a task, or None if it is not there or damaged."""
        if family not in self._read:
            self._read[family] = self._all(family)
        text = self._read[family].get(key)
        return None if text is None else Outcome(**json.loads(text))

    def _all(self, family: str) -> dict[str, str]:
        found: dict[str, str] = {}
        for name in self._store.keys(f"{family}-"):
            entry = self._store.load(name)
            if entry is None:  # damaged, which was said: its points are computed and kept again
                continue
            for line in entry.data.decode().splitlines():
                key, _, text = line.partition(" ")
                found[key] = text
        return found

    def keep(self, family: str, outcomes: Mapping[str, Outcome]) -> None:
        """Keep outcomes by key."""
        texts = {key: json.dumps(each.to_json(), sort_keys=True) for key, each in outcomes.items()}
        data = "".join(f"{key} {text}\n" for key, text in sorted(texts.items())).encode()
        self._store.keep(f"{family}-{hashlib.sha256(data).hexdigest()}", data)
