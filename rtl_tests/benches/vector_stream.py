"""Streams of vector instructions: their elements, random ones, directed ones.

A stream starts by filling every scratchpad from memory, so it is self-contained. Gaps
are cycles between the earliest possible issue and the issue.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from gnomon.arch.keys import key_paths
from gnomon.isa import INSTRUCTIONS, Instruction
from gnomon.rtl.bare_metal import DATA_BASE as MEMORY_BASE
from gnomon.rtl.bare_metal import SPM_BASE

ROWS: dict[str, Instruction] = {
    row.mnemonic: row for row in INSTRUCTIONS if row.extension in {"kmem", "kdsp"}
}
VECTORS = tuple(name for name, row in ROWS.items() if row.extension == "kdsp")
TRANSFERS = tuple(name for name, row in ROWS.items() if row.extension == "kmem")
REDUCTIONS = frozenset(name for name in VECTORS if ROWS[name].rd == "spm_word")
BITS = {0: 8, 1: 16, 2: 32}
_ILLEGAL_VECTOR, _ILLEGAL_TRANSFER = 3, 5  # illegal funct7


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """Build configuration: a shared unit has one accelerator, a replicated one has one per hart."""

    simd: int
    accelerators: int = 1
    spm_count: int = 4
    spm_bytes: int = 256

    @property
    def parameters(self) -> dict[str, int]:
        """Parameters as the design names them."""
        return {
            "SIMD": self.simd,
            "ACCELERATORS": self.accelerators,
            "SPM_COUNT": self.spm_count,
            "SPM_BYTES": self.spm_bytes,
            "MEMORY_WORDS": self.memory_bytes // 4,
        }

    @property
    def memory_bytes(self) -> int:
        """Bytes of the bench's data memory: four times those of the scratchpads."""
        return 4 * self.spm_count * self.spm_bytes

    @property
    def overrides(self) -> list[str]:
        """Overrides of t13-simd1 for ``gnomon run --set``."""
        return [
            f"vcu.simd={self.simd}",
            f"vcu.sharing={'shared' if self.accelerators == 1 else 'replicated'}",
            f"vcu.scratchpads.count={self.spm_count}",
            f"vcu.scratchpads.size={self.spm_bytes} B",
            *(f"{path}=false" for path in key_paths() if path.startswith("vcu.quirks.")),
        ]

    def accelerator(self, hart: int) -> int:
        """Return the accelerator that executes a hart's instructions."""
        return 0 if self.accelerators == 1 else hart

    def spm(self, pad: int, offset: int = 0) -> int:
        """Return an address in a scratchpad."""
        return SPM_BASE + pad * self.spm_bytes + offset


@dataclass(frozen=True, slots=True, kw_only=True)
class Issue:
    """One instruction with its register values and the settings of its hart.

    ``name`` is None for an illegal encoding. ``gap`` is the number of cycles after the
    core's first possible issue; -1: in the first cycle after the last busy one.
    """

    name: str | None
    rd: int = 0
    rs1: int = 0
    rs2: int = 0
    mvsize: int = 0
    mvtype: int = 2
    mpsclfac: int = 0
    hart: int = 0
    gap: int = 0
    transfer: bool = False

    @property
    def funct7(self) -> int:
        """Bits that distinguish instructions of one opcode."""
        if self.name is None:
            return _ILLEGAL_TRANSFER if self.transfer else _ILLEGAL_VECTOR
        return ROWS[self.name].match >> 25


@dataclass(frozen=True, slots=True)
class Stream:
    """Initial memory, and issued instructions."""

    memory: tuple[int, ...]
    issues: tuple[Issue, ...]

    def to_json(self) -> dict[str, Any]:
        """Return JSON-compatible data."""
        return {"memory": list(self.memory), "issues": [asdict(issue) for issue in self.issues]}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Stream:
        """Read JSON-compatible data."""
        return cls(tuple(data["memory"]), tuple(Issue(**issue) for issue in data["issues"]))


def beat_bytes(config: Config, name: str, mvtype: int) -> int:
    """Return the bytes of the vector that the unit processes per cycle."""
    row = ROWS[name]
    if row.extension == "kmem":
        return 4
    halves = mvtype == 0 and (name in REDUCTIONS or "mul" in name)
    return config.simd * (2 if halves else 4)


