"""A stream as a program: what the simulator prints is what the last instruction left."""

from __future__ import annotations

import random
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gnomon.arch import load_architecture
from gnomon.program import load_elf
from gnomon.sim import simulate
from rtl_tests.benches.vector_design import write_program
from rtl_tests.benches.vector_stream import (
    MEMORY_BASE,
    Config,
    Issue,
    Stream,
    prelude,
    random_memory,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

CONFIG = Config(simd=1)
WORDS = 64  # of a scratchpad
MEMORY = random_memory(CONFIG, random.Random(1))


def printed(last: Sequence[Issue], folder: Path) -> list[int]:
    stream = Stream(MEMORY, (*prelude(CONFIG), *last))
    command = shlex.split(write_program(stream, CONFIG, folder))
    assert command[:2] == ["gnomon", "run"]
    overrides = [command[k + 1] for k, word in enumerate(command) if word == "--set"]
    architecture = load_architecture("t13-simd1", overrides=overrides)
    run = simulate(load_elf(Path(command[2]).read_bytes()), architecture, max_cycles=100_000)
    assert run.halted == "exit"
    return [word & 0xFFFF_FFFF for word in run.printed]


def bytes_of(pad: int, count: int) -> bytes:
    words = MEMORY[WORDS * pad : WORDS * pad + (count + 3) // 4]
    return b"".join(word.to_bytes(4, "little") for word in words)


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 6, 7, 8])
def test_one_lane_of_byte_products_as_meant(size: int, tmp_path: Path) -> None:
    """Two bytes a beat: the half of the last word that no beat reaches stays as it was."""
    product = Issue(
        name="kvmul", rd=CONFIG.spm(2), rs1=CONFIG.spm(0), rs2=CONFIG.spm(1),
        mvsize=size, mvtype=0,
    )  # fmt: skip
    reached = size + size % 2
    a, b, kept = bytes_of(0, size), bytes_of(1, size), bytes_of(2, size)
    expected = bytes(
        x * y & 0xFF if k < reached else old
        for k, (x, y, old) in enumerate(zip(a, b, kept, strict=True))
    )
    words = [int.from_bytes(expected[k : k + 4], "little") for k in range(0, len(expected), 4)]
    assert printed([product], tmp_path) == words


def test_a_refused_instruction_is_passed_over(tmp_path: Path) -> None:
    refused = Issue(name="kaddv", rd=0, rs1=CONFIG.spm(0), rs2=CONFIG.spm(1), mvsize=4)
    copy = Issue(name="kvcp", rd=CONFIG.spm(3), rs1=CONFIG.spm(0), mvsize=8)
    assert printed([refused, copy], tmp_path) == list(MEMORY[:2])


def test_a_transfer_shows_the_words_it_loaded(tmp_path: Path) -> None:
    load = Issue(name="kmemld", transfer=True, rd=CONFIG.spm(1), rs1=MEMORY_BASE + 40, rs2=9)
    assert printed([load], tmp_path) == list(MEMORY[10:13])
