"""The machines that ship: what they say, and that they say it about the right machine."""

from __future__ import annotations

import pytest

from gnomon.arch import list_architectures, load_architecture
from gnomon.arch._quirks import CoreQuirks, MorphQuirks, VcuQuirks
from gnomon.arch._vcu import VCU_EXTENSIONS
from gnomon.base.content import content
from gnomon.base.units import Bytes, Hertz
from gnomon.isa import INSTRUCTIONS

# klessydra/T13x commit c2c62163 in the setting of its reference runs: THREAD_POOL_SIZE 3,
# SPM_NUM 4, Addr_Width 12, superscalar_exec_en 1, count_all 1, replicate and multithreaded 0.
T13_FAMILY = ("t13", "t13-simd1", "t13-simd2", "t13-simd4", "t13-simd8")


def test_the_family_and_the_baseline_ship() -> None:
    paper = {f"t13-paper-simd{simd}" for simd in (1, 2, 4, 8)}
    assert {*T13_FAMILY, *paper, "rv32im"} <= set(list_architectures())


def test_every_file_is_a_machine_of_its_own_name() -> None:
    for name in list_architectures():
        machine = load_architecture(name)
        assert machine.name == name
        assert machine == load_architecture(content("arch", f"{name}.yaml"))
        assert machine.fingerprint == load_architecture(name).fingerprint


@pytest.mark.parametrize("name", T13_FAMILY)
def test_the_t13_family_is_the_rtl_in_the_reference_setting(name: str) -> None:
    machine = load_architecture(name)
    core = machine.core
    assert (core.model, core.harts, core.superscalar, core.count_all) == ("t13", 3, True, True)
    assert (core.divider, core.reset_pc, core.latency) == ("restoring_r2", 0x80, None)
    assert machine.clock == Hertz(100_000_000)
    memory = machine.memory
    assert (memory.instruction.base, memory.instruction.size) == (0, Bytes(0x40000))
    assert (memory.data.base, memory.data.size) == (0x100000, Bytes(0x40000))
    assert memory.unmapped == "protocol"
    assert all(present for _, present in core.quirks)
    assert len(CoreQuirks.model_fields) == 20


@pytest.mark.parametrize("simd", [1, 2, 4, 8])
def test_the_vector_unit_is_the_rtl_in_the_reference_setting(simd: int) -> None:
    vcu = load_architecture(f"t13-simd{simd}").vcu
    assert vcu is not None
    assert (vcu.simd, vcu.sharing, vcu.extensions, vcu.divider) == (simd, "shared", (), None)
    pads = vcu.scratchpads
    assert (pads.count, pads.size, pads.base) == (4, Bytes(4096), 0x10000000)
    assert all(present for _, present in vcu.quirks)
    assert len(VcuQuirks.model_fields) == 10


PAPER = {
    "vcu": {"scratchpads", "extensions", "divider"},
    "core": {"count_all"},
    "memory": {"data"},
}
"""What a machine of the paper may differ in from the T13 of the same width."""


@pytest.mark.parametrize("simd", [1, 2, 4, 8])
def test_the_machine_of_the_paper_is_the_t13_and_what_the_paper_adds(simd: int) -> None:
    paper, t13 = load_architecture(f"t13-paper-simd{simd}"), load_architecture(f"t13-simd{simd}")
    for section, keys in PAPER.items():
        ours, theirs = getattr(paper, section), getattr(t13, section)
        fields = type(ours).model_fields
        changed = [key for key in fields if getattr(ours, key) != getattr(theirs, key)]
        assert {fields[key].alias or key for key in changed} == keys
    vcu = paper.vcu
    assert vcu is not None
    assert vcu.simd == simd
    assert (vcu.extensions, vcu.divider) == (("kdiv", "kps"), "klessydra_vl_std")
    assert (vcu.divide_by_zero, vcu.postscale_shift) == ("zero", 15)
    assert not any(present for _, present in vcu.morph_quirks)
    assert len(MorphQuirks.model_fields) == 5
    assert (vcu.scratchpads.count, vcu.scratchpads.size) == (4, Bytes(16 * 1024))
    assert paper.memory.data.size == Bytes(4 * 2**20)
    assert not paper.core.count_all
    assert paper.clock == t13.clock


def test_the_extensions_are_those_of_the_instruction_table() -> None:
    assert set(VCU_EXTENSIONS) == {row.extension for row in INSTRUCTIONS if row.optional}


def test_t13_has_no_vector_unit() -> None:
    assert load_architecture("t13").vcu is None


def test_rv32im_keeps_to_the_manual() -> None:
    machine = load_architecture("rv32im")
    assert (machine.core.model, machine.core.harts, machine.core.reset_pc) == (
        "inorder",
        1,
        "entry",
    )
    assert machine.memory.unmapped == "fault"
    assert machine.vcu is None
    assert not any(present for _, present in machine.core.quirks)
    assert machine.core.latency is not None
    assert dict(machine.core.latency.items()) == {
        "alu": 1,
        "mul": 1,
        "mulh": 3,
        "div": 34,
        "load": 2,
        "store": 1,
        "branch": 1,
        "branch-taken": 1,
        "jump": 2,
        "csr": 1,
        "fence": 1,
        "amo": 3,
        "system": 2,
        "fence-i": 1,  # as fence
        "vector": 1,
        # No waits beyond these.
        "load-use": 0,
        "mul-use": 0,
        "mul-per-bit": 0,
        "fetch": 0,
        "fetch-redirect": 0,
        "instruction-waits": 0,
        "data-waits": 0,
        "taken-fetches": 0,
        "split-target": 0,
        "split-again": 0,
        "unit-port": 0,
    }
    assert machine.core.latency["branch-taken"] == 1
    assert "not measured" in machine.source


def test_no_two_machines_share_a_fingerprint() -> None:
    prints = {load_architecture(name).fingerprint for name in list_architectures()}
    assert len(prints) == len(list_architectures())


def test_the_fingerprint_follows_every_value() -> None:
    plain = load_architecture("t13-simd4")
    changed = load_architecture("t13-simd4", ["core.quirks.trap_sets_mpie=false"])
    assert plain.fingerprint != changed.fingerprint
    same = load_architecture("t13-simd4", ["core.harts=3", "vcu.scratchpads.size=4096 B"])
    assert plain.fingerprint == same.fingerprint


def test_a_machine_is_frozen() -> None:
    machine = load_architecture("t13")
    with pytest.raises(ValueError, match="frozen"):
        machine.core.harts = 4  # type: ignore[misc]
    assert hash(machine) == hash(load_architecture("t13"))
