"""Machines of our own in place of RTL: what made them comes back, or it is refused."""

from __future__ import annotations

import json
import random
from html import escape
from typing import TYPE_CHECKING, Any

import pytest

from gnomon.arch import variants
from gnomon.calibrate._compare import CoreComparison
from gnomon.calibrate._device import MachineDevice, Waits
from gnomon.calibrate._infer import infer
from gnomon.calibrate._measure import Refused
from gnomon.calibrate.calibration import Calibration
from gnomon.report.calibrate_page import calibration_page

if TYPE_CHECKING:
    from pathlib import Path

_WAITS = (Waits(0, 0), Waits(4, 0), Waits(1, 2))


def random_latency(seed: int) -> dict[str, Any]:
    """Any core that the inference knows a form for."""
    rng = random.Random(seed)
    few = rng.randint
    latency: dict[str, Any] = {
        name: few(1, 6)
        for name in ("alu", "mul", "mulh", "load", "store", "branch", "jump", "fence")
    }
    latency |= {"div": few(1, 40), "csr": 1, "system": 1, "amo": 1}
    latency |= {"branch-taken": few(0, 4), "taken-fetches": few(0, 2)}
    latency["prefetch"] = rng.choice(["none", "none", few(1, 8)])
    shift: dict[str, Any] = {"of": ["sll", "slli", "srl", "srli"], "cycles": few(1, 8)}
    law = {rng.choice(["each", "step"]): rng.choice([2, 4])}
    table = [few(1, 40) for _ in range(32)]
    shift |= rng.choice(
        [{}, {"by": "shift-amount", **law}, {"by": "shift-amount", "cycles": table}]
    )
    unit: dict[str, Any] = {"of": ["div", "rem"]}
    unit |= rng.choice([{"cycles": few(1, 40)},
                        {"by": "signs", "cycles": [few(1, 40) for _ in range(9)]},
                        {"by": "rs2-bits", "cycles": few(1, 9), "each": 1},
                        {"by": "rs1-bits", "cycles": [few(1, 40) for _ in range(33)]}])  # fmt: skip
    latency["rules"] = [shift, unit]
    for names in (["slt", "slti"], ["jalr"], ["mulhu"], ["lui"]):
        if rng.random() < 0.5:
            latency["rules"].append({"of": names, "cycles": few(1, 9)})
    for rule in latency["rules"]:
        rule["hides"] = rng.random() < 0.7
    if rng.random() < 0.5:
        latency |= {"load-use": few(0, 4), "mul-use": few(0, 3)}
        latency["bypass"] = [
            {"of": ["lb", "lw"], "to": ["sb.rs2", "sh.rs2", "sw.rs2"], "cycles": few(0, 2)},
            {"of": rng.choice([["div"], ["add", "slli"], ["mulh"]]), "cycles": few(0, 3)},
            {"of": ["addi", "lui"], "to": ["beq.rs1", "jalr.rs1", "lw.rs1"], "cycles": few(0, 2)},
        ]
    return latency


def device(folder: Path, latency: dict[str, Any], isa: str = "rv32im") -> MachineDevice:
    path = folder / "secret.yaml"
    path.write_text(
        "extends: rv32im\nname: secret\ntitle: Secret\n"
        f"core: {{isa: {isa}_zicsr, latency: {json.dumps(latency)}}}\n"
    )
    return MachineDevice(variants(str(path)), isa)


def comes_back(folder: Path, seed: int) -> None:
    latency = random_latency(seed)
    if seed % 4 == 3:  # with compressed instructions
        core = device(folder, latency | {"split-target": seed // 4 % 4}, "rv32imc")
    else:
        core = device(folder, latency)
    path = folder / "found.yaml"
    path.write_text(Calibration(infer(core), core, "found", "a machine of ours").text())
    ours = MachineDevice(variants(str(path)), core.isa)
    found = CoreComparison(core, ours, skews={}).random(
        range(5000 + 3 * seed, 5003 + 3 * seed), _WAITS, 400
    )
    assert found.difference is None, f"{found.difference}\n{path.read_text()}"


@pytest.mark.parametrize("seed", range(4))
def test_an_equivalent_machine_comes_back(tmp_path: Path, seed: int) -> None:
    comes_back(tmp_path, seed)


@pytest.mark.heavy("calibrate")
@pytest.mark.parametrize("seed", range(4, 220))
def test_many_equivalent_machines_come_back(tmp_path: Path, seed: int) -> None:
    comes_back(tmp_path, seed)


def test_a_machine_that_stops_is_not_alike(tmp_path: Path) -> None:
    """Its data memory lies elsewhere, so that the first access is a fault."""
    path = tmp_path / "far.yaml"
    path.write_text("extends: rv32im\nname: far\ntitle: Far\nmemory: {data: {base: 0x200000}}\n")
    core, far = MachineDevice(variants("rv32im")), MachineDevice(variants(str(path)))
    found = CoreComparison(core, far, skews={}).random(range(2), [Waits(0, 0)], 200)
    assert "the machine stops after" in str(found.difference)


def test_what_no_probe_shows_is_refused_with_a_small_program(tmp_path: Path) -> None:
    core = device(tmp_path, random_latency(1) | {"fetch-redirect": 2, "taken-fetches": 0})
    path = tmp_path / "found.yaml"
    made = Calibration(infer(core), core, "found", "a machine of ours")
    made.inferred.latency["jump"] += 1
    path.write_text(made.text())
    with pytest.raises(Refused, match="no machine file describes this core") as caught:
        made.check(path)
    assert len(str(caught.value).splitlines()) <= 1 + 3
    timeline = caught.value.timeline
    off = [step for step in timeline if step.core != step.machine]
    assert [step.machine - step.core for step in off] == [1]
    page = calibration_page("secret", str(caught.value), {}, {}, (), timeline)
    assert all(escape(step.text) in page for step in off)
