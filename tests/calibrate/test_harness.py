"""Devices that show the end of instructions at odd times: measured all the same, or refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gnomon.arch import variants
from gnomon.calibrate._compare import CoreComparison
from gnomon.calibrate._device import MOST_CYCLES, MachineDevice, Retired, Waits
from gnomon.calibrate._infer import infer
from gnomon.calibrate._measure import Refused, find_spacers
from gnomon.calibrate.calibration import Calibration
from gnomon.isa import decode_word

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from gnomon.arch import Architecture
    from gnomon.program import Program

_MACHINE = ["core.latency.div=20", "core.latency.load=2", "core.latency.load-use=1"]


def _machine(name: str, *given: str) -> Callable[[Sequence[str]], Architecture]:
    made = variants(name)
    return lambda overrides: made([*given, *overrides])


class _Seen(MachineDevice):
    """A machine whose retirement is seen through a function of mnemonics and cycles."""

    look: Callable[[Sequence[str], Sequence[int], Sequence[int]], list[int]]

    def execute(
        self, program: Program, waits: Waits, most_cycles: int = MOST_CYCLES
    ) -> list[Retired]:
        retired = super().execute(program, waits, most_cycles)
        names = []
        for each in retired:
            decoded = decode_word(program.instruction_at(each.pc))
            names.append("" if decoded is None else decoded.instruction.mnemonic)
        cycles = [each.cycle or 0 for each in retired]
        seen = type(self).look(names, [each.pc for each in retired], cycles)
        return [Retired(each.pc, cycle) for each, cycle in zip(retired, seen, strict=True)]


def _seen(look: Callable[[Sequence[str], Sequence[int], Sequence[int]], list[int]]) -> _Seen:
    kind = type("_Looked", (_Seen,), {"look": staticmethod(look)})
    found = kind(_machine("rv32im", *_MACHINE))
    assert isinstance(found, _Seen)
    return found


def _early(names: Sequence[str], pcs: Sequence[int], cycles: Sequence[int]) -> list[int]:
    """Show a division 15 cycles early, and what precedes a store up to 2 instructions late."""
    del pcs
    shown = [each - 15 if name == "div" else each for name, each in zip(names, cycles, strict=True)]
    for n, name in enumerate(names[2:], 2):
        if name == "mul":
            shown[n - 2 : n] = [cycles[n - 2] + 1, cycles[n - 1] + 1]
    return shown


def test_skewed_retirement_gives_the_same_machine(tmp_path: Path) -> None:
    device, plain = _seen(_early), MachineDevice(_machine("rv32im", *_MACHINE))
    found, wanted = infer(device), infer(plain)
    assert found.latency == wanted.latency
    assert (found.skews["div"].after, found.skews["mul"].before) == (1, 2)
    path = tmp_path / "found.yaml"
    path.write_text(Calibration(found, device, "found", "a machine of ours").text())
    ours = MachineDevice(variants(str(path)))
    seeds, waits = range(3), [Waits(0, 0)]
    held = CoreComparison(device, ours, found.skews).random(seeds, waits, 300)
    assert held.difference is None
    slower = MachineDevice(_machine(str(path), "core.latency.div=21"))
    assert CoreComparison(device, slower, found.skews).random(seeds, waits, 300).difference


def _lines(names: Sequence[str], pcs: Sequence[int], cycles: Sequence[int]) -> list[int]:
    """Show 9 cycles more at each 32-byte boundary, as a line refill without a cache."""
    del names
    total, shown = 0, []
    for pc, cycle in zip(pcs, cycles, strict=True):
        total += 9 * (pc % 32 == 0)
        shown.append(cycle + total)
    return shown


def _none(names: Sequence[str], pcs: Sequence[int], cycles: Sequence[int]) -> list[int]:
    """Show no cycle for xor."""
    del pcs
    total, shown = 0, []
    for name, cycle in zip(names, cycles, strict=True):
        total += name == "xor"
        shown.append(cycle - total)
    return shown


@pytest.mark.parametrize(
    ("look", "message"),
    [(_lines, "every 32 bytes: its fetch depends on addresses"),
     (_none, r"xor of 0x0, 0x0 with waits \(0, 0\): it takes 0 cycles")],
)  # fmt: skip
def test_what_has_no_cycles_of_its_own_is_refused(
    look: Callable[[Sequence[str], Sequence[int], Sequence[int]], list[int]], message: str
) -> None:
    with pytest.raises(Refused, match=message):
        find_spacers(_seen(look))
