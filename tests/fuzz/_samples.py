"""Good inputs of each format, which the fuzzer damages."""

from __future__ import annotations

import functools
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tests.commands import gnomon
from tests.report.test_bundle import RUN, SWEEP, Bundle

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = ROOT / "tests" / "reference" / "t13x" / "programs"
PROGRAM = PROGRAMS / "p05.elf"
_OF_ARTICLE = "2:0.5 3:0.25 4:0.1 5:0.1 6:0.05 1:1"
R6A = f"""\
1241160900 101 0 |user 2:0.000012 3:0.0 4:0 5:0.1 6:0.2 1:1 |102 {_OF_ARTICLE} |101 {_OF_ARTICLE}
1241160901 102 1 |user 2:0.1 3:0.2 4:0.3 5:0.3 6:0.1 1:1 |102 {_OF_ARTICLE} |101 {_OF_ARTICLE}
"""
R6B = """\
1317513291 id-560620 1 |user 1 9 11 13 |id-552077 |id-560620 |id-560288
1317513292 id-552077 0 |user 1 7 |id-552077 |id-560620 |id-560288
"""
TRACE = """\
# two arms of 4 dimensions
kernel,shape,count,stage
matvec,4x4,2,select
dot,4,2,select
argmax,2,1,select
add,4x1,1,update
"""
POINTS = "point,power_mw\na,100.5\nb,120\nc,131.25\nd,99\n"
ACTIVITY = "point,fetch,alu,lsu\na,10,3,1\nb,12,4,0\nc,13,6,2\nd,9,3,1\n"
ITEM = "item_id,item_feature_0,item_feature_1\n0,-0.5,aed7\n1,0.25,31af\n"
OPEN_BANDIT = """\
,timestamp,item_id,position,click,propensity_score,user_feature_0
0,t,0,1,0,0.75,cefa
1,t,1,2,1,0.25,cefa
"""
RATINGS = "196\t242\t3\t881250949\n186\t302\t3\t891717742\n22\t377\t1\t878887116\n"
MOVIES = "".join(
    f"{movie}|Movie (1995)|01-Jan-1995||http://x|{'|'.join('0010000000010000000')}\n"
    for movie in (242, 302, 377)
)
PEOPLE = "196|49|M|writer|55105\n186|39|F|executive|00000\n22|25|M|writer|40206\n"
JOKES = "".join(f"40,{','.join(['-9.81'] * 40 + ['99'] * 60)}\n" for _ in range(3))
CLASSES = "length,width,kind\n" + "".join(f"{n}.5,{7 - n},{'ab'[n % 2]}\n" for n in range(12))
C_SOURCE = """\
#include "machine.h"
static int table[8];
static int add(int a, int b) { return a + b; }
int main(int hart)
{
    for (int i = 0; i < 8; i++)
        table[i] = add(i, hart);
    __asm__ volatile("nop");
    return table[7];
}
"""
BUDGET = """\
schema: 1
name: it
arch: t13
baseline: it.json
checks: {{it: {{program: {program}, limits: [wall_cycles <= baseline]}}}}
"""
CORE = """\
schema: 1
name: it
source: a core, commit 1
sources: [core.v]
top: core
parameters: {ENABLE_MUL: 1}
defines: [RISCV_FORMAL]
clock: clk
reset: {signal: resetn, active: low}
bus: pico
isa: rv32im
reset-pc: 0
inputs: {irq: 0}
"""
LIBERTY = """\
library (cells) {
  time_unit : "1ns"; voltage_unit : "1V"; leakage_power_unit : "1nW";
  capacitive_load_unit (1, pf);
  nom_voltage : 1.2;
  lu_table_template (by_both) {
    variable_1 : total_output_net_capacitance; variable_2 : input_transition_time;
    index_1 ("0.01, 0.1"); index_2 ("0.1, 0.5");
  }
  power_lut_template (by_slew) { variable_1 : input_transition_time; index_1 ("0.1, 0.5"); }
  cell (NAND2) {
    area : 4.0; cell_leakage_power : 0.1;
    pin (A) { direction : input; capacitance : 0.002; }
    pin (B) { direction : input; capacitance : 0.002; }
    pin (Y) {
      direction : output; function : "!(A & B)";
      timing () {
        related_pin : "A";
        cell_rise (by_both) {
          index_1 ("0.01, 0.1"); index_2 ("0.1, 0.5"); values ("1, 2", "3, 4");
        }
        cell_fall (by_both) {
          index_1 ("0.01, 0.1"); index_2 ("0.1, 0.5"); values ("1, 2", "3, 4");
        }
        rise_transition (by_both) {
          index_1 ("0.01, 0.1"); index_2 ("0.1, 0.5"); values ("1, 2", "3, 4");
        }
        fall_transition (by_both) {
          index_1 ("0.01, 0.1"); index_2 ("0.1, 0.5"); values ("1, 2", "3, 4");
        }
      }
      internal_power () {
        related_pin : "A"; when : "B";
        rise_power (by_both) {
          index_1 ("0.01, 0.1"); index_2 ("0.1, 0.5"); values ("1, 2", "3, 4");
        }
        fall_power (scalar) { values ("0.5"); }
      }
    }
  }
  cell (DFFR) {
    area : 9.0; cell_leakage_power : 0.2;
    ff (IQ, IQN) { clocked_on : "C"; next_state : "D"; clear : "!R"; }
    pin (C) {
      direction : input; capacitance : 0.003; clock : true;
      internal_power () {
        when : "(D * R * !Q)";
        rise_power (by_slew) { index_1 ("0.1, 0.5"); values ("0.1, 0.2"); }
        fall_power (scalar) { values ("0.1"); }
      }
    }
    pin (D) { direction : input; capacitance : 0.001; }
    pin (R) { direction : input; capacitance : 0.001; }
    pin (Q) { direction : output; function : "IQ"; }
  }
}
"""
OPEN_LIBERTY = (
    LIBERTY.replace('"1ns"', '"1ps"').replace("(1, pf)", '(1.00000, "ff")')
    .replace("cell_leakage_power : 0.1;", 'leakage_power () { when : "A"; value : "1.5"; }')
    .replace("  nom_voltage", "  // a comment\n  vil : 0.3 * VDD ;\n  nom_voltage")
    .replace("capacitance : 0.001", "rise_capacitance : 0.001")
    .replace('next_state : "D"', 'next_state : "(D)"')
)  # fmt: skip
ONE_MEMORY = """\
schema: 1
extends: rv32im
name: one
title: one memory for code and data
memory:
  instruction: {base: 0, size: 2 MiB}
  data: {base: 0, size: 2 MiB}
"""
GDB = """\
?
qSupported:multiprocess+;swbreak+
qXfer:features:read:target.xml:0,200
Hg1
g
p20
P1=00000000
Z0,b8,4
vCont;c
z0,b8,4
vCont;c:1
vCont;s:1;c
m100000,40
M100000,4:01020304
T1
qfThreadInfo
qThreadExtraInfo,1
qRcmd,6379636c65
s
c
D
"""


