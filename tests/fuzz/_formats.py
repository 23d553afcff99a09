"""What users hand to gnomon: each format with its samples, and the command that reads it."""

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

from gnomon.deploy import read_deployment, read_pipeline
from gnomon.explore import read_sweep
from tests.commands import gnomon
from tests.fuzz._mutate import mutate
from tests.fuzz._samples import (
    ACTIVITY,
    BUDGET,
    C_SOURCE,
    CLASSES,
    CORE,
    GDB,
    ITEM,
    JOKES,
    LIBERTY,
    MOVIES,
    ONE_MEMORY,
    OPEN_BANDIT,
    OPEN_LIBERTY,
    PEOPLE,
    POINTS,
    PROGRAM,
    R6A,
    R6B,
    RATINGS,
    ROOT,
    TRACE,
    bundle_samples,
    fst_samples,
    learner_samples,
    read,
    relocated_samples,
    source_samples,
    texts,
    trace_samples,
)

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Sequence

LIMIT = ("--max-cycles", "20000")
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


def _ratings(path: Path) -> object:
    from gnomon.learn.datasets import read_ratings

    return read_ratings(path.rename(path.with_name("u.data")))


def _movielens(damaged: str) -> Callable[[Path], object]:
    def read_folder(path: Path) -> object:
        from gnomon.learn.datasets import read_movielens

        folder = path.parent / "ml"
        folder.mkdir(exist_ok=True)
        for name, text in (("u.data", RATINGS), ("u.item", MOVIES), ("u.user", PEOPLE)):
            (folder / name).write_text(text)
        shutil.copyfile(path, folder / damaged)
        return read_movielens(folder)

    return read_folder


def _jokes(path: Path) -> object:
    from gnomon.learn.datasets import read_jester

    return read_jester(path)


def _classes(path: Path) -> object:
    from gnomon.learn.datasets import read_classes

    return read_classes(path, "kind")


@functools.cache
def _joke_arrays() -> Sequence[bytes]:
    import numpy as np

    made = io.BytesIO()
    np.save(made, np.full((3, 40), -9.81))
    return (made.getvalue(),)


def _sweep(path: Path) -> object:

    return read_sweep(path)


def _deploy(path: Path) -> object:

    return read_deployment(path)


def _pipeline(path: Path) -> object:
    for beside in ("sample.c", "filter.c", "infer.c", "wearer.py"):
        shutil.copyfile(ROOT / "examples" / "pipeline" / beside, path.with_name(beside))
    return read_pipeline(path)


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


