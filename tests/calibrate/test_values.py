"""Results that a core shows: the first one that differs from the machine is named."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from gnomon.arch import variants
from gnomon.calibrate._compare import CoreComparison
from gnomon.calibrate._device import MOST_CYCLES, MachineDevice, Retired, Waits, program_of
from gnomon.calibrate._programs import random_items, whole
from gnomon.isa import decode_word
from gnomon.program import Program

_REST = Waits(0, 0)
_WORDS = [word for item in random_items(7, "rv32im", 120) for word in item]
_PROGRAM = program_of(whole(_WORDS), 0)


@dataclass(frozen=True)
class _Shown(MachineDevice):
    """A machine that shows its results, one of them changed; ``value`` None: not written."""

    sees_values: bool = True
    at: int = -1
    value: int | None = 0

    def execute(
        self, program: Program, waits: Waits, most_cycles: int = MOST_CYCLES
    ) -> list[Retired]:
        states = self.registers(program, waits).tolist()
        found = []
        retired = super().execute(program, waits, most_cycles)
        for number, (each, state) in enumerate(zip(retired, states, strict=False)):
            decoded = decode_word(program.instruction_at(each.pc))
            rd = decoded.rd if decoded is not None and decoded.instruction.rd else 0
            written: tuple[int, int | None] = (rd, state[rd])
            if number == self.at:
                written = (0, 0) if self.value is None else (rd, state[rd] ^ self.value)
            found.append(Retired(each.pc, each.cycle, written))
        return found


def _first_wrong(at: int, value: int | None) -> tuple[str, int]:
    make = variants("rv32im")
    core, machine = _Shown(make, at=at, value=value), MachineDevice(make)
    return CoreComparison(core, machine, {}).first_difference(_PROGRAM, _REST, defined=True)


_STATES = MachineDevice(variants("rv32im")).registers(_PROGRAM, _REST).tolist()
_WRITTEN = [
    shown.written or (0, 0) for shown in _Shown(variants("rv32im")).execute(_PROGRAM, _REST)
]


def test_equal_results_do_not_differ() -> None:
    message, compared = _first_wrong(-1, 0)
    assert not message
    assert compared == len(_WRITTEN) - 1  # without the store that ends the program


@pytest.mark.parametrize("at", [n for n, (rd, _) in enumerate(_WRITTEN) if rd][::9])
def test_a_wrong_result_is_named_at_its_instruction(at: int) -> None:
    rd, value = _WRITTEN[at]
    assert value is not None
    message, number = _first_wrong(at, 0x10)
    assert f" x{rd} has {value ^ 0x10:#x}, on the machine {value:#x}" in message
    assert number == at


@pytest.mark.parametrize("at", [n for n, (rd, _) in enumerate(_WRITTEN) if rd][4::9])
def test_a_missing_write_is_named_if_the_register_is_known(at: int) -> None:
    rd, _ = _WRITTEN[at]
    known = any(register == rd for register, _ in _WRITTEN[:at])
    changes = _STATES[at][rd] != _STATES[at - 1][rd]
    message, number = _first_wrong(at, None)
    assert (number == at) == bool(known and changes)
    assert not message or f" x{rd} has " in message
