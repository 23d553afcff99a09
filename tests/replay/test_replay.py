"""Prices of traces: sums of exact runs, and what they say where there is no price."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from gnomon.arch import load_architecture
from gnomon.base.errors import GnomonError
from gnomon.content.algorithms.linucb_disjoint.learner import DisjointLinUCBOptimized
from gnomon.learn import Call, Trace
from gnomon.learn.kernels import SHAPE_NAMES
from gnomon.measure.kernels import KernelBench, find_kernel, kernel_files
from gnomon.measure.replay import Replay, _price
from gnomon.measure.replay._price import CallError, price_call

if TYPE_CHECKING:
    from pathlib import Path

T13 = load_architecture("t13")
SIMD4 = load_architecture("t13-simd4")

BY_HAND = """\
# two arms of 4 dimensions
kernel,shape,count,stage
matvec,4x4,2,select
dot,4,2,select

argmax,2,1,select
add,4x1,1,update
dot,4,1,update
"""


def message(error: pytest.ExceptionInfo[GnomonError]) -> str:
    return str(error.value)


def by_hand(folder: Path, text: str = BY_HAND, name: str = "hand.csv") -> tuple[Trace, Path]:
    path = folder / name
    path.write_text(text)
    return Trace.read(path), path


def only(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    """These kernels and no others; woodbury says of itself that it is another."""
    there = {name: file for name, file in kernel_files().items() if name in names}
    monkeypatch.setattr(_price, "kernel_files", lambda: there)


def wall(name: str, variant: str, *extents: int) -> int:
    kernel = find_kernel(name)
    return KernelBench(kernel, kernel.variant(variant), SIMD4).measure(extents).wall_cycles


def test_a_trace_by_hand_is_the_sum_of_its_kernels(tmp_path: Path) -> None:
    priced = Replay.from_trace(by_hand(tmp_path)[0], SIMD4)
    matvec, dot = wall("matvec", "scalar", 4, 4), wall("dot", "scalar", 4)
    select = 2 * matvec + 2 * dot + wall("argmax", "scalar", 2)
    update = wall("add", "scalar", 4, 1) + dot
    assert [(stage.name, stage.calls, stage.wall_cycles) for stage in priced.stages] == [
        ("select", 5, select),
        ("update", 2, update),
    ]
    assert priced.wall_cycles == select + update
    assert priced.hart_cycles == sum(row.hart_cycles for row in priced.rows)
    assert priced.hart_cycles < priced.wall_cycles
    assert priced.time_us == pytest.approx((select + update) / 100)  # 100 MHz
    assert [(str(row.call), row.count) for row in priced.rows] == [
        ("matvec 4x4", 2),
        ("dot 4", 3),
        ("argmax 2", 1),
        ("add 4x1", 1),
    ]


def test_vector_where_there_is_a_vector_variant(tmp_path: Path) -> None:
    priced = Replay.from_trace(by_hand(tmp_path)[0], SIMD4, vector=True, direct_calls=0)
    for row in priced.rows:
        kernel = find_kernel(row.run.kernel)
        assert row.vector == any(variant.vector for variant in kernel.variants)
    assert priced.rows[0].run.wall_cycles == wall("matvec", "vector", 4, 4)
    assert priced.direct is None


def test_a_recorded_learner(tmp_path: Path) -> None:
    learner = DisjointLinUCBOptimized(arms=3, dimensions=4)
    rng = np.random.default_rng(0)
    with Trace.record() as recorded:
        for _ in range(5):
            context = rng.normal(size=4)
            learner.update(context, learner.select(context), 1.0)
    trace = Trace.read(recorded.write(tmp_path / "linucb.jsonl"))
    priced = Replay.from_trace(trace, T13, expand=True)
    counts = {str(row.call): row.count for row in priced.rows}
    # 5 selects: two matvec and two dot per arm; 5 updates: equation (7) has two matvec, one dot
    assert counts["matvec 4x4"] == 5 * (2 * 3 + 2)
    assert counts["dot 4"] == 5 * (2 * 3 + 1)
    assert counts["outer 4x4"] == counts["divide 4x4"] == counts["sub 4x4"] == 5
    assert "sherman_morrison 4" not in counts
    outer = next(row.run for row in priced.rows if row.call.kernel == "outer")
    assert (outer.kernel, outer.extents) == ("multiply", (4, 1, 4))
    assert [stage.name for stage in priced.stages] == ["select", "update"]
    assert sum(stage.wall_cycles for stage in priced.stages) == priced.wall_cycles


def test_a_kernel_that_depends_on_its_operands_says_so(tmp_path: Path) -> None:
    trace, _ = by_hand(tmp_path, "kernel,shape\ndivide,4x4\ndivide,1x1\nadd,4x4\n")
    (other,) = Replay.from_trace(trace, T13, direct_calls=0).operand_dependent
    assert str(other.call) == "divide 4x4"
    kernel = find_kernel("divide")
    seeded = [
        KernelBench(kernel, kernel.variant("scalar"), T13).measure((16,), seed=seed).wall_cycles
        for seed in (0, 1)
    ]
    assert [other.run.wall_cycles, other.other_wall_cycles] == seeded
    assert other.other_seed == 1


def test_each_distinct_call_is_run_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = []

    measure = KernelBench.measure

    def counted(bench: KernelBench, *rest: Any, **more: Any) -> Any:
        runs.append((bench.kernel.name, rest, more["seed"]))
        return measure(bench, *rest, **more)

    monkeypatch.setattr(KernelBench, "measure", counted)
    line = '{"kernel": "%s", "shape": [%s], "stage": "%d"}\n'
    kinds = [("add", "3, 5"), ("dot", "11"), ("dot", "13"), ("scale", "3, 5")]
    text = "".join(line % (*kinds[i % 4], i % 1000) for i in range(100_000))
    trace, _ = by_hand(tmp_path, text, "long.jsonl")
    priced = Replay.from_trace(trace, T13, direct_calls=0)
    assert sorted(runs) == [
        ("add", ((3, 5),), 0),
        ("add", ((3, 5),), 1),  # once per kernel: whether operands matter
        ("dot", ((11,),), 0),
        ("dot", ((13,),), 0),
        ("dot", ((13,),), 1),
        ("scale", ((3, 5),), 0),
        ("scale", ((3, 5),), 1),
    ]
    assert [row.count for row in priced.rows] == [25_000] * 4
    assert priced.calls == 100_000
    assert len(priced.stages) == 1000
    assert priced.wall_cycles == 25_000 * sum(row.run.wall_cycles for row in priced.rows)
    Replay.from_trace(trace, T13, direct_calls=0)
    assert len(runs) == 7  # kept for this process


def test_a_kernel_that_is_not_embedded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    only(monkeypatch, "add", "dot", "woodbury")
    trace, path = by_hand(tmp_path, "kernel,shape\ndot,4\nrank1_update,4x4\nwoodbury,4x2\n")
    with pytest.raises(CallError) as caught:
        Replay.from_trace(trace, T13, path=path)
    sized = "(embedded kernels with their extents: add rows,columns; dot length; woodbury n,rank)"
    other = (
        "no embedded kernel computes woodbury: the embedded woodbury adds u^T u, the one of a trace"
        f" adds or subtracts b^T a^-1 b {sized}; --without woodbury excludes it from the price,"
        " --expand prices the simpler calls that compose it"
    )
    assert message(caught) == (
        f"{path}:3: no embedded kernel computes rank1_update: 'rank1-update' does not exist"
        f" {sized}; --without rank1_update excludes it from the price\n"
        f"{path}:4: {other}"
    )
    assert caught.value.exit_code == 2
    with pytest.raises(CallError) as caught:
        price_call(Call("woodbury", (4, 2)), T13)
    assert message(caught) == other
    assert Replay.missing(trace) == {"rank1_update": 1, "woodbury": 1}
    expanded = Replay.missing(trace, expand=True)
    assert expanded == {"rank1_update": 1, "transpose": 1, "multiply": 5, "lu_invert": 1, "sub": 1}


def test_a_part_that_is_not_embedded_names_the_line_of_the_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    only(monkeypatch, "dot")
    text = '# by hand\n{"kernel": "dot", "shape": [4]}\n\n{"kernel": "woodbury", "shape": [4, 2]}\n'
    trace, path = by_hand(tmp_path, text, "hand.jsonl")
    with pytest.raises(CallError) as caught:
        Replay.from_trace(trace, T13, path=path, expand=True)
    assert message(caught).splitlines()[0] == (
        f"{path}:4: no embedded kernel computes transpose: 'transpose' does not exist"
        " (embedded kernels with their extents: dot length); --without transpose excludes it"
        " from the price"
    )


def test_a_call_that_does_not_fit_names_its_line(tmp_path: Path) -> None:
    trace, path = by_hand(tmp_path, "kernel,shape\nadd,4x4\nadd,400x400\n")
    with pytest.raises(CallError) as caught:
        Replay.from_trace(trace, T13, path=path)
    assert message(caught) == (
        f"{path}:3: add 400x400: operands and result take 1920128 bytes, but the machine has room"
        " for 253952; increase the room with --set memory.data.size"
    )


def test_a_failed_call_has_no_price(monkeypatch: pytest.MonkeyPatch) -> None:
    negative = replace(
        find_kernel("sqrt"), generate=lambda _, extents, rng: (np.full(extents, -1),)
    )
    monkeypatch.setattr(_price, "find_kernel", lambda _: negative)
    with pytest.raises(CallError) as caught:
        price_call(Call("sqrt", (7,)), T13, seed=3)
    assert message(caught) == (
        "sqrt 7: fx_sqrt_scalar_floor_checked ends with status UNDEFINED on the operands of seed 3;"
        " a failed call has no price (use another --seed)"
    )


def test_refusals(tmp_path: Path) -> None:
    trace, _ = by_hand(tmp_path)
    with pytest.raises(GnomonError) as caught:
        Replay.from_trace(trace, T13, vector=True)
    assert message(caught) == "--variant vector: t13 has no vector unit (use scalar)"
    with pytest.raises(GnomonError) as caught:
        Replay.from_trace(trace, T13, seed=-1)
    assert message(caught) == "the seed must not be negative, not -1"
    with pytest.raises(GnomonError) as caught:
        Replay.from_trace(Trace(), T13)
    assert message(caught) == "the trace holds no kernel call"


@pytest.mark.parametrize("traced", SHAPE_NAMES)
def test_every_embedded_kernel_is_sized_as_the_trace_says(traced: str) -> None:
    """A kernel that is added with other extents than the table gives fails here."""
    call = Call(traced, (5, 4, 3)[: len(SHAPE_NAMES[traced])])
    if not _price.is_embedded(call):
        with pytest.raises(CallError, match=f"^no embedded kernel computes {traced}: "):
            _price.embedded(call)
        return
    kernel, extents = _price.embedded(call)
    assert kernel is find_kernel(kernel.name)
    assert len(extents) == len(kernel.extents)
    elements = {
        "multiply": 15,
        "outer": 20,
        "matvec": 5,
        "dot": 1,
        "argmax": 1,
        "sqrt": 5,
        "exp": 5,
        "log": 5,
        "gaussian": 5,
    }
    square = {"lu_invert": 25, "sherman_morrison": 25, "solve_positive": 5, "solve_lower": 5}
    square["grow_inverse"] = 36
    expected = (elements | square).get(traced, 20)
    assert np.prod(kernel.result_shape(extents)) == expected
