"""Fourteen slow programs: the planted cause is named first, and the change saves that much.

What a change saves is measured here by a run of its own: of the other machine, of the other build,
or of the source with the cause removed (-D FIXED).
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest
from typer.testing import CliRunner

from gnomon.arch import load_architecture
from gnomon.cli.app import app
from gnomon.isa import decode_word, encode
from gnomon.observe.why import StallAnalysis, compute_what_if, find_advice
from gnomon.observe.why._loops import _recognize, find_vector_loops, vector_code
from gnomon.program import build
from gnomon.sim import Region, simulate

if TYPE_CHECKING:
    from pathlib import Path

    from gnomon.arch import Architecture
    from gnomon.program import Program
    from gnomon.sim import Run

SOURCE = """\
#include "gnomon.h"
#include "vcu.h"
#include <string.h>
#define HARTS GNOMON_ACTIVE_HARTS
static volatile int done[8];
volatile int seed = 77;
int a[768], b[768], c[768];
static void body(int hart);
int main(int hart)
{
    body(hart);
    done[hart] = 1;
    if (hart) gnomon_park();
    for (int k = 1; k < HARTS; k++) while (!done[k]) {}
    return c[1] & 0;
}
static void load(void)
{
    vcu_set_mvtype(VCU_32_BIT);
    vcu_set_mvsize(1024);
    kmemld(VCU_SPM(0), a, 1024);
    kmemld(VCU_SPM(1), b, 1024);
}
"""
PARTIAL = """
    for (int k = hart * (768 / HARTS); k < (hart + 1) * (768 / HARTS); k++)
        for (int n = 0; n < 20; n++) c[k] += (a[k] ^ n) + (b[k] >> 1);"""
VECTORS = "load(); for (int k = 0; k < 60; k++) kaddv(VCU_SPM(2), VCU_SPM(0), VCU_SPM(1));"


@dataclass(frozen=True)
class Planted:
    """A cause, and the beginning of the advice that names it."""

    machine: str
    body: str
    named: tuple[str, ...]
    overrides: tuple[str, ...] = ()
    options: dict[str, Any] = field(default_factory=dict)


CASES = {
    "no optimization": Planted(
        "rv32im", PARTIAL, ("build with -O",), options={"optimization": "-O0"}),
    "slow vector divider": Planted(
        "t13-paper-simd4", "for (int k = 0; k < 256; k++) a[k] = 1 << 30, b[k] = k + 3; load();"
        " for (int k = 0; k < 20; k++) kvdiv(VCU_SPM(2), VCU_SPM(0), VCU_SPM(1));",
        ("--set vcu.divider",), overrides=("vcu.divider=nonrestoring_r2",)),
    "slow divider": Planted(
        "t13", "for (int k = 0; k < 300; k++) c[k] = (seed + k) / 9 % (seed + hart);",
        ("--set core.divider",), options={"active_harts": 3}),
    "few lanes": Planted("t13-simd1", VECTORS, ("--set vcu.simd=2",)),
    "a shared unit": Planted(
        "t13-simd4", "load(); for (int k = 0; k < 60; k++)"
        " kvmul(VCU_SPM(2) + 1024 * hart, VCU_SPM(0), VCU_SPM(1));",
        ("--set vcu.sharing=replicated",), options={"active_harts": 3}),
    "one of three harts": Planted(
        "t13", PARTIAL, ("--harts 3", "split the work among all harts")),
    "floats": Planted(
        "rv32im", """
#ifdef FIXED
    for (int k = 0; k < 300; k++) c[k] = (seed + k) * 3 >> 1;
#else
    for (int k = 0; k < 300; k++) c[k] = (int)((float)(seed + k) * 1.5f);
#endif
""", ("compute without 32-bit floats",)),
    "doubles": Planted(
        "rv32im", """
#ifdef FIXED
    for (int k = 0; k < 300; k++) c[k] = (seed + k) * 3 >> 1;
#else
    for (int k = 0; k < 300; k++) c[k] = (int)((seed + k) * 1.5);
#endif
""", ("compute without 64-bit floats",)),
    "64-bit division": Planted(
        "rv32im", """
    for (int k = 0; k < 300; k++)
#ifdef FIXED
        c[k] = (seed + k) * 1000 >> 10;
#else
        c[k] = (int)((long long)(seed + k) * 1000 / (1023 + (seed & 1)));
#endif
""", ("compute without 64-bit integers",)),
    "copies": Planted(
        "rv32im", """
    for (int k = 0; k < 20; k++) {
#ifndef FIXED
        memcpy((char *)b + 1, a, 1024);
#endif
        c[k] = b[k];
    }
""", ("copy less",)),
    "short vectors": Planted(
        "t13-simd4", """
    load();
#ifdef FIXED
    for (int k = 0; k < 4; k++) kaddv(VCU_SPM(2), VCU_SPM(0), VCU_SPM(1));
