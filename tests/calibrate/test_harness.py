"""Devices that show the end of instructions at odd times: measured all the same, or refused."""

from __future__ import annotations

from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

import pytest

from gnomon.arch import variants
from gnomon.calibrate._compare import CoreComparison
from gnomon.calibrate._device import MOST_CYCLES, MachineDevice, Retired, Waits
from gnomon.calibrate._infer import infer
from gnomon.calibrate._interlocks import find_interlocks
from gnomon.calibrate._measure import Refused, find_spacers
from gnomon.calibrate.calibration import Calibration
from gnomon.isa import Decoded, decode_word

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from gnomon.arch import Architecture
    from gnomon.program import Program

Words: TypeAlias = "Sequence[Decoded | None]"
Look: TypeAlias = "Callable[[Words, Sequence[int], Sequence[int]], list[int]]"
_MACHINE = ["core.latency.div=20", "core.latency.load=2", "core.latency.load-use=1"]


def _machine(name: str, *given: str) -> Callable[[Sequence[str]], Architecture]:
    made = variants(name)
    return lambda overrides: made([*given, *overrides])


class _Seen(MachineDevice):
    """A machine whose retirement is seen through a function of mnemonics and cycles."""

    look: Look

    def execute(
        self, program: Program, waits: Waits, most_cycles: int = MOST_CYCLES
    ) -> list[Retired]:
        retired = super().execute(program, waits, most_cycles)
        decoded = [decode_word(program.instruction_at(each.pc)) for each in retired]
        cycles = [each.cycle or 0 for each in retired]
        seen = type(self).look(decoded, [each.pc for each in retired], cycles)
        return [Retired(each.pc, cycle) for each, cycle in zip(retired, seen, strict=True)]


def _name(decoded: Decoded | None) -> str:
    return "" if decoded is None else decoded.instruction.mnemonic


def _seen(look: Look) -> _Seen:
    kind = type("_Looked", (_Seen,), {"look": staticmethod(look)})
    found = kind(_machine("rv32im", *_MACHINE))
    assert isinstance(found, _Seen)
    return found


def _early(words: Words, pcs: Sequence[int], cycles: Sequence[int]) -> list[int]:
    """Show a division 15 cycles early, and what precedes a store up to 2 instructions late."""
    del pcs
    shown = [each - 15 * (_name(word) == "div") for word, each in zip(words, cycles, strict=True)]
    for n, word in enumerate(words[2:], 2):
        if _name(word) == "mul":
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


def _lines(words: Words, pcs: Sequence[int], cycles: Sequence[int]) -> list[int]:
    """Show 9 cycles more at each 32-byte boundary, as a line refill without a cache."""
    del words
    return _add(cycles, [9 * (pc % 32 == 0) for pc in pcs])


def _none(words: Words, pcs: Sequence[int], cycles: Sequence[int]) -> list[int]:
    """Show no cycle for xor."""
    del pcs
    return _add(cycles, [-(_name(word) == "xor") for word in words])


def _unit(words: Words, pcs: Sequence[int], cycles: Sequence[int]) -> list[int]:
    """Let mulhu directly after a store take one cycle more."""
    del pcs
    names = ["", *map(_name, words)]
    return _add(cycles, [pair == ("sw", "mulhu") for pair in pairwise(names)])


def _field(words: Words, pcs: Sequence[int], cycles: Sequence[int]) -> list[int]:
    """Let addi wait for a load if its immediate names the same register."""
    del pcs
    more = [_name(b) == "addi" and _name(a) == "lw" and a is not None and b is not None
            and a.rd == b.imm & 31 != b.rs1 for a, b in pairwise([None, *words])]  # fmt: skip
    return _add(cycles, more)


def _same(words: Words, pcs: Sequence[int], cycles: Sequence[int]) -> list[int]:
    """Let addi wait for a load of the register that it writes."""
    del pcs
    more = [_name(b) == "addi" and _name(a) == "lw" and a is not None and b is not None
            and a.rd == b.rd != b.rs1 for a, b in pairwise([None, *words])]  # fmt: skip
    return _add(cycles, more)


def _backward(words: Words, pcs: Sequence[int], cycles: Sequence[int]) -> list[int]:
    """Let a taken branch back take one cycle less, as with static prediction."""
    branches = [word is not None and word.instruction.timing_class == "branch" for word in words]
    jumps = [after < pc for pc, after in pairwise([*pcs, pcs[-1]])]
    return _add(cycles, [-(a and b) for a, b in zip(branches, jumps, strict=True)])


def _add(cycles: Sequence[int], more: Sequence[int]) -> list[int]:
    return [a + b for a, b in zip(cycles, accumulate(more), strict=True)]


