"""Machines of ours with random interlocks in place of RTL: an equivalent machine comes back."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest

from gnomon.arch import load_architecture, variants
from gnomon.calibrate._compare import CoreComparison
from gnomon.calibrate._device import MachineDevice, Waits
from gnomon.calibrate._infer import infer
from gnomon.calibrate.calibration import Calibration
from tests.calibrate.test_random_machines import device
from tests.rows import light_and_heavy

if TYPE_CHECKING:
    from pathlib import Path

_LOADS = ["lb", "lh", "lw", "lbu", "lhu"]
_PRODUCTS = ["mul", "mulh", "mulhsu", "mulhu"]
_FIELDS = ["lui.rs1", "lui.rs2", "addi.rs2", "lw.rs2", "sw.rd", "jal.rs2", "beq.rd", "add.rd",
           "slli.rs2", "lw.rd"]  # fmt: skip


def random_interlocks(seed: int) -> dict[str, Any]:
    """Latencies of a core that holds instructions for what they do not read."""
    rng = random.Random(f"interlocks {seed}")
    few = rng.randint
    latency: dict[str, Any] = dict.fromkeys(
        ("alu", "mul", "mulh", "branch", "csr", "system", "amo"), 1
    )
    latency |= {"load": few(1, 2), "store": few(1, 2), "jump": few(1, 3), "fence": few(1, 3)}
    latency |= {"div": few(1, 20), "branch-taken": few(0, 2)}
    latency |= {"load-use": few(1, 3), "mul-use": few(0, 3)}
    named = rng.choice([["rs1", "rs2", "rd"], ["rs1", "rs2"], ["rd"], rng.sample(_FIELDS, 4)])
    latency["bypass"] = [{"of": _LOADS, "to": named, "cycles": latency["load-use"]}]
    if latency["mul-use"]:
        named = rng.choice([["rd"], ["rs2", "rd"], rng.sample(_FIELDS, 3)])
        latency["bypass"].append({"of": _PRODUCTS, "to": named, "cycles": few(1, 3)})
    locks = [
        {"of": rng.choice([["sb", "sh", "sw"], _LOADS]), "to": ["mul", "div"], "cycles": few(1, 3)},
        {"of": ["div", "rem"], "to": ["div", "rem", "divu", "remu"], "cycles": few(1, 9)},
        {"of": ["mul"], "to": [*_PRODUCTS], "cycles": few(1, 3)},
        {"of": ["fence"], "to": ["lw", "sw"], "cycles": few(1, 2)},
    ]
    latency["interlocks"] = rng.sample(locks, rng.randint(0, 3))
    return latency


@pytest.mark.parametrize("seed", light_and_heavy("calibrate", 2, range(60)))
def test_an_equivalent_machine_comes_back(tmp_path: Path, seed: int) -> None:
    core = device(tmp_path, random_interlocks(seed))
    path = tmp_path / "found.yaml"
    path.write_text(Calibration(infer(core), core, "found", "a machine of ours").text(), "utf-8")
    found = load_architecture(str(path)).core.latency
    assert found is not None
    assert found.holds
    ours = MachineDevice(variants(str(path)), core.isa)
    programs = range(9000 + 3 * seed, 9003 + 3 * seed)
    compared = CoreComparison(core, ours, skews={}).random(programs, (Waits(0, 0),), 600)
    assert compared.difference is None, f"{compared.difference}\n{path.read_text('utf-8')}"
