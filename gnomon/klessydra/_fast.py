"""The core as C++: GHDL synthesizes its VHDL to Verilog, and Verilator compiles a program.

Each setting has its build, which is created on first use and stays in the work folder. The
simulation is two-valued: undefined bits of VHDL are 0 here.
"""

import re
import shutil
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np

from gnomon.arch import Architecture
from gnomon.base.content import content
from gnomon.base.digest import digest
from gnomon.base.errors import GnomonError
from gnomon.base.sources import file_digest
from gnomon.klessydra._ghdl import CoreBuild
from gnomon.klessydra._observe import SIGNALS
from gnomon.klessydra._record import Elaborated
from gnomon.klessydra._rejected import ScratchCopy, rejections
from gnomon.klessydra._synthesizable import SYNTHESIS_EDITS, own_memories, use_bit_shifts
from gnomon.klessydra._wiring import (
    bound_generics,
    check_entity,
    parse_generics,
    verilog_ports,
)
from gnomon.rtl.bench import rendered
from gnomon.rtl.observed import Job, Recorded, program_words
from gnomon.rtl.setting import Setting
from gnomon.rtl.tools import last_lines, run, tool

LEAST_GHDL = 7
"""Oldest usable GHDL. Older ones silently write wrong Verilog: with 2.0 the first jump is wrong."""

_TOP = "lockstep_top"
_MOST_ROUNDS = 40
_LATCH = re.compile(r"always @\((\w+)\)\n(\s+)(\w+) <= (\w+);")


