"""What users hand to gnomon: samples of each format, and the command or function that reads it.

One file: half of it are the samples, and a format that is missing in the table at its end is seen.
"""

from __future__ import annotations

import functools
import gzip
import io
import shutil
import socket
import tempfile
import threading
import zipfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from zlib import crc32

from gnomon.deploy import read_deployment
from gnomon.explore import read_sweep
from tests.commands import gnomon
from tests.fuzz._mutate import mutate

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Sequence

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = ROOT / "tests" / "reference" / "t13x" / "programs"
PROGRAM = PROGRAMS / "p05.elf"
LIMIT = ("--max-cycles", "20000")

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
COMMANDS = (
    "arch show t13-simd4 --set vcu.simd=8 --json", "arch list --json",
    "area t13 --set core.harts=4", "list kernels --json", "schema sweep",
    "explain power.t13.clock_power_mw --json", "platform show cortex-m4",
    "power activity nothing.vcd --clock 100MHz --json",
    "why PROGRAM --arch t13 --max-cycles 2000", "diff PROGRAM PROGRAM --arch t13 --json",
    "run PROGRAM --arch t13 --max-cycles 2000 --trace-window 0:20 --json",
    "run PROGRAM --arch t13 --region fin --power t13 --json", "arch check nothing.yaml",
    "build nothing.c --arch t13 -D A=1 -O 2", "deploy nothing.yaml --json", "budget nothing.yaml",
)  # fmt: skip


@dataclass(frozen=True)
class Format:
    """One kind of input.

    ``samples`` are good ones; ``argv`` is the command that reads a file of it in a folder, or
    ``call`` the function where a command would start long work.
    """

    name: str
    kind: str
    samples: Callable[[], Sequence[bytes]]
    suffix: str = ""
    argv: Callable[[Path], list[str]] | None = None
    call: Callable[[Path], object] | None = None
    packed: str = ""
    words: Callable[[str], list[str]] | None = None

    def make(self, rng: random.Random) -> bytes:
        """A damaged sample."""
        samples = self.samples()
        data, other = rng.choice(samples), rng.choice(samples)
        if self.packed == "gzip":
            inner = mutate(self.kind, data, other, rng) if rng.random() < 0.6 else data
            packed = gzip.compress(inner, 1, mtime=0)
            return packed if rng.random() < 0.4 else mutate("bytes", packed, packed, rng)
        if self.packed == "zip" and rng.random() < 0.7:
            return _mutate_member(data, rng)
        return mutate(self.kind, data, other, rng)


def _mutate_member(data: bytes, rng: random.Random) -> bytes:
    """An archive whose checksums are right and one of whose members is not."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(made, "w") as new:
        names = old.namelist()
        damaged = rng.choice(names)
        for name in names:
            member = old.read(name)
            head, body = member[:128], member[128:]
            if name == damaged and rng.random() < 0.7:
                member = mutate("text", head, head, rng) + body
            elif name == damaged:
                member = mutate("bytes", member, member, rng)
            new.writestr(name, member)
    return made.getvalue()


def _read(*patterns: str) -> Callable[[], Sequence[bytes]]:
    @functools.cache
    def samples() -> Sequence[bytes]:
        files = [path for pattern in patterns for path in sorted(ROOT.glob(pattern))]
        assert files, patterns
        return tuple(path.read_bytes() for path in files)

    return samples


def _given(*texts: str) -> Callable[[], Sequence[bytes]]:
    return lambda: tuple(text.encode() for text in texts)


@functools.cache
def _learners() -> Sequence[bytes]:
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
def _traces(name: str) -> Sequence[bytes]:
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
def _fst() -> Sequence[bytes]:
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
def _relocated() -> Sequence[bytes]:
    """Executables whose segments have load addresses of their own, and zeros behind them."""
    from tests.program.test_load_addresses import PLACES, with_places

    return tuple(with_places(segments) for segments, _ in PLACES.values())


_LEARNER = (
    ROOT / "gnomon" / "cli" / "templates" / "learner" / "algorithms" / "@folder@" / "learner.py"
)
_OF_LEARNER = """\
schema: 1
title: "Mine"
source: yours
float: {standard: learner.py:GradientGreedy}
"""


def _learner_code(path: Path) -> list[str]:
    """A learner of a user, whose Python is damaged: `gnomon check` runs it."""
    name = f"mine{crc32(path.read_bytes()):08x}"  # a module is imported once
    project = path.parent / name
    place = project / "algorithms" / name
    place.mkdir(parents=True, exist_ok=True)
    (place / "algorithm.yaml").write_text(_OF_LEARNER)
    (place / "learner.py").write_bytes(path.read_bytes().replace(b"@name@", name.encode()))
    return ["--path", str(project), "check", name]


def _content(kind: str, folder: str, file: str) -> Callable[[Path], list[str]]:
    """A user's folder of content, of which one file is the damaged one."""

    def argv(path: Path) -> list[str]:
        place = path.parent / "project" / folder / "mine"
        source = min(ROOT.glob(f"{folder}/*/{file}")).parent
        shutil.copytree(source, place, dirs_exist_ok=True)
        shutil.copyfile(path, place / file)
        return ["--path", str(path.parent / "project"), "list", kind]

    return argv


