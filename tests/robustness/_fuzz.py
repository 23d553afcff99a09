"""Damaged reference programs, the same ones for the same seed, and what became of each."""

from __future__ import annotations

import functools
import random
import struct
from pathlib import Path

from gnomon.arch import Architecture, load_architecture
from gnomon.base.errors import GnomonError
from gnomon.isa import INSTRUCTIONS, encode
from gnomon.program import load_elf
from gnomon.sim import simulate

PROGRAMS = Path(__file__).parent.parent / "reference" / "t13x" / "programs"
MAX_CYCLES = 20_000
KINDS = ("bits", "words", "header", "vector", "truncated")
_REFUSED = "refused"
_PT_LOAD = 1
_OPCODES = (0x0B, 0x2B, 0x2B, 0x2B, 0x73, 0x2F, 0x03, 0x23, 0x63, 0x6F, 0x67, 0x33, 0x13)
_VECTOR_WORDS = tuple(encode(row.mnemonic) for row in INSTRUCTIONS if row.format == "kdsp")


@functools.cache
def _programs() -> tuple[bytes, ...]:
    return tuple(path.read_bytes() for path in sorted(PROGRAMS.glob("*.elf")))


@functools.cache
def _machines() -> tuple[Architecture, ...]:
    public = (
        load_architecture("t13-simd2", [f"vcu.sharing={sharing}", f"core.superscalar={together}"])
        for together in ("true", "false")
        for sharing in ("shared", "replicated", "multithreaded")
    )
    dividing = (
        load_architecture("t13-paper-simd2", [f"vcu.sharing={sharing}"])
        for sharing in ("shared", "multithreaded")
    )
    return (*public, *dividing)


def _loaded(elf: bytes) -> list[tuple[int, int]]:
    """Offset and size of what the file puts into memory."""
    (table,) = struct.unpack_from("<I", elf, 28)
    (count,) = struct.unpack_from("<H", elf, 44)
    headers = (struct.unpack_from("<8I", elf, table + 32 * index) for index in range(count))
    return [(header[1], header[4]) for header in headers if header[0] == _PT_LOAD and header[4]]


def _word(rng: random.Random) -> int:
    """A random word, or one that has a legal opcode and so a better chance to do something."""
    word = rng.getrandbits(32)
    return word if rng.random() < 0.3 else word & ~0x7F | rng.choice(_OPCODES)


def _vector_word(rng: random.Random) -> int:
    registers = (rng.randrange(32) << 20) | (rng.randrange(32) << 15) | (rng.randrange(32) << 7)
    if rng.random() < 0.3:
        return (rng.randrange(3) << 25) | registers | 0x0B
    return rng.choice(_VECTOR_WORDS) | registers


def damaged(seed: int) -> bytes:
    """A reference program, damaged in the way of ``KINDS[seed % 5]``."""
    rng = random.Random(seed)
    elf = bytearray(rng.choice(_programs()))
    loaded = _loaded(elf)
    kind = KINDS[seed % len(KINDS)]
    if kind == "bits":
        for _ in range(rng.randint(1, 30)):
            offset, size = rng.choice(loaded)
            elf[offset + rng.randrange(size)] ^= 1 << rng.randrange(8)
    elif kind == "words":
        for _ in range(rng.randint(1, 30)):
            offset, size = loaded[0]
            struct.pack_into("<I", elf, offset + 4 * rng.randrange(size // 4), _word(rng))
    elif kind == "header":
        for _ in range(rng.randint(1, 3)):
            elf[rng.randrange(16, 52 + 3 * 32)] = rng.randrange(256)
    elif kind == "vector":
        # Vector instructions in all places, on whatever the registers hold.
        offset, size = loaded[0]
        for _ in range(rng.randint(1, 60)):
            struct.pack_into("<I", elf, offset + 4 * rng.randrange(size // 4), _vector_word(rng))
    else:
        del elf[rng.randrange(len(elf)) :]
    return bytes(elf)


def machine_of(seed: int) -> Architecture:
    """The machine for a seed; they take turns within each kind of damage."""
    return _machines()[seed // len(KINDS) % len(_machines())]


def end_of(seed: int) -> str:
    """How the run of a damaged program ends; an exception other than GnomonError passes on."""
    try:
        run = simulate(
            load_elf(damaged(seed)), machine_of(seed), max_cycles=MAX_CYCLES, trace=seed % 7 == 0
        )
    except GnomonError as error:
        return _REFUSED if "\n" not in str(error) else f"several lines: {error}"
    assert run.halted in ("exit", "max-cycles", "hang", "fault")
    assert (run.halted == "exit") == (run.exit_code is not None) == (not run.reason)
    assert sum(run.counters.values()) == run.wall_cycles <= MAX_CYCLES
    return run.halted