@pytest.mark.parametrize(
    ("look", "message"),
    [(_lines, "every 32 bytes: its fetch depends on addresses"),
     (_none, r"xor of 0x0, 0x0 with waits \(0, 0\): it takes 0 cycles")],
)  # fmt: skip
def test_what_has_no_cycles_of_its_own_is_refused(look: Look, message: str) -> None:
    with pytest.raises(Refused, match=message):
        find_spacers(_seen(look))


class _Losing(MachineDevice):
    """A machine that, with wait states of data, loses two instructions after a load."""

    def execute(
        self, program: Program, waits: Waits, most_cycles: int = MOST_CYCLES
    ) -> list[Retired]:
        retired = super().execute(program, waits, most_cycles)
        names = [_name(decode_word(program.instruction_at(each.pc))) for each in retired]
        kept = ["lw" not in names[max(0, n - 2) : n] for n in range(len(names))]
        return [each for each, here in zip(retired, kept, strict=True) if here or not waits.data]


def test_a_core_that_loses_instructions_with_wait_states_is_named_with_its_load() -> None:
    device = _Losing(_machine("rv32im", "core.latency.waits=any"))
    with pytest.raises(Refused, match=r"with waits \(0, 3\), the core computes wrongly") as caught:
        infer(device)
    first, *listing = str(caught.value).splitlines()
    assert any(" lw " in line for line in listing[-3:])
    assert listing[-1].split()[0] == first.split()[-1]  # the address that the ISA requires


_LATE = {(name, "add.rs1"): 1 for name in ("lb", "lh", "lw", "lbu", "lhu")}


@pytest.mark.parametrize(
    ("look", "bypass", "locks"),
    [(_unit, [], [{"of": ["sw"], "to": ["mulhu"], "cycles": 1}]),
     (_field, [{"of": ["lw"], "to": ["addi.rs2"], "cycles": 1}], []),
     (_same, [{"of": ["lw"], "to": ["addi.rd"], "cycles": 1}], [])],
)  # fmt: skip
def test_an_interlock_becomes_an_entry(look: Look, bypass: list[Any], locks: list[Any]) -> None:
    found = find_interlocks(_seen(look), 2, _LATE)
    assert (found.bypass, found.locks) == (bypass, locks)


def _overlap(words: Words, pcs: Sequence[int], cycles: Sequence[int]) -> list[int]:
    """Let mul directly after a division begin two cycles before its end."""
    del pcs
    names = ["", *map(_name, words)]
    return _add(cycles, [-2 * (pair == ("div", "mul")) for pair in pairwise(names)])


def _second(words: Words, pcs: Sequence[int], cycles: Sequence[int]) -> list[int]:
    """Let mulhu wait one cycle after a store, even if another instruction lies between them."""
    del pcs
    names = ["", "", *map(_name, words)]
    return _add(cycles, ["sw" in names[n : n + 2] and names[n + 2] == "mulhu"
                         for n in range(len(words))])  # fmt: skip


def _older(words: Words, pcs: Sequence[int], cycles: Sequence[int]) -> list[int]:
    """Let add wait for a load two instructions before it, though addi has written the register."""
    del pcs
    names = ["", "", *map(_name, words)]
    written = [0, 0, *(0 if word is None else word.rd for word in words)]
    same = [a == b != 0 for a, b in pairwise(written)]
    return _add(cycles, [names[n : n + 3] == ["lw", "addi", "add"] and same[n]
                         for n in range(len(words))])  # fmt: skip


@pytest.mark.parametrize(
    ("look", "message"),
    [(_overlap, "div, 0 and mul|div and mul after it take 2 cycles less than 12 instructions"),
     (_second, "mulhu directly after sw waits 1 cycles, and 1 with 1 instructions between them"),
     (_older, "lw, addi and add take 5 cycles, not 4: the older write of x12 by lw changes")],
)  # fmt: skip
def test_an_interlock_without_a_key_is_named(look: Look, message: str) -> None:
    with pytest.raises(Refused, match=message) as caught:
        find_interlocks(_seen(look), 2, _LATE)
    assert len(str(caught.value).splitlines()) <= 1 + 6


def test_no_interlock_is_found_in_a_machine() -> None:
    found = find_interlocks(MachineDevice(_machine("rv32im", *_MACHINE)), 2, _LATE)
    assert (found.bypass, found.locks) == ([], [])


def test_static_prediction_is_found() -> None:
    found = infer(_seen(_backward))
    taken = found.latency["branch-taken"]
    keys = {"predictor.kind": "static", "predictor.hit": taken - 1, "predictor.miss": 0}
    assert found.others == keys
