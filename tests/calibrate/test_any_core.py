"""Machines that mix all families of keys: an equivalent one comes back, or a key of it is named."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from gnomon.arch import variants
from gnomon.calibrate._compare import CoreComparison
from gnomon.calibrate._device import MachineDevice, Waits
from gnomon.calibrate._infer import infer
from gnomon.calibrate._measure import Refused
from gnomon.calibrate.calibration import Calibration
from tests.calibrate._any_core import random_any_core

if TYPE_CHECKING:
    from pathlib import Path

_WAITS = (Waits(0, 0), Waits(4, 0), Waits(1, 2), Waits(3, 3))
_NAMED = re.compile(r"((?:core|memory)\.[\w.-]+) is not identifiable")
_BATCH = 20
_FEWEST = 15  # of a batch that come back


def _calibrate(device: MachineDevice, path: Path) -> Calibration | str:
    """Write the machine of a device; return the calibration, or why there is none."""
    try:
        found = Calibration(infer(device), device, "found", "a machine of ours")
        path.write_text(found.text())
        found.check(path)
    except Refused as refused:
        return str(refused)
    return found


def _comes_back(folder: Path, seed: int) -> bool:
    """Return whether a machine comes back; if not, check that a key is named that it has."""
    secret = random_any_core(seed)
    device, path = secret.device(folder), folder / "found.yaml"
    found = _calibrate(device, path)
    if isinstance(found, str):
        named = _NAMED.findall(found)
        assert named, f"seed {seed}: {found}\n{secret.text()}"
        assert all(map(secret.has, named)), f"seed {seed}: {found}\n{secret.text()}"
        return False
    ours = MachineDevice(variants(str(path)), device.isa)
    seeds = range(5000 + 4 * seed, 5004 + 4 * seed)
    held = CoreComparison(device, ours, found.inferred.skews).random(seeds, _WAITS, 400)
    assert held.difference is None, f"seed {seed}: {held.difference}\n{secret.text()}"
    return True


def test_a_core_of_several_families_comes_back(tmp_path: Path) -> None:
    assert _comes_back(tmp_path, 17)


def test_a_wait_during_a_restart_of_the_fetch_is_found_whole(tmp_path: Path) -> None:
    """A quotient after another waits for the divider while the fetch restarts."""
    secret = random_any_core(99)
    assert secret.has("core.latency.interlocks")
    assert secret.has("core.fetch.restarts")
    assert _comes_back(tmp_path, 99)


def test_a_key_that_is_not_identified_is_named(tmp_path: Path) -> None:
    """Its branches share counters, and it has an instruction cache."""
    assert random_any_core(6).has("core.predictor")
    assert not _comes_back(tmp_path, 6)


@pytest.mark.heavy("calibrate")
@pytest.mark.parametrize("first", range(0, 400, _BATCH))
def test_400_cores_come_back_or_a_key_is_named(tmp_path: Path, first: int) -> None:
    back = Counter(_comes_back(tmp_path, seed) for seed in range(first, first + _BATCH))
    assert back[True] >= _FEWEST
