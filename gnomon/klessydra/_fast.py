"""The core as C++: its VHDL through GHDL's synthesis to Verilog, through Verilator to a program.

A setting is a build of its own, made when it is first asked for and kept in the work folder. What
is simulated is two-valued: what VHDL shows as undefined is 0 here.
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
from gnomon.klessydra._ghdl import Build
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
"""Older ones write wrong Verilog without a word: with 2.0 the first jump does not jump."""

_TOP = "lockstep_top"
_MOST_ROUNDS = 40
_LATCH = re.compile(r"always @\((\w+)\)\n(\s+)(\w+) <= (\w+);")


@dataclass(slots=True)
class FastCore(Elaborated):
    """A user's core, compiled for each setting that is asked for; ``told`` says when."""

    build: Build
    copy: ScratchCopy
    given: Mapping[str, int] = field(default_factory=dict)
    inside: str = ""
    told: Callable[[str], None] = field(default=lambda _: None)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _binaries: dict[Setting, Path] = field(default_factory=dict)

    @staticmethod
    def of(
        ghdl: Path | None,
        listing: Path,
        top: str,
        folder: Path,
        *,
        machine: Architecture,
        flags: Sequence[str] = (),
        given: Sequence[str] = (),
        inside: str = "",
        told: Callable[[str], None] = lambda _: None,
    ) -> "FastCore":
        """Prepare copies of the user's sources; nothing is built before it runs.

        Arguments are those of ``GhdlCore.of``.

        Raises:
            GnomonError: GHDL is too old, or the core does not fit the bench.
        """
        build = Build.prepared(ghdl, listing, top, folder, flags)
        number = re.match(r"\d+", build.ghdl.version)
        if number is None or int(number[0]) < LEAST_GHDL:
            raise GnomonError(
                f"{build.ghdl.path}: {build.ghdl.title} writes wrong Verilog without a word;"
                f" synthesis needs GHDL {LEAST_GHDL} or newer"
                " (--ghdl PATH; https://github.com/ghdl/ghdl)"
            )
        check_entity(build.entity, machine)
        copy = ScratchCopy(build.sources, folder / "scratch")
        copy.own_drivers()
        use_bit_shifts(copy)
        own_memories(copy)
        return FastCore(build, copy, parse_generics(given, build.entity), inside, told)

    @property
    def beside(self) -> str:
        """What it needs besides GHDL, for records."""
        return f"synthesis, Verilator {tool('verilator').version}"

    def observe(self, job: Job) -> Recorded:
        """As ``Core`` says, to the end; raises also if the setting cannot be built."""
        program, setting, folder = job.program, job.setting, job.folder
        binary = self._binary(setting)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "image.txt").write_text(program_words(program), encoding="ascii")
        code, data = job.machine.memory.instruction, job.machine.memory.data
        sizes = int(code.size), data.base, int(data.size)
        end = job.last_cycle + 1  # the bench records what comes before it
        done = run([binary, folder, *map(str, (*sizes, end))])
        words = done.stdout.split()
        if done.returncode or len(words) != 2:
            told = done.stderr or done.stdout
            raise GnomonError(f"{program.name}, {setting.title}: the simulation broke down: {told}")
        issues, bus = (np.fromfile(folder / f"{name}.bin", dtype="<u4").reshape(-1, 4)
                       for name in ("issues", "bus"))  # fmt: skip
        ended: Literal["exit", "cycle limit"] = "exit" if words[0] == "exit" else "cycle limit"
        memory = (folder / "memory.bin").read_bytes()
        return Recorded(ended, int(words[1]), issues, bus, memory)

    def _binary(self, setting: Setting) -> Path:
        with self._lock:
            if setting not in self._binaries:
                self._binaries[setting] = self._built(setting)
            return self._binaries[setting]

    def _built(self, setting: Setting) -> Path:
        if (setting.simd, setting.sharing, setting.superscalar) == (4, "multithreaded", True):
            raise GnomonError(
                f"--fast: {setting.title}: what is built of this setting differs from the core"
                " under GHDL itself in 25 of 60 programs, why is not known; leave --fast out for"
                " it, or name others with --simd, --sharing and --superscalar"
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
        self.told(f"building the core for {setting.title}")
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "core.v").write_text(self.verilog(setting), encoding="utf-8")
        (folder / "top.v").write_text(top, encoding="utf-8")
        # Unoptimized where the code runs once: it is most of the code. Without the data-flow
        # optimizer, which in 5.006 takes 7 <= 7 - x for false where x is a constant 0. In many
        # functions, as what a compiler takes for one grows faster than its size.
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
            raise GnomonError(f"{verilator} does not take what GHDL made:\n{end}")
        for each in (*folder.glob("*.o"), *folder.glob("*.a"), folder / "core.v"):
            each.unlink()  # of tens of megabytes per setting, the program alone is needed
        return binary

    @property
    def ports(self) -> list[tuple[str, str]]:
        """Of the core in Verilog, and what is to be connected to them."""
        return verilog_ports(self.build.entity)

    @property
    def signals(self) -> dict[str, str]:
        """Of the core in Verilog, those that show an issue."""
        return {name: f"{self.inside}{each}".lower() for name, each in SIGNALS.items()}

    def _generics(self, setting: Setting) -> dict[str, int]:
        return bound_generics(self.build.entity, setting, self.given)

    def verilog(self, setting: Setting) -> str:
        """The core in Verilog, in a setting; edits to the copy are made as needed.

        Raises:
            GnomonError: GHDL says no.
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
                    # A latch is written as if its input were to count only when it opens.
                    return _LATCH.sub(r"always @*\n\2if (\1) \3 = \4;", done.stdout)
                output = done.stderr
            if not any(self.copy.mended(each, SYNTHESIS_EDITS) for each in rejections(output)):
                break
        raise build.refused(output, self.copy)
