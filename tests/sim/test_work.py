"""Work of a run against its own issue trace, decoded word by word; and of regions against runs."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.arch import load_architecture
from gnomon.base.values import apportion
from gnomon.isa import decode_word
from gnomon.measure.learners import EmbeddedSizes, LearnerBench, find_embedded_learner
from gnomon.program import load_elf
from gnomon.sim import Region, Run, Work, simulate, split_work_by_function
from tests.exactness._reference import RETRY_WORD, Row, program_elf, rows_of

_ROWS = rows_of("programs/expected.csv")
_NAMES = ("csrrw", "csrrs", "csrrc", "csrrwi", "csrrsi", "csrrci")
_PUBLIC = [row for row in _ROWS if row["thread_pool_size"] == "3"]


def run_of(row: Row, *, trace: bool, regions: tuple[Region, ...] = ()) -> Run:
    sharing = "shared"
    if row["replicate_accl_en"] == "1":
        sharing = "multithreaded" if row["multithreaded_accl_en"] == "1" else "replicated"
    architecture = load_architecture(
        "t13-simd1",
        [
            f"vcu.simd={row['simd']}",
            f"vcu.sharing={sharing}",
            f"core.superscalar={'true' if row['superscalar_exec_en'] == '1' else 'false'}",
            f"vcu.scratchpads.count={row['spm_num']}",
            f"vcu.scratchpads.size={1 << int(row['addr_width'])} B",
        ],
    )
    program = load_elf(program_elf(row["elf"]))
    return simulate(program, architecture, trace=trace, regions=regions)


@pytest.mark.parametrize("row", _PUBLIC, ids=[row["name"] for row in _PUBLIC])
def test_counts_are_those_of_the_trace(row: Row) -> None:
    run = run_of(row, trace=True)
    work = run.work

    assert run.trace is not None
    seen: Counter[str] = Counter()
    for word in run.trace["word"].tolist():
        decoded = decode_word(word)
        seen[decoded.instruction.mnemonic if decoded else "illegal"] += 1
    parked = sum(work.parked_slots)
    in_unit = {name: count.issued for name, count in work.vector.items()}
    plain = {
        name: count
        for name, count in work.instructions.items()
        if not name.startswith(("csr", "nop", "load.x0", "vector.empty", "illegal", "wfi", "jal"))
    }
    for name, count in plain.items():
        # Results for x0 are nops and loads to x0 no loads, which the trace does not tell apart.
        lost = work.instructions.get("nop", 0) + work.instructions.get("load.x0", 0)
        assert count <= seen[name] <= count + lost, name
    for name, count in in_unit.items():
        assert count <= seen[name] <= count + work.instructions.get("vector.empty", 0), name
    assert work.retries == sum(hart.vcu_retries for hart in run.harts)
    jumps = work.instructions.get("jal", 0)
    assert seen["jal"] == jumps + work.retries
    assert RETRY_WORD == 0x6F
    assert seen["wfi"] == work.instructions.get("wfi", 0) + parked
    csr = sum(count for name, count in work.instructions.items() if name.startswith("csr."))
    assert csr <= sum(seen[name] for name in _NAMES)
    assert work.awake_slots + parked == len(run.trace) == sum(hart.issued for hart in run.harts)
    assert work.wall_cycles == run.wall_cycles
    assert run_of(row, trace=False).work == work


def test_regions_split_the_work_of_the_run() -> None:
    row = _PUBLIC[0]
    trace = run_of(row, trace=True).trace
    assert trace is not None
    own = trace[trace["hart"] == 0]
    once = [pc for pc, count in Counter(own["pc"].tolist()).items() if count == 1]
    first, middle, last = once[1], once[len(once) // 2], once[-2]
    regions = (
        Region("whole", first, last),
        Region("early", first, middle),
        Region("late", middle, last),
    )
    run = run_of(row, trace=False, regions=regions)

    def at(name: str) -> dict[str, int]:
        (part,) = (part for part in run.regions[name] if part.hart == 0)
        work = part.work
        assert work.wall_cycles == part.wall_cycles
        return {
            **work.instructions,
            "retries": work.retries,
            "wait": work.waiting_cycles,
            "parked": sum(work.parked_slots),
            **{name: count.issued for name, count in work.vector.items()},
        }

    whole, early, late = (Counter(at(name)) for name in ("whole", "early", "late"))
    assert early.total() > 0
    assert late.total() > 0
    assert early + late == whole


@pytest.mark.parametrize("row", _PUBLIC[:4], ids=[row["name"] for row in _PUBLIC[:4]])
def test_functions_sum_to_the_run(row: Row) -> None:
    run = run_of(row, trace=False)
    architecture = load_architecture("t13-simd1")
    works = split_work_by_function(run, load_elf(program_elf(row["elf"])), architecture)
    joined = Work.joined(works.values())
    assert joined.wall_cycles == run.work.wall_cycles
    assert joined.parked_slots == run.work.parked_slots
    assert (joined.retries, joined.waiting_cycles) == (run.work.retries, run.work.waiting_cycles)
    assert joined.vector == run.work.vector
    # Words that were executed and then overwritten count as what they are now.
    assert {k: v for k, v in joined.instructions.items() if v} == run.work.instructions


def test_functions_of_a_learner_are_its_own() -> None:
    learner = find_embedded_learner("linucb-disjoint")
    machine = load_architecture("t13-paper-simd4")
    program = LearnerBench(
        learner, learner.variant("optimized-vector"), machine, EmbeddedSizes(4, 8)
    ).build()
    run = simulate(program, machine)
    works = split_work_by_function(run, program, machine)
    assert Work.joined(works.values()) == run.work
    plain = {name: work for name, work in works.items() if not work.vector}
    for name, work in plain.items():
        index = [
            k
            for k in range(run.profile.issues.shape[1])
            if (f := program.function_at(run.profile.base_address + 4 * k)) and f.name == name
        ]
        if run.profile.issues[1:, index].max(initial=0) < 100:  # nobody sleeps here
            assert sum(work.instructions.values()) == run.profile.issues[:, index].sum()
        assert work.retries == 0
    vector = [name for name, work in works.items() if "ksvmulpsrf" in work.vector]
    assert vector


@given(st.integers(0, 10**15), st.lists(st.integers(0, 10**12), min_size=1, max_size=8))
def test_split_keeps_the_total(total: int, weights: list[int]) -> None:
    parts = apportion(total, np.array(weights, dtype=np.int64))
    assert parts.sum() == total
    assert (parts >= 0).all()
    if sum(weights):
        exact = [total * weight / sum(weights) for weight in weights]
        assert all(abs(a - b) <= 1 + 1e-9 * b for a, b in zip(parts.tolist(), exact, strict=True))
