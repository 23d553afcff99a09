"""Learners whose classes are still modules of this package, not folders of content."""

from __future__ import annotations

from typing import Final

_SOFT = "gnomon.learn.softucb"

MOVING: Final[dict[str, dict[str, str]]] = {
    "softucb": {
        "standard": f"{_SOFT}:SoftUCB",
        "optimized": f"{_SOFT}:IncrementalSoftUCB",
        "online": f"{_SOFT}:OnlineSoftUCB",
    },
    "oful": {"standard": f"{_SOFT}:Oful"},
    "lin-ts": {"standard": f"{_SOFT}:LinThompson"},
    "lin-epsilon-greedy": {"standard": f"{_SOFT}:LinEpsilonGreedy"},
}
"""``module:class`` by name and variant."""

WAIVES: Final[dict[str, dict[str, str]]] = {
    "softucb": {"own-row": "an update computes the indices of all arms once more"},
}
"""What ``waives`` of their files will say."""
