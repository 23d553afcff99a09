"""Devices in a machine file: what they may be, and that a machine without them is as before."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gnomon.arch import load_architecture
from gnomon.arch._loader import Described
from gnomon.base.errors import GnomonError

if TYPE_CHECKING:
    from pathlib import Path

BOARD = """\
extends: rv32im
name: board
title: A core with a console
devices:
  uart: {kind: ns16550, base: 0x10000000, stride: 4}
"""
TIMED = f"""{BOARD}\
  timer: {{kind: clint, base: 0x02000000, every: 10}}
core:
  interrupts: {{entry: 4}}
"""


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "board.yaml"
    path.write_text(TIMED)
    return str(path)


REFUSED = {
    "devices.uart.base=0x1A10FFF0":
        "base: device uart (0x1A10FFF0..0x1A11000F) overlaps the I/O page (0x1A10F000..0x1A10FFFF)",
    "devices.uart.base=0x13FFF0": "overlaps data memory (0x00100000..0x0013FFFF)",
    "devices.uart.base=0x3FFF0": "overlaps instruction memory (0x00000000..0x0003FFFF)",
    "devices.uart.base=2": "devices.uart.base: must be a multiple of 4, not 0x2",
    "devices.uart.base=0xFFFFFFF0": "0xFFFFFFF0 + 32 B ends beyond 4 GiB",
    "devices.uart.kind=ns16500": "did you mean 'ns16550'?)",
    "devices.uart.stride=2": "devices.uart.stride: must not be 2 (allowed: 1, 4)",
    "devices.timer.stride=4": "devices.timer.stride: must be 1 for a clint: only an ns16550 has",
    "devices.uart.bas=0": "did you mean 'base'?)",
    "devices.urat.base=0":
        "no device is called 'urat' (devices: uart, timer, did you mean 'uart'?)",
    "devices.uart.every=3": "devices.uart.every: must be none for an ns16550",
    "devices.timer.every=0": "devices.timer.every: must not be 0 (allowed:",
    "devices.timer.every=none": "devices.timer.every: must not be none for a clint",
    "devices.timer.base=0x0FFFF000":
        "device timer (0x0FFFF000..0x1000AFFF) overlaps device uart (0x10000000..0x1000001F)",
    "core.interrupts.entry=0": "core.interrupts.entry: must not be 0 (allowed: 1 to 256)",
    "core.interrupts.wake=2": "not modeled: a wfi ends in the first cycle",
    "core.interrupts.vectord=true": "did you mean 'core.interrupts.vectored'?",
    "devices=uart": "a section; set one key of a device, such as devices.NAME.base",
}  # fmt: skip


OF_ANOTHER_KEY = {
    "devices.uart.kind=clint": ":5: devices.uart.every: must not be none for a clint",
    "core.interrupts=none": ":6: devices.timer.kind: must not be clint without core.interrupts",
    "core.isa=rv32im": ":8: core.interrupts: must be none with core.isa rv32im: without CSRs and",
}


@pytest.mark.parametrize("override", OF_ANOTHER_KEY)
def test_a_key_that_does_not_fit_is_named(override: str, file: str) -> None:
    with pytest.raises(GnomonError) as caught:
        load_architecture(file, [override])
    lines = str(caught.value).splitlines()
    assert any(line.startswith(file + OF_ANOTHER_KEY[override]) for line in lines)


@pytest.mark.parametrize("override", REFUSED)
def test_a_wrong_device_is_refused(override: str, file: str) -> None:
    with pytest.raises(GnomonError) as caught:
        load_architecture(file, [override])
    assert REFUSED[override] in str(caught.value)
    assert str(caught.value).startswith(f"--set {override}: ")


@pytest.mark.parametrize(
    ("machine", "refusal"),
    [
        ("t13", "core.interrupts: must be none with core.model t13: its timer interrupt was not"),
        ("rv32im-simd4", "vcu: must be none with core.interrupts: the wait of an interrupt for a"),
        ("picorv32", "core.interrupts: must be none with core.isa rv32im: without CSRs and mret"),
    ],
)
def test_a_machine_that_cannot_have_it_is_refused(
    machine: str, refusal: str, tmp_path: Path
) -> None:
    path = tmp_path / "board.yaml"
    path.write_text(TIMED.replace("rv32im", machine))
    with pytest.raises(GnomonError) as caught:
        load_architecture(str(path))
    assert refusal in str(caught.value)


@pytest.mark.parametrize(
    ("machine", "refusal"),
    [
        ("t13", "devices: must be none with core.model t13: no access of the T13 RTL"),
        ("rv32im-simd4", "overlaps scratchpads (0x10000000.."),
    ],
)
def test_a_console_that_cannot_be_is_refused(machine: str, refusal: str, tmp_path: Path) -> None:
    path = tmp_path / "board.yaml"
    path.write_text(BOARD.replace("rv32im", machine))
    with pytest.raises(GnomonError) as caught:
        load_architecture(str(path))
    assert refusal in str(caught.value)


def test_a_queue_whose_requests_are_unknown_is_refused(file: str) -> None:
    queue = ["core.fetch.queue=2", "core.fetch.port=shared", "core.misaligned=trap"]
    with pytest.raises(GnomonError) as caught:
        load_architecture(file, queue)
    assert "core.interrupts: must be none with core.fetch.port shared" in str(caught.value)
    assert load_architecture(file, queue[:1]).core.interrupts is not None


def test_a_core_without_csrs_may_poll_a_clint(tmp_path: Path) -> None:
    path = tmp_path / "board.yaml"
    path.write_text(TIMED.replace("rv32im", "picorv32").split("core:")[0])
    assert load_architecture(str(path)).core.interrupts is None


def test_every_problem_of_a_file_has_its_line(tmp_path: Path) -> None:
    path = tmp_path / "board.yaml"
    text = "  Two: {kind: ns16550, base: 0x10000008}\n  two: {kind: ns16550, base: 0x10000008}\n"
    path.write_text(BOARD + text)
    with pytest.raises(GnomonError) as caught:
        load_architecture(str(path))
    lines = str(caught.value).splitlines()
    assert lines[0].startswith(f"{path}:6: devices.Two: must be a name of a device")
    assert lines[1].startswith(f"{path}:7: devices.two.base: device two (0x10000008..0x1000000F)")
    assert len(lines) == 2


def test_the_keys_are_shown_with_their_lines(file: str) -> None:
    rows = {each.path: each for each in Described.list_keys(file)}
    assert (rows["devices.uart.base"].value, rows["devices.uart.base"].origin) == (
        "0x10000000", f"{file}:5",
    )  # fmt: skip
    assert not any(each.path.startswith("devices") for each in Described.list_keys("rv32im"))


def test_a_machine_without_devices_is_as_before(file: str) -> None:
    """The fingerprint is that of the release without devices."""
    plain = load_architecture("rv32im")
    assert plain.fingerprint.startswith("31c669ae8108498a")
    assert "devices" not in plain.to_dict()
    assert "interrupts" not in plain.to_dict()["core"]
    assert load_architecture(file, ["devices=none"]).devices == {}
    assert isinstance(hash(load_architecture(file)), int)


def test_the_fingerprint_knows_every_key(file: str) -> None:
    changes = [
        (), ("devices=none",), ("devices.uart.base=0x20000000",), ("devices.uart.stride=1",),
        ("devices.timer.every=11",), ("core.interrupts.entry=5",),
        ("core.interrupts.vectored=true",), ("devices=none", "core.interrupts=none"),
    ]  # fmt: skip
    found = {load_architecture(file, list(each)).fingerprint for each in changes}
    assert len(found) == len(changes)


def test_a_tohost_that_no_program_could_store_to_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "board.yaml"
    path.write_text(
        "extends: rv32im\nname: board\ntitle: A board\n"
        "memory:\n  instruction: none\n  data: none\n  regions:\n"
        "    code: {base: 0x20000000, size: 64 KiB, kind: flash}\n"
        "    ram: {base: 0x80000000, size: 64 KiB, kind: ram}\n"
        "  link: {text: code, data: ram}\ndevices: {host: {kind: tohost}}\n"
    )
    with pytest.raises(GnomonError, match=r":11: devices.host.kind: must not be tohost .*flash"):
        load_architecture(path)
    load_architecture(path, ["memory.regions.code.kind=ram"])
