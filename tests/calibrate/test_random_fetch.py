"""Machines with fetch queues and predictors in place of RTL: what made them comes back."""

from __future__ import annotations

import json
import random
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

from gnomon.arch import variants
from gnomon.calibrate._compare import CoreComparison
from gnomon.calibrate._device import MOST_CYCLES, MachineDevice, Retired, Waits
from gnomon.calibrate._fetch_bound import check_fetch_bound
from gnomon.calibrate._infer import infer
from gnomon.calibrate._measure import Refused
from gnomon.calibrate._skipped_words import check_skipped_words
from gnomon.calibrate.calibration import Calibration

if TYPE_CHECKING:
    from pathlib import Path

    from gnomon.calibrate._inferred import Inferred
    from gnomon.program import Program

_WAITS = (Waits(0, 0), Waits(4, 0), Waits(1, 2), Waits(3, 3))


def random_core(seed: int) -> dict[str, Any]:
    """A core with a queue, a predictor, or both, that fetches a word per cycle without waits."""
    rng = random.Random(seed)
    few = rng.randint
    latency: dict[str, Any] = {
        "alu": 1, "mul": few(1, 6), "mulh": few(1, 6), "div": few(8, 40), "load": few(1, 3),
        "store": few(1, 3), "branch": few(1, 2), "jump": few(1, 4), "fence": few(1, 3), "csr": 1,
        "system": 1, "amo": 1, "branch-taken": few(1, 4), "load-use": few(0, 2),
    }  # fmt: skip
    core: dict[str, Any] = {"isa": "rv32im_zicsr", "latency": latency}
    queue = seed % 2 == 0
    if queue:
        cycles = few(1, 3)
        core["fetch"] = {"queue": few(cycles, 4), "latency": cycles, "memory_stage": few(0, 1) > 0}
        if rng.random() < 0.5:
            core["isa"] = "rv32imc_zicsr"
            core["fetch"] |= {"queue": few(max(2, cycles), 4)}
            core["fetch"] |= {"takes": rng.choice(["words", "instructions"])}
    else:
        latency |= {"taken-fetches": few(0, 2), "prefetch": rng.choice(["none", few(1, 4)])}
    kinds = ["none", "static", "one-entry"] if queue else ["static", "one-entry", "table"]
    kind = rng.choice(kinds)
    if kind != "none":
        core["predictor"] = {"kind": kind, "miss": few(0, 5)}
        if kind != "one-entry" or not queue:
            core["predictor"]["hit"] = few(0, latency["branch-taken"] - 1)
    if kind == "table":
        core["predictor"] |= {"entries": rng.choice([2, 4, 8, 16, 32, 64]), "bits": few(1, 2),
                              "targets": few(0, 1) > 0}  # fmt: skip
    return core


def shared_core(seed: int) -> dict[str, Any]:
    """A core whose loads and stores use the port of the fetch; long instructions fill its queue."""
    rng = random.Random(f"shared {seed}")
    few = rng.randint
    latency: dict[str, Any] = {
        "alu": 1, "mul": few(1, 6), "mulh": few(1, 6), "div": few(8, 40), "load": few(1, 2),
        "store": 1, "branch": 1, "jump": few(1, 3), "fence": few(1, 3), "csr": 1, "system": 1,
        "amo": 1, "branch-taken": few(0, 2), "load-use": few(0, 2),
    }  # fmt: skip
    cycles = few(1, 3)
    fetch: dict[str, Any] = {"queue": few(cycles, 4), "latency": cycles, "port": "shared",
                             "memory_stage": few(0, 1) > 0}  # fmt: skip
    isa = "rv32im_zicsr"
    if seed % 2:
        isa = "rv32imc_zicsr"
        fetch |= {"queue": few(max(2, cycles), 4), "takes": rng.choice(["words", "instructions"])}
    if seed % 3 == 2:
        fetch["restarts"] = ["div", "divu", "rem", "remu"]
    return {"isa": isa, "misaligned": "trap", "latency": latency, "fetch": fetch}


