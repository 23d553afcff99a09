"""Every 16-bit word against GNU objdump: whether it is an instruction, and what it stands for."""

from __future__ import annotations

import re
import shutil
import struct
import subprocess
from typing import TYPE_CHECKING

from gnomon.isa import disassemble
from gnomon.isa._compressed import expand
from tests.conftest import absent

if TYPE_CHECKING:
    from pathlib import Path

OBJDUMP = shutil.which("riscv64-unknown-elf-objdump") or shutil.which("riscv64-linux-gnu-objdump")
HALFWORDS = [halfword for halfword in range(2**16) if halfword & 3 != 3]
NONE = re.compile(r"unimp|\.2byte|\.insn|0x|(c\.)?f[ls][wd]")  # with those of F and D
HINT = re.compile(r"c\.(nop|slli|srli|srai|li|lui|mv|add|slli64|srli64|srai64)\b")


def _texts(slots: list[bytes], folder: Path, *options: str) -> list[str]:
    """Return what objdump reads at the start of each slot of 4 bytes."""
    image = folder / "slots.bin"
    image.write_bytes(b"".join(slots))
    if OBJDUMP is None:
        absent("RISC-V objdump: not found; install: sudo apt-get install gcc-riscv64-unknown-elf")
    command = [OBJDUMP, "-D", "-z", "-b", "binary", "-m", "riscv:rv32", *options, str(image)]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    lines = re.findall(r"^\s*([0-9a-f]+):\t[0-9a-f]+\s*\t(.*)$", output, re.MULTILINE)
    found = {int(at, 16): " ".join(text.split("#")[0].split()) for at, text in lines}
    return [found[4 * index] for index in range(len(slots))]


def _reserved(halfword: int) -> bool:
    """Say whether RV32C reserves what objdump shows: shifts by 32 and more, c.addi16sp by 0."""
    left = halfword & 0xE003 == 0x0002
    right = halfword & 0xE803 == 0x8001
    return halfword == 0x6101 or (bool(halfword & 0x1000) and (left or right))


def _plain(text: str) -> str:
    """One spelling of a move, which objdump shows by how it is encoded."""
    text = re.sub(r"^add (\w+),zero,(\w+)$", r"mv \1,\2", text)
    return re.sub(r"^add (\w+),(\w+),0$", r"mv \1,\2", text)


def test_all_halfwords_as_objdump(tmp_path: Path) -> None:
    theirs = _texts([struct.pack("<HH", halfword, 1) for halfword in HALFWORDS], tmp_path)
    expansions = [expand(halfword) for halfword in HALFWORDS]
    words = [0x13 if expansion is None else expansion for expansion in expansions]
    ours = _texts([struct.pack("<I", word) for word in words], tmp_path)
    different = []
    for halfword, text, expansion, word_text in zip(
        HALFWORDS, theirs, expansions, ours, strict=True
    ):
        legal = not NONE.match(text) and not _reserved(halfword)
        same = _plain(text) == _plain(word_text) or HINT.match(text)
        if legal != (expansion is not None) or (legal and not same):
            different.append((hex(halfword), text, expansion, word_text))
    assert different == []


def test_texts_are_those_of_objdump(tmp_path: Path) -> None:
    theirs = _texts([struct.pack("<HH", each, 1) for each in HALFWORDS], tmp_path, "-Mno-aliases")
    different = []
    for place, (halfword, text) in enumerate(zip(HALFWORDS, theirs, strict=True)):
        ours = disassemble(halfword, 4 * place)
        # Shifts by 0 have names of their own for RV128.
        if expand(halfword) is not None and ours != text and "64" not in text:
            different.append((hex(halfword), text, ours))
    assert different == []


def test_words_of_32_bits_are_none() -> None:
    assert all(expand(halfword) is None for halfword in range(3, 2**16, 4))
