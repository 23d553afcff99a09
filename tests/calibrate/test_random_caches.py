"""Machines of ours with instruction caches in place of RTL: their keys come back, or are named."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

import pytest

from gnomon.arch import variants
from gnomon.calibrate._cache import find_lines
from gnomon.calibrate._compare import CoreComparison
from gnomon.calibrate._device import MachineDevice, Waits
from gnomon.calibrate._infer import infer
from gnomon.calibrate._measure import Refused
from gnomon.calibrate.calibration import Calibration
from tests.calibrate.test_random_machines import random_latency

if TYPE_CHECKING:
    from pathlib import Path

_WAITS = (Waits(0, 0), Waits(4, 0), Waits(1, 2))
_PLAIN = random_latency(0) | {"rules": [], "bypass": []}


def _random_cache(seed: int) -> dict[str, Any]:
    """A cache of 512 B to 32 KiB."""
    rng = random.Random(seed)
    line = rng.choice([4, 8, 16, 32, 64, 256])
    sets = rng.choice([each for each in (1, 2, 4, 16, 64, 256) if each * line <= 8192])
    fewest = -(-512 // (line * sets))
    ways = rng.randint(fewest, max(fewest, 4)) if fewest <= 16 else 16
    sets = max(sets, 512 // (16 * line))
    width = rng.choice([each for each in (32, 64, 128, 256) if each <= 8 * line])
    return {"line": f"{line} B", "sets": sets, "ways": ways, "width": width,
            "burst": rng.choice([1, 2, 3, 16])}  # fmt: skip


def _device(
    folder: Path, cache: dict[str, Any], latency: dict[str, Any], predictor: str = "none"
) -> MachineDevice:
    path = folder / "secret.yaml"
    path.write_text(
        "extends: rv32im\nname: secret\ntitle: Secret\n"
        f"core: {{isa: rv32im_zicsr, latency: {json.dumps(latency)}, predictor: {predictor}}}\n"
        f"memory: {{caches: {{icache: {json.dumps(cache)}}}}}\n"
    )
    return MachineDevice(variants(str(path)))


def _comes_back(folder: Path, seed: int) -> None:
    cache = _random_cache(seed)
    core = _device(folder, cache, random_latency(seed))
    if (cache["line"], cache["sets"], cache["ways"]) == ("256 B", 1, 2):
        with pytest.raises(Refused, match=r"icache is not identifiable: a probe, and the line"):
            infer(core)
        return
    path = folder / "found.yaml"
    path.write_text(Calibration(infer(core), core, "found", "a machine of ours").text())
    made = variants(str(path))
    found, secret = (each([]).memory.caches.icache for each in (made, core.variant))
    assert found is not None
    assert secret is not None
    for name in ("line", "sets", "ways", "width"):
        assert getattr(found, name) == getattr(secret, name)
    assert found.refill_waits(7) == secret.refill_waits(7)
    compared = CoreComparison(core, MachineDevice(made, core.isa), skews={}).random(
        range(5000 + 3 * seed, 5003 + 3 * seed), _WAITS, 400
    )
    assert compared.difference is None, f"{compared.difference}\n{path.read_text()}"


@pytest.mark.parametrize("seed", range(2))
def test_a_cache_comes_back(tmp_path: Path, seed: int) -> None:
    _comes_back(tmp_path, seed)


@pytest.mark.heavy("calibrate")
@pytest.mark.parametrize("seed", range(2, 100))
def test_many_caches_come_back(tmp_path: Path, seed: int) -> None:
    _comes_back(tmp_path, seed)


def test_a_cache_and_a_predictor_come_back(tmp_path: Path) -> None:
    """Plain instructions take several cycles, so that none stands for one cycle."""
    keys = "{kind: one-entry, hit: 1, miss: 3}"
    latency = _PLAIN | {"alu": 3, "branch-taken": 4}
    core = _device(tmp_path, {"line": "32 B", "sets": 32, "ways": 1}, latency, keys)
    others = infer(core).others
    found = {name: value for name, value in others.items() if name.startswith("predictor.")}
    assert found == {"predictor.kind": "one-entry", "predictor.hit": 1, "predictor.miss": 3}
    assert others["icache.sets"] == 32


def test_a_cache_that_holds_no_probe_is_named(tmp_path: Path) -> None:
    core = _device(tmp_path, {"line": "16 B", "sets": 2, "ways": 2}, _PLAIN)
    with pytest.raises(Refused, match=r"icache is not identifiable: it does not hold 256 B"):
        infer(core)


def test_a_cache_larger_than_the_distances_of_words_is_no_other_one(tmp_path: Path) -> None:
    """It has 64 KiB, as one of 8 ways with shorter distances has."""
    keys = {"line": 64, "sets": 1024, "ways": 1}
    lines = find_lines(_device(tmp_path, keys | {"line": "64 B"}, _PLAIN))
    assert {name: getattr(lines, name) for name in keys} == keys


def test_more_ways_than_words_are_named(tmp_path: Path) -> None:
    core = _device(tmp_path, {"line": "64 B", "sets": 4096, "ways": 2}, _PLAIN)
    with pytest.raises(Refused, match=r"icache.ways is not identifiable: 17 words at distances"):
        find_lines(core)


def test_compressed_instructions_with_a_cache_are_refused(tmp_path: Path) -> None:
    core = _device(tmp_path, {"line": "16 B", "sets": 64, "ways": 1}, _PLAIN)
    with pytest.raises(Refused, match=r"icache is not measured with compressed"):
        infer(MachineDevice(core.variant, "rv32imc"))