def prelude(config: Config) -> list[Issue]:
    """Fill every scratchpad of every accelerator with the first words of memory."""
    name = "kmemld" if config.accelerators == 1 else "kbcastld"
    return [
        Issue(
            name=name, transfer=True, rd=config.spm(pad), rs2=config.spm_bytes,
            rs1=MEMORY_BASE + pad * config.spm_bytes,
        )
        for pad in range(config.spm_count)
    ]  # fmt: skip


_EDGES = (
    0, 1, 0xFFFF_FFFF, 0x7FFF_FFFF, 0x8000_0000, 0x7FFF_7FFF, 0x8000_8000, 0x7F7F_7F7F,
    0x8080_8080, 0xFFFF_0000, 0x0000_FFFF, 0x00FF_00FF, 0x8000_7FFF,
)  # fmt: skip


def random_word(rng: random.Random) -> int:
    """Sample any word, but often an edge or a small number."""
    kind = rng.random()
    if kind < 0.25:
        return rng.choice(_EDGES)
    if kind < 0.4:
        return rng.getrandbits(8)
    return rng.getrandbits(32)


def random_memory(config: Config, rng: random.Random) -> tuple[int, ...]:
    """Sample words for the scratchpads, and 64 more."""
    return tuple(random_word(rng) for _ in range(config.spm_count * config.spm_bytes // 4 + 64))


def random_stream(config: Config, rng: random.Random, length: int) -> Stream:
    """Sample a prelude and ``length`` instructions, one in twenty of them spoilt."""
    issues = prelude(config)
    while len(issues) < config.spm_count + length:
        issue = random_issue(config, rng)
        issues.append(_spoilt(issue, config, rng) if rng.random() < 0.05 else issue)
    return Stream(random_memory(config, rng), tuple(issues))


def random_issue(config: Config, rng: random.Random) -> Issue:
    """Sample one instruction that passes all checks and whose outcome the rules define."""
    hart = rng.randrange(max(config.accelerators, 3))
    gap = rng.choice((-1, 0, 0, 0, 1, 1, 2, 3, rng.randrange(24)))
    if rng.random() < 0.25:
        return _random_transfer(config, rng, hart, gap)
    return random_vector(config, rng, rng.choice(VECTORS), rng.randrange(3), hart=hart, gap=gap)


def random_bytes(config: Config, rng: random.Random, unit: int) -> int:
    """Sample a length in bytes: short, near whole beats, or anything up to a scratchpad."""
    kind = rng.random()
    if kind < 0.3:
        count = rng.randint(1, 4 * config.simd)
    elif kind < 0.75:
        count = rng.randint(1, 6) * 4 * config.simd + rng.choice((0, 0, -4, -2, -1, 1, 2, 4))
    elif kind < 0.97:
        count = rng.randint(1, config.spm_bytes)
    else:
        count = config.spm_bytes
    return max(unit, min(count, config.spm_bytes) // unit * unit)


def random_vector(
    config: Config,
    rng: random.Random,
    name: str,
    mvtype: int,
    *,
    hart: int = 0,
    gap: int = 0,
    size_bytes: int | None = None,
) -> Issue:
    """Sample a vector instruction with random places, scalars and length."""
    row = ROWS[name]
    size = random_bytes(config, rng, BITS[mvtype] // 8) if size_bytes is None else size_bytes
    words = config.spm_bytes // 4
    room = words - (size + 3) // 4

    def offset() -> int:
        return 4 * (rng.choice((0, room)) if rng.random() < 0.2 else rng.randint(0, room))

    pads = list(range(config.spm_count))
    a = rng.choice(pads)
    b = rng.choice([pad for pad in pads if pad != a])
    rs1 = config.spm(a, offset())
    rs2 = config.spm(b, offset()) if row.rs2 == "spm_vector" else rng.getrandbits(32)
    if row.rs2 == "spm_scalar":
        rs2 = config.spm(b, 4 * rng.randrange(words))
    elif row.rs2 == "register_scalar":
        rs2 = random_word(rng)
    elif row.rs2 == "shift_amount":
        rs2 = rng.randrange(32) if rng.random() < 0.8 else rng.getrandbits(32)
    if row.rs1 == "register_scalar":
        rs1 = random_word(rng)
    kind = rng.random()
    if kind < 0.15 and row.rs1 == "spm_vector":
        rd = rs1
    elif kind < 0.25 and row.rs2 == "spm_vector":
        rd = rs2
    elif kind < 0.25 and row.rs2 == "spm_scalar":  # often over the scalar
        near = (rs2 - SPM_BASE) % config.spm_bytes - 4 * rng.randint(0, 8)
        rd = config.spm(b, min(max(near, 0), 4 * room))
    elif kind < 0.5:  # in the scratchpad of rs1, often overlapping it
        near = (rs1 - SPM_BASE) % config.spm_bytes + 4 * rng.randint(-8, 8)
        rd = config.spm(a, min(max(near, 0), 4 * room) // 4 * 4)
    elif name in REDUCTIONS:
        rd = config.spm(rng.choice(pads), 4 * rng.randrange(words))
    else:
        rd = config.spm(rng.choice(pads), offset())
    return Issue(
        name=name, rd=rd, rs1=rs1, rs2=rs2, mvsize=size, mvtype=mvtype,
        mpsclfac=rng.randrange(32), hart=hart, gap=gap,
    )  # fmt: skip


def _random_transfer(config: Config, rng: random.Random, hart: int, gap: int) -> Issue:
    name = rng.choice(TRANSFERS)
    size = random_bytes(config, rng, 1)
    room = (config.spm_bytes - 4 * ((size + 3) // 4)) // 4
    local = config.spm(rng.randrange(config.spm_count), 4 * rng.randint(0, max(room, 0)))
    memory = MEMORY_BASE + 4 * rng.randrange((config.memory_bytes - config.spm_bytes) // 4 - 1)
    if rng.random() < 0.5:  # the initial data, not zeros
        memory = MEMORY_BASE + 4 * rng.randrange(config.spm_bytes // 4)
    rd, rs1 = (memory, local) if name == "kmemstr" else (local, memory)
    return Issue(
        name=name, rd=rd, rs1=rs1, rs2=size | rng.choice((0, 0, 2 * config.spm_bytes)),
        hart=hart, gap=gap, transfer=True,
    )  # fmt: skip


def _spoilt(issue: Issue, config: Config, rng: random.Random) -> Issue:
    """Return the instruction with an error in it, or with a length of 0. It may still pass."""
    outside = rng.choice((SPM_BASE - 4, config.spm(config.spm_count), MEMORY_BASE))
    end = config.spm_bytes - 4
    in_pads = ["rd", "rs1"]
    spoils = [replace(issue, name=None)]
    if issue.transfer:
        memory = "rd" if issue.name == "kmemstr" else "rs1"
        in_pads.remove(memory)
        spoils += [replace(issue, rs2=0), replace(issue, **{memory: getattr(issue, memory) + 1})]
    else:
        spoils += [replace(issue, mvsize=0), replace(issue, mvsize=issue.mvsize | 1)]
    for field in in_pads:
        last_word = getattr(issue, field) & ~(config.spm_bytes - 1) | end
        spoils += [replace(issue, **{field: outside}), replace(issue, **{field: last_word})]
    if not issue.transfer and issue.name is not None and ROWS[issue.name].rs2 == "spm_vector":
        spoils += [replace(issue, rs2=issue.rs1), replace(issue, rs2=outside)]
        spoils.append(replace(issue, rs2=issue.rs2 & ~(config.spm_bytes - 1) | end))
    return rng.choice(spoils)


def directed_streams(config: Config, rng: random.Random) -> list[Stream]:
    """Return every instruction x width x length class, alone and after transfers of operands."""
    streams = []
    for name in VECTORS:
        for mvtype, bits in BITS.items():
            issues = prelude(config)
            unit, beat = bits // 8, beat_bytes(config, name, mvtype)
            lengths = (1, 2, 4, beat - 1, beat, beat + 1, beat + 4, 3 * beat, 3 * beat + 2,
                       5 * beat + 4)  # fmt: skip
            for length in dict.fromkeys(max(unit, n // unit * unit) for n in lengths):
                vector = random_vector(config, rng, name, mvtype, size_bytes=length)
                issues += [vector, *_behind_transfers(config, vector, rng)]
            issues.append(random_vector(config, rng, name, mvtype, size_bytes=config.spm_bytes))
            streams.append(Stream(random_memory(config, rng), tuple(issues)))
    return [*streams, _refusals(config, rng)]


def _refusals(config: Config, rng: random.Random) -> Stream:
    """Return each check alone, at its limit: last value that passes, first value that fails."""
    beyond, end, size = config.spm(config.spm_count), config.spm_bytes, 16
    fits = {"rd": config.spm(2), "rs1": config.spm(0), "rs2": config.spm(1), "mvsize": size}
    issues = [Issue(name=None), Issue(name=None, transfer=True)]
    for name in VECTORS:
        row, good = ROWS[name], Issue(name=name, **fits)
        issues += [good, replace(good, mvsize=0, rd=0, rs1=0, rs2=0)]
        issues += [replace(good, mvsize=n, mvtype=t) for n in (13, 14, 15) for t in (1, 2)]
        for field in ("rd", "rs1", "rs2"):
            if getattr(row, field) not in {"spm_vector", "spm_word"}:
                continue
            pad = {"rd": 2, "rs1": 0, "rs2": 1}[field]
            for address in (SPM_BASE - 4, beyond, beyond - size, 0, config.spm(pad, end - size),
                            config.spm(pad, end - size + 4)):  # fmt: skip
                issues.append(replace(good, **{field: address}))
        issues.append(replace(good, rs2=fits["rs1"] + 64))
    for name in TRANSFERS:
        local, memory = ("rs1", "rd") if name == "kmemstr" else ("rd", "rs1")
        good = Issue(
            name=name, transfer=True, rs2=size, **{local: config.spm(3), memory: MEMORY_BASE}
        )
        issues += [good, replace(good, rs2=0), replace(good, rs2=2 * config.spm_bytes)]
        issues += [replace(good, **{memory: MEMORY_BASE + k}) for k in (1, 2, 3)]
        for address in (
            SPM_BASE - 4,
            beyond,
            0,
            config.spm(3, end - size),
            config.spm(3, end - size + 4),
        ):
            issues.append(replace(good, **{local: address}))
    decided = [issue for issue in issues if not _undecided(issue, config)]
    return Stream(random_memory(config, rng), (*prelude(config), *decided))


def _undecided(issue: Issue, config: Config) -> bool:
    # No rule reads a scalar outside the scratchpads, nor one next to the vector.
    if issue.name is None or ROWS[issue.name].rs2 != "spm_scalar":
        return False
    pads = [(address - SPM_BASE) // config.spm_bytes for address in (issue.rs1, issue.rs2)]
    return pads[0] == pads[1] or not 0 <= pads[1] < config.spm_count


def _behind_transfers(config: Config, vector: Issue, rng: random.Random) -> list[Issue]:
    pads = [
        (address - SPM_BASE) // config.spm_bytes
        for address in (rng.choice((vector.rd, vector.rs1)), vector.rs2)
    ]
    known = [pad for pad in pads if 0 <= pad < config.spm_count]
    pad = rng.choice(known) if known else 0
    size = 4 * rng.randint(1, config.spm_bytes // 16)
    name = rng.choice(("kmemld", "kmemstr"))
    local, memory = config.spm(pad), MEMORY_BASE + 4 * rng.randrange(16)
    rd, rs1 = (memory, local) if name == "kmemstr" else (local, memory)
    return [
        Issue(name=name, rd=rd, rs1=rs1, rs2=size, transfer=True),
        replace(vector, gap=rng.randrange(6)),
    ]


def shown(issues: Sequence[Issue]) -> str:
    """Return one line per instruction, for messages."""
    return "\n".join(
        f"hart {i.hart} +{i.gap}: {i.name} rd={i.rd:#x} rs1={i.rs1:#x} rs2={i.rs2:#x} "
        f"mvsize={i.mvsize} bits={BITS.get(i.mvtype)} mpsclfac={i.mpsclfac}"
        for i in issues
    )