#else
    vcu_set_mvsize(16);
    for (unsigned k = 0; k < 4096; k += 64) {
        kdotp(VCU_SPM(2), VCU_SPM(0), VCU_SPM(1));
        kdotp(VCU_SPM(2), VCU_SPM(0) + 16, VCU_SPM(1) + 16);
        kdotp(VCU_SPM(2), VCU_SPM(0) + 32, VCU_SPM(1) + 32);
        kdotp(VCU_SPM(2), VCU_SPM(0) + 48, VCU_SPM(1) + 48);
    }
#endif
""", ("make vectors longer",), options={"active_harts": 3}),
    "small scratchpads": Planted(
        "t13-simd4", """
    vcu_set_mvtype(VCU_32_BIT);
    for (int times = 0; times < 8; times++)
        for (int k = 0; k < 768; k += VCU_SPM_BYTES / 4) {
            int bytes = 4 * (768 - k) < VCU_SPM_BYTES ? 4 * (768 - k) : VCU_SPM_BYTES;
            vcu_set_mvsize(bytes);
            kmemld(VCU_SPM(0), a + k, bytes);
            kmemld(VCU_SPM(1), b + k, bytes);
            kaddv(VCU_SPM(2), VCU_SPM(0), VCU_SPM(1));
            kmemstr(c + k, VCU_SPM(2), bytes);
        }
""", ("--set vcu.scratchpads.size=",), overrides=("vcu.scratchpads.size=16B",)),
    "a scalar loop": Planted(
        "t13-simd4", """
    for (int k = 0; k < 8; k++) {
#ifdef FIXED
        c[k] = vector_kdotp(a + k, b, 700);
#else
        int sum = 0;
        for (int n = 0; n < 700; n++) sum += a[n + k] * b[n];
        c[k] = sum;
#endif
    }
