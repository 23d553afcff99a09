"""Stack overruns, and accesses outside of the memories, are reported."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from gnomon.arch import load_architecture
from gnomon.cli.app import app
from gnomon.observe.stack import describe_overruns
from gnomon.program import build
from gnomon.sim import simulate

T13 = load_architecture("t13-simd4")
TEXT = """\
#include "gnomon.h"
static volatile int done[256];
__attribute__((noinline)) static int deep(int n)
{
    volatile int frame[64];
    frame[n & 63] = n;
    return n ? deep(n - 1) + frame[3] : 0;
}
int main(int hart)
{
    if (hart != WHO) {
        if (hart) gnomon_park();
        while (!done[0]) {}
        return 0;
    }
    deep(DEPTH);
    done[0] = 1;
    if (hart) gnomon_park();
    return 0;
}
"""


@pytest.mark.parametrize(("who", "depth", "where"), [
    (0, 70, "the stack of hart 1"), (1, 70, "the stack of hart 2"),
    (2, 70, "unused memory"), (0, 960, "the program's data"),
    (0, 50, None), (2, 50, None),
])  # fmt: skip
def test_the_hart_and_what_it_overran(
    tmp_path: Path, who: int, depth: int, where: str | None
) -> None:
    path = tmp_path / "deep.c"
    path.write_text(TEXT)
    program = build([path], T13, defines={"WHO": who, "DEPTH": depth}, active_harts=3)
    said = []
    for calls in (False, True):
        run = simulate(program, T13, max_cycles=1_000_000, calls=calls)
        said.append(describe_overruns(run, program, T13))
    assert said[0] == said[1]
    if where is None:
        assert said[0] == ()
    else:
        assert said[0][0].startswith(f"hart {who} overran its stack of 16,384 bytes: ")
        assert f"in deep, into {where};" in said[0][0]


def test_accesses_without_memory_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "lost.c"
    path.write_text(
        "int main(void)\n{\n    volatile int *lost = (int *)0x40000000;\n"
        "    for (int i = 0; i < 3; i++) lost[i] = i;\n    return lost[1];\n}\n"
    )
    shown = CliRunner().invoke(app, ["run", str(path), "--arch", "t13", "--json"])
    warnings = json.loads(shown.stdout)["warnings"]
    assert [text.partition(", the first at")[0] for text in warnings] == [
        "1 load where the machine has no memory, read as 0",
        "3 stores where the machine has no memory, dropped",
    ]
    assert "0x40000004" in warnings[0]
    assert "0x40000000" in warnings[1]


@pytest.mark.parametrize(("bits", "value", "said"), [
    ("8", 127, False), ("8", -1, True), ("16", 32767, False), ("16", -1, True), ("32", -1, False),
])  # fmt: skip
def test_narrow_sums_of_negative_elements(
    tmp_path: Path, bits: str, value: int, said: bool
) -> None:
    path = tmp_path / "signs.c"
    path.write_text(
        f'#include "vcu.h"\nstatic int{bits}_t a[9] = {{1, {value}, [8] = -1}};\n'
        f"int main(void)\n{{\n    vcu_set_mvtype(VCU_{bits}_BIT);\n"
        "    vcu_set_mvsize(8 * sizeof *a);\n    kmemld(VCU_SPM(0), a, sizeof a);\n"
        "    kmemld(VCU_SPM(1), a, sizeof a);\n    kdotp(VCU_SPM(2), VCU_SPM(0), VCU_SPM(1));\n"
        "    return 0;\n}\n"
    )
    run = simulate(build([path], T13), T13, max_cycles=10_000)
    assert any("not a sum of signed numbers" in text for text in run.warnings) is said


@pytest.mark.parametrize("size", [0, 1, 2**32 - 1])
def test_a_stranger_may_call_anything_a_stack(tmp_path: Path, size: int) -> None:
    path = tmp_path / "deep.c"
    path.write_text(TEXT)
    program = build([path], T13, defines={"WHO": 0, "DEPTH": 1})
    given = {"_stack_size": size, "_stack_bottom": 0, "_stack_top": 2**32 - 1}
    symbols = tuple(
        symbol._replace(address=given.get(symbol.name, symbol.address))
        for symbol in program.symbols
    )
    describe_overruns(simulate(program, T13), replace(program, symbols=symbols), T13)


def test_stacks_of_tasks_are_no_overrun(tmp_path: Path) -> None:
    """The example kernel gives its hart four other stacks; its own is followed until then."""
    board = load_architecture("examples/kernel/board.yaml")
    program = build([Path("examples/kernel/kernel.c")], board)
    run = simulate(program, board, max_cycles=10_000_000, calls=True)
    assert describe_overruns(run, program, board) == ()
    assert run.calls is not None
    (stack,) = run.calls.stacks
    assert stack.switched
    assert 0 < stack.peak_bytes < 1024


JUMP = """
__asm__("set: sw ra, 0(a0)\\n sw sp, 4(a0)\\n sw s0, 8(a0)\\n li a0, 0\\n ret\\n"
        "jump: lw ra, 0(a0)\\n lw sp, 4(a0)\\n lw s0, 8(a0)\\n li a0, 1\\n ret\\n");
int set(unsigned *) __attribute__((returns_twice));
void jump(unsigned *) __attribute__((noreturn));
static unsigned place[3];
static volatile int at;
__attribute__((noinline)) static void leave(void)
{
    volatile char frame[300];
    frame[at] = 1;
    jump(place);
}
__attribute__((noinline)) static int deep(void)
{
    volatile char frame[600];
    frame[at] = 2;
    return frame[at];
}
int main(void)
{
    if (!set(place)) leave();
    return deep();
}
"""


def test_a_stack_that_longjmp_restores_is_the_same(tmp_path: Path) -> None:
    path = tmp_path / "jump.c"
    path.write_text(JUMP)
    machine = load_architecture("rv32im")
    run = simulate(build([path], machine), machine, max_cycles=100_000, calls=True)
    assert run.exit_code == 2
    assert run.calls is not None
    (stack,) = run.calls.stacks
    assert not stack.switched
    assert (stack.function, stack.peak_bytes > 600) == ("deep", True)