def slow_core(seed: int) -> dict[str, Any]:
    """A core whose port takes several cycles for each word, and more after jumps."""
    rng = random.Random(f"slow {seed}")
    few = rng.randint
    interval = few(2, 3)
    least = few(interval, 4)
    latency: dict[str, Any] = {
        "alu": least, "mul": few(least, 6), "mulh": few(least, 6), "div": few(8, 40),
        "load": few(least, 6), "store": few(least, 6), "branch": few(least, 5),
        "jump": few(least, 5), "csr": 1, "system": 1, "amo": 1, "branch-taken": few(0, 2),
    }  # fmt: skip
    latency["fence"] = few(latency["jump"], 6)
    cycles = few(interval, 2 * interval)
    fetch: dict[str, Any] = {"queue": few(2, 4), "latency": cycles, "interval": interval,
                             "redirect": few(0, 2), "restarts": ["fence"] * few(0, 1)}  # fmt: skip
    return {"isa": "rv32im_zicsr", "latency": latency, "fetch": fetch}


def half_core(seed: int) -> dict[str, Any]:
    """A core without a queue that keeps the upper half of a word."""
    rng = random.Random(f"half {seed}")
    few = rng.randint
    latency: dict[str, Any] = {
        "alu": few(2, 4), "mul": few(2, 6), "mulh": few(2, 6), "div": few(8, 40),
        "load": few(3, 6), "store": few(3, 6), "branch": few(2, 4), "jump": few(2, 5),
        "fence": few(2, 3), "csr": 1, "system": 1, "amo": 1, "branch-taken": few(1, 4),
        "taken-fetches": few(0, 1), "prefetch": rng.choice(["none", few(1, 4)]),
        "split-target": few(0, 2), "split-next": few(1, 3),
    }  # fmt: skip
    if latency["taken-fetches"]:
        latency["split-again"] = few(0, 3)
    return {"isa": "rv32imc_zicsr", "latency": latency}


def _find(device: MachineDevice, core: dict[str, Any]) -> Inferred | None:
    """The keys; None if branches share counters, so that a probe depends on those before it."""
    try:
        return infer(device)
    except Refused as refused:
        predictor = core.get("predictor", {})
        if predictor.get("kind") != "table" or predictor["targets"]:
            raise
        reason = str(refused)
    assert "as with branch prediction" in reason or "as with a branch predictor" in reason
    return None


def comes_back(
    folder: Path, seed: int, core: dict[str, Any], kind: type[MachineDevice] = MachineDevice
) -> Inferred | None:
    """Check that the keys of a core come back, and return them."""
    path = folder / "secret.yaml"
    path.write_text(f"extends: rv32im\nname: secret\ntitle: Secret\ncore: {json.dumps(core)}\n")
    device = kind(variants(str(path)), core["isa"].removesuffix("_zicsr"))
    found = _find(device, core)
    if found is None:
        return None
    machine = folder / "found.yaml"
    machine.write_text(Calibration(found, device, "found", "a machine of ours").text())
    ours = MachineDevice(variants(str(machine)), device.isa)
    seeds = range(5000 + 4 * seed, 5004 + 4 * seed)
    held = CoreComparison(device, ours, found.skews).random(seeds, _WAITS, 400)
    assert held.difference is None, f"{held.difference}\n{core}\n{machine.read_text()}"
    return found


@pytest.mark.parametrize("seed", [0])
def test_an_equivalent_machine_comes_back(tmp_path: Path, seed: int) -> None:
    comes_back(tmp_path, seed, random_core(seed))


@pytest.mark.heavy("calibrate")
@pytest.mark.parametrize("seed", range(1, 12))
def test_further_equivalent_machines_come_back(tmp_path: Path, seed: int) -> None:
    comes_back(tmp_path, seed, random_core(seed))