def read(*patterns: str) -> Callable[[], Sequence[bytes]]:
    @functools.cache
    def samples() -> Sequence[bytes]:
        files = [path for pattern in patterns for path in sorted(ROOT.glob(pattern))]
        assert files, patterns
        return tuple(path.read_bytes() for path in files)

    return samples


def texts(*texts: str) -> Callable[[], Sequence[bytes]]:
    return lambda: tuple(text.encode() for text in texts)


@functools.cache
def learner_samples() -> Sequence[bytes]:
    """Saved learners of several families."""
    from gnomon.learn import find_learner, save_learner
    from gnomon.learn.checks import build_learner

    made = []
    with tempfile.TemporaryDirectory() as folder:
        for name in ("linucb-disjoint", "linucb-hybrid", "softucb", "ek-ucb"):
            learner = build_learner(find_learner(name))
            made.append(save_learner(learner, Path(folder) / f"{name}.npz").read_bytes())
    return tuple(made)


@functools.cache
def trace_samples(name: str) -> Sequence[bytes]:
    """Recordings and logs of short runs."""
    made = []
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "it"
        for program, arch in (("p00", "t13"), ("p01", "t13-simd2")):
            elf = str(PROGRAMS / f"{program}.elf")
            done = gnomon(
                "run", elf, "--arch", arch, "--trace", f"{name}={file}", "--trace-window", "0:400"
            )
            assert done.returncode == 0, done.stderr
            made.append(file.read_bytes())
    return tuple(made)


@functools.cache
def fst_samples() -> Sequence[bytes]:
    """Recordings by the C library, with a gap and without."""
    from tests.trace.fst_files import write_fst

    changes = [(0, 0, "0"), (0, 1, "xxxx"), *((5 * k, 0, str(k % 2)) for k in range(1, 40)),
               (20, 1, "0101"), (60, 1, "1111")]  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        return tuple(
            write_fst(Path(folder) / "it.fst", [("clk", 1), ("d", 4)], changes, 200, off=off)
            .read_bytes()
            for off in (None, (30, 60))
        )  # fmt: skip


@functools.cache
def relocated_samples() -> Sequence[bytes]:
    """Executables whose segments have load addresses of their own, and zeros after them."""
    from tests.program.test_load_addresses import PLACES, with_places

    return tuple(with_places(segments) for segments, _ in PLACES.values())


@functools.cache
def source_samples() -> Sequence[bytes]:
    """Of a few tables: all of them take fifty times as long."""
    text = (ROOT / "reports" / "SOURCES.yaml").read_bytes()
    return (text.partition(b"  area/kernels.csv:")[0],)


@functools.cache
def bundle_samples() -> Sequence[bytes]:
    """Bundles of a sweep and of a study."""
    study = replace(RUN, name="area", kind="study", what="area", group="report", options=("--x",))
    inputs = {"lanes.yaml": SWEEP.format(source="sum.c").encode(), "c/sum.c": C_SOURCE.encode()}
    results = {"lanes/index.html": b"<p>1</p>", "lanes/points.csv": b"point,time_us\n0,1.5\n"}
    versions = {"compiler zig": "0.17.0", "gnomon": "0.1"}
    return tuple(
        Bundle(runs, versions, inputs, results).to_bytes() for runs in ((RUN,), (RUN, study))
    )
