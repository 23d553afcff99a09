"""Marginal costs of instructions: paired loops that differ in nothing but the instruction.

Both loops of a pair have the same registers, operands and number of instructions. Their difference
in energy, divided by the number of instructions, is the marginal cost of one over the other; by
unit it says which part of the netlist takes it.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from gnomon.calibrate.energy_programs import raw_program
from gnomon.cost.energy.gate_fit import CYCLE, count_term
from gnomon.gates.measured import GateMeter
from gnomon.isa import CSR_ADDRESS, encode, list_instructions
from gnomon.rtl.bare_metal import SPM_BASE

Prices = Mapping[str, Mapping[str, float]]
"""pJ by unit and term."""

if TYPE_CHECKING:
    from gnomon.arch import Architecture
    from gnomon.cost.energy import GateTable
    from gnomon.gates.flow import GateMachine, Row
    from gnomon.program import Program
    from gnomon.sim import Work

_BODY: Final = 16  # instructions of a loop
_ROUNDS: Final = 16
_FEW_ROUNDS: Final = 4  # of divisions
_DATA, _TEMPORARY, _COUNT = 8, 5, 20
_SOURCES: Final = (6, 7, 9, 10, 11, 12, 13, 14)
_RESULTS: Final = (15, 16, 17, 18, 19, 21)
_WORDS: Final = 8  # of data memory that loads read
_VECTOR_BODY: Final = 4
_VECTOR_BYTES: Final = 64
_PADS: Final = 4
WINDOW_CYCLES: Final = 64
"""Of the windows of cached energies."""
_FORMATS: Final = {row.mnemonic: row.format for row in list_instructions(("I", "M"))}


@dataclass(frozen=True, slots=True)
class Side:
    """A loop of one instruction; ``zero``: operands are 0, not dense."""

    mnemonic: str
    zero: bool = False

    def __str__(self) -> str:
        taken = {"beq": "branch taken", "bne": "branch not taken"}
        return taken.get(self.mnemonic, self.mnemonic) + (" of zeros" if self.zero else "")

    @property
    def is_vector(self) -> bool:
        """Whether it needs a vector unit."""
        return self.mnemonic[0] == "k"


@dataclass(frozen=True, slots=True)
class Pair:
    """Two loops; the first one has the cost of interest."""

    more: Side
    less: Side

    def __str__(self) -> str:
        return f"{self.more} over {self.less}"

    @property
    def is_vector(self) -> bool:
        """Whether it needs a vector unit."""
        return self.more.is_vector or self.less.is_vector

    @property
    def rounds(self) -> int:
        """Rounds of both loops."""
        return _FEW_ROUNDS if self.more.mnemonic == "div" else _ROUNDS


PAIRS: Final = (
    *(Pair(Side(more), Side(less)) for more, less in (
        ("mul", "add"), ("mulhu", "mul"), ("div", "add"), ("sll", "add"), ("lw", "add"),
        ("lbu", "lw"), ("sw", "add"), ("beq", "bne"), ("jal", "addi"),
    )),
    Pair(Side("add"), Side("add", zero=True)),
    Pair(Side("kvmul"), Side("kaddv")),
    Pair(Side("kdotp"), Side("kvmul")),
)  # fmt: skip
"""Branches compare a register with itself: ``beq`` is taken, ``bne`` is not, and both continue at
the next instruction."""


@dataclass(frozen=True, slots=True, eq=False)
class Loop:
    """A loop of one side, and how often its instruction is executed."""

    side: Side
    program: Program
    executed: int


def list_pairs(isa: str, *, vector: bool) -> tuple[Pair, ...]:
    """Return the pairs that a core with an ISA can run."""
    has_m = "m" in isa.partition("_")[0][4:]
    of_m = {name for name in _FORMATS if name.startswith(("mul", "div", "rem"))}
    return tuple(pair for pair in PAIRS
                 if (vector or not pair.is_vector)
                 and (has_m or not {pair.more.mnemonic, pair.less.mnemonic} & of_m))  # fmt: skip


def build_loop(
    side: Side, start: int, *, rounds: int = _ROUNDS, harts: int = 1, pad_bytes: int = 0,
) -> Loop:  # fmt: skip
    """Return the loop of a side.

    Args:
        side: the instruction and its operands.
        start: first address of the core.
        rounds: of the loop.
        harts: of the core.
        pad_bytes: size of a scratchpad.

    The first hart executes the loop while the others sleep.
    """
    rng = random.Random(0)  # noqa: S311 - not secrets
    values = [0 if side.zero else rng.getrandbits(32) | 1 << 31 for _ in _SOURCES]
    words = [word for pair in zip(_SOURCES, values, strict=True) for word in load_constant(*pair)]
    for k in range(_WORDS):
        words += [*load_constant(_TEMPORARY, rng.getrandbits(32)),
                  encode("sw", rs1=_DATA, rs2=_TEMPORARY, imm=4 * k)]  # fmt: skip
    if harts > 1:
        words = [*sleep_others(), *words]
    if side.is_vector:
        words += _fill_scratchpads(rng, pad_bytes)
        body = [_write_vector(side.mnemonic, k) for k in range(_VECTOR_BODY)]
    else:
        body = [_write(side.mnemonic, rng) for _ in range(_BODY)]
    words += [encode("addi", rd=_COUNT, imm=rounds), *body,
              encode("addi", rd=_COUNT, rs1=_COUNT, imm=-1),
              encode("bne", rs1=_COUNT, rs2=0, imm=-4 * (len(body) + 1))]  # fmt: skip
    return Loop(side, raw_program(str(side), words, start), len(body) * rounds)


def load_constant(register: int, value: int) -> Iterator[int]:
    """Yield two words that load a constant, whatever its value."""
    low = (value & 0xFFF ^ 0x800) - 0x800
    high = (value - low) & 0xFFFF_F000
    yield encode("lui", rd=register, imm=(high ^ 0x8000_0000) - 0x8000_0000)
    yield encode("addi", rd=register, rs1=register, imm=low)


def _write(name: str, rng: random.Random) -> int:
    """Return an instruction; every instruction takes the same random numbers."""
    rd, rs1, rs2 = rng.choice(_RESULTS), rng.choice(_SOURCES), rng.choice(_SOURCES)
    place, small = 4 * rng.randrange(_WORDS), rng.getrandbits(11)
    match _FORMATS[name]:
        case "S":
            return encode(name, rs1=_DATA, rs2=rs2, imm=place)
        case "B":
            return encode(name, rs1=rs1, rs2=rs1, imm=4)
        case "J":
            return encode(name, rd=rd, imm=4)
        case "I" if name[0] == "l":
            return encode(name, rd=rd, rs1=_DATA, imm=place)
        case "I":
            return encode(name, rd=rd, rs1=rs1, imm=small)
        case _:
            return encode(name, rd=rd, rs1=rs1, rs2=rs2)


def sleep_others() -> list[int]:
    """Return words that let all harts but the first one sleep."""
    return [encode("csrrs", rd=_TEMPORARY, csr=CSR_ADDRESS["mhartid"]),
            encode("beq", rs1=_TEMPORARY, rs2=0, imm=20),
            encode("addi", rd=_TEMPORARY, imm=8),
            encode("csrrw", rs1=_TEMPORARY, csr=CSR_ADDRESS["mstatus"]),
            encode("wfi"), encode("jal", imm=-4)]  # fmt: skip


def _fill_scratchpads(rng: random.Random, pad_bytes: int) -> list[int]:
    words = []
    for k in range(_VECTOR_BYTES // 4):
        words += [*load_constant(_TEMPORARY, rng.getrandbits(32)),
                  encode("sw", rs1=_DATA, rs2=_TEMPORARY, imm=4 * k)]  # fmt: skip
    size, shorter = _SOURCES[4], _SOURCES[5]
    words += [*load_constant(size, _VECTOR_BYTES), *load_constant(shorter, _VECTOR_BYTES // 2),
              *load_constant(_SOURCES[6], _VECTOR_BYTES // 2),
              encode("add", rd=_SOURCES[6], rs1=_SOURCES[6], rs2=_DATA),
              encode("csrrw", rs1=size, csr=CSR_ADDRESS["mvsize"]),
              *load_constant(_TEMPORARY, 2),
              encode("csrrw", rs1=_TEMPORARY, csr=CSR_ADDRESS["mvtype"])]  # fmt: skip
    for register, pad in zip(_SOURCES[:_PADS], range(_PADS), strict=True):
        words += load_constant(register, SPM_BASE + pad_bytes * pad)
    return [*words, encode("kmemld", rd=_SOURCES[0], rs1=_DATA, rs2=size),
            encode("kmemld", rd=_SOURCES[1], rs1=_SOURCES[6], rs2=shorter)]  # fmt: skip


def _write_vector(name: str, number: int) -> int:
    """Return a vector instruction; operands come from two scratchpads in turn."""
    first, second = _SOURCES[:2] if number % 2 else (_SOURCES[1], _SOURCES[0])
    return encode(name, rd=_SOURCES[2 + number // 2], rs1=first, rs2=second)


@dataclass(frozen=True, slots=True, eq=False)
class LoopEnergy:
    """Energy of a loop on the gates, divided by the number of its instructions.

    Attributes:
        side: the instruction.
        rounds: of the loop.
        executed: number of its instructions; setup and the end of the loop count in the energy.
        pj: of the data path, by unit.
        table_pj: by the unit of a table; None: no table was given.
    """

    side: Side
    rounds: int
    executed: int
    pj: Mapping[str, float]
    table_pj: Mapping[str, float] | None


@dataclass(frozen=True, slots=True, eq=False)
class MarginalCost:
    """What the first instruction of a pair takes more than the second one, in pJ."""

    pair: Pair
    more: LoopEnergy
    less: LoopEnergy

    @property
    def by_unit(self) -> dict[str, float]:
        """Difference on the gates by unit."""
        return {unit: pj - self.less.pj[unit] for unit, pj in self.more.pj.items()}

    @property
    def pj(self) -> float:
        """Difference of the whole data path on the gates."""
        return sum(self.by_unit.values())

    @property
    def table_pj(self) -> float | None:
        """Difference of the data path by the table."""
        if self.more.table_pj is None or self.less.table_pj is None:
            return None
        return sum(self.more.table_pj.values()) - sum(self.less.table_pj.values())

    @property
    def error_percent(self) -> float | None:
        """Error of the table relative to the gates."""
        return None if self.table_pj is None else 100 * (self.table_pj / self.pj - 1)


def plain_unit(instance: str) -> str:
    """Return the instance of a netlist with all indexes as one: lanes are one unit."""
    return re.sub(r"\[\d+\]", "[*]", instance)


def _start_of(machine: Architecture) -> int:
    """Return the address of the first instruction; 0 if the core starts at its entry."""
    return 0 if machine.core.reset_pc == "entry" else int(machine.core.reset_pc)


def pair_loops(machine: Architecture) -> Iterator[tuple[Pair, tuple[Loop, Loop]]]:
    """Yield the pairs that a machine can run, with their loops."""
    vector = machine.vcu is not None
    pad_bytes = int(machine.vcu.scratchpads.size) if machine.vcu is not None else 0
    for pair in list_pairs(machine.core.isa, vector=vector):
        more, less = (build_loop(side, _start_of(machine), rounds=pair.rounds,
                                 harts=machine.core.harts, pad_bytes=pad_bytes)
                      for side in (pair.more, pair.less))  # fmt: skip
        yield pair, (more, less)


def measure_marginal(
    machine: GateMachine,
    prices: Prices | None = None,
    *,
    unit_of: Callable[[str], str] = plain_unit,
    progress: Callable[[str], None] = lambda _: None,
) -> list[MarginalCost]:
    """Run all pairs on the gates of a machine.

    Args:
        machine: its gates.
        prices: of a table, by unit and term, to compare.
        unit_of: unit of an instance of the netlist.
        progress: gets the name of each pair.

    Raises:
        CheckFailed: if gates and simulator differ.
    """
    meter, found = GateMeter(machine), []
    units = [unit_of(each) for each in machine.units]
    for pair, loops in pair_loops(machine.architecture):
        more, less = (_measure(meter, loop, pair.rounds, units, prices) for loop in loops)
        found.append(MarginalCost(pair, more, less))
        progress(str(pair))
    return found


def _measure(
    meter: GateMeter, loop: Loop, rounds: int, units: Sequence[str], prices: Prices | None
) -> LoopEnergy:
    ran = meter.measure(loop.program, WINDOW_CYCLES)
    pj = dict.fromkeys(units, 0.0)
    for unit, value in zip(units, ran.gates.pj.sum(axis=0).tolist(), strict=True):
        pj[unit] += value / loop.executed
    priced = None if prices is None else _price(ran.work, prices, loop.executed)
    return LoopEnergy(loop.side, rounds, loop.executed, pj, priced)


def _price(work: Work, prices: Prices, executed: int) -> dict[str, float]:
    """Return pJ per instruction by unit of a table."""
    return {unit: sum(pj * count_term(work, term) for term, pj in own.items()) / executed
            for unit, own in prices.items()}  # fmt: skip


def prices_of(table: GateTable) -> Prices:
    """Return the prices of a table by unit and term of a fit."""
    found = {unit: {CYCLE: keys.cycle.value if keys.cycle else 0.0}
             for unit, keys in table.units.items()}  # fmt: skip
    for unit, bus, per_value, per_toggle in table.bus_prices():
        found[unit] |= {f"value.{bus}": per_value.value, f"toggle.{bus}": per_toggle.value}
    return found


def list_rows(costs: Sequence[MarginalCost]) -> dict[str, list[Row]]:
    """Return rows of pairs and rows of loops, in pJ per instruction with a column per unit."""
    seen: dict[tuple[Side, int], LoopEnergy] = {}
    for cost in costs:
        for loop in (cost.more, cost.less):
            seen.setdefault((loop.side, loop.rounds), loop)
    return {
        "pairs": [
            {"pair": str(cost.pair), "gates_pj": round(cost.pj, 3),
             "table_pj": _round(cost.table_pj), "error_percent": _round(cost.error_percent),
             **{unit: round(pj, 3) for unit, pj in cost.by_unit.items()}}
            for cost in costs
        ],
        "loops": [
            {"instruction": str(loop.side), "rounds": loop.rounds, "executed": loop.executed,
             "gates_pj": round(sum(loop.pj.values()), 3),
             "table_pj": _round(None if loop.table_pj is None else sum(loop.table_pj.values())),
             **{unit: round(pj, 3) for unit, pj in loop.pj.items()}}
            for loop in seen.values()
        ],
    }  # fmt: skip


def _round(value: float | None) -> float | str:
    return "" if value is None else round(value, 3)