def test_a_half_that_is_kept_comes_back(tmp_path: Path) -> None:
    core = half_core(0)
    found = comes_back(tmp_path, 0, core)
    assert found is not None
    assert found.latency["split-next"] == core["latency"]["split-next"]
    assert "compressed instructions among words" in found.evidence["split-next"]


@pytest.mark.heavy("calibrate")
@pytest.mark.parametrize("seed", range(1, 12))
def test_further_halves_that_are_kept_come_back(tmp_path: Path, seed: int) -> None:
    comes_back(tmp_path, seed, half_core(seed))


def test_a_shared_port_comes_back(tmp_path: Path) -> None:
    core = shared_core(4)
    found = comes_back(tmp_path, 4, core)
    assert found is not None
    assert found.others["fetch.port"] == "shared"
    assert found.latency["load-use"] == core["latency"]["load-use"]


@pytest.mark.heavy("calibrate")
@pytest.mark.parametrize("seed", [each for each in range(12) if each != 4])
def test_further_shared_ports_come_back(tmp_path: Path, seed: int) -> None:
    comes_back(tmp_path, seed, shared_core(seed))


def test_a_slow_port_comes_back(tmp_path: Path) -> None:
    """Two cycles for each word; a fence restarts the fetch. Short jumps leave few candidates."""
    core = slow_core(15)
    core["latency"] |= {"jump": 1, "fence": 2}
    core["fetch"] |= {"latency": 2, "queue": 2}
    found = comes_back(tmp_path, 15, core)
    assert found is not None
    assert found.others["fetch.interval"] == core["fetch"]["interval"] == 2
    assert found.others["fetch.restarts"] == ("fence",)


@pytest.mark.heavy("calibrate")
def test_a_target_that_is_requested_late_comes_back(tmp_path: Path) -> None:
    core = slow_core(1)
    found = comes_back(tmp_path, 1, core)
    assert found is not None
    assert found.others["fetch.redirect"] == core["fetch"]["redirect"] == 1


@pytest.mark.heavy("calibrate")
@pytest.mark.parametrize("seed", [0, 2, 3, 4, 6, 19, 20])
def test_further_slow_ports_come_back(tmp_path: Path, seed: int) -> None:
    comes_back(tmp_path, seed, slow_core(seed))


class _SlowExits(MachineDevice):
    """A machine that shows a fetch after a branch that is not taken in the branch itself."""

    def execute(
        self, program: Program, waits: Waits, most_cycles: int = MOST_CYCLES
    ) -> list[Retired]:
        found = super().execute(program, waits, most_cycles)
        for number, (each, after) in enumerate(pairwise(found[:-1])):
            word = program.instruction_at(each.pc)
            back, untaken = word & 0x7F == 0x63 and word >> 31, after.pc == each.pc + 4
            assert each.cycle is not None
            assert after.cycle is not None
            if back and untaken and after.cycle > each.cycle + 1 and waits.instruction:
                found[number] = each._replace(cycle=each.cycle + 1)
        return found


@pytest.mark.heavy("calibrate")
def test_wrong_predictions_that_show_in_the_branch_come_back(tmp_path: Path) -> None:
    found = comes_back(tmp_path, 2, random_core(2), _SlowExits)
    assert found is not None
    assert found.others["predictor.kind"] == "one-entry"


class _BufferedStores(MachineDevice):
    """A machine that continues while the memory stores."""

    def execute(
        self, program: Program, waits: Waits, most_cycles: int = MOST_CYCLES
    ) -> list[Retired]:
        stores, found = 0, []
        for each in super().execute(program, waits, most_cycles):
            assert each.cycle is not None
            stores += program.instruction_at(each.pc) & 0x7F == 0x23
            found.append(each._replace(cycle=each.cycle - stores * waits.data))
        return found


@pytest.mark.heavy("calibrate")
def test_a_store_buffer_is_named() -> None:
    with pytest.raises(Refused, match="as with a store buffer") as caught:
        infer(_BufferedStores(variants("rv32im"), "rv32i"))
    assert str(caught.value).splitlines()[-1].split()[1] == "sb"


