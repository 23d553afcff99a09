"""``gnomon rtl parameters``, ``lockstep`` and ``run``: our own machine in SystemVerilog."""

from __future__ import annotations

import json
import re
import shlex
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

import typer

from gnomon.base.errors import GnomonError
from gnomon.base.options import Json, Overrides, argument, option
from gnomon.base.progress import steps_progress

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gnomon.arch import Architecture
    from gnomon.program import Program
    from gnomon.rtl.lockstep import Compared, Result
    from gnomon.sim import Run

SimulatorName: TypeAlias = Literal["icarus", "verilator"]
Machine = Annotated[str, argument("ARCH", "A machine by its name, or the path of a YAML file.")]
Simulator = Annotated[
    SimulatorName, option("--simulator", "icarus builds at once; verilator runs faster.")
]
Random = Annotated[int, option("--random", "How many random programs.", min=0)]
Seed = Annotated[int, option("--seed", "Seed of the first; the others follow.", min=0)]
Simd = Annotated[str, option("--simd", "Of random programs: some of 1,2,4,8.")]
SharingModes = Annotated[
    str, option("--sharing", "Of random programs: some of shared,replicated,multithreaded.")
]
Superscalar = Annotated[str, option("--superscalar", "Of random programs: on,off.")]
Harts = Annotated[str, option("--harts", "Of random programs: some of 3,4,5.")]
KeepGoing = Annotated[bool, option("--keep-going", "Go on behind a program that differs.")]
Work = Annotated[Path | None, option("--work", "Folder for the runs; kept if given.")]


def parameters(
    machine: Machine,
    *,
    overrides: Overrides = None,
    out: Annotated[Path | None, option("--out", "Write the file here.")] = None,
    as_json: Json = False,
) -> None:
    """The parameter file of a machine for our RTL: a SystemVerilog package.

    Compile it before rtl_tests/hdl/t13_pkg.svh; the top module is t13_machine.
    """
    from gnomon.base.files import write_file
    from gnomon.rtl.machine import machine_parameters

    text = machine_parameters(_load(machine, overrides))
    if out is not None:
        write_file(out, text.encode())
    if as_json:
        values = re.findall(r"localparam (?:.* )?(\w+) = (.*);", text)
        print(json.dumps({"arch": machine, "parameters": dict(values)}, indent=2))
    else:
        print(text if out is None else f"written: {out}\n", end="")


