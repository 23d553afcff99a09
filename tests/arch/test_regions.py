"""Regions in a machine file: what they may be, and that a machine without them is as before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.arch import Architecture, load_architecture
from gnomon.arch._loader import Described
from gnomon.arch._memory import Memory
from gnomon.base.errors import GnomonError

if TYPE_CHECKING:
    from pathlib import Path

MAP = """\
extends: picorv32
name: mapped
title: A core with a flash
memory:
  instruction: none
  data: none
  regions:
    flash: {base: 0x20000000, size: 64 KiB, kind: flash, waits: 5}
    ram: {base: 0x80000000, size: 64 KiB, kind: ram}
    ext: {base: 0x90000000, size: 1 MiB, kind: ram, waits: 3}
  link: {text: flash, data: ram}
core: {reset_pc: entry}
"""


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "mapped.yaml"
    path.write_text(MAP)
    return str(path)


def test_link_names_the_memories_of_a_program(file: str) -> None:
    machine = load_architecture(file, ["memory.link.stack=ext"])
    memory = machine.memory
    assert (memory.instruction.base, memory.data.base) == (0x2000_0000, 0x8000_0000)
    assert (memory.constants.base, memory.stack.base) == (0x2000_0000, 0x9000_0000)
    assert (machine.instruction_waits, machine.data_waits) == (5, 0)
    one = load_architecture(file, ["memory.link.text=ext", "memory.link.data=ext"])
    assert one.memory.is_one
    assert (one.instruction_waits, one.data_waits) == (3, 3)


REFUSED = {
    "memory.regions.ram.base=0x2000FFFC":
        "ram.base: region ram (0x2000FFFC..0x2001FFFB) overlaps region flash (0x20000000..0x",
    "memory.regions.ext.base=0x1A10F000":
        "ext.base: region ext (0x1A10F000..0x1A20EFFF) overlaps the I/O page (0x1A10F000..0x",
    "memory.regions.ram.base=2": "memory.regions.ram.base: must be a multiple of 4, not 0x2",
    "memory.regions.ram.size=3 B": "must be a multiple of 4 bytes up to 256 MiB, not 3 B",
    "memory.regions.ram.waits=65": "memory.regions.ram.waits: must not be 65 (allowed: 0 to 64)",
    "memory.regions.ram.kind=om": "(allowed: rom, ram, flash, did you mean 'rom'?)",
    "memory.regions.rma.waits=1":
        "no region is called 'rma' (memory.regions: flash, ram, ext, did you mean 'ram'?)",
    "memory.regions.ram.wait=1":
        "(allowed: base, size, kind, waits, width, burst, cache, did you mean 'waits'?)",
    "memory.regions.ram.cache=l2": "must not be 'l2' (allowed: icache, dcache, both, none)",
    "memory.regions.ram=none":
        "a section; set one of its keys, such as memory.regions.ram.base",
    "memory.data.waits=1": "this machine has regions (memory.regions: flash, ram, ext)",
    "memory.link.text=fla":
        "no region is called 'fla' (allowed: flash, ram, ext, did you mean 'flash'?)",
    "memory.link.data=flash": "memory.link.data: must be a ram, not the flash flash",
    "memory.link.stack=flash": "memory.link.stack: must be a ram, not the flash flash",
    "memory.link.constants=ext":
        "must be a rom or flash, or ram, the region of the data, not the ram ext",
    "memory.link=none": "must be a section with text and data, for memory.regions",
    "core.reset_pc=0x80000000":
        "core.reset_pc: 0x80000000 is outside region flash (0x20000000..0x2000FFFF)",
    "memory.caches.icache.line=16 B": "memory.caches.icache",
}  # fmt: skip


@pytest.mark.parametrize("override", REFUSED)
def test_a_wrong_map_is_refused(override: str, file: str) -> None:
    with pytest.raises(GnomonError) as caught:
        load_architecture(file, [override])
    assert REFUSED[override] in str(caught.value)
    assert str(caught.value).startswith(f"--set {override}: ")


def test_every_problem_of_a_file_has_its_line(tmp_path: Path) -> None:
    path = tmp_path / "wrong.yaml"
    path.write_text(
        MAP.replace("waits: 5", "waits: x").replace("kind: ram}", "kind: rom}")
        .replace("instruction: none", "instruction: {base: 0, size: 4 KiB}")
    )  # fmt: skip
    with pytest.raises(GnomonError) as caught:
        load_architecture(str(path))
    lines = str(caught.value).splitlines()
    assert lines[0].startswith(f"{path}:8: memory.regions.flash.waits: must not be 'x'")
    path.write_text(path.read_text().replace("waits: x", "waits: 5"))
    with pytest.raises(GnomonError) as caught:
        load_architecture(str(path))
    must = "must be none with memory.regions; memory.link names the regions of programs"
    assert str(caught.value).splitlines() == [
        f"{path}:11: memory.link.data: must be a ram, not the rom ram",
        f"{path}:5: memory.instruction: {must}",
    ]


CORES = {
    "t13": ("memory.regions.flash.waits=5", "core.model: must be inorder"),
    "morph": ("memory.regions.flash.waits=0", "core.rtl: must not be morph with memory.regions"),
    "hazard3": ("memory.regions.flash.waits=5", "core.latency.waits: must be any with memory."),
}  # fmt: skip


@pytest.mark.parametrize("core", CORES)
def test_a_core_whose_waits_are_unknown_is_refused(core: str, tmp_path: Path) -> None:
    path = tmp_path / "mapped.yaml"
    text = MAP.replace("picorv32", core)
    if core != "hazard3":
        text = text.replace("entry", "0x20000080")
    path.write_text(text)
    override, refusal = CORES[core]
    with pytest.raises(GnomonError) as caught:
        load_architecture(str(path), [override])
    assert refusal in str(caught.value)


def test_the_keys_are_shown_with_their_lines(file: str) -> None:
    rows = {each.path: each for each in Described.list_keys(file)}
    waits = rows["memory.regions.flash.waits"]
    assert (waits.value, waits.default, waits.origin) == ("5", "0", f"{file}:8")
    assert rows["memory.regions.ram.waits"].origin == "default"
    assert rows["memory.link.text"].value == "flash"


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(1, 6)), min_size=1, max_size=5))
def test_regions_may_touch_and_never_overlap(spans: list[tuple[int, int]]) -> None:
    regions = {
        f"r{k}": {"base": 0x1000 * page, "size": f"{pages * 4} KiB", "kind": "ram"}
        for k, (page, pages) in enumerate(spans)
    }
    pages = [page + k for page, count in spans for k in range(count)]
    memory: dict[str, Any] = {"regions": regions, "link": {"text": "r0", "data": "r0"}}
    try:
        Memory.model_validate(memory)
    except ValueError:
        assert len(pages) != len(set(pages))
    else:
        assert len(pages) == len(set(pages))


def test_a_machine_without_regions_has_no_key_of_them() -> None:
    machine = load_architecture("rv32im")
    assert not {"regions", "link"} & machine.to_dict()["memory"].keys()
    assert isinstance(hash(machine), int)


def test_the_fingerprint_knows_every_key(file: str) -> None:
    def fingerprint(*overrides: str) -> str:
        machine: Architecture = load_architecture(file, list(overrides))
        return machine.fingerprint

    changes = [
        (), ("memory.regions.ext.waits=4",), ("memory.regions.ext.kind=rom",),
        ("memory.regions.ext.burst=2",), ("memory.link.stack=ext",), ("memory.link.data=ext",),
    ]  # fmt: skip
    assert len({fingerprint(*each) for each in changes}) == len(changes)