def _fetch_bound_device(folder: Path) -> MachineDevice:
    core = random_core(0) | {"isa": "rv32im_zicsr", "fetch": {"queue": 1, "latency": 2}}
    core["latency"] |= {"load": 4}
    path = folder / "secret.yaml"
    path.write_text(f"extends: rv32im\nname: secret\ntitle: Secret\ncore: {json.dumps(core)}\n")
    return MachineDevice(variants(str(path)), "rv32im")


def test_a_fetch_that_is_slower_than_execution_is_named(tmp_path: Path) -> None:
    reason = "plain words in a row take 2 cycles, but 1 after an instruction of"
    with pytest.raises(Refused, match=reason) as caught:
        check_fetch_bound(_fetch_bound_device(tmp_path))
    assert len(str(caught.value).splitlines()) == 3
    assert caught.value.timeline


@pytest.mark.heavy("calibrate")
def test_a_core_with_such_a_fetch_is_refused_with_this_reason(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="the core executes faster than it fetches"):
        infer(_fetch_bound_device(tmp_path))


class _WaitingAfterJumps(MachineDevice):
    """A machine whose jumps take a cycle more if the second word after them reads a new result."""

    def execute(
        self, program: Program, waits: Waits, most_cycles: int = MOST_CYCLES
    ) -> list[Retired]:
        later, found = 0, []
        run = super().execute(program, waits, most_cycles)
        for number, each in enumerate(run):
            assert each.cycle is not None
            last = run[number - 1].pc
            if number and each.pc != last + 4:
                first, second = (program.instruction_at(last + n) for n in (4, 8))
                later += first >> 7 & 31 == second >> 15 & 31 != 0
            found.append(each._replace(cycle=each.cycle + later))
        return found


def test_a_jump_that_waits_for_words_that_it_skips_is_named() -> None:
    check_skipped_words(MachineDevice(variants("rv32im"), "rv32im"))
    with pytest.raises(Refused, match="the core decodes the words after a jump") as caught:
        check_skipped_words(_WaitingAfterJumps(variants("rv32im"), "rv32im"))
    shown = [line.split()[1] for line in str(caught.value).splitlines()[1:]]
    assert shown == ["jal", "addi", "add"]
    assert caught.value.timeline


@pytest.mark.heavy("calibrate")
def test_a_core_with_such_jumps_is_refused_with_this_reason(tmp_path: Path) -> None:
    device = _WaitingAfterJumps(variants("rv32im"), "rv32im")
    made = Calibration(infer(device), device, "found", "a machine of ours")
    machine = tmp_path / "found.yaml"
    machine.write_text(made.text())
    with pytest.raises(Refused, match="instructions that are not executed"):
        made.check(machine)


class _LateTargets(MachineDevice):
    """A machine whose jumps at odd cycles take a cycle more with wait states."""

    def execute(
        self, program: Program, waits: Waits, most_cycles: int = MOST_CYCLES
    ) -> list[Retired]:
        later, found = 0, []
        run = super().execute(program, waits, most_cycles)
        for number, each in enumerate(run):
            assert each.cycle is not None
            jumps = number > 0 and each.pc != run[number - 1].pc + 4
            later += jumps and waits.instruction > 0 and each.cycle % 2
            found.append(each._replace(cycle=each.cycle + later))
        return found


@pytest.mark.heavy("calibrate")
def test_targets_that_a_fetch_delays_otherwise_are_named(tmp_path: Path) -> None:
    path = tmp_path / "secret.yaml"
    core = slow_core(1)
    path.write_text(f"extends: rv32im\nname: secret\ntitle: Secret\ncore: {json.dumps(core)}\n")
    with pytest.raises(Refused, match="does not describe how; the closest") as caught:
        infer(_LateTargets(variants(str(path)), "rv32im"))
    assert len(str(caught.value).splitlines()) <= 9
