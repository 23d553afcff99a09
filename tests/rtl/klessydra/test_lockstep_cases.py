"""Random cases: the same from the same seed, complete, and the same on engine and oracle."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gnomon.arch import load_architecture
from gnomon.base.errors import GnomonError
from gnomon.isa import list_instructions
from gnomon.klessydra._wiring import generics
from gnomon.program import load_elf
from gnomon.rtl.bare_metal import li, write_elf
from gnomon.rtl.lockstep import Settings
from gnomon.rtl.lockstep._coverage import all_rules, met_rules
from gnomon.rtl.lockstep._generate import WEIGHTS, random_case
from gnomon.rtl.lockstep._minimize import Minimized, minimize
from gnomon.rtl.setting import Setting, parse_values
from gnomon.sim import simulate
from tests.exactness._elf_reader import read_elf
from tests.exactness._runner import run_on_engine, run_on_oracle
from tests.oracle import UnmodelledError

if TYPE_CHECKING:
    from gnomon.rtl.lockstep._case import Case

_CYCLES = 100_000
_SETTINGS = Settings()
_SEEDS = 24
_NIGHTLY_SEEDS = 600


def _configuration(setting: Setting) -> dict[str, object]:
    return {
        "simd": setting.simd,
        "sharing": setting.sharing,
        "superscalar": setting.superscalar,
        "harts": setting.harts,
        "spm_size_bytes": setting.scratchpad_bytes,
        "count_all": setting.count_all,
    }


def _compare(seed: int) -> None:
    setting = Settings().setting_of(seed)
    events = seed % 5 in (1, 3)
    elf = random_case(seed, setting, event_counters=events).elf()
    configuration = _configuration(setting)
    found = run_on_engine(elf, max_cycles=_CYCLES, **configuration)
    try:
        expected = run_on_oracle(elf, max_cycles=_CYCLES, **configuration)
    except UnmodelledError:  # then the engine warns
        machine = Settings().architecture(setting)
        assert simulate(load_elf(elf), machine, max_cycles=_CYCLES).warnings
        return
    if setting.sharing == "multithreaded" and not expected.halted:
        # An instruction without effect blocks the arbiter for ever, on both.
        assert not found.halted
        assert found.trace == expected.trace[: len(found.trace)]
        elf = random_case(seed, setting, event_counters=events, tame=True).elf()
        found = run_on_engine(elf, max_cycles=_CYCLES, **configuration)
        expected = run_on_oracle(elf, max_cycles=_CYCLES, **configuration)
    assert expected.halted, f"seed {seed}: no exit"
    assert found == replace(expected, buses={})


@pytest.mark.parametrize("seed", range(_SEEDS))
def test_engine_and_oracle_agree(seed: int) -> None:
    _compare(seed)


@pytest.mark.heavy("rtl")
@pytest.mark.parametrize("start", range(_SEEDS, _NIGHTLY_SEEDS, 24))
def test_engine_and_oracle_agree_on_many(start: int) -> None:
    for seed in range(start, start + 24):
        _compare(seed)


def test_a_seed_gives_the_same_bytes_and_another_does_not() -> None:
    setting = Setting(simd=4)
    assert random_case(7, setting).elf() == random_case(7, setting).elf()
    assert random_case(7, setting).elf() != random_case(8, setting).elf()


def test_seeds_are_dealt_out_among_all_settings() -> None:
    dealt = [Settings().setting_of(seed) for seed in range(48)]
    kinds = Counter((each.simd, each.sharing, each.superscalar) for each in dealt)
    assert set(kinds.values()) == {2}
    assert len(kinds) == 24
    assert {each.scratchpad_bytes for each in dealt} == {1024, 4096}
    assert {each.count_all for each in dealt} == {True, False}
    assert dealt == [Settings().setting_of(seed) for seed in range(48)]


def _met(seeds: range, settings_: Settings = _SETTINGS) -> Counter[str]:
    met: Counter[str] = Counter()
    for seed in seeds:
        setting = settings_.setting_of(seed)
        case = random_case(seed, setting)
        machine = Settings().architecture(setting)
        program = load_elf(case.elf(), name=case.name)
        met += met_rules(case, simulate(program, machine, max_cycles=_CYCLES, trace=True, bus=True))
    return met


def test_few_seeds_meet_almost_every_rule() -> None:
    rules, met = all_rules(vector=True), _met(range(72))
    assert len(rules) > 200
    missing = [rule for rule in rules if not met[rule]]
    assert len(missing) <= 0.04 * len(rules), missing


def test_what_is_not_in_a_case_is_not_met() -> None:
    case = random_case(3, Setting())
    for hart in range(len(case.bodies)):
        case = case.with_items(hart, ())
    run = simulate(load_elf(case.elf(), name="empty"), Settings().architecture(Setting()),
                   trace=True, bus=True)  # fmt: skip
    met = met_rules(case, run)
    assert met["kmemld"] > 0  # in what every case begins with
    assert not {"div", "kaddv", "amoswap.w", "reserved: opcode", "mepc bits set"} & set(met)


def test_weights_are_of_items_that_exist() -> None:
    kinds = {item.kind for seed in range(40) for body in random_case(seed, Setting()).bodies
             for item in body.items}  # fmt: skip
    assert kinds == set(WEIGHTS)


def test_vector_instructions_can_be_added_and_left_out() -> None:
    setting = Setting(simd=4)

    def mnemonics(case: Case) -> set[str]:
        words = (word for body in case.bodies for item in body.items for word in item.words)
        known = {row.match: row.mnemonic for row in list_instructions(("kdsp", "kdiv"))}
        return {known[word & 0xFE00_007F] for word in words if word & 0xFE00_007F in known}

    dividing: set[str] = set()
    for seed in range(40):
        case = random_case(seed, setting, extensions=("kdiv",), without=("ksvdivrf", "kaddv"))
        dividing |= mnemonics(case)
    assert {"kvdiv", "kvrem", "ksubv"} <= dividing
    assert not {"ksvdivrf", "kaddv"} & dividing


def test_a_case_without_items_still_ends() -> None:
    case = random_case(3, Setting())
    for hart in range(len(case.bodies)):
        case = case.with_items(hart, ())
    run = simulate(load_elf(case.elf(), name="empty"), load_architecture("t13-simd1"))
    assert run.halted == "exit"
    assert case.size == 0


@given(value=st.integers(0, 2**32 - 1))
@settings(max_examples=50, deadline=None)
def test_constants_are_loaded_as_they_are(value: int) -> None:
    words = [*li(5, value), 0x0000_0297, 0x0000_0067 | 6 << 15]
    total = 0
    for word in words[:-2]:
        if word & 0x7F == 0x37:
            total = word & 0xFFFF_F000
        else:
            total = (total + ((word >> 20) ^ 0x800) - 0x800) & 0xFFFF_FFFF
    assert total == value


def test_the_elf_is_what_two_readers_take() -> None:
    segments = [(0x80, b"\x13\0\0\0"), (0x10_0000, b"data")]
    elf = write_elf(segments)
    assert [(each.address, each.data) for each in load_elf(elf, name="x").segments] == segments
    assert [(address, bytes(data)) for address, data, *_ in read_elf(elf).segments] == segments
    with pytest.raises(GnomonError, match="overlap"):
        write_elf([(0x80, bytes(8)), (0x84, bytes(4))])


# -- minimizing ----------------------------------------------------------------------------------


def _culprits(case: Case, kinds: tuple[str, ...]) -> bool:
    """Fails if each of some kinds is still there, in any hart."""
    present = {item.kind for body in case.bodies for item in body.items}
    return set(kinds) <= present


def _case(harts: int) -> Case:
    return next(
        case
        for case in (random_case(seed, Setting(sharing="replicated")) for seed in range(400))
        if len(case.bodies) == harts and _culprits(case, ("muldiv", "amoswap"))
    )


@pytest.mark.parametrize("harts", [1, 2, 3])
def test_what_does_not_matter_is_taken_away(harts: int) -> None:
    case = _case(harts)

    small = minimize(case, lambda each: _culprits(each, ("muldiv", "amoswap")), most_tries=2000)

    assert small.complete
    assert small.case.size == 2
    assert {item.kind for body in small.case.bodies for item in body.items} == {
        "muldiv",
        "amoswap",
    }
    assert all(body.loops == 1 for body in small.case.bodies)
    assert (small.case.seed, small.case.setting) == (case.seed, case.setting)


def test_a_cut_search_still_fails_and_says_so() -> None:
    tried: list[Case] = []

    def fails(case: Case) -> bool:
        tried.append(case)
        return _culprits(case, ("muldiv", "amoswap"))

    small = minimize(_case(3), fails, most_tries=9)

    assert small.tries == len(tried) == 9
    assert not small.complete
    assert _culprits(small.case, ("muldiv", "amoswap"))


def test_a_failure_that_needs_everything_is_left_whole() -> None:
    case = _case(2)
    assert minimize(case, lambda each: each == case, most_tries=500) == Minimized(
        case, minimize(case, lambda each: each == case, most_tries=500).tries, complete=True
    )


# -- settings ------------------------------------------------------------------------------------


def test_a_setting_reaches_both_sides() -> None:
    setting = Setting(simd=8, sharing="multithreaded", superscalar=False, scratchpad_bytes=1024)
    machine = load_architecture("t13-simd1", list(setting.overrides()))
    assert machine.vcu is not None
    assert (machine.vcu.simd, machine.vcu.sharing) == (8, "multithreaded")
    assert machine.vcu.scratchpads.size == 1024
    told = generics(setting)
    assert (told["SIMD"], told["Addr_Width"]) == (8, 10)
    assert (told["replicate_accl_en"], told["multithreaded_accl_en"]) == (1, 1)
    assert told["superscalar_exec_en"] == 0
    assert generics(replace(setting, sharing="replicated"))["multithreaded_accl_en"] == 0


@pytest.mark.parametrize(
    ("option", "text", "told"),
    [
        ("--simd", "1,3", "'3' is none of 0 .no vector unit., 1, 2, 4, 8"),
        ("--sharing", "share", "did you mean 'shared'"),
        ("--superscalar", "yes", "neither on nor off"),
    ],
)
def test_wrong_words_are_named(option: str, text: str, told: str) -> None:
    with pytest.raises(GnomonError, match=told):
        parse_values(option, text)
