"""``gnomon diff``: a changed instruction, moved code, other timing, logs, bad input."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from benchmarks.diff import pair
from gnomon.arch import load_architecture
from gnomon.base.errors import GnomonError
from gnomon.cli.app import app
from gnomon.observe.diff import compare_programs
from gnomon.observe.diff._compare import compare
from gnomon.observe.diff._stream import Side
from gnomon.observe.trace import LOG_COLUMNS
from gnomon.program import build, load_elf
from gnomon.sim import simulate
from tests.open_files import open_files

if TYPE_CHECKING:
    from click.testing import Result

_PROGRAMS = Path(__file__).resolve().parents[1] / "reference" / "t13x" / "programs"
_CONV = _PROGRAMS / "p_conv_h1_s4.elf"
_DOTS = _PROGRAMS / "p_dotps_h3_s4_rep.elf"
_MAX = 10**7


def invoke(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["diff", *map(str, arguments)], catch_exceptions=False)


def invoke_json(*arguments: object) -> dict[str, object]:
    done = invoke(*arguments, "--json")
    answer: dict[str, object] = json.loads(done.stdout)
    assert done.exit_code == (answer["differs"] != "nothing")
    return answer


@pytest.mark.parametrize("machine", ["t13", "rv32im"])
def test_one_changed_instruction_is_found_and_named(tmp_path: Path, machine: str) -> None:
    a, b = pair(tmp_path, machine, turns=3000)
    architecture = load_architecture(machine)
    result = compare_programs((a, architecture), (b, architecture), max_cycles=_MAX)
    assert result.differs == "instructions"
    found = result.found.difference
    assert found is not None
    assert found.a is not None
    assert found.b is not None
    assert found.a.pc == found.b.pc == a.symbol("last").address
    assert result.a.place(found.a.pc) == "last+0x0"
    assert result.a.text(found.a.pc, found.a.word) == "xori a0,a0,5"
    assert result.b.text(found.b.pc, found.b.word) == "xori a0,a0,6"
    assert result.why == "another instruction at the same place"
    assert result.found.timing is None
    traced = simulate(a, architecture, trace=True).trace
    assert traced is not None
    mine = traced[traced["hart"] == 0]
    assert mine["pc"][found.a.index] == found.a.pc
    assert mine["cycle"][found.a.index] == found.a.cycle
    assert [one.pc for one, _ in found.before] == mine["pc"][
        found.a.index - 5 : found.a.index
    ].tolist()
    assert not np.isin(mine["pc"][: found.a.index], found.a.pc).any()


def test_code_that_has_moved_does_not_differ(tmp_path: Path) -> None:
    text = (
        "static volatile int sink;\n"
        '__attribute__((noinline, section(".text.a"))) void unused(void) { sink = 1; MORE }\n'
        '__attribute__((noinline, section(".text.b"))) int work(int n) { sink = n;'
        " return n + K; }\n"
        "int main(int hart) { if (hart == 9) unused(); return work(3); }\n"
    )
    programs = []
    architecture = load_architecture("t13")
    for name, more, k in (("a", "", 1), ("b", "sink = 2; sink = 3;", 1), ("c", "sink = 2;", 2)):
        source = tmp_path / f"{name}.c"
        source.write_text(text.replace("MORE", more).replace("K", str(k)))
        programs.append(build([source], architecture))
    a, b, c = programs
    assert a.symbol("work").address != b.symbol("work").address
    moved = compare_programs((a, architecture), (b, architecture), max_cycles=_MAX)
    assert moved.found.difference is None
    assert moved.differs == "nothing"
    changed = compare_programs((a, architecture), (c, architecture), max_cycles=_MAX)
    assert changed.found.difference is not None
    assert changed.found.difference.a is not None
    assert changed.a.place(changed.found.difference.a.pc).startswith("work+")


def test_another_path_shows_the_operands_of_the_branch(tmp_path: Path) -> None:
    architecture = load_architecture("t13")
    source = tmp_path / "p.c"
    source.write_text(
        "volatile int limit = LIMIT; static volatile int sink;\n"
        "int main(int hart) { (void)hart; for (int i = 0; i < limit; i++) sink = i; return 0; }\n"
    )
    a, b = (build([source], architecture, defines={"LIMIT": n}) for n in (5, 7))
    result = compare_programs((a, architecture), (b, architecture), max_cycles=_MAX)
    assert result.differs == "instructions"
    assert result.why.startswith("another path: b")
    assert "= 0x5 in A" in result.why
    assert "= 0x7 in B" in result.why


def test_other_timing_alone_is_said_separately() -> None:
    answer = invoke_json(_CONV, "--arch", "t13-simd4", "--set-b", "vcu.simd=8")
    assert answer["differs"] == "timing"
    assert answer["instruction"] is None
    timing = answer["timing"]
    assert isinstance(timing, dict)
    assert timing["a"]["index"] == timing["b"]["index"]
    assert timing["a"]["cycle"] != timing["b"]["cycle"]
    a, b, functions = answer["a"], answer["b"], answer["functions"]
    assert isinstance(a, dict)
    assert isinstance(b, dict)
    assert isinstance(functions, list)
    assert sum(each["change_cycles"] for each in functions) == b["cycles"] - a["cycles"] != 0


def test_three_harts_with_themselves() -> None:
    answer = invoke_json(_DOTS, _DOTS, "--arch", "t13-simd4", "--set", "vcu.sharing=replicated")
    assert answer["differs"] == "nothing"
    run = simulate(load_elf(_DOTS), load_architecture("t13-simd4", ["vcu.sharing=replicated"]))
    asleep = sum(n for name, n in run.counters.items() if name.endswith("parked"))
    tries = sum(hart.vcu_retries for hart in run.harts)
    compared = answer["same_instructions"]
    assert isinstance(compared, int)
    sleeps = compared - (sum(hart.issued for hart in run.harts) - asleep - tries)
    assert 0 <= sleeps <= 2 * len(run.harts)  # the wfi that a hart falls asleep on is one itself


def test_logs(tmp_path: Path) -> None:
    logs = []
    for name, simd in (("a.log", 4), ("b.log.gz", 8)):
        logs.append(tmp_path / name)
        arguments = ["run", str(_CONV), "--arch", "t13-simd4", "--set", f"vcu.simd={simd}"]
        done = CliRunner().invoke(app, [*arguments, "--trace", f"log={logs[-1]}"],
                                  catch_exceptions=False)  # fmt: skip
        assert done.exit_code == 0
    live = invoke_json(_CONV, "--arch", "t13-simd4", "--set-b", "vcu.simd=8")
    answer = invoke_json(*logs)
    assert answer["differs"] == "timing"
    assert answer["functions"] == live["functions"]
    for side in ("a", "b"):
        one, other = answer["timing"], live["timing"]
        assert isinstance(one, dict)
        assert isinstance(other, dict)
        assert one[side]["pc"] == other[side]["pc"]
    lines = logs[0].read_text().splitlines()
    lines[3] = "what is this"
    logs[0].write_text("\n".join(lines))
    before = open_files()
    with pytest.raises(GnomonError, match=r"a\.log:4: not a line of an issue log: 'what is this'"):
        invoke(*logs)
    assert open_files() == before  # the other log is closed too


def test_logs_of_sleeping_harts_have_the_cycles_of_the_programs(tmp_path: Path) -> None:
    """The slots of a sleep are one line, which stands where the sleep began."""
    source = tmp_path / "a.c"
    source.write_text("volatile int x; int main(void) { for (int i = 9; i--; ) x += i; return 0; }")
    given, logs = [source, "--arch", "t13-simd4"], [tmp_path / "a.log", tmp_path / "b.log"]
    for log, waits in zip(logs, (0, 1), strict=True):
        arguments = ["run", *map(str, given), "--set", f"memory.data.waits={waits}"]
        CliRunner().invoke(app, [*arguments, "--trace", f"log={log}"], catch_exceptions=False)
    answer = invoke_json(*logs)
    live = invoke_json(*given, "--set-b", "memory.data.waits=1")
    assert answer["functions"] == live["functions"]
    assert {each["name"] for each in answer["functions"]} > {"main"}  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("body", "told"),
    [('__asm__ volatile ("ecall");', "environment call"), ("for (;;) ;", "max-cycles")],
)
def test_a_program_that_does_not_end_is_not_called_the_same(
    tmp_path: Path, body: str, told: str
) -> None:
    source = tmp_path / "a.c"
    source.write_text(f"int main(void) {{ {body} return 0; }}")
    given = [source, "--arch", "t13-simd4", "--arch-b", "t13-simd2", "--max-cycles", "5000"]
    done = invoke(*given)
    assert done.exit_code == 1
    for side in "AB":
        assert f"{side} stops: " in done.stdout
    assert "No difference up to where they stop" in done.stdout
    assert told in done.stdout
    page = tmp_path / "page.html"
    invoke(*given, "--html", page)
    assert told in page.read_text()


_HEADER = ",".join(LOG_COLUMNS)
_LINE = "0,1,0,{},13,issue,1,0,0,0,0,main,nop"


@pytest.mark.parametrize("pc", ["-4", "100000000", "ffffffffffffffffff", ""])
def test_addresses_of_a_log_have_32_bits(tmp_path: Path, pc: str) -> None:
    good, bad = tmp_path / "good.log", tmp_path / "bad.log"
    good.write_text(f"{_HEADER}\n{_LINE.format('80')}\n")
    bad.write_text(f"{_HEADER}\n{_LINE.format(pc)}\n")
    with pytest.raises(GnomonError, match=r"bad\.log:2: not a line of an issue log: '0,1,0,"):
        invoke(good, bad)


@pytest.mark.parametrize("damage", ["cut", "flipped", "binary"])
def test_a_log_that_cannot_be_read_to_its_end(tmp_path: Path, damage: str) -> None:
    lines = "".join(
        f"{k},{k + 1},0,{4 * k:x},{k * 7919:x},issue,1,0,0,0,0,main,nop\n" for k in range(5000)
    )
    good, bad = tmp_path / "good.log", tmp_path / "bad.log.gz"
    good.write_text(f"{_HEADER}\n{lines}")
    data = bytearray(gzip.compress(good.read_bytes(), mtime=0))
    if damage == "cut":
        data = data[: len(data) // 2]
    elif damage == "flipped":
        data[len(data) // 2] ^= 0xFF
    else:
        data = bytearray(good.read_bytes()[:-9] + b"\xff\xfe\n")
    bad.write_bytes(data)
    with pytest.raises(GnomonError, match=r"bad\.log\.gz:\d+: "):
        invoke(good, bad)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([_CONV], "one program needs two machines: give --arch-b, --set-b or B"),
        ([_CONV, _CONV], "--arch is missing: the machine that programs run on"),
        (
            [_CONV, _CONV, "--arch", "t13", "--context", "-1"],
            "--context must be at least 0, not -1",
        ),
    ],
)
def test_bad_input(arguments: list[object], message: str) -> None:
    with pytest.raises(GnomonError) as refused:
        invoke(*arguments)
    assert str(refused.value) == message


def test_text_and_exit_code() -> None:
    machine = ("--arch", "t13-simd4")
    same = invoke(_CONV, _CONV, *machine)
    assert (same.exit_code, "No difference" in same.stdout) == (0, True)
    other = invoke(_CONV, *machine, "--set-b", "vcu.simd=8")
    assert other.exit_code == 1
    assert "The same instructions, in other cycles." in other.stdout
    assert "B: p_conv_h1_s4 on t13-simd4, vcu.simd=8: " in other.stdout


def test_data_alone(tmp_path: Path) -> None:
    architecture = load_architecture("t13")
    source = tmp_path / "d.c"
    source.write_text("volatile int value = V;\nint main(int hart) { (void)hart; return value; }\n")
    a, b = (build([source], architecture, defines={"V": v}) for v in (5, 7))
    result = compare_programs((a, architecture), (b, architecture), max_cycles=_MAX)
    assert result.differs == "data"
    assert result.outcome["exit code"] == ("5", "7")


def test_all_that_is_printed_counts(tmp_path: Path) -> None:
    """Also what differs late, or long before the end."""
    architecture = load_architecture("t13")
    source = tmp_path / "d.c"
    source.write_text("""#include "gnomon.h"