def _bundle(path: Path) -> object:
    from tests.report.test_bundle import read_bundle

    return read_bundle(path)


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
    Format("machine", "yaml", lambda: (*read("arch/*.yaml")(), ONE_MEMORY.encode()), ".yaml",
           lambda path: ["arch", "check", str(path)]),
    Format("machine-one-memory", "yaml", texts(ONE_MEMORY), ".yaml",
           lambda path: ["run", str(PROGRAM), "--arch", str(path), *LIMIT, "--json"]),
    Format("machine-run", "yaml", read("arch/t13*.yaml"), ".yaml",
           lambda path: ["run", str(PROGRAM), "--arch", str(path), *LIMIT, "--json"]),
    Format("sweep", "yaml", read("examples/[dl]*.yaml", "examples/khz*.yaml"), ".yaml",
           call=_sweep),
    Format("deploy", "yaml", read("examples/wearable.yaml"), ".yaml", call=_deploy),
    Format("pipeline", "yaml", read("examples/pipeline/pipeline.yaml"), ".yaml", call=_pipeline),
    Format("budget", "yaml", read("examples/budget/budget.yaml"), ".yaml", call=_budget),
    Format("kernel", "yaml", read("kernels/*/kernel.yaml"), ".yaml",
           _content("kernels", "kernels", "kernel.yaml")),
    Format("learner", "yaml", read("algorithms/*/algorithm.yaml"), ".yaml",
           _content("learners", "algorithms", "algorithm.yaml")),
    Format("learner-py", "text", lambda: (_LEARNER.read_bytes(),), ".py", _learner_code),
    Format("study", "yaml", read("reports/*/study.yaml"), ".yaml",
           _content("studies", "reports", "study.yaml")),
    Format("study-page", "text", read("reports/validation/rtl*.md"), ".md",
           lambda path: ["report", "page", str(path)]),
    Format("baseline", "json", _baselines, ".json", _baseline_argv),
    Format("records", "csv", read("reports/validation/*.csv"), ".csv",
           lambda path: ["validate", "--records", str(path)]),
    Format("core", "yaml", texts(CORE), ".yaml", call=_core),
    Format("liberty", "text", texts(LIBERTY, OPEN_LIBERTY), ".lib", call=_liberty),
    Format("liberty-gz", "text", texts(OPEN_LIBERTY), ".lib.gz", call=_liberty, packed="gzip"),
    Format("gdb", "text", texts(GDB), call=_gdb),
    Format("platform", "yaml", read("models/platforms/*.yaml"), ".yaml",
           lambda path: ["platform", "show", str(path)]),
    Format("power-table", "yaml", read("models/power/t13*.yaml"), ".yaml", call=_power),
    Format("gate-table", "yaml", read("tests/energy/own/models/power/made-up.yaml"), ".yaml",
           call=_power),
    Format("stated-table", "yaml", read("tests/energy/own/models/power/stated.yaml"), ".yaml",
           call=_power),
    Format("sources", "yaml", source_samples, ".yaml", _sources),
    Format("activity", "csv", texts(ACTIVITY), ".csv", _fit(activity=True)),
    Format("points", "csv", texts(POINTS), ".csv", _fit(activity=False)),
    Format("trace-csv", "csv", texts(TRACE), ".csv",
           lambda path: ["replay", str(path), "--arch", "t13", "--list-missing"]),
    Format("trace-jsonl", "json", texts(
        '{"kernel": "matvec", "shape": [4, 4], "count": 2, "stage": "select"}\n'
        '{"kernel": "dot", "shape": [4], "count": 2}\n'), ".jsonl",
           lambda path: ["replay", str(path), "--arch", "t13", "--list-missing"]),
    Format("vcd", "text", lambda: trace_samples("vcd"), ".vcd",
           lambda path: ["power", "activity", str(path), "--clock", "100MHz", "--json"]),
    Format("vcd-dialects", "text", read("tests/trace/dialects/[nw]*.vcd"), ".vcd",
           lambda path: ["power", "activity", str(path), "--by", "signal", "--json"]),
    Format("saif-dialects", "text", read("tests/trace/dialects/*.saif"), ".saif",
           lambda path: ["power", "activity", str(path), "--by", "signal", "--json"]),
    Format("fst", "bytes", fst_samples, ".fst",
           lambda path: ["power", "activity", str(path), "--clock", "100MHz", "--json"]),
    Format("vcd-gz", "text", lambda: trace_samples("vcd"), ".vcd.gz", packed="gzip",
           argv=lambda path: ["power", "activity", str(path), "--clock", "100MHz", "--json"]),
    Format("saif", "text", lambda: trace_samples("saif"), ".saif",
           lambda path: ["power", "activity", str(path), "--clock", "100MHz", "--json"]),
    Format("issue-log", "csv", lambda: trace_samples("log"), ".csv",
           lambda path: ["diff", str(path), str(path)]),
    Format("click-r6a", "text", texts(R6A), ".log", call=_log),
    Format("click-r6b", "text", texts(R6B), ".gz", call=_log, packed="gzip"),
    Format("open-bandit", "csv", texts(OPEN_BANDIT), ".csv", call=_log),
    Format("ratings", "text", texts(RATINGS), ".data", call=_ratings),
    Format("movies", "text", texts(MOVIES), ".item", call=_movielens("u.item")),
    Format("people", "text", texts(PEOPLE), ".user", call=_movielens("u.user")),
    Format("jokes", "csv", texts(JOKES), ".csv", call=_jokes),
    Format("joke-array", "bytes", _joke_arrays, ".npy", call=_jokes),
    Format("classes", "csv", texts(CLASSES), ".csv", call=_classes),
    Format("saved-learner", "bytes", learner_samples, ".npz", call=_load, packed="zip"),
    Format("bundle", "bytes", bundle_samples, ".zip", call=_bundle, packed="zip"),
    Format("elf", "bytes", read("tests/reference/t13x/programs/p0[0-7].elf"), ".elf",
           _run("--json")),
    Format("elf-places", "bytes", relocated_samples, ".elf", call=_elf),
    Format("elf-profile", "bytes", read("tests/reference/t13x/programs/p0[0-3].elf"), ".elf",
           _run("--profile", "--profile-to", "annotated=OUT.txt,csv=OUT.csv,folded=OUT.folded")),
    Format("elf-trace", "bytes", read("tests/reference/t13x/programs/p0[0-3].elf"), ".elf",
           _run("--trace", "log=OUT.csv,kanata=OUT.log", "--trace-window", "0:300")),
    Format("set", "text", texts("vcu.simd=4", "core.harts=3", "vcu.scratchpads.size=4 KiB",
                                 "clock=50 MHz", "vcu.divider=none", "memory.data.size=64 KiB"),
           words=lambda word: ["arch", "show", "t13-simd4", "--set", word]),
    Format("explain", "text", texts(
        "table2/t13/std/d=8/cycles", "power.t13.clock_power_mw", "arch.t13-simd4.core.divider",
        "reports/paper/cells.csv:2:ours", "divider.restoring_r2", "kernel.multiply.cycles"),
           words=lambda word: ["explain", word]),
    Format("trace-window", "text", texts("0:300", "start", "0x80:0x100@2", "start@all"),
           words=_of_run("--trace", "log=out.csv", "--trace-window")),
    Format("profile-to", "text", texts("folded=a.txt,csv=b.csv", "callgrind=c.gz"),
           words=_of_run("--profile-to")),
    Format("command-line", "text", texts(*COMMANDS), words=_line),
    Format("c-source", "text", texts(C_SOURCE), ".c",
           lambda path: ["build", str(path), "--arch", "t13", "--output", f"{path}.elf"]),
)}  # fmt: skip
