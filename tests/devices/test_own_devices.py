"""User-defined devices in runs: their accesses, interrupts and cycles, in C and in Python."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from gnomon.arch import load_architecture
from gnomon.base.errors import GnomonError
from gnomon.cost.energy import Energy
from gnomon.sim import Run, translated_blocks
from tests.devices.boards import AWAKE, load_board, run_text


def outcome(run: Run) -> dict[str, Any]:
    """All that a run reports, without the names of its device and machine."""
    found = run.to_json()
    for each in found["devices"].values():
        del each["kind"]
    return found


def test_c_and_python_give_the_same_run_in_every_tier_and_slice(project: Path) -> None:
    runs = []
    for kind in ("bell", "chime"):
        machine = load_board(project, kind, ", interrupt: external, waits: 2",
                             "devices.bell.parameters.cycles=150")  # fmt: skip
        for blocks, quantum in (("off", 20_000_000), ("force", 20_000_000), ("force", 61)):
            with translated_blocks(blocks):
                runs.append(run_text(project, machine, quantum_cycles=quantum))
        runs.append(run_text(project, machine, trace=True))
    first, *others = runs
    assert first.halted == "exit"
    assert first.exit_code is not None
    rings = first.exit_code // 1000 % 1000
    assert rings > 10
    assert first.counters["hart0.trap"] == 4 * rings
    assert all(outcome(each) == outcome(first) for each in others)
    assert all((each.profile.cycles == first.profile.cycles).all() for each in others)


def test_each_wait_state_of_each_access_is_a_cycle_of_the_device(project: Path) -> None:
    plain, slow = (
        run_text(project, load_board(project, "bell", f", waits: {waits}"), AWAKE)
        for waits in (0, 5)
    )
    (bell,) = slow.devices.values()
    assert (bell.reads, bell.writes) == (400, 401)
    assert slow.counters["hart0.wait.device"] == 5 * (bell.reads + bell.writes)
    assert slow.wall_cycles - plain.wall_cycles == slow.counters["hart0.wait.device"]
    assert "hart0.wait.device" not in plain.counters
    assert slow.profile.parts["wait.device"].sum() == slow.counters["hart0.wait.device"]
    same = {name: n for name, n in slow.counters.items() if name != "hart0.wait.device"}
    assert same == dict(plain.counters)


def test_a_run_that_ends_within_an_access_counts_its_cycles(project: Path) -> None:
    machine = load_board(project, "bell", ", waits: 7")
    whole = run_text(project, machine, AWAKE)
    for end in range(200, 240):
        cut = run_text(project, machine, AWAKE, max_cycles=end)  # every run checks that causes sum
        assert cut.wall_cycles == end
        assert cut.counters["hart0.wait.device"] <= whole.counters["hart0.wait.device"]


FAULTS = {
    "a byte of whole words": ("size: 16 B", "size: 16 B\nwidth: word", "",
                              "less than a word at 0x30000008: device bell takes whole words"),
    "next in the past": ("", "", ("due : DEVICE_NEVER", "cycle : cycle"),
                         "device bell: next("),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_a_mistake_ends_the_run_with_the_name_of_the_device(name: str, project: Path) -> None:
    old, new, change, message = FAULTS[name]
    folder = project / "devices" / "bell"
    for file, words in (("device.yaml", (old, new)), ("bell.c", change)):
        if words and words[0]:
            text = (folder / file).read_text()
            assert words[0] in text
            (folder / file).write_text(text.replace(*words))
    run = run_text(project, load_board(project, "bell"))
    assert run.halted == "fault"
    assert message in run.reason


REFUSED = {
    "kind: bel,": ":8: devices.bell.kind: must not be 'bel' (allowed: clint, ns16550, semihosting,",
    "kind: bell, interrupt: timer,": "interrupt: must not be 'timer' (allowed: external, none)",
    "kind: bell, parameters: {cycle: 3},":
        "no parameter of bell is called 'cycle' (allowed: cycles, did you mean 'cycles'?)",
    "kind: bell, parameters: {cycles: 0},": "cycles must be 1 to 1000000, not 0",
    "kind: bell, stride: 4,": "must be 1 for a bell: only an ns16550 has a stride",
    "kind: bell, waits: 65,": "devices.bell.waits: must not be 65 (allowed: 0 to 64",
    "kind: ns16550, parameters: {cycles: 1},": "must be {} for a ns16550",
    "kind: bell, digest: abc,": "the files of device bell have changed",
}  # fmt: skip


@pytest.mark.parametrize("words", REFUSED)
def test_a_wrong_key_is_named(words: str, project: Path) -> None:
    path = project / "board.yaml"
    path.write_text(
        "extends: rv32im\nname: board\ntitle: A core\ncore:\n  interrupts:\n    entry: 4\n"
        f"devices:\n  bell: {{{words} base: 0x30000000}}\n"
    )
    with pytest.raises(GnomonError) as caught:
        load_architecture(path)
    assert REFUSED[words] in str(caught.value)
    assert str(path) in str(caught.value)


def test_devices_overlap_nothing_and_their_size_counts(project: Path) -> None:
    path = project / "board.yaml"
    path.write_text(
        "extends: rv32im\nname: board\ntitle: A core\ndevices:\n"
        "  one: {kind: bell, base: 0x30000000}\n  two: {kind: chime, base: 0x3000000C}\n"
    )
    with pytest.raises(GnomonError, match=r"two \(0x3000000C..0x3000001B\) overlaps device one"):
        load_architecture(path)
    assert load_architecture(path, ["devices.two.base=0x30000010"]).devices["two"].size_bytes == 16


def test_the_fingerprint_knows_files_and_parameters(project: Path) -> None:
    def fingerprint(*sets: str) -> str:
        return load_board(project, "bell", "", *sets).fingerprint

    first = fingerprint()
    assert fingerprint("devices.bell.parameters.cycles=999") != first
    source = project / "devices" / "bell" / "bell.c"
    source.write_text(source.read_text() + "/* another */\n")
    assert fingerprint() != first


BROKEN = {
    "bell.c": ("return device->scratch;", "return device->scrach;", r"bell/bell.c:25:"),
    "device.yaml": ("interrupt: true", "interrupt: false", "must be true for bell.c, which has"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_wrong_files_are_named_with_their_lines(name: str, project: Path) -> None:
    old, new, message = BROKEN[name]
    path = project / "devices" / "bell" / name
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(GnomonError, match=message):
        run_text(project, load_board(project, "bell", ""))


PYTHON_ERRORS = {
    "return int(self.level(cycle)) if offset == 4": (
        "return 1 // 0 if offset == 8", r"chime.py:\d+: ZeroDivisionError"),
    "else self.scratch if": ("else -1 if", r"chime.py: read\(8\) returned -1, not 0 to 2\^32 - 1"),
    "def write(self": ("def wrote(self", "class Device has no method write"),
    "cycles: int) -> None": ("cycle: int) -> None", "Device takes no argument 'cycles'"),
}  # fmt: skip


@pytest.mark.parametrize("old", PYTHON_ERRORS)
def test_an_error_of_python_has_file_and_line(old: str, project: Path) -> None:
    new, message = PYTHON_ERRORS[old]
    # Another name: modules of content are imported once in a process.
    folder = project / "devices" / f"chime{list(PYTHON_ERRORS).index(old)}"
    shutil.copytree(project / "devices" / "chime", folder)
    text = (folder / "chime.py").read_text()
    assert old in text
    (folder / "chime.py").write_text(text.replace(old, new))
    with pytest.raises(GnomonError, match=message):
        run_text(project, load_board(project, folder.name))


def test_a_request_that_no_handler_clears_is_named_at_the_cycle_limit(project: Path) -> None:
    text = (
        '#include "gnomon.h"\n'
        '__attribute__((interrupt("machine"), aligned(4))) static void ignore(void) {}\n'
        "int main(int hart) {\n"
        '    __asm__ volatile("csrw mtvec, %0" ::"r"(ignore));\n'
        '    __asm__ volatile("csrw mie, %0" ::"r"(0x800));\n'
        '    __asm__ volatile("csrs mstatus, %0" ::"r"(8));\n'
        "    *(volatile int *)0x30000000 = 1;\n"
        "    for (;;) hart++;\n}\n"
    )
    run = run_text(project, load_board(project, "bell"), text, max_cycles=5000)
    assert run.halted == "max-cycles"
    assert run.reason.endswith(
        "; the external interrupt of device bell was taken and is still requested"
    )


TABLE = """\
schema: 1
kind: stated
name: own
title: Own prices
library: 28 nm
static: not included
machine: {name: [board]}
units: {core: {source: data sheet, cycle: {value: 2, low: 1, high: 4}}}
"""


def test_energy_of_accesses_is_stated_or_unavailable(project: Path) -> None:
    (project / "models" / "power").mkdir(parents=True)
    (project / "models" / "power" / "own.yaml").write_text(TABLE)
    description = project / "devices" / "bell" / "device.yaml"
    text = AWAKE
    machine = load_board(project, "bell", "", "power=own")
    run = run_text(project, machine, text)
    with pytest.raises(GnomonError, match=r"device bell .* states no price in its device.yaml"):
        Energy.from_work(run.work, machine)
    description.write_text(
        description.read_text() + "price: {read: 2.5, write: 4, source: an assumption}\n"
    )
    priced = load_board(project, "bell", "", "power=own")
    run = run_text(project, priced, text)
    energy = Energy.from_work(run.work, priced)
    events = {each.event: each for each in energy.events}
    assert events["read of bell"].energy_uj == pytest.approx(400 * 2.5e-6)
    assert events["write of bell"].count == 401
    accesses = (400 * 2.5 + 401 * 4) * 1e-6
    assert energy.units["user-defined devices"].value == pytest.approx(accesses)
    assert energy.energy_uj.value == pytest.approx(accesses + 2e-6 * run.wall_cycles)
    assert energy.sources["device bell"] == "an assumption"
