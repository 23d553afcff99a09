"""The recorder, and the files of traces."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.base.errors import GnomonError
from gnomon.learn import Call, Trace
from gnomon.learn._trace import TraceEntry
from gnomon.learn.kernels import SHAPE_NAMES
from tests.learn.conftest import build

if TYPE_CHECKING:
    from pathlib import Path

GOLDEN = """\
kernel,shape,count,stage
matvec,2x2,3,select
matvec,2x2,3,select
dot,2,3,select
sqrt,3,1,select
scale,3x1,1,select
dot,2,3,select
add,3x1,1,select
argmax,3,1,select
sherman_morrison,2,1,update
scale,2x1,1,update
add,2x1,1,update
"""


def test_a_step_of_algorithm_1(tmp_path: Path) -> None:
    learner = build(("linucb-disjoint", "optimized"), arms=3, dimensions=2)
    with Trace.record() as trace:
        learner.update([1.0, 2.0], learner.select([1.0, 2.0]), 0.5)
    path = trace.write(tmp_path / "step.csv")
    # theta = A^-1 b and A^-1 x are neighbours of one shape, so they are one entry of 6
    merged = GOLDEN.replace("matvec,2x2,3,select\nmatvec,2x2,3,select", "matvec,2x2,6,select")
    assert path.read_text() == merged


def test_json_lines(tmp_path: Path) -> None:
    trace = Trace(
        [TraceEntry(Call("multiply", (2, 3, 4)), 5, "select"), TraceEntry(Call("sqrt", (1,)))]
    )
    path = trace.write(tmp_path / "a.jsonl")
    assert path.read_text() == (
        '{"kernel": "multiply", "shape": [2, 3, 4], "count": 5, "stage": "select"}\n'
        '{"kernel": "sqrt", "shape": [1], "count": 1, "stage": ""}\n'
    )


def test_written_by_hand(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("# my idea\nkernel,shape\n\nmatvec, 8x4\nmatvec,8x4\ndot,4\n")
    assert Trace.read(path).entries == [
        TraceEntry(Call("matvec", (8, 4)), 2),
        TraceEntry(Call("dot", (4,))),
    ]
    path = tmp_path / "a.jsonl"
    path.write_text('\n# my idea\n{"kernel": "dot", "shape": [4]}\n')
    assert Trace.read(path).entries == [TraceEntry(Call("dot", (4,)))]


SIZED = "; ".join(f"{name} {','.join(of)}" for name, of in SHAPE_NAMES.items())

calls = st.sampled_from(sorted(SHAPE_NAMES)).flatmap(
    lambda kernel: st.builds(
        Call,
        st.just(kernel),
        st.tuples(*[st.integers(1, 10**6)] * len(SHAPE_NAMES[kernel])),
    )
)
entries = st.builds(
    TraceEntry, calls, st.integers(1, 10**9), st.sampled_from(["", "select", "update"])
)


@given(st.lists(entries, min_size=1), st.sampled_from(["csv", "jsonl"]))
def test_written_and_read_it_is_the_same(
    tmp_path_factory: pytest.TempPathFactory, items: list[TraceEntry], suffix: str
) -> None:
    trace = Trace()
    for item in items:
        trace.stage = item.stage
        trace.append(item.call, item.count)
    path = trace.write(tmp_path_factory.mktemp("trace") / f"t.{suffix}")
    again = Trace.read(path)
    assert again.entries == trace.entries
    assert again.totals() == trace.totals()


def test_totals() -> None:
    trace = Trace()
    for stage in ("select", "update", "select"):
        trace.stage = stage
        trace.append(Call("dot", (4,)), 2)
    assert trace.totals() == {Call("dot", (4,)): 6}
    assert trace.totals("select") == {Call("dot", (4,)): 4}
    assert trace.totals("other") == {}


def test_nothing_is_recorded_outside_or_when_suspended() -> None:
    learner = build(("linucb-disjoint", "standard"))
    with Trace.record() as trace:
        with Trace.suspend():
            learner.select([0.0] * 4)
        with Trace.record() as inner:
            learner.select([0.0] * 4)
    learner.select([0.0] * 4)
    assert trace.entries == []
    assert inner.entries


@pytest.mark.parametrize(
    ("kernel", "shape", "message"),
    [
        (
            "mtvec",
            (2, 2),
            (
                "unknown kernel 'mtvec' (allowed, with the numbers of their shapes:"
                f" {SIZED},"
                " did you mean 'matvec'?)"
            ),
        ),
        ("matvec", (2,), "kernel matvec has a shape of 2 number(s), rows,columns; got 1"),
        ("dot", (0,), "kernel dot: length must be a whole number from 1, not 0"),
        ("dot", (1.5,), "kernel dot: length must be a whole number from 1, not 1.5"),
        ("dot", (True,), "kernel dot: length must be a whole number from 1, not True"),
    ],
)
def test_wrong_calls(kernel: str, shape: Any, message: str) -> None:
    with pytest.raises(GnomonError) as error:
        Call(kernel, shape)
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.csv", "dot,4\n", (":1: the first line must be kernel,shape,count,stage"
         " (count and stage may be left out), not 'dot,4'")),
        ("a.csv", "kernel,shape\ndot,4,5\n", ":2: 3 cells for 2 columns"),
        ("a.csv", "kernel,shape\ndot,4x\n",
         ":2: kernel dot has a shape of 1 number(s), length; got 2"),
        ("a.csv", "kernel,shape\ndot,n\n",
         ":2: kernel dot: length must be a whole number from 1, not 'n'"),
        ("a.csv", "kernel,shape,count\ndot,4,0\n",
         ":2: count must be a whole number from 1, not 0"),
        ("a.csv", "kernel,shape,coutn\ndot,4,1\n", (":2: there is no field 'coutn'"
         " (allowed: kernel, shape, count, stage, did you mean 'count'?)")),
        ("a.csv", "# nothing\n", ": holds no kernel call"),
        ("a.jsonl", '{"kernel": "dot"}\n', ":1: shape is missing"),
        ("a.jsonl", '\n{"shape": [4]}\n', ":2: kernel is missing"),
        ("a.jsonl", '{"kernel": "dot", "shape": 4}\n',
         ":1: shape must be a list of numbers such as [8, 8], not 4"),
        ("a.jsonl", '{"kernel": "dot", "shape": [4], "stage": 1}\n',
         ":1: stage must be a word, not 1"),
        ("a.jsonl", "[4]\n", ":1: not an object with kernel and shape: '[4]'"),
        ("a.jsonl", "dot 4\n",
         ":1: not JSON: Expecting value"),
    ],
)  # fmt: skip
def test_wrong_files(tmp_path: Path, name: str, text: str, message: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(GnomonError) as error:
        Trace.read(path)
    assert str(error.value) == f"{path}{message}"


def test_files_that_cannot_be_read_or_written(tmp_path: Path) -> None:
    missing = tmp_path / "missing.csv"
    with pytest.raises(GnomonError) as error:
        Trace.read(missing)
    assert str(error.value) == f"{missing}: cannot be read: No such file or directory"
    binary = tmp_path / "binary.csv"
    binary.write_bytes(b"\xff\xfe")
    with pytest.raises(GnomonError) as error:
        Trace.read(binary)
    assert str(error.value) == f"{binary}: is not UTF-8 text"
    with pytest.raises(GnomonError) as error:
        Trace().write(tmp_path)
    assert str(error.value).startswith(f"{tmp_path}: cannot be written: ")


@pytest.mark.parametrize("cell", ["x" * 200_000, "9" * 5_000, "4x" * 3_000])
def test_a_cell_without_an_end(tmp_path: Path, cell: str) -> None:
    path = tmp_path / "long.csv"
    path.write_text(f"kernel,shape,count\nmatvec,{cell},2\n")
    with pytest.raises(GnomonError, match=":2: "):
        Trace.read(path)
