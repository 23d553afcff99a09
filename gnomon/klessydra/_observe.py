"""Analyze and elaborate a bench once, run programs on it under cocotb, bring back what was seen."""

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
from gnomon.klessydra._ghdl import Build
from gnomon.klessydra._record import Elaborated
from gnomon.klessydra._rejected import EDITS, ScratchCopy, rejections, shared_drivers
from gnomon.klessydra._wiring import BENCH, bench_text, generics, parse_generics
from gnomon.program import Program
from gnomon.rtl.bench import benches_importable, cocotb_runner, end_of
from gnomon.rtl.observed import Job, Observed, program_words
from gnomon.rtl.setting import Setting

SIGNALS = {"valid": "instr_rvalid_IE", "hart": "harc_EXEC", "pc": "pc_IE", "word": "instr_word_IE"}
"""Signals of the core's own architecture that show an instruction entering execute."""

JOB_VARIABLE = "GNOMON_KLESSYDRA_JOB"
"""Environment variable with the path of the job of a simulation, JSON."""

_MOST_ROUNDS = 20
_MODULE = "rtl_tests.klessydra.controller"


@dataclass(frozen=True, slots=True)
class GhdlCore(Elaborated):
    """A built bench under cocotb, a simulation per program.

    The hardware setting is chosen by generics when a simulation starts, so one build serves all.
    ``inside`` is the path, with a dot behind it, of the instance whose signals show the issues.

    The build's GHDL must be the first one on PATH while it runs (``Ghdl.first_on_path``).
    """

    build: Build
    inside: str = ""

    @staticmethod
    def of(
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
        """Analyze the user's sources with our bench, and elaborate.

        Args:
            ghdl: the simulator; else the one on PATH.
            listing: the core's own list of sources; the simulator finds their order.
            top: the entity of the core.
            folder: where to work.
            machine: the model, whose memories stand around the core.
            scratch_edits: where the simulator rejects a file, edit a copy in the known ways.
            flags: more options for the simulator.
            given: generics that no setting chooses, ``NAME=VALUE``.
            inside: the instance, as above.

        Raises:
            GnomonError: the core does not fit the bench, or a file is rejected; then with what is
                known about it.
        """
        made = Build.prepared(ghdl, listing, top, folder, flags)
        bench = folder / f"{BENCH}.vhd"
        values = parse_generics(given, made.entity)
        bench.write_text(bench_text(made.entity, machine, values), encoding="ascii")
        bits, platform = (content("rtl_tests", "klessydra", f"{name}.vhd").resolve()
                          for name in ("bits", "platform"))  # fmt: skip
        copy = None
        if scratch_edits:
            copy = ScratchCopy(made.sources, folder / "scratch")
            copy.own_drivers()
        chosen = copy.paths if copy else made.sources
        for _ in range(_MOST_ROUNDS):
            output = made.analyze((bits, *chosen, platform, bench), BENCH)
            if output is None:
                break
            if not (copy and any(copy.mended(each, EDITS) for each in rejections(output))):
                raise made.refused(output, copy)
        else:
            raise made.refused(output or "", copy)
        if copy:
            return GhdlCore(replace(made, edits=tuple(copy.edits)), inside)
        return GhdlCore(replace(made, drivers=shared_drivers(made.sources)), inside)

    @property
    def beside(self) -> str:
        """What it needs besides GHDL, for records."""
        return f"cocotb {version('cocotb')}"

    def observe(self, job: Job) -> Observed:
        """As ``Core`` says; raises also if cocotb is not installed."""
        program, setting, folder = job.program, job.setting, job.folder
        runner = cocotb_runner("ghdl")
        folder.mkdir(parents=True, exist_ok=True)
        for name in ("outcome.json", "bus.txt", "memory.txt"):
            (folder / name).unlink(missing_ok=True)
        (folder / "image.txt").write_text(program_words(program), encoding="ascii")
        outcome = folder / "outcome.json"
        told = {
            "expected": [list(row) for row in job.expected],
            "last_cycle": job.last_cycle,
            "outcome": str(outcome),
            "signals": {name: f"{self.inside}{each}" for name, each in SIGNALS.items()},
        }
        (folder / "job.json").write_text(json.dumps(told), encoding="ascii")
        binary = folder / BENCH
        if (self.build.folder / BENCH).is_file() and not binary.is_symlink():
            binary.symlink_to(self.build.folder / BENCH)
        log = folder / "run.log"
        try:
            with benches_importable():
                runner.test(
                    test_module=_MODULE, hdl_toplevel=BENCH, hdl_toplevel_lang="vhdl",
                    build_dir=self.build.folder, test_dir=folder, test_args=list(self.build.flags),
                    # The packages warn of undefined values in the first cycles of any run.
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
            raise GnomonError(f"{_broken(program, setting, log)}\n{error}") from None
        if not outcome.is_file():
            raise GnomonError(_broken(program, setting, log))
        bus = _rows(folder / "bus.txt")
        told = json.loads(outcome.read_text(encoding="ascii"))
        return Observed(
            ended=told["ended"],
            cycle=told["cycle"],
            issues=tuple(tuple(row) for row in told["issues"]),
            # The last line may be cut where the simulation was stopped.
            bus=tuple(
                (int(cycle), enables, address, data)
                for cycle, enables, address, data in (row for row in bus if len(row) == 4)
                if len(data) == 8
            ),
            memory={int(address, 16): word for address, word in _rows(folder / "memory.txt")},
        )


def _rows(path: Path) -> list[list[str]]:
    text = path.read_text(encoding="ascii") if path.is_file() else ""
    return [line.split() for line in text.splitlines()]


def _broken(program: Program, setting: Setting, log: Path) -> str:
    return f"{program.name}, {setting.title}: the simulation broke down ({log}):\n{end_of(log)}"
