"""Decisions do not depend on the processor: the same seeds under two kernels of OpenBLAS."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

KERNELS = ("Nehalem", "Haswell")
PLAYED = """
import hashlib, numpy as np
from gnomon.learn import find_learner
from gnomon.content.reports.ek_ucb.experiment import Job, _rounds, play_pairs
rng = np.random.default_rng(7)
matrix = rng.normal(size=(150, 150))
print("rounding", hashlib.sha256((matrix @ matrix.T @ matrix).tobytes()).hexdigest())
contexts = rng.uniform(-1, 1, (150, 8))
theta = rng.normal(size=(10, 8))
for form in ("standard", "optimized"):
    learner = find_learner("linucb-disjoint", form)(arms=10, dimensions=8)
    arms = bytearray()
    for context in contexts:
        arm = learner.select(context)
        learner.update(context, arm, float(theta[arm] @ context))
        arms.append(arm)
    print(form, hashlib.sha256(arms).hexdigest())
for kind in ("K-UCB", "EK-UCB whitened"):
    job = Job("chessboard", kind, 10.0, 120, 0)
    arms = play_pairs(job.learner(), _rounds(job.environment, job.rounds, job.seed)).arms
    print(kind, hashlib.sha256(arms.tobytes()).hexdigest())
"""


def test_same_arms_under_two_kernels() -> None:
    found = [
        subprocess.run(
            [sys.executable, "-c", PLAYED],
            env={**os.environ, "OPENBLAS_CORETYPE": kernel, "OPENBLAS_NUM_THREADS": "1"},
            check=True, capture_output=True, text=True,
        ).stdout.splitlines()
        for kernel in KERNELS
    ]  # fmt: skip
    (rounding, *arms), (other_rounding, *other_arms) = found
    if rounding == other_rounding:
        pytest.skip("this NumPy has one kernel on this processor")
    assert len(arms) == 4
    assert arms == other_arms