def _fit(activity: bool) -> Callable[[Path], list[str]]:
    def argv(path: Path) -> list[str]:
        beside = path.with_name("beside.csv")
        beside.write_text(POINTS if activity else ACTIVITY)
        files = [path, beside] if activity else [beside, path]
        return ["power", "fit", *map(str, files), "--json"]

    return argv


@functools.cache
def _some_sources() -> Sequence[bytes]:
    """Of a few tables: all of them take fifty times as long."""
    text = (ROOT / "reports" / "SOURCES.yaml").read_bytes()
    return (text.partition(b"  area/kernels.csv:")[0],)


def _sources(path: Path) -> list[str]:
    table = path.parent / "reports" / "area" / "machines.csv"
    table.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(path, path.parent / "reports" / "SOURCES.yaml")
    shutil.copyfile(ROOT / "reports" / "area" / "machines.csv", table)
    return ["--path", str(path.parent), "explain", "reports/area/machines.csv:2:lut_estimate"]


def _log(path: Path) -> object:
    from gnomon.learn.logged import Survey, open_log

    path.with_name("item_context.csv").write_text(ITEM)
    for log_format in ("yahoo-r6a", "yahoo-r6b", "open-bandit"):
        if path.name.startswith(log_format):
            return Survey.from_log(open_log(path, log_format))
    raise AssertionError(path)


def _sweep(path: Path) -> object:

    return read_sweep(path)


def _deploy(path: Path) -> object:

    return read_deployment(path)


def _budget(path: Path) -> object:
    from gnomon.budget import read_budget

    for beside in ("filter.c", "baseline.json"):
        shutil.copyfile(ROOT / "examples" / "budget" / beside, path.with_name(beside))
    return read_budget(path)


def _baseline_argv(path: Path) -> list[str]:
    budget = path.with_name("budget.yaml")
    budget.write_text(BUDGET.format(program=PROGRAM))
    return ["budget", str(budget)]


@functools.cache
def _baselines() -> Sequence[bytes]:
    with tempfile.TemporaryDirectory() as folder:
        done = gnomon(*_baseline_argv(Path(folder) / "it.json"), "--update")
        assert done.returncode == 0, done.stderr
        return ((Path(folder) / "it.json").read_bytes(),)


def _line(word: str) -> list[str]:
    return [str(PROGRAM) if each == "PROGRAM" else each for each in word.split(" ")]


def _liberty(path: Path) -> object:
    from tests.rtl.gates.test_gates import read_liberty

    return read_liberty(path)


def _elf(path: Path) -> object:
    from gnomon.program import load_elf

    return load_elf(path)


def _core(path: Path) -> object:
    from tests.calibrate.test_core_file import read_core

    path.with_name("core.v").write_text("")
    return read_core(path)


