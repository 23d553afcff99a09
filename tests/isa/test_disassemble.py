"""The text of every instruction: against GNU objdump, and back through the assembler."""

from __future__ import annotations

import random
import re
import shutil
import struct
import subprocess
from typing import TYPE_CHECKING

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from gnomon.base.errors import GnomonError
from gnomon.isa import INSTRUCTIONS, assemble, disassemble, encode
from tests.conftest import absent

if TYPE_CHECKING:
    from pathlib import Path

OBJDUMPS = (
    "riscv64-unknown-elf-objdump",
    "riscv32-unknown-elf-objdump",
    "riscv64-linux-gnu-objdump",
)
OBJDUMP = next((path for name in OBJDUMPS if (path := shutil.which(name))), None)
WORDS_PER_INSTRUCTION = 100
# CSRs that objdump and T13x call the same, and two that neither names.
SHARED_CSRS = (0x300, 0x305, 0x341, 0x342, 0x344, 0xB00, 0xB02, 0xB03, 0xB80, 0xF14, 0x8C1, 0xBC7)


def _random_words() -> list[int]:
    generator = random.Random(11)
    words = []
    for row in INSTRUCTIONS:
        if row.format in ("kmem", "kdsp"):
            continue  # objdump does not know them
        for _ in range(WORDS_PER_INSTRUCTION):
            word = generator.getrandbits(32) & ~row.mask | row.match
            if row.format in ("csr", "csri"):
                word = word & 0xFFFFF | generator.choice(SHARED_CSRS) << 20
            if row.format == "fence" and generator.random() < 0.7:
                word &= 0x0FF0707F  # mostly without the reserved bits
            words.append(word)
    return [*words, encode("fence", imm=0x833)]


def _objdump(words: list[int], folder: Path) -> list[str]:
    """Return the text of each word, without its comment."""
    if OBJDUMP is None:
        absent("RISC-V objdump: not found; install: sudo apt-get install gcc-riscv64-unknown-elf")
    image = folder / "words.bin"
    image.write_bytes(struct.pack(f"<{len(words)}I", *words))
    command = [
        OBJDUMP,
        "-D",
        "-z",
        "-b",
        "binary",
        "-m",
        "riscv:rv32",
        "-M",
        "no-aliases",
        str(image),
    ]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    texts = re.findall(r"^\s*[0-9a-f]+:\t[0-9a-f]+\s*\t(.*)$", output, re.MULTILINE)
    return [text.split("#")[0].split("<")[0].replace("\t", " ").strip() for text in texts]


def test_same_text_as_objdump(tmp_path: Path) -> None:
    words = _random_words()
    theirs = _objdump(words, tmp_path)
    assert len(theirs) == len(words)
    different = []
    for index, (word, text) in enumerate(zip(words, theirs, strict=True)):
        ours = disassemble(word, 4 * index).split(" #")[0]
        # Data has had several names: .4byte 0x..., .insn 4, 0x...
        data = re.fullmatch(r"\.(?:4byte|word|insn 4,) ?(0x[0-9a-f]+)", text)
        if ours != (f".word {int(data[1], 16):#010x}" if data else text):
            different.append((hex(word), text, ours))
    assert different == []


@settings(derandomize=True, deadline=None, max_examples=400)
@given(st.integers(0, 2**32 - 1), st.sampled_from((None, *INSTRUCTIONS)), st.integers(0, 2**30 - 1))
def test_text_assembles_to_the_same_word(word: int, row: object, slot: int) -> None:
    if row is not None:
        word = word & ~row.mask & 0xFFFFFFFF | row.match  # type: ignore[attr-defined]
    assume(word > 0xFFFF or word & 3 == 3)  # those of 16 bits: test_compressed.py
    assert assemble(disassemble(word, 4 * slot), base=4 * slot) == [word]


@pytest.mark.parametrize(
    ("word", "pc", "text"),
    [
        (encode("kaddv", rd=10, rs1=11, rs2=12), 0, "kaddv a0,a1,a2"),
        (encode("krelu", rd=10, rs1=11), 0, "krelu a0,a1"),
        (encode("krelu", rd=10, rs1=11, rs2=3), 0, ".word 0x3035a52b # krelu a0,a1"),
        (0x027302AB, 0, ".word 0x027302ab # kaddv t0,t1,t2"),
        (encode("kmemld", rd=5, rs1=6, rs2=7), 0, "kmemld t0,t1,t2"),
        (encode("csrrw", rs1=10, csr=0xBF0), 0, "csrrw zero,mvsize,a0"),
        (encode("csrrsi", rd=1, imm=3, csr=0x123), 0, "csrrsi ra,0x123,3"),
        (encode("jal", rd=1, imm=-8), 4, "jal ra,0xfffffffc"),
        (encode("amoswap.w", rd=1, rs1=2, rs2=3, imm=3), 0, "amoswap.w.aqrl ra,gp,(sp)"),
        (0, 0, ".word 0x00000000"),
    ],
)
def test_text(word: int, pc: int, text: str) -> None:
    assert disassemble(word, pc) == text


def test_a_word_has_32_bits() -> None:
    with pytest.raises(GnomonError) as error:
        disassemble(-1)
    assert str(error.value) == "an instruction word must be 0 to 0xffffffff, not -0x1"
