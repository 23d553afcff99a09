"""minstret of the Klessydra Morph while another hart writes its own.

Source: docs/notes/klessydra.md, from programs in lock-step with the public RTL.
"""

from __future__ import annotations

import struct

import pytest

from gnomon.arch import load_architecture
from gnomon.isa import assemble
from gnomon.program import load_elf
from gnomon.sim import simulate
from tests.exactness._elf_writer import write_elf

_DATA, _HARTS = 0x0010_0000, 3


def _counted(machine: str, writer: int, csr: str) -> list[int]:
    """Return by how much minstret of each hart advances while one of them writes a CSR."""
    text = f"""
        li t0, 2
        csrw 0x7A0, t0
        csrr s0, mhartid
        li s1, {writer}
        slli t1, s0, 2
        li t2, {_DATA}
        add t2, t2, t1
        csrr s2, minstret
        bne s0, s1, others
        csrw {csr}, x0
        j show
    others:
        nop
        j show
    show:
        csrr s3, minstret
        sub s3, s3, s2
        sw s3, 0(t2)
        li t4, 0x1A10FFF0
        nop
        nop
        bne s0, x0, park
        sw x0, 0(t4)
    park:
        j park
    """
    program = b"".join(struct.pack("<I", word) for word in assemble(text, base=0x80))
    elf = load_elf(write_elf([(0x80, program), (_DATA, bytes(4 * _HARTS))]))
    run = simulate(elf, load_architecture(machine), max_cycles=10_000)
    assert run.halted == "exit", run.reason
    return list(struct.unpack_from(f"<{_HARTS}i", run.data_memory))


@pytest.mark.parametrize("writer", range(_HARTS))
@pytest.mark.parametrize(("machine", "missed"), [("morph", 1), ("t13", 0)])
def test_the_other_harts_do_not_count_a_write_to_minstret(
    machine: str, missed: int, writer: int
) -> None:
    """On Morph alone, where count_all lets each hart count the instructions of all."""
    plain, written = (_counted(machine, writer, csr) for csr in ("mepc", "minstret"))
    others = [hart for hart in range(_HARTS) if hart != writer]
    assert [plain[hart] - written[hart] for hart in others] == [missed] * len(others)
    assert all(count > _HARTS for count in plain), "each counts while the others write"