""", ("use kdotp",)),
    "serial execution": Planted(
        "t13-simd4", f"if (hart) {{ {PARTIAL} }} else {{ {VECTORS} }}",
        ("--set core.superscalar=true",), overrides=("core.superscalar=false",),
        options={"active_harts": 3}),
}  # fmt: skip


@cache
def _source(folder: Path, name: str, code: str = "") -> Path:
    """``code``: C that an advice gave."""
    path = folder / f"{name.replace(' ', '-')}.c"
    path.write_text(
        f"{SOURCE}{code}static void body(int hart)\n{{\n    (void)hart;\n{CASES[name].body}\n}}\n"
    )
    return path


def _run(
    path: Path, case: Planted, overrides: tuple[str, ...], **options: Any
) -> tuple[Program, Run]:
    machine = load_architecture(case.machine, (*case.overrides, *overrides))
    program = build([path], machine, **(case.options | options))
    return program, simulate(program, machine, max_cycles=5_000_000)


@pytest.mark.parametrize("name", CASES)
def test_the_planted_cause_is_named_first_and_removing_it_saves_as_much(
    tmp_path: Path, name: str
) -> None:
    case, path = CASES[name], _source(tmp_path, name)
    program, run = _run(path, case, ())
    assert run.halted == "exit"
    assert not run.trapped

    def rebuild(architecture: Architecture | None = None, **options: Any) -> Program:
        return build([path], architecture or machine, **(case.options | options))

    machine = load_architecture(case.machine, case.overrides)
    advice = find_advice(
        StallAnalysis(run, machine), program, case.machine, case.overrides, rebuild
    )
    first = advice[0]
    assert first.change.startswith(case.named), [(a.change, a.saves_cycles) for a in advice]
    path = _source(tmp_path, name, first.code)
    if first.change.startswith("--set "):
        other = _run(path, case, (first.change.removeprefix("--set "),))[1]
    elif first.change.startswith("build with"):
        other = _run(path, case, (), optimization=first.change.split()[-1])[1]
    elif case.named[0] == "--harts 3":
        other = _run(path, case, (), active_harts=3)[1]
    else:
        other = _run(path, case, (), defines={"FIXED": 1})[1]
    saved = run.wall_cycles - other.wall_cycles
    if first.how == "run":
        assert saved == first.saves_cycles
    elif first.how == "at most":
        assert 0.9 * first.saves_cycles <= saved <= first.saves_cycles
    else:  # what goes with it, such as calls, and what replaces it is not in the figure
        assert 0.9 * first.saves_cycles <= saved <= 1.2 * first.saves_cycles


def test_cycles_in_divisions_are_named_where_no_other_divider_is_tried(tmp_path: Path) -> None:
    source = tmp_path / "div.c"
    source.write_text(
        "volatile unsigned x = 1000003, y = 7;\nint main(void) { unsigned s = 0;"
        " for (int i = 0; i < 300; i++) s += x OPERATOR (y + i); x = s; return 0; }\n"
    )
    machine = load_architecture("ibex-like")
    for operator, expected in (("/", 300), ("*", 0)):
        program = build([source], machine, defines={"OPERATOR": operator})
        run = simulate(program, machine)
        found = find_advice(StallAnalysis(run, machine), program, "ibex-like", [])
        named = [each for each in found if each.change.startswith("divide less")]
        assert len(named) == bool(expected)
        for each in named:
            issued = run.work.instructions["divu"]
            assert issued == expected
            # of the rest of the loop nothing is in it
            assert each.how == "spent"
            assert each.saves_cycles == sum(
                cycles for name, cycles in run.counters.items() if name.endswith(".div")
            )
            assert each.saves_cycles == 37 * issued


def test_a_faster_divider_has_its_condition_named(tmp_path: Path) -> None:
    source = tmp_path / "div.c"
    source.write_text(
        "volatile unsigned x = 9, y = 7;\nint main(void) { unsigned s = 0;"
        " for (int i = 0; i < 300; i++) s += x OPERATOR (y + i); x = s; return 0; }\n"
    )
    machine = load_architecture("t13")
    for operator, divides in (("/", True), ("*", False)):
        program = build([source], machine, defines={"OPERATOR": operator})
        analysis = StallAnalysis(simulate(program, machine), machine)
        found = find_advice(analysis, program, "t13", [])
        because = [each.because for each in found if "core.divider" in each.change]
        condition = "a machine that is otherwise the same, if this divider reaches its clock"
        assert because == [condition] * divides
        gains = compute_what_if(
            program, "t13", [], Region("main", program.symbol("main").address), max_cycles=10**6
        ).gains
        named = [each.change for each in gains if "divider" in each.change]
        assert named == ["fastest divider, if it reaches the clock"] * divides


def test_advice_is_sorted_and_printed(tmp_path: Path) -> None:
    path = _source(tmp_path, "no optimization")
    shown = CliRunner().invoke(app, ["advise", str(path), "--arch", "t13-simd1", "-O0", "--json"])
    told = json.loads(shown.stdout)
    saved = [each["saves_cycles"] for each in told["advice"]]
    assert saved == sorted(saved, reverse=True)
    assert all(told["wall_cycles"] > each >= told["wall_cycles"] / 100 for each in saved)
    assert {each["how"] for each in told["advice"]} <= {"run", "at most", "spent"}


SCALAR = {
    "kdotp": "s += a[k] * b[k]", "kvred": "s += a[k]", "kaddv": "c[k] = a[k] + b[k]",
    "ksubv": "c[k] = a[k] - b[k]", "kvmul": "c[k] = a[k] * b[k]", "ksvaddrf": "c[k] = a[k] + x",
    "ksvmulrf": "c[k] = a[k] * x",
}  # fmt: skip
OTHER = ("c[k] = a[k + 1] * b[2 * k]", "s ^= a[k]", "s += a[k] * b[k] + c[k]", "c[k] = b[k] >> 1")
"""Much alike, and no vector instruction."""


def test_loops_are_recognized_and_their_c_computes_the_same(tmp_path: Path) -> None:
    names = [*SCALAR, *(f"other{k}" for k in range(len(OTHER)))]
    parts = ['#include "gnomon.h"', '#include "vcu.h"', "int a[900], b[900], c[900], d[900];"]
    calls = []
    for name, body in zip(names, (*SCALAR.values(), *OTHER), strict=True):
        given = "const int *a, const int *b, int *c, int x, int n"
        parts.append(
            f"__attribute__((noinline)) int {name}_loop({given})\n{{\n    int s = x;\n"
            f"    for (int k = 0; k < n; k++) {body};\n    return s;\n}}\n"
        )
        calls.append(f"s = {name}_loop(a, b, c, -5, 400);")
        if name in SCALAR:
            parts.append(vector_code(name))
            reduces = "s +=" in body
            inputs = "a, " + "-5, " * name.endswith("rf") + "b, " * (" b[" in f" {body}")
            call = f"vector_{name}({'' if reduces else 'd, '}{inputs}400)"
            calls.append(f"wrong += s != -5 + {call};" if reduces else f"{call};")
            calls.append("for (int k = 0; k < 400; k++) wrong += c[k] != d[k];" * (not reduces))
    parts.append(
        "int main(void)\n{\n    int wrong = 0, s;\n    for (int k = 0; k < 900; k++)"
        " a[k] = 77 * k - 9999, b[k] = 5 - k * k;\n    " + "\n    ".join(calls)
        + "\n    return wrong;\n}\n"
    )  # fmt: skip
    path = tmp_path / "loops.c"
    path.write_text("\n".join(parts))
    machine = load_architecture("t13-simd4", ("vcu.scratchpads.size=1KiB",))
    program = build([path], machine)
    run = simulate(program, machine)
    assert run.exit_code == 0  # in two pieces, the second one shorter
    found = {each.function: each for each in find_vector_loops(run, program)}
    assert {
        found[name].function: found[name].instruction for name in found if "main" not in name
    } == {f"{name}_loop": name for name in SCALAR}
    assert {(each.calls, each.length) for each in found.values()} >= {(1, 400)}


@pytest.mark.parametrize("mnemonic", ["add", "mul"])
def test_a_long_body_is_looked_at_in_short_time(mnemonic: str) -> None:
    """Each doubles what the register stands for: 60 of them, as a hash has them, were no end."""
    body = [decode_word(encode(mnemonic, rd=5, rs1=5, rs2=5))] * 60
    assert _recognize([*body, decode_word(encode("sw", rs1=6, rs2=5))]) is None
