"""Random programs with instructions of units, on the engine and on the oracle."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING
from unittest.mock import patch

import pytest

from gnomon.isa import Instruction
from gnomon.program import load_elf
from gnomon.rtl.lockstep import Regression, Settings
from gnomon.rtl.machine import MachineCore
from gnomon.sim import simulate
from tests.exactness._elf_reader import read_elf
from tests.oracle import Oracle, OracleConfig, OracleUnit
from tests.rows import light_and_heavy

from .test_runs import _UNITS

if TYPE_CHECKING:
    from collections.abc import Callable

    from gnomon.rtl.setting import Setting

_M = 0xFFFF_FFFF
_STAGES, _START = 2, 4
_CYCLES = 100_000


def _signed(value: int) -> int:
    return (value ^ 0x8000_0000) - 0x8000_0000


def _high(a: int, b: int) -> int:
    return _signed(a) * _signed(b) + 0x8000_0000 >> 32


class _Tally:
    """The sum of each hart."""

    def __init__(self) -> None:
        self.sums = Counter[int]()

    def __call__(self, hart: int, a: int, _b: int, _c: int) -> int:
        self.sums[hart] += a
        return self.sums[hart]


class _Latest:
    """The operand of the execution before, of any hart."""

    def __init__(self) -> None:
        self.held = 0

    def __call__(self, _hart: int, a: int, _b: int, _c: int) -> int:
        before, self.held = self.held, a
        return before


def _oracle_units(rows: tuple[Instruction, ...]) -> tuple[OracleUnit, ...]:
    def one(n: int) -> Callable[[int, int, int, int], int]:
        return lambda *_: n

    known: dict[str, tuple[tuple[str, ...], str, object, object]] = {
        "popcount": (("rs1",), "", lambda _, a, b, c: a.bit_count(),
                     lambda _, a, b, c: _START + a.bit_length()),
        "mulr": (("rs1", "rs2"), "", lambda _, a, b, c: _high(a, b), one(_STAGES)),
        "mulrs": (("rs1", "rs2"), "rd", lambda _, a, b, c: c - _high(a, b), one(_STAGES)),
        "madd": (("rs1", "rs2"), "rs3", lambda _, a, b, c: a * b + c, one(2)),
        "shla": (("rs1",), "imm", lambda _, a, b, c: 2 * a + c, one(1)),
        "tally": (("rs1",), "", _Tally(), one(1)),
        "latest": (("rs1",), "", _Latest(), one(2)),
    }  # fmt: skip
    return tuple(
        OracleUnit(row.mnemonic, row.match, row.mask, *known[row.mnemonic])  # type: ignore[arg-type]
        for row in rows
    )


def _compare(seed: int, settings: Settings) -> Counter[str]:
    setting: Setting = settings.setting_of(seed)
    machine = settings.architecture(setting)
    case = Regression(MachineCore("icarus"), Path(), settings).case(seed, setting, tame=True)
    run = simulate(load_elf(case.elf()), machine, max_cycles=_CYCLES, trace=True)
    config = OracleConfig(
        simd=setting.simd or 1, vcu=setting.simd > 0, sharing=setting.sharing,
        superscalar=setting.superscalar, harts=setting.harts,
        spm_size_bytes=setting.scratchpad_bytes, count_all=setting.count_all,
        units=_oracle_units(machine.unit_rows),
    )  # fmt: skip
    seen = Oracle(config).run(read_elf(case.elf()).segments, _CYCLES)
    assert run.trace is not None
    for number, (got, wanted) in enumerate(zip(run.trace.tolist(), seen.trace, strict=False)):
        assert got == wanted, f"seed {seed}, {setting.title}: issue {number}"
    assert len(run.trace) == len(seen.trace)
    assert run.data_memory == seen.data_ram
    # Without a trace, harts run ahead in translated blocks.
    with patch.dict(os.environ, GNOMON_BLOCKS="force"):
        ahead = simulate(load_elf(case.elf()), machine, max_cycles=_CYCLES)
    assert ahead.data_memory == seen.data_ram
    assert ahead.exit_cycle == run.exit_cycle
    assert ahead.counters == run.counters
    assert ahead.work == run.work
    return Counter(run.work.instructions)


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize("start", light_and_heavy("oracle", 1, range(0, 60, 6)))
def test_random_programs_with_units(start: int) -> None:
    parameters = (f"units.products.stages={_STAGES}", f"units.ones.start={_START}")
    settings = Settings("t13-simd1", (*_UNITS, "units.latest={}", *parameters), harts=(3, 4))
    executed = Counter[str]()
    for seed in range(start, start + 6):
        executed += _compare(seed, settings)
    assert executed.keys() >= {"popcount", "mulr", "mulrs", "madd", "shla", "tally", "latest"}