volatile int value = V;
int main(void) {
    for (int i = 0; i < 200; i++) {
        gnomon_put(i == 9 ? value : 'a');
        gnomon_print(i == 99 ? value : i);
    }
    return value = 0;
}
""")
    a, b = (build([source], architecture, defines={"V": v}) for v in ("'x'", "'y'"))
    result = compare_programs((a, architecture), (b, architecture), max_cycles=_MAX)
    assert result.differs == "data"
    (one, other) = result.outcome["words printed"]
    assert (one, other) == tuple(
        f"200, from 99 on {[first, *range(100, 107)]}" for first in (ord("x"), ord("y"))
    )
    assert result.outcome["console"][0] == f"200, from 9 on {'x' + 79 * 'a'!r}"
    assert set(result.outcome) == {"words printed", "console"}


_ROWS = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3)), max_size=40)


def _side(rows: list[tuple[int, int]], size: int) -> Side:
    array = np.array(
        [(cycle, hart, 4 * pc, pc) for cycle, (hart, pc) in enumerate(rows)], dtype=np.int64
    ).reshape(-1, 4)
    chunks = (array[k : k + size] for k in range(0, len(array), size))
    return Side("", chunks, lambda rows: rows[:, 3])


@given(_ROWS, _ROWS, st.integers(1, 7), st.integers(1, 7))
def test_any_two_streams(
    a: list[tuple[int, int]], b: list[tuple[int, int]], size_a: int, size_b: int
) -> None:
    """The first difference of each hart, worked out in the plain way; chunks do not matter."""
    found = compare(_side(a, size_a), _side(b, size_b), 2)
    parted = {}
    for hart in range(3):
        one, other = ([pc for h, pc in rows if h == hart] for rows in (a, b))
        pairs = zip(one, other, strict=False)
        first = next((k for k, (x, y) in enumerate(pairs) if x != y), min(len(one), len(other)))
        if first < max(len(one), len(other)):
            parted[hart] = first
    if not parted:
        assert found.difference is None
        return
    assert found.difference is not None
    start = found.difference.a or found.difference.b
    assert start is not None
    assert parted[found.difference.hart] == start.index