def _gdb(path: Path) -> object:
    """Each line in a packet, to the server of a short run; it refuses one by E01."""
    from gnomon.arch import load_architecture
    from gnomon.base.errors import GnomonError
    from gnomon.observe.gdb import Session
    from gnomon.program import load_elf
    from gnomon.sim import simulate

    lines = path.read_bytes()[:100_000].split(b"\n")
    packets = b"".join(b"$%s#%02x" % (line, sum(line) % 256) for line in lines)
    ends, gdb = socket.socketpair()

    def send() -> None:
        with suppress(OSError):
            gdb.sendall(packets)
            gdb.shutdown(socket.SHUT_WR)

    def receive() -> None:
        with suppress(OSError):
            while more := gdb.recv(1 << 16):
                answers.append(more)

    answers: list[bytes] = []
    threads = [threading.Thread(target=each) for each in (send, receive)]
    with gdb:
        for thread in threads:
            thread.start()
        with ends:
            run = simulate(load_elf(PROGRAM), load_architecture("t13"), max_cycles=20_000,
                           debug=lambda target: Session(target, ends).serve())  # fmt: skip
        for thread in threads:
            thread.join()
    if b"$E01#" in b"".join(answers):
        raise GnomonError("a packet is refused")
    return run


def _power(path: Path) -> object:
    from tests.energy.test_gates import load_table

    own = path.with_name(f"{crc32(path.read_bytes()):08x}.yaml")  # a path is read once
    return load_table(str(path.rename(own)))


def _load(path: Path) -> object:
    from gnomon.learn import load_learner

    return load_learner(path)


def _run(*options: str) -> Callable[[Path], list[str]]:
    def argv(path: Path) -> list[str]:
        out = [each.replace("OUT", str(path.with_name("out"))) for each in options]
        return ["run", str(path), "--arch", "t13-simd2", *LIMIT, *out]

    return argv


def _of_run(*options: str) -> Callable[[str], list[str]]:
    return lambda word: ["run", str(PROGRAM), "--arch", "t13", *LIMIT, *options, word]