@dataclass(slots=True)
class FastCore(Elaborated):
    """A user's core, compiled for each requested setting; ``note`` gets a message per build."""

    build: CoreBuild
    copy: ScratchCopy
    given: Mapping[str, int] = field(default_factory=dict)
    inside: str = ""
    note: Callable[[str], None] = field(default=lambda _: None)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _binaries: dict[Setting, Path] = field(default_factory=dict)

    @staticmethod
    def from_sources(
        ghdl: Path | None,
        listing: Path,
        top: str,
        folder: Path,
        *,
        machine: Architecture,
        flags: Sequence[str] = (),
        given: Sequence[str] = (),
        inside: str = "",
        note: Callable[[str], None] = lambda _: None,
    ) -> "FastCore":
        """Prepare copies of the user's sources; builds follow on first use of a setting.

        Arguments are those of ``GhdlCore.from_sources``; ``note`` gets a message per build.

        Raises:
            GnomonError: if GHDL is too old, or the core does not fit the bench.
        """
        build = CoreBuild.prepare(ghdl, listing, top, folder, flags)
        number = re.match(r"\d+", build.ghdl.version)
        if number is None or int(number[0]) < LEAST_GHDL:
            raise GnomonError(
                f"{build.ghdl.path}: {build.ghdl.title} silently writes wrong Verilog;"
                f" synthesis needs GHDL {LEAST_GHDL} or newer"
                " (--ghdl PATH; https://github.com/ghdl/ghdl)"
            )
        check_entity(build.entity, machine)
        copy = ScratchCopy(build.sources, folder / "scratch")
        copy.own_drivers()
        use_bit_shifts(copy)
        own_memories(copy)
        return FastCore(build, copy, parse_generics(given, build.entity), inside, note)

    @property
    def beside(self) -> str:
        """Tools in addition to GHDL, for records."""
        return f"synthesis, Verilator {tool('verilator').version}"

    def observe(self, job: Job) -> Recorded:
        """Simulate a program to its end; see ``SimulatedCore``.

        Raises:
            GnomonError: if the setting cannot be built, or the simulation fails.
        """
        program, setting, folder = job.program, job.setting, job.folder
        binary = self._binary(setting)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "image.txt").write_text(program_words(program), encoding="ascii")
        code, data = job.machine.memory.instruction, job.machine.memory.data
        sizes = int(code.size), data.base, int(data.size)
        end = job.last_cycle + 1  # the bench records the cycles before it
        done = run([binary, folder, *map(str, (*sizes, end))])
        words = done.stdout.split()
        if done.returncode or len(words) != 2:
            log = done.stderr or done.stdout
            raise GnomonError(f"{program.name}, {setting.title}: the simulation failed: {log}")
        issues, bus = (np.fromfile(folder / f"{name}.bin", dtype="<u4").reshape(-1, 4)
                       for name in ("issues", "bus"))  # fmt: skip
        ended: Literal["exit", "cycle limit"] = "exit" if words[0] == "exit" else "cycle limit"
        memory = (folder / "memory.bin").read_bytes()
        return Recorded(ended, int(words[1]), issues, bus, memory)

    def _binary(self, setting: Setting) -> Path:
        with self._lock:
            if setting not in self._binaries:
                self._binaries[setting] = self._compile(setting)
            return self._binaries[setting]

    def _compile(self, setting: Setting) -> Path:
        if (setting.simd, setting.sharing, setting.superscalar) == (4, "multithreaded", True):
            raise GnomonError(
                f"--fast: {setting.title}: the build of this setting differs from the core under"
                " GHDL in 25 of 60 programs, for an unknown reason; leave out --fast, or select"
                " other settings with --simd, --sharing and --superscalar"
            )
        code = map(file_digest, sorted(Path(__file__).parent.glob("*.py")))
        chosen = map(str, self._generics(setting).items())
        parts = (self.build.digest, self.build.ghdl.title, *code, *chosen)
        top = rendered(content("rtl_tests", "klessydra", "top.v.j2"), core=self.build.entity.name,
                       ports=self.ports, signals=self.signals)  # fmt: skip
        bench = content("rtl_tests", "lockstep", "bench.cpp").resolve()
        key = digest([*parts, top, bench.read_text("utf-8")])
        folder = self.build.folder / key[:16]
        binary = folder / f"V{_TOP}"
        if binary.is_file():
            return binary
        verilator = shutil.which("verilator")
        if verilator is None:
            raise GnomonError("verilator: not found (install: sudo apt-get install verilator)")
        self.note(f"building the core for {setting.title}")
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "core.v").write_text(self.verilog(setting), encoding="utf-8")
        (folder / "top.v").write_text(top, encoding="utf-8")
        # Code that runs once, which is most of the code, is not optimized. -fno-dfg: the data-flow
        # optimizer of 5.006 evaluates 7 <= 7 - x as false for a constant x = 0. The output is split
        # into many functions, since compile time grows faster than the size of a function.
        optimized = "OPT_FAST=-O1 OPT_SLOW=-O0 OPT_GLOBAL=-O1"
        command = [
            verilator, "--cc", "--exe", "--build", "-O3", "--top-module", _TOP,
            "-Wno-fatal", "-Wno-lint", "-Wno-style", "--x-assign", "0", "--x-initial", "0",
            "-fno-dfg", "--noassert", "--output-split", "5000", "--output-split-cfuncs", "500",
            "--Mdir", str(folder), "-MAKEFLAGS", optimized,
            str(folder / "top.v"), str(folder / "core.v"), str(bench),
        ]  # fmt: skip
        done = run(command)
        (folder / "build.log").write_text(done.stdout + done.stderr, encoding="utf-8")
        if done.returncode or not binary.is_file():
            end = last_lines(done.stdout + done.stderr, 15)
            raise GnomonError(f"{verilator} rejects the Verilog of GHDL:\n{end}")
        for each in (*folder.glob("*.o"), *folder.glob("*.a"), folder / "core.v"):
            each.unlink()  # they take tens of MB per setting; only the program is needed
        return binary

    @property
    def ports(self) -> list[tuple[str, str]]:
        """Ports of the core in Verilog, and the signals to connect to them."""
        return verilog_ports(self.build.entity)

    @property
    def signals(self) -> dict[str, str]:
        """Signals of the core in Verilog that show an issue."""
        return {name: f"{self.inside}{each}".lower() for name, each in SIGNALS.items()}

    def _generics(self, setting: Setting) -> dict[str, int]:
        return bound_generics(self.build.entity, setting, self.given)

    def verilog(self, setting: Setting) -> str:
        """Return the core in Verilog, in a setting; the copy is edited as needed.

        Raises:
            GnomonError: if GHDL rejects a source.
        """
        bits = content("rtl_tests", "klessydra", "bits.vhd").resolve()
        build, top, output = self.build, self.build.entity.name, ""
        for _ in range(_MOST_ROUNDS):
            output = build.analyze((bits, *self.copy.paths), top) or ""
            if not output:
                chosen = [f"-g{name}={value}" for name, value in self._generics(setting).items()]
                how = ["--synth", *build.flags, "--latches", *chosen, "--out=verilog", top]
                done = run([build.ghdl.path, *how], build.folder)
                if not done.returncode:
                    # GHDL writes a latch that samples its input only when it opens.
                    return _LATCH.sub(r"always @*\n\2if (\1) \3 = \4;", done.stdout)
                output = done.stderr
            if not any(self.copy.mend(each, SYNTHESIS_EDITS) for each in rejections(output)):
                break
        raise build.rejection_error(output, self.copy)
