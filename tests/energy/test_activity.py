"""Toggles of work: against the measured tables, event by event, and what has none."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from gnomon.arch import Architecture, load_architecture
from gnomon.base.content import content
from gnomon.base.errors import GnomonError
from gnomon.base.tables import read_csv_table
from gnomon.cost.energy import Activity, ActivityTable, Energy
from gnomon.cost.energy._activity import alone_share
from gnomon.isa import INSTRUCTIONS
from gnomon.sim import VectorCount, Work
from tests.energy._work import work

MEASURED = ("zeros", "small8", "q15", "rand32")


def machine(*overrides: str, simd: int = 4) -> Architecture:
    return load_architecture(f"t13-simd{simd}", overrides)


def toggles(what: Work, data: str = "q15", simd: int = 4) -> float:
    return float(Activity.from_work(what, machine(simd=simd), data=data).toggles.sum())


def rows(name: str) -> list[dict[str, str]]:
    return [dict(row.values) for row in read_csv_table(content("models", "activity", name))]


def test_a_stream_of_one_class_has_its_measured_toggles() -> None:
    for instruction, group in (("add", "alu_add"), ("lw", "load"), ("divu", "divu")):
        for data, harts in itertools.product(MEASURED, (1, 3)):
            _compare_stream(data, instruction, group, harts)


def _compare_stream(data: str, instruction: str, group: str, harts: int) -> None:
    (row,) = (
        row
        for row in rows("t13x-scalar.csv")
        if (row["class"], row["operands"], row["harts"]) == (group, data, str(harts))
    )
    cells = float(row["regfile_cells"])
    count, cycles = 1000, round(1000 * float(row["cycles"]))
    parked = (0, count, count) if harts == 1 else (0, 0, 0)
    got = toggles(work({instruction: count}, cycles=cycles, parked=parked), data)
    # The nets alone are what the source sums; the table rounds units to two decimals.
    assert got / count == pytest.approx(float(row["nets"]) + cells, rel=1e-3), row


def test_vectors_are_near_their_measured_lengths() -> None:
    for row in rows("t13x-vector.csv.xz"):
        name, simd = row["class"], int(row["simd"])
        if name not in ("kaddv", "kvmul", "kmemld") or row["operands"] != "q15":
            continue
        length = int(row["words"])
        count = {name: VectorCount(1, 4 * length, 0)}
        got = toggles(work(vector=count, cycles=3, parked=(0, 1, 1)), simd=simd)
        measured = float(row["nets"]) + float(row["regfile_cells"]) + float(row["spm_cells"])
        assert got == pytest.approx(measured, rel=0.06), row


def test_the_line_through_the_lengths_is_near_all_of_them() -> None:
    table = ActivityTable.load("t13x")
    names = {name for name, _, _ in table._vector} - {"vcu_retry"}
    assert len(names) == 20
    worst = {
        data: max(
            table.vector(name, table.data_set(data), simd).worst
            for name in names
            for simd in (1, 2, 4, 8)
        )
        for data in MEASURED
    }
    assert worst["q15"] < 0.08
    assert worst["rand32"] < 0.08
    assert worst["small8"] < 0.15
    assert worst["zeros"] < 0.30  # few toggles at all


def test_one_active_hart_costs_about_twice_the_switching_of_three() -> None:
    for name in ("add", "addi", "lw", "mul", "beq"):
        count = 1000
        alone = toggles(work({name: count}, cycles=3 * count, parked=(0, count, count)))
        together = toggles(work({name: count}, cycles=count))
        assert 1.3 < alone / together < 2.4, name


def test_share_of_slots_beside_sleepers() -> None:
    assert alone_share(work({"add": 10}, parked=(0, 10, 10))) == 1.0
    assert alone_share(work({"add": 20}, parked=(0, 0, 10))) == 0.5
    assert alone_share(work({"add": 30})) == 0.0
    assert alone_share(work({})) == 0.0
    # First three harts with 10 slots each, then one with 10 more.
    assert alone_share(work({"add": 40}, parked=(0, 10, 10))) == 0.25


def test_sleep_and_waiting() -> None:
    assert toggles(work(cycles=100)) == pytest.approx(100 * 47.98)  # the source says 48.0
    assert toggles(work(cycles=100, waiting=100)) == pytest.approx(100 * 6.0)


def test_events_that_take_more_cycles_than_the_span_has() -> None:
    activity = Activity.from_work(work({"add": 10}, cycles=7), machine())
    add, overlap = activity.events
    assert (overlap.name, overlap.count) == (Energy.OVERLAP, 3)
    assert overlap.toggles.sum() == pytest.approx(-3 * 47.98)
    assert activity.toggles.sum() == pytest.approx(add.toggles.sum() + overlap.toggles.sum())
    longer = Activity.from_work(work({"add": 10}, cycles=12), machine()).events[1]
    assert (longer.name, longer.count) == (Energy.IDLE, 2)
    # A tenth of a cycle is rounding of slots, not an overlap.
    within = Activity.from_work(work({"add": 10}, cycles=10), machine()).events[1]
    assert (within.name, within.count) == (Energy.IDLE, 0)


def test_retries_and_empty_vector_instructions_cost_the_same() -> None:
    parked = (0, 10, 10)
    retried = toggles(work(retries=10, cycles=30, parked=parked))
    empty = toggles(work({"vector.empty": 10}, cycles=30, parked=parked))
    assert retried == pytest.approx(empty)
    assert retried == pytest.approx(3627, rel=1e-3)
    assert toggles(work(retries=10, cycles=10)) < retried / 2


def test_a_share_of_the_operands_lies_between_the_measured_sets() -> None:
    stream = work({"add": 100}, parked=(0, 100, 100))
    zeros, sparse, dense, q15 = (
        toggles(stream, data) for data in ("zeros", "sparse", "dense", "q15")
    )
    assert sparse == pytest.approx(zeros + 0.16 * (q15 - zeros))
    assert dense == pytest.approx(zeros + 0.67 * (q15 - zeros))


def test_parts_sum_to_the_whole_and_spans_to_their_join() -> None:
    a = work({"add": 5, "lw": 7}, cycles=50, parked=(0, 12, 12), waiting=3)
    b = work({"add": 2}, cycles=9, vector={"kaddv": VectorCount(1, 64, 0)}, parked=(0, 3, 3))
    joined = Work.joined([a, b])
    assert joined == work(
        {"add": 7, "lw": 7},
        cycles=59,
        vector={"kaddv": VectorCount(1, 64, 0)},
        parked=(0, 15, 15),
        waiting=3,
    )
    assert toggles(joined) == pytest.approx(toggles(a) + toggles(b))
    activity: Activity = Activity.from_work(joined, machine())
    np.testing.assert_allclose(activity.toggles, sum(e.toggles for e in activity.events))
    assert activity.data == "dense"  # the default of the table


def test_extensions_are_estimates_and_say_so() -> None:
    paper = load_architecture("t13-paper-simd4")
    length = {name: VectorCount(1, 128, 0) for name in ("kvmul", "kvmulps", "kvdiv")}
    events = {
        event.name: event
        for event in Activity.from_work(work(vector=length), paper, data="q15").events
    }
    plain, scaled, divided = (events[name] for name in length)
    assert (plain.estimated, scaled.estimated, divided.estimated) == (False, True, True)
    assert scaled.toggles.sum() > plain.toggles.sum()
    units = Activity.from_work(work(), paper).units
    assert divided.toggles[units.index("vcu_mul")] == pytest.approx(
        plain.toggles[units.index("vcu_mul")]
        - 32 * ActivityTable.load("t13x").vector("kvmul", ActivityTable.load("t13x").data["q15"], 4)
        .per_word[units.index("vcu_mul")]
    )  # fmt: skip
    assert divided.toggles[units.index("vcu_div")] == pytest.approx(32 * 1049, rel=1e-3)


def test_every_instruction_is_priced_or_refused_by_name() -> None:
    """Nothing is silently free."""
    paper = load_architecture("t13-paper-simd4", ["vcu.extensions=[kdiv, kps, kdivps]"])
    refused = []
    for row in INSTRUCTIONS:
        if row.timing_class in ("kdsp", "kmem"):
            one = work(vector={row.mnemonic: VectorCount(1, 32, 0)}, cycles=3)
        elif row.timing_class == "csr":
            continue
        else:
            one = work({row.mnemonic: 1}, cycles=1)
        try:
            first = Activity.from_work(one, paper, data="q15").events[0]
        except GnomonError as error:
            refused.append((row.mnemonic, str(error)))
        else:
            assert first.toggles.sum() > 0, row.mnemonic
    names = [name for name, _ in refused]
    assert names == ["ecall", "ebreak", "amoswap.w"]
    assert all(f"no source for the toggles of {name!r}" in message for name, message in refused)


def test_an_event_without_toggles_is_an_error() -> None:
    with pytest.raises(GnomonError) as caught:
        Activity.from_work(work({"add": 1, "illegal": 2}), machine())
    assert str(caught.value) == (
        "t13x.yaml: no source for the toggles of 'illegal', so the energy of a program that"
        " executes it is not known with this table; a gate-level table counts every instruction"
        " (--set power=NAME)"
    )


def test_narrow_elements_are_refused() -> None:
    with pytest.raises(GnomonError) as caught:
        Activity.from_work(work(vector={"kaddv": VectorCount(3, 24, 2)}), machine())
    assert str(caught.value) == (
        "activity table t13x has no figures for 8- or 16-bit elements: 2 kaddv ran with them"
    )


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("core.harts=4", "core.harts = 4 of t13-simd4 (measured: 3)"),
        ("core.superscalar=false", "core.superscalar = false of t13-simd4 (measured: true)"),
        ("vcu.sharing=replicated", "vcu.sharing = replicated of t13-simd4 (measured: shared)"),
        (
            "core.divider=early_clz_r2",
            "core.divider = early_clz_r2 of t13-simd4 (measured: restoring_r2)",
        ),
    ],
)
def test_a_machine_that_was_not_measured_is_refused(override: str, message: str) -> None:
    with pytest.raises(GnomonError) as caught:
        Activity.from_work(work(), machine(override))
    assert str(caught.value) == f"activity table t13x has no figures for {message}"


def test_unknown_names() -> None:
    with pytest.raises(GnomonError) as caught:
        Activity.from_work(work(), machine(), data="q16")
    assert str(caught.value) == (
        "activity table t13x has no operand values 'q16' (allowed: zeros, small8, q15, rand32,"
        " sparse, dense, hamming-0 to hamming-32, did you mean 'q15'?)"
    )
    with pytest.raises(GnomonError) as caught:
        ActivityTable.load("t13")
    assert str(caught.value) == (
        "no activity table is called 't13' (known: t13x, did you mean 't13x'?)"
    )


@pytest.mark.parametrize("distance", [4, 32])
def test_hamming_distance_changes_as_measured(distance: int) -> None:
    """The difference of two distances is that of the measured class, whatever the base."""

    def measured(name: str, harts: str, at: int) -> float:
        (row,) = (
            row
            for row in rows("t13x-hamming.csv")
            if (row["class"], row["simd"], row["harts"], row["distance"])
            == (name, "", harts, str(at))
        )
        return sum(float(v) for k, v in row.items()
                   if k not in ("class", "simd", "harts", "distance"))  # fmt: skip

    for instruction, like in (("add", "add"), ("sub", "add"), ("xor", "xor"), ("lw", "load")):
        for harts, parked in ((1, (0, 100, 100)), (3, (0, 0, 0))):
            stream = work({instruction: 100}, cycles=300, parked=parked)
            got = toggles(stream, f"hamming-{distance}") - toggles(stream, "hamming-0")
            expected = measured(like, str(harts), distance) - measured(like, str(harts), 0)
            assert got / 100 == pytest.approx(expected, abs=0.02)
            assert toggles(stream, "hamming-16") == pytest.approx(toggles(stream, "q15"))


def test_hamming_between_the_measured_distances_and_of_vectors() -> None:
    stream = work({"add": 100}, parked=(0, 0, 0))
    low, middle, high = (toggles(stream, f"hamming-{d}") for d in (8, 12, 16))
    assert middle == pytest.approx((low + high) / 2)
    vectors = work(vector={"kaddv": VectorCount(1, 128, 0)}, cycles=30, parked=(0, 10, 10))
    for simd in (1, 2, 4, 8):
        series = [toggles(vectors, f"hamming-{d}", simd) for d in (0, 4, 8, 16, 32)]
        assert series == sorted(series)
        assert 32 * 4 < (series[-1] - series[0]) / 32 < 32 * 9  # the source: 4 to 9 per bit
    jump = work({"jal": 10})
    assert toggles(jump, "hamming-0") == toggles(jump, "hamming-32")


def test_a_distance_beyond_a_word_is_refused() -> None:
    with pytest.raises(
        GnomonError, match=r"^activity table t13x has no operand values 'hamming-33'"
    ):
        Activity.from_work(work(), machine(), data="hamming-33")
