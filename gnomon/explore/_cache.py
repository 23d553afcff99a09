"""Outcomes of tasks, kept by the digest of everything that decides them.

An entry is one file that holds its own digest. It is written aside and renamed, so that readers
and writers in several processes need no lock: an entry is whole, or absent, or damaged, and a
damaged one counts as absent.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

from gnomon.cache import cache_folder
from gnomon.errors import GnomonError
from gnomon.explore._evaluate import Outcome
from gnomon.files import write_aside

if TYPE_CHECKING:
    from pathlib import Path

_MODE = 0o600


class OutcomeCache:
    """The outcomes that this user's cache folder holds."""

    def __init__(self) -> None:
        """Open it.

        Raises:
            GnomonError: the folder cannot be made.
        """
        self.folder = cache_folder("sweep")

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key}.json"

    def load(self, key: str) -> Outcome | None:
        """The outcome of a task, or None if it is not there or its entry is damaged."""
        try:
            entry = json.loads(self._path(key).read_bytes())
            payload = entry["outcome"]
            if entry["key"] != key or entry["sha256"] != _digest(payload):
                return None
            return Outcome(
                payload["metrics"], payload["notes"], payload["facts"], payload["reason"]
            )
        except (OSError, ValueError, LookupError, TypeError):
            return None

    def store(self, key: str, outcome: Outcome) -> None:
        """Keep an outcome.

        Raises:
            GnomonError: the cache folder cannot be written.
        """
        payload = outcome.to_json()
        entry = {"key": key, "sha256": _digest(payload), "outcome": payload}
        path = self._path(key)
        try:
            path.parent.mkdir(exist_ok=True)
            write_aside(path, json.dumps(entry, sort_keys=True).encode(), mode=_MODE)
        except OSError as error:
            raise GnomonError(
                f"{self.folder}: cannot write to the cache folder: {error.strerror}"
                " (GNOMON_CACHE names another); what is finished is kept, run the sweep again to go"
                " on"
            ) from None


def _digest(payload: Any) -> str:
    text = json.dumps(payload, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