FORMATS = {each.name: each for each in (
    Format("machine", "yaml", lambda: (*_read("arch/*.yaml")(), ONE_MEMORY.encode()), ".yaml",
           lambda path: ["arch", "check", str(path)]),
    Format("machine-one-memory", "yaml", _given(ONE_MEMORY), ".yaml",
           lambda path: ["run", str(PROGRAM), "--arch", str(path), *LIMIT, "--json"]),
    Format("machine-run", "yaml", _read("arch/t13*.yaml"), ".yaml",
           lambda path: ["run", str(PROGRAM), "--arch", str(path), *LIMIT, "--json"]),
    Format("sweep", "yaml", _read("examples/[dl]*.yaml", "examples/khz*.yaml"), ".yaml",
           call=_sweep),
    Format("deploy", "yaml", _read("examples/wearable.yaml"), ".yaml", call=_deploy),
    Format("budget", "yaml", _read("examples/budget/budget.yaml"), ".yaml", call=_budget),
    Format("kernel", "yaml", _read("kernels/*/kernel.yaml"), ".yaml",
           _content("kernels", "kernels", "kernel.yaml")),
    Format("learner", "yaml", _read("algorithms/*/algorithm.yaml"), ".yaml",
           _content("learners", "algorithms", "algorithm.yaml")),
    Format("learner-py", "text", lambda: (_LEARNER.read_bytes(),), ".py", _learner_code),
    Format("study", "yaml", _read("reports/*/study.yaml"), ".yaml",
           _content("studies", "reports", "study.yaml")),
    Format("baseline", "json", _baselines, ".json", _baseline_argv),
    Format("records", "csv", _read("reports/validation/*.csv"), ".csv",
           lambda path: ["validate", "--records", str(path)]),
    Format("core", "yaml", _given(CORE), ".yaml", call=_core),
    Format("liberty", "text", _given(LIBERTY, OPEN_LIBERTY), ".lib", call=_liberty),
    Format("liberty-gz", "text", _given(OPEN_LIBERTY), ".lib.gz", call=_liberty, packed="gzip"),
    Format("gdb", "text", _given(GDB), call=_gdb),
    Format("platform", "yaml", _read("models/platforms/*.yaml"), ".yaml",
           lambda path: ["platform", "show", str(path)]),
    Format("power-table", "yaml", _read("models/power/t13*.yaml"), ".yaml", call=_power),
    Format("gate-table", "yaml", _read("tests/energy/own/models/power/*.yaml"), ".yaml",
           call=_power),
    Format("sources", "yaml", _some_sources, ".yaml", _sources),
    Format("activity", "csv", _given(ACTIVITY), ".csv", _fit(activity=True)),
    Format("points", "csv", _given(POINTS), ".csv", _fit(activity=False)),
    Format("trace-csv", "csv", _given(TRACE), ".csv",
           lambda path: ["replay", str(path), "--arch", "t13", "--list-missing"]),
    Format("trace-jsonl", "json", _given(
        '{"kernel": "matvec", "shape": [4, 4], "count": 2, "stage": "select"}\n'
        '{"kernel": "dot", "shape": [4], "count": 2}\n'), ".jsonl",
           lambda path: ["replay", str(path), "--arch", "t13", "--list-missing"]),
    Format("vcd", "text", lambda: _traces("vcd"), ".vcd",
           lambda path: ["power", "activity", str(path), "--clock", "100MHz", "--json"]),
    Format("vcd-dialects", "text", _read("tests/trace/dialects/[nw]*.vcd"), ".vcd",
           lambda path: ["power", "activity", str(path), "--by", "signal", "--json"]),
    Format("saif-dialects", "text", _read("tests/trace/dialects/*.saif"), ".saif",
           lambda path: ["power", "activity", str(path), "--by", "signal", "--json"]),
    Format("fst", "bytes", _fst, ".fst",
           lambda path: ["power", "activity", str(path), "--clock", "100MHz", "--json"]),
    Format("vcd-gz", "text", lambda: _traces("vcd"), ".vcd.gz", packed="gzip",
           argv=lambda path: ["power", "activity", str(path), "--clock", "100MHz", "--json"]),
    Format("saif", "text", lambda: _traces("saif"), ".saif",
           lambda path: ["power", "activity", str(path), "--clock", "100MHz", "--json"]),
    Format("issue-log", "csv", lambda: _traces("log"), ".csv",
           lambda path: ["diff", str(path), str(path)]),
    Format("click-r6a", "text", _given(R6A), ".log", call=_log),
    Format("click-r6b", "text", _given(R6B), ".gz", call=_log, packed="gzip"),
    Format("open-bandit", "csv", _given(OPEN_BANDIT), ".csv", call=_log),
    Format("saved-learner", "bytes", _learners, ".npz", call=_load, packed="zip"),
    Format("elf", "bytes", _read("tests/reference/t13x/programs/p0[0-7].elf"), ".elf",
           _run("--json")),
    Format("elf-places", "bytes", _relocated, ".elf", call=_elf),
    Format("elf-profile", "bytes", _read("tests/reference/t13x/programs/p0[0-3].elf"), ".elf",
           _run("--profile", "--profile-to", "annotated=OUT.txt,csv=OUT.csv,folded=OUT.folded")),
    Format("elf-trace", "bytes", _read("tests/reference/t13x/programs/p0[0-3].elf"), ".elf",
           _run("--trace", "log=OUT.csv,kanata=OUT.log", "--trace-window", "0:300")),
    Format("set", "text", _given("vcu.simd=4", "core.harts=3", "vcu.scratchpads.size=4 KiB",
                                 "clock=50 MHz", "vcu.divider=none", "memory.data.size=64 KiB"),
           words=lambda word: ["arch", "show", "t13-simd4", "--set", word]),
    Format("explain", "text", _given(
        "table2/t13/std/d=8/cycles", "power.t13.clock_power_mw", "arch.t13-simd4.core.divider",
        "reports/paper/cells.csv:2:ours", "divider.restoring_r2", "kernel.multiply.cycles"),
           words=lambda word: ["explain", word]),
    Format("trace-window", "text", _given("0:300", "start", "0x80:0x100@2", "start@all"),
           words=_of_run("--trace", "log=out.csv", "--trace-window")),
    Format("profile-to", "text", _given("folded=a.txt,csv=b.csv", "callgrind=c.gz"),
           words=_of_run("--profile-to")),
    Format("command-line", "text", _given(*COMMANDS), words=_line),
    Format("c-source", "text", _given(C_SOURCE), ".c",
           lambda path: ["build", str(path), "--arch", "t13", "--output", f"{path}.elf"]),
)}  # fmt: skip
