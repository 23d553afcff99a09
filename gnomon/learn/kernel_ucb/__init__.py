"""Efficient kernel UCB of Zenati et al. (AISTATS 2022), and what it is compared with."""

from __future__ import annotations

from gnomon.learn.kernel_ucb._bkb import BatchKernelBandit, KernelBandit
from gnomon.learn.kernel_ucb._criteria import kernel_criteria
from gnomon.learn.kernel_ucb._ekucb import EfficientKernelUCB
from gnomon.learn.kernel_ucb._environment import (
    ENVIRONMENTS,
    PairRounds,
    actions,
    pair_rounds,
)
from gnomon.learn.kernel_ucb._experiment import (
    KERNEL_SIZES,
    KernelExperiment,
    KernelSize,
    find_kernel_size,
    kernel_steps,
    run_kernel,
)
from gnomon.learn.kernel_ucb._history_free import HistoryFreeKernelUCB
from gnomon.learn.kernel_ucb._jobs import Job, JobResult
from gnomon.learn.kernel_ucb._kucb import KernelUCB
from gnomon.learn.kernel_ucb._play import Played, play_pairs
from gnomon.learn.kernel_ucb._sup import SupKernelUCB
from gnomon.learn.kernel_ucb._ucb1 import UCB1
from gnomon.learn.kernel_ucb._whitened import WhitenedKernelUCB

__all__ = [
    "ENVIRONMENTS",
    "KERNEL_SIZES",
    "UCB1",
    "BatchKernelBandit",
    "EfficientKernelUCB",
    "HistoryFreeKernelUCB",
    "Job",
    "JobResult",
    "KernelBandit",
    "KernelExperiment",
    "KernelSize",
    "KernelUCB",
    "PairRounds",
    "Played",
    "SupKernelUCB",
    "WhitenedKernelUCB",
    "actions",
    "find_kernel_size",
    "kernel_criteria",
    "kernel_steps",
    "pair_rounds",
    "play_pairs",
    "run_kernel",
]
