"""Corners of the T13 that the rules had wrong or left out, each against what the RTL did.

All figures were recorded from T13x c2c62163 under GHDL 2.0.0 (llvm), with the bench of ``gnomon rtl
klessydra``: words printed and the cycle of the exit store. The issues of each run (cycle, hart, pc,
word) were those of engine and oracle, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.exactness import _corners as corners
from tests.exactness import _patch_corners as patch_corners
from tests.exactness._reference import assert_clean

if TYPE_CHECKING:
    from tests.exactness._runner import Runner

_PLACES = (
    (0, 1024), (0, 1025), (0, 1028), (0, 1500), (0, 2047), (4, 1024), (4, 2040), (4, 2044),
    (4, 2045), (1020, 1028), (1020, 1029),
)  # fmt: skip
_LOADS = tuple(("kmemld", offset, size) for offset, size in _PLACES)
_STORES = tuple(("kmemstr", offset, size) for offset, size in _PLACES)
_WIDE = tuple(("kmemld", 0, size) for size in (4096, 4097, 8191))
_WIDE += tuple(("kmemstr", 0, size) for size in (4097, 8191))
_BROADCASTS = (("kbcastld", 0, 1500), ("kbcastld", 1000, 1048), ("kbcastld", 1000, 1049))
_SMALL = {"spm_size_bytes": 1024, "simd": 2}
_REPLICATED = {"spm_size_bytes": 1024, "simd": 4, "sharing": "replicated"}

# Traps and cycles from issue to the next load's, per transfer; then words, see corners.overruns.
TRANSFERS: tuple[tuple[Any, int, dict[str, Any], int, tuple[int, ...]], ...] = (
    (_LOADS + _STORES, 1024, _SMALL, 11600, (
        0, 0x107, 0, 0x108, 0, 0x108, 0, 0x17E, 0, 0x207, 0x102, 0x22, 0, 0x205, 0, 0x206,
        0x102, 0x22, 0, 0x108, 0x102, 0x22,
        0, 0x209, 0, 0x20B, 0, 0x20B, 0, 0x2F7, 0, 0x409, 0x102, 0x25, 0, 0x405, 0, 0x407,
        0x102, 0x25, 0, 0x20B, 0x102, 0x25,
        0, 0x1100, 0x1101, 0x10FE, 0x10FF, 0x1100, 0x11FD,
    )),
    (_WIDE, 4096, {}, 17714, (
        0, 0x407, 0, 0x408, 0, 0x807, 0, 0x80B, 0, 0x1009,
        0, 0x1400, 0x1401, 0x13FE, 0x13FF, 0x1400, 0x17FD,
    )),
    (_BROADCASTS, 1024, _REPLICATED, 2691, (
        0, 0x17E, 0, 0x10D, 0x102, 0x22,
        0, 0x1100, 0x1101, 0x10FE, 0x10FF, 0x1100, 0x11FD,
    )),
)  # fmt: skip


@pytest.mark.parametrize(("places", "size", "setting", "exit_cycle", "printed"), TRANSFERS)
def test_long_transfers_wrap(
    runner: Runner,
    places: tuple[tuple[str, int, int], ...],
    size: int,
    setting: dict[str, Any],
    exit_cycle: int,
    printed: tuple[int, ...],
) -> None:
    """D1: the overrun check adds the low bits of the length minus 1 alone."""
    result = runner(corners.overruns(places, size), **setting)

    assert_clean(result)
    assert result.printed == printed
    assert result.exit_cycle == exit_cycle


def test_jalr_jumps_whatever_its_funct3(runner: Runner) -> None:
    """D2: RTL-ID_STAGE.vhd does not look at it."""
    result = runner(corners.jalr_forms())

    assert_clean(result)
    assert result.printed == (0,) * 16
    assert result.exit_cycle == 185


def test_pcer_and_events(runner: Runner) -> None:
    """D3: PCER holds every bit; mhpmevent3 and 6 to 10 have theirs, and clear them alone."""
    result = runner(corners.pcer_bits())

    assert_clean(result)
    rows = [result.printed[k : k + 7] for k in range(0, len(result.printed), 7)]
    everything = (4, 0x20, 0x40, 0x80, 0x100, 0x200)
    assert rows == [
        (0, 0, 0, 0, 0, 0, 0),
        (0x3FF, *everything),
        (0xFFFF_FFFF, *everything),
        (0x1234_5678, 0, 0x20, 0x40, 0, 0, 0x200),
        (0x1234_5678, 0, 0x20, 0x40, 0, 0, 0x200),
        (0x1234_5018, 0, 0, 0, 0, 0, 0),
        (0x1234_53FC, *everything),
        (0x1234_53FC, 0, 0, 0, 0x80, 0x100, 0x200),
        (0x1234_53FC, *everything),
        (0x1234_503C, 4, 0x20, 0, 0, 0, 0),
    ]
    assert result.exit_cycle == 717


def test_a_write_to_mbadaddr_traps(runner: Runner) -> None:
    """D4: each form of a write has cause 2; a read does not trap."""
    result = runner(corners.trap_registers())

    assert_clean(result)
    assert result.printed[2:9] == (2, 2, 2, 2, 2, 2, 0)
    assert result.exit_cycle == 507


def test_a_write_changes_bit_0_of_mestatus(runner: Runner) -> None:
    """D5: 0x1800 at reset; no write and no trap changes another bit."""
    result = runner(corners.trap_registers())

    assert_clean(result)
    assert result.printed[:2] == (0x1800, 0x1801)
    assert result.printed[9:] == (
        0x1889, 0x1889, 0x1889, 0x1889, 0x1888, 0x1888, 0x1808, 0x1809, 0x1889,
    )  # fmt: skip
    assert result.exit_cycle == 507


# What the words of harts 2 and 1 did, by distance in slots of their hart from 3 after the store.
PATCHES = (
    # kind, options, setting, first old word of hart 1, exit cycle
    ("sw", {}, {}, 2, 1061),
    ("sb", {}, {}, 2, 1058),
    ("sw", {}, {"superscalar": False}, 3, 1134),
    ("sw", {"waits": True}, {}, 3, 1329),
    ("amoswap", {}, {}, 3, 1115),
    ("amoswap-x0", {}, {}, 3, 1079),
)


@pytest.mark.parametrize(("kind", "options", "setting", "first_old", "exit_cycle"), PATCHES)
def test_a_word_that_has_been_fetched_is_not_patched(
    runner: Runner,
    kind: str,
    options: dict[str, Any],
    setting: dict[str, Any],
    first_old: int,
    exit_cycle: int,
) -> None:
    """D6: the next slot has its word; the one after it too, if the store is through at once."""
    result = runner(patch_corners.patches(kind, **options), **setting)

    assert_clean(result)
    assert result.printed[: patch_corners.DISTANCES] == (2,) * 3 + (1,) * 6
    assert result.printed[patch_corners.DISTANCES :] == (2,) * first_old + (1,) * (9 - first_old)
    assert result.exit_cycle == exit_cycle


def test_a_sleeper_that_is_patched(runner: Runner) -> None:
    """D6 where the word is a wfi in which the hart sleeps: it is issued once more."""
    result = runner(patch_corners.patched_sleep())

    assert_clean(result)
    assert result.printed == (2, 1, 0)
    assert result.exit_cycle == 144


def test_counters_have_64_bits(runner: Runner) -> None:
    """Both keep their highest bit, and the counter wraps around to 0."""
    result = runner(corners.high_counters())

    assert_clean(result)
    highs = (0x8000_0001,) * 4 + (0,)
    assert result.printed == (
        0xFFFF_FFFF, 0xC, 0, 0, *highs, 0xFFFF_FFFF, 0xA, 0, 0, *highs,
    )  # fmt: skip
    assert result.exit_cycle == 279


def test_a_load_to_x0_is_a_nop_whatever_its_funct3(runner: Runner) -> None:
    """Of loads to x1, misaligned halves and words trap, and the odd funct3."""
    result = runner(corners.loads_to_x0())

    assert_clean(result)
    assert result.printed == (*(0,) * 8, 0, 4, 4, 2, 0, 4, 2, 2)
    assert result.exit_cycle == 352


def test_writes_leave_bit_30_of_mcause(runner: Runner) -> None:
    """An interrupt that is taken in wfi sets it, and no write changes it."""
    result = runner(corners.mcause_bit_30())

    assert_clean(result)
    taken, cleared, whole = 0xC000_0003, 0x4000_0000, 0xC000_011F
    assert result.printed == (taken, taken, taken, cleared, cleared, whole, whole, cleared)
    assert result.exit_cycle == 160


def test_mbadaddr_after_a_retry(runner: Runner) -> None:
    """The address wires have rs1 of the vector instruction that is tried again, 0 of a jump."""
    result = runner(corners.misaligned_before_retries(), spm_size_bytes=1024)

    assert_clean(result)
    assert result.printed == (0x1000_0440, 0x1000_0440, 0, 0)
    assert result.exit_cycle == 220


def test_mbadaddr_takes_the_offset_of_a_load_that_is_one(runner: Runner) -> None:
    """RTL-Load_Store_Unit.vhd adds it once the unit is asked, which a load to x0 does not do."""
    result = runner(corners.misaligned_before_loads_of_nothing(), spm_size_bytes=1024)

    assert_clean(result)
    wires = (0x110, 0x1F, 0x100, 0x108, 0x1F, 0x100, 0x100, 0x110, 0x108)
    assert result.printed == (0, *(0x10_0000 + each if each != 0x1F else each for each in wires))
    assert result.exit_cycle == 535


def test_minstreth_reads_one_less_where_minstret_is_0(runner: Runner) -> None:
    """As minstret reads one less than it is stored; but 0 stays 0. Set and clear take it whole."""
    result = runner(corners.minstreth_at_zero())

    assert_clean(result)
    rows = [result.printed[k : k + 6] for k in range(0, len(result.printed), 6)]
    assert rows == [
        (0xFFFF_FFFF, 0, 0, 3, 3, 3),
        (0xFFFF_FFFF, 0, 0, 4, 4, 3),
        (0xFFFF_FFFF, 1, 1, 5, 5, 5),
        (0, 0, 0, 4, 4, 4),
        (0, 1, 1, 5, 5, 4),
        (0, 2, 2, 6, 6, 6),
    ]
    assert result.exit_cycle == 369


@pytest.mark.parametrize(
    ("count_all", "printed"),
    [
        (True, (
            (0, 9, 0, 0, 0, 0), (0, 61, 8, 22, 3, 2), (0, 61, 21, 22, 3, 2), (1, 99, 1, 1, 1, 1),
            (1, 126, 7, 3, 1, 1),
        )),
        (False, (
            (0, 5, 0, 0, 0, 0), (0, 22, 8, 22, 3, 2), (0, 22, 18, 22, 3, 2), (1, 44, 1, 1, 1, 1),
            (1, 58, 7, 3, 1, 1),
        )),
    ],
)  # fmt: skip
def test_event_counters(
    runner: Runner, count_all: bool, printed: tuple[tuple[int, ...], ...]
) -> None:
    """Mhpmcounter3 and 6 to 10: of all harts or of the one in execute, a transfer's words too."""
    result = runner(corners.event_counters(), count_all=count_all)

    assert_clean(result)
    assert result.printed == tuple(each for row in printed for each in row)
    assert result.exit_cycle == 657
