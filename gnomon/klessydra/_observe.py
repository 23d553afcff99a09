"""Analysis and elaboration of a bench, and runs of programs on it under cocotb."""

import json
import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path

from gnomon.arch import Architecture
from gnomon.base.content import content
from gnomon.base.errors import GnomonError
from gnomon.klessydra._ghdl import CoreBuild
from gnomon.klessydra._record import Elaborated
from gnomon.klessydra._rejected import EDITS, ScratchCopy, rejections, shared_drivers
from gnomon.klessydra._wiring import BENCH, bench_text, generics, parse_generics
from gnomon.program import Program
from gnomon.rtl.bench import benches_importable, cocotb_runner, end_of
from gnomon.rtl.observed import Job, RtlRun, program_words
from gnomon.rtl.setting import Setting

SIGNALS = {"valid": "instr_rvalid_IE", "hart": "harc_EXEC", "pc": "pc_IE", "word": "instr_word_IE"}
"""Signals of the core that show an instruction entering execute."""

JOB_VARIABLE = "GNOMON_KLESSYDRA_JOB"
"""Environment variable with the path of the job file of a simulation, JSON."""

_MOST_ROUNDS = 20
_MODULE = "rtl_tests.klessydra.controller"


@dataclass(frozen=True, slots=True)
class GhdlCore(Elaborated):
    """A built bench under cocotb, with one simulation per program.

    Generics select the hardware setting at the start of a simulation, so one build serves all
    settings. ``inside`` is the path, with a final dot, of the instance whose signals show issues.

    The GHDL of the build must be the first one on PATH during a run (``Ghdl.first_on_path``).
    """

    build: CoreBuild
    inside: str = ""

    @staticmethod
    def from_sources(
        ghdl: Path | None,
        listing: Path,
        top: str,
        folder: Path,
        *,
        machine: Architecture,
        scratch_edits: bool = False,
        flags: Sequence[str] = (),
        given: Sequence[str] = (),
        inside: str = "",
    ) -> "GhdlCore":
        """Analyze the user's sources with gnomon's bench, and elaborate.

        Args:
            ghdl: path of GHDL; None: the one on PATH.
            listing: source list of the core; GHDL determines the order of its files.
            top: entity of the core.
            folder: work folder.
            machine: machine of the model, whose memories the bench has.
            scratch_edits: if GHDL rejects a file, edit a copy with known edits.
            flags: additional options of GHDL.
            given: generics that no setting selects, ``NAME=VALUE``.
            inside: path of the instance, see the class.

        Raises:
            GnomonError: if the core does not fit the bench, or GHDL rejects a file; the message has
                advice if a remedy is known.
        """
        build = CoreBuild.prepare(ghdl, listing, top, folder, flags)
        bench = folder / f"{BENCH}.vhd"
        values = parse_generics(given, build.entity)
        bench.write_text(bench_text(build.entity, machine, values), encoding="ascii")
        bits, platform = (content("rtl_tests", "klessydra", f"{name}.vhd").resolve()
                          for name in ("bits", "platform"))  # fmt: skip
        copy = None
        if scratch_edits:
            copy = ScratchCopy(build.sources, folder / "scratch")
            copy.own_drivers()
        chosen = copy.paths if copy else build.sources
        for _ in range(_MOST_ROUNDS):
            output = build.analyze((bits, *chosen, platform, bench), BENCH)
            if output is None:
                break
            if not (copy and any(copy.mend(each, EDITS) for each in rejections(output))):
                raise build.rejection_error(output, copy)
        else:
            raise build.rejection_error(output or "", copy)
        if copy:
            return GhdlCore(replace(build, edits=tuple(copy.edits)), inside)
        return GhdlCore(replace(build, drivers=shared_drivers(build.sources)), inside)

    @property
    def beside(self) -> str:
        """Tools in addition to GHDL, for records."""
        return f"cocotb {version('cocotb')}"

    def observe(self, job: Job) -> RtlRun:
        """Simulate a program; see ``SimulatedCore``.

        Raises:
            GnomonError: if cocotb is not installed, or the simulation fails.
        """
        program, setting, folder = job.program, job.setting, job.folder
        runner = cocotb_runner("ghdl")
        folder.mkdir(parents=True, exist_ok=True)
        for name in ("outcome.json", "bus.txt", "memory.txt"):
            (folder / name).unlink(missing_ok=True)
        (folder / "image.txt").write_text(program_words(program), encoding="ascii")
        outcome = folder / "outcome.json"
        task = {
            "expected": [list(row) for row in job.expected],
            "last_cycle": job.last_cycle,
            "outcome": str(outcome),
            "signals": {name: f"{self.inside}{each}" for name, each in SIGNALS.items()},
        }
        (folder / "job.json").write_text(json.dumps(task), encoding="ascii")
        binary = folder / BENCH
        if (self.build.folder / BENCH).is_file() and not binary.is_symlink():
            binary.symlink_to(self.build.folder / BENCH)
        log = folder / "run.log"
        try:
            with benches_importable():
                runner.test(
                    test_module=_MODULE, hdl_toplevel=BENCH, hdl_toplevel_lang="vhdl",
                    build_dir=self.build.folder, test_dir=folder, test_args=list(self.build.flags),
                    # The packages warn of undefined values in the first cycles of every run.
                    plusargs=["--ieee-asserts=disable"], parameters=generics(setting),
                    results_xml=str(folder / "results.xml"), log_file=log,
                    extra_env={
                        JOB_VARIABLE: str(folder / "job.json"),
                        "COCOTB_ANSI_OUTPUT": "0",
                        "COCOTB_REWRITE_ASSERTION_FILES": "",
                        "PATH": os.environ["PATH"],
                    },
                )  # fmt: skip
        except (RuntimeError, SystemExit, OSError, subprocess.SubprocessError) as error:
            raise GnomonError(f"{_failure_text(program, setting, log)}\n{error}") from None
        if not outcome.is_file():
            raise GnomonError(_failure_text(program, setting, log))
        bus = _read_rows(folder / "bus.txt")
        data = json.loads(outcome.read_text(encoding="ascii"))
        return RtlRun(
            ended=data["ended"],
            cycle=data["cycle"],
            issues=tuple(tuple(row) for row in data["issues"]),
            # The last line of a stopped simulation may be incomplete.
            bus=tuple(
                (int(cycle), enables, address, data)
                for cycle, enables, address, data in (row for row in bus if len(row) == 4)
                if len(data) == 8
            ),
            memory={int(address, 16): word for address, word in _read_rows(folder / "memory.txt")},
        )


def _read_rows(path: Path) -> list[list[str]]:
    text = path.read_text(encoding="ascii") if path.is_file() else ""
    return [line.split() for line in text.splitlines()]


def _failure_text(program: Program, setting: Setting, log: Path) -> str:
    return f"{program.name}, {setting.title}: the simulation failed ({log}):\n{end_of(log)}"