def lockstep(
    machine: Machine,
    programs: Annotated[list[Path] | None, argument("[PROGRAM]...", "C or ELF files.")] = None,
    *,
    overrides: Overrides = None,
    random: Random = 0,
    seed: Seed = 0,
    simd: Simd = "1,2,4,8",
    sharing: SharingModes = "shared,replicated,multithreaded",
    superscalar: Superscalar = "on,off",
    harts: Harts = "3,4,5",
    simulator: Simulator = "icarus",
    keep_going: KeepGoing = False,
    work: Work = None,
    report: Annotated[
        Path | None, option("--report", "Write rows of gnomon validate here (CSV), a table beside.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Compare the simulator with our own RTL of the machine, cycle by cycle.

    Every issue, every request on the data bus and the final memory must be equal. Programs run on
    the machine as it is; random programs run on it with the settings chosen. Exit code 1 if
    anything differs.
    """
    from gnomon.cli._rtl_results import coverage_json, say_coverage, write_rows, write_table
    from gnomon.rtl import Tool
    from gnomon.rtl.lockstep import Regression, Settings, Target, run_all
    from gnomon.rtl.machine import MachineCore, run_both

    given = programs or []
    if report is not None and (given or not random):
        raise GnomonError("--report: records random programs; give --random, and no PROGRAM")
    if not given and not random:
        raise GnomonError("nothing to run: give programs, or --random with a number above 0")
    architecture = _load(machine, overrides)
    told: list[dict[str, object]] = []
    lines: list[str] = []
    with _folder(work) as folder, steps_progress("lock-step", len(given) + random) as progress:
        for index, path in enumerate(given):
            program = _program(path, architecture)
            ran, compared = run_both(
                program, architecture, folder / f"program-{index}", simulator=simulator
            )
            progress(program.name)
            told.append(_row(path, ran, compared))
            if compared.divergence:
                lines.append(f"{path}: differs\n{compared.divergence}")
        results: tuple[Result, ...] = ()
        if random:
            target = Target(machine, tuple(overrides or ()))
            regression = Regression(MachineCore(target, simulator), target, folder)
            settings = Settings.parse(simd, sharing, superscalar, harts)
            results = run_all(
                regression, (), range(seed, seed + random), settings,
                progress=lambda each: progress(each.name), keep_going=keep_going,
            )  # fmt: skip
    told += [each.to_json() for each in results]
    lines += [
        f"{each.name}, {each.setting.title}: differs\n{each.compared.divergence}"
        for each in results
        if not each.same
    ]
    same = sum(row["difference"] is None for row in told)
    if as_json:
        print(json.dumps({"simulator": simulator, "compared": len(told),
                          "mismatches": len(told) - same, "rules": coverage_json(results),
                          "programs": told}, indent=2))  # fmt: skip
    else:
        for line in lines:
            print(line)
        issues, bus = (sum(int(str(row[name])) for row in told) for name in (
            "issues", "bus_requests"))  # fmt: skip
        print(
            f"{same} of {len(told)} programs are equal: {issues:,} issues,"
            f" {bus:,} bus requests, final memory"
        )
        say_coverage(results)
    if report is not None:
        words = f"gnomon rtl lockstep {shlex.quote(machine)}"
        words += "".join(f" --set {shlex.quote(each)}" for each in overrides or ())
        words += f" --random {random} --seed {seed} --simd {simd} --sharing {sharing}"
        words += f" --superscalar {superscalar} --harts {harts}"
        words += f" --simulator {simulator}"
        version = next(each.version for each in Tool.all() if each.name == simulator)
        tool = f"our RTL, {simulator} {version}"
        write_table(report, results)
        write_rows(report, results, "our t13", f"{words} --report {report.name}", tool)
    if same != len(told):
        raise typer.Exit(1)


def run(
    machine: Machine,
    program: Annotated[Path, argument("PROGRAM", "A C or ELF file.")],
    *,
    overrides: Overrides = None,
    simulator: Simulator = "icarus",
    wave: Annotated[
        Path | None, option("--wave", "Record all signals here (FST; icarus only).")
    ] = None,
    as_json: Json = False,
) -> None:
    """Run a program on our RTL of the machine, beside the simulator."""
    import shutil

    from gnomon.rtl.machine import run_both

    if wave is not None and simulator != "icarus":
        raise GnomonError(f"--wave: needs --simulator icarus, not {simulator}")
    architecture = _load(machine, overrides)
    built = _program(program, architecture)
    with _folder(None) as folder:
        ran, compared = run_both(
            built, architecture, folder, simulator=simulator, wave=wave is not None
        )
        if wave is not None:
            shutil.copyfile(folder / "wave.fst", wave)
    if as_json:
        row = _row(program, ran, compared)
        row |= {"arch": architecture.name, "simulator": simulator, "wave": str(wave or "") or None}
        print(json.dumps(row, indent=2))
    else:
        _print_run(f"{built.name} on {architecture.name}", ran, compared, wave)
    if compared.divergence is not None:
        raise typer.Exit(1)


def _row(path: Path, run: Run, compared: Compared) -> dict[str, object]:
    return {
        "program": str(path), "exit_cycle": run.exit_cycle, "issues": compared.issues,
        "bus_requests": compared.bus_requests, "memory_words": compared.memory_words,
        "difference": compared.divergence.to_json() if compared.divergence else None,
        "known": list(run.unlike_rtl),
    }  # fmt: skip


def _print_run(title: str, run: Run, compared: Compared, wave: Path | None) -> None:
    print(f"{title}: exit code {run.exit_code}, cycle {run.exit_cycle}")
    if compared.divergence is not None:
        print(f"our RTL differs\n{compared.divergence}")
    else:
        print(
            f"our RTL is equal: {compared.issues:,} issues, {compared.bus_requests:,} bus requests,"
            f" {compared.memory_words:,} words of memory"
        )
    if wave is not None:
        print(f"written: {wave}")


def _load(machine: str, overrides: list[str] | None) -> Architecture:
    from gnomon.arch import load_architecture

    return load_architecture(machine, overrides or [])


def _program(path: Path, architecture: Architecture) -> Program:
    from gnomon.program import build, load_elf

    return build([path], architecture) if path.suffix == ".c" else load_elf(path)


@contextmanager
def _folder(work: Path | None) -> Iterator[Path]:
    if work is not None:
        yield work.resolve()
        return
    with tempfile.TemporaryDirectory(prefix="gnomon-rtl-") as folder:
        yield Path(folder)
