"""Learners whose classes are still modules of this package, not folders of content."""

from __future__ import annotations

from typing import Final

_CONTEXT_FREE = {"contexts-matter": "contexts have no part"}
_KERNEL = "gnomon.learn.kernel_ucb"
_GREEDY = "gnomon.learn.epsilon_greedy"
_SOFT = "gnomon.learn.softucb"

MOVING: Final[dict[str, dict[str, str]]] = {
    "bento-epsilon-greedy": {
        "standard": f"{_GREEDY}:EpsilonGreedy",
        "optimized": f"{_GREEDY}:LazyEpsilonGreedy",
        "rank-one": f"{_GREEDY}:RankOneEpsilonGreedy",
    },
    "fixed-epsilon-greedy": {"standard": f"{_GREEDY}:FixedEpsilonGreedy"},
    "epoch-greedy": {"standard": f"{_GREEDY}:EpochGreedy"},
    "linrel": {"standard": f"{_GREEDY}:LinRel"},
    "uniform": {"standard": f"{_GREEDY}:Uniform"},
    "softucb": {
        "standard": f"{_SOFT}:SoftUCB",
        "optimized": f"{_SOFT}:IncrementalSoftUCB",
        "online": f"{_SOFT}:OnlineSoftUCB",
    },
    "oful": {"standard": f"{_SOFT}:Oful"},
    "lin-ts": {"standard": f"{_SOFT}:LinThompson"},
    "lin-epsilon-greedy": {"standard": f"{_SOFT}:LinEpsilonGreedy"},
    "ek-ucb": {
        "standard": f"{_KERNEL}:EfficientKernelUCB",
        "optimized": f"{_KERNEL}:WhitenedKernelUCB",
        "history-free": f"{_KERNEL}:HistoryFreeKernelUCB",
    },
    "k-ucb": {"standard": f"{_KERNEL}:KernelUCB"},
    "supk-ucb": {"standard": f"{_KERNEL}:SupKernelUCB"},
    "cbkb": {"standard": f"{_KERNEL}:KernelBandit"},
    "cbbkb": {"standard": f"{_KERNEL}:BatchKernelBandit"},
    "ucb1": {"standard": f"{_KERNEL}:UCB1"},
}
"""``module:class`` by name and variant."""

WAIVES: Final[dict[str, dict[str, str]]] = {
    "uniform": {**_CONTEXT_FREE, "learns": "it learns nothing"},
    "ucb1": _CONTEXT_FREE,
    "softucb": {"own-row": "an update computes the indices of all arms once more"},
}
"""What ``waives`` of their files will say."""
