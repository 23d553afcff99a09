"""``gnomon rtl klessydra``: lock-step with a user's checkout of the core."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from gnomon.base.errors import GnomonError
from gnomon.base.progress import steps_progress
from gnomon.cli._answer import CommandOutput, as_typed, with_json_output
from gnomon.cli._options import Json, Overrides, option, output_file
from gnomon.cli._rtl_results import (
    coverage,
    keep_differences,
    print_results,
    working_folder,
    write_rows,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from gnomon.base.progress import Steps
    from gnomon.klessydra import FastCore, GhdlCore
    from gnomon.rtl.lockstep import Result, Settings

_USUAL = {
    "--simd": "1,2,4,8", "--sharing": "shared,replicated,multithreaded", "--superscalar": "on,off",
    "--arch": "t13-simd1", "--inside": "", "--without": "",
}  # fmt: skip


@with_json_output(2)
def klessydra(
    *,
    sources: Path = option(
        "--sources", "Source list of the checkout: src_files.yml, a .f list, or a .core.", ...
    ),
    top: str = option("--top", "Entity of the core.", "klessydra_t1_3th_core"),
    arch: str = option("--arch", "Machine that each setting modifies.", _USUAL["--arch"]),
    overrides: Overrides = None,
    programs: list[Path] | None = option(
        "--programs",
        "Programs: .elf or .c in the first setting, or a table (.csv) with settings.",
        None,
    ),
    random: int | None = option(
        "--random", "Number of random programs.", None, shown="24; 0 with --programs", min=0
    ),
    seed: int = option(
        "--seed", "Seed of the first random program; each next one adds 1.", 0, min=0
    ),
    simd: str = option(
        "--simd", "Lanes, some of 1,2,4,8; 0 is a core without vector unit.", _USUAL["--simd"]
    ),
    sharing: str = option(
        "--sharing", "Sharing, some of shared,replicated,multithreaded.", _USUAL["--sharing"]
    ),
    superscalar: str = option(
        "--superscalar", "Superscalar issue, some of on,off.", _USUAL["--superscalar"]
    ),
    scratchpad_bytes: int | None = option(
        "--scratchpad-bytes",
        "Size of each scratchpad in bytes; random programs use 1024 and 4096.",
        None,
    ),
    count_all: bool | None = option(
        "--count-all/--count-own",
        "Scope of the counters: all harts or their own; random programs alternate.",
        None,
    ),
    generics: list[str] | None = option(
        "--generic NAME=VALUE", "Generic of the core (repeatable).", None
    ),
    inside: str = option(
        "--inside", "Instance inside the entity that has the signals of the execute stage.", ""
    ),
    without: str = option("--without", "Vector instructions to leave out: kvdiv,kvrem.", ""),
    known_differences: bool = option(
        "--known-differences", "Include known differences in random programs.", False
    ),
    event_counters: bool = option(
        "--event-counters", "Include accesses to mhpmcounters in random programs.", False
    ),
    scratch_edits: bool = option(
        "--scratch-edits",
        "If GHDL rejects a file, edit a copy with known edits and report them.",
        False,
    ),
    show_edits: bool = option(
        "--show-edits", "Print each line that --scratch-edits changed.", False
    ),
    fast: bool = option(
        "--fast", "Use GHDL's synthesis (version 7 or newer) and Verilator, two-valued.", False
    ),
    keep_going: bool = option("--keep-going", "Continue after a difference.", False),
    minimize: int = option(
        "--minimize --minimise", "Number of smaller programs to try after a difference.", 150, min=0
    ),
    jobs: int = option("--jobs", "Number of parallel simulations.", 1, min=1),
    work: Path | None = option("--work", "Folder for build and runs; not deleted.", None),
    keep: Path = option(
        "--keep",
        "Folder for differing programs and their differences.",
        Path("lockstep-differences"),
    ),
    report: Path | None = output_file(
        "--report", "Page to write, with rows of gnomon validate and a table next to it.", None
    ),
    ghdl: Path | None = option("--ghdl", "GHDL program.", None, shown="ghdl on PATH"),
    ghdl_flags: list[str] | None = option(
        "--ghdl-flag", "Additional option of GHDL, such as -PFOLDER.", None
    ),
    as_json: Json = False,
) -> CommandOutput:
    """Compare the simulator with a checkout of the Klessydra-T13, cycle by cycle.

    Every issue, every request on the data bus and the final memory must be equal. At the first
    difference, the command prints the last 20 events of both sides and saves the program. A
    differing random program is also minimized. Exit code 1 if a difference is found that the
    simulator does not warn of.
    """
    from gnomon.klessydra import FastCore, GhdlCore
    from gnomon.rtl.lockstep import Regression, Settings

    settings = Settings(
        arch, tuple(overrides or ()), _parse_vector_names(without), known_differences,
        event_counters,
        scratchpad_bytes=scratchpad_bytes, count_all=count_all,
    ).parsed(simd, sharing, superscalar)  # fmt: skip
    machine = settings.architecture(settings.setting_of(seed))
    given = settings.given(programs or ())
    count = (0 if given else 24) if random is None else random
    if not given and not count:
        raise GnomonError("nothing to run: give --programs, or --random with a number above 0")
    words = as_typed({
        "--scratch-edits": scratch_edits, "--fast": fast, "--generic": generics,
        "--inside": inside, "--set": overrides, "--arch": arch, "--without": without,
        "--known-differences": known_differences, "--event-counters": event_counters,
    }, _USUAL)  # fmt: skip
    runs = len(given) + count
    with working_folder(work) as folder, steps_progress("lock-step", runs + 1) as steps:
        core: FastCore | GhdlCore
        of = (ghdl, sources, top, folder / "build")
        how: dict[str, Any] = {
            "machine": machine, "flags": ghdl_flags or (), "given": generics or (),
            "inside": f"{inside}." if inside else "",
        }  # fmt: skip
        if fast:
            core = FastCore.from_sources(*of, **how, note=_print_note)
        else:
            core = GhdlCore.from_sources(*of, **how, scratch_edits=scratch_edits)
        steps("build")
        if not as_json:
            _print_build(core, settings, show_edits=show_edits)
        regression = Regression(core, folder / "runs", settings, most_tries=minimize)
        with core.build.ghdl.first_on_path(core.build.folder / "path"):
            results = regression.run_all(
                given,
                range(seed, seed + count),
                progress=_progress(steps, runs),
                keep_going=keep_going,
                jobs=jobs,
            )
        written: tuple[Path, ...] = ()
        if report is not None:
            command = " ".join([
                f"gnomon rtl klessydra --sources CHECKOUT/{sources.name} --top {top}", *words,
                *as_typed({
                    "--simd": simd, "--sharing": sharing, "--superscalar": superscalar,
                    "--scratchpad-bytes": scratchpad_bytes, "--count-all": count_all,
                    "--count-own": count_all is False,
                    "--programs": [each.name for each in programs or ()],
                    "--random": count or None, "--seed": seed if count else None,
                    "--keep-going": keep_going, "--report": report.name,
                }, _USUAL),
            ])  # fmt: skip
            written = core.write_record(report, results, command, arch)
            entity = core.build.entity.name
            write_rows(report.with_suffix(".csv"), results, entity, command, core.simulator)
        keep_differences(results, keep)

    def show() -> None:
        here = f"--sources {shlex.quote(str(sources))} --top {top}"
        print_results(results, keep, " ".join([here, *words]), arch)
        for path in written:
            print(f"written: {path}")

    answer = {
        "simulator": core.build.ghdl.title,
        "entity": core.build.entity.name,
        "edits": [str(edit) for edit in core.build.edits],
        "rules": coverage(results)[0],
        "compared": len(results),
        "mismatches": sum(not each.same for each in results),
        "programs": [each.to_json() for each in results],
    }
    yield answer, show
    if any(each.unexplained for each in results):
        raise typer.Exit(1)


def _print_note(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _progress(steps: Steps, count: int) -> Callable[[Result], None]:
    """Return a progress function: a bar on a terminal, a line per program in a log."""
    number = 0

    def report(result: Result) -> None:
        nonlocal number
        number += 1
        steps(result.name)
        if sys.stderr.isatty():
            return
        state = "equal" if result.same else "known" if result.known else "differs"
        _print_note(
            f"{number}/{count} {result.name}, {result.setting.title}: {state},"
            f" {result.exit_cycle + 1:,} cycles"
        )

    return report


def _parse_vector_names(text: str) -> tuple[str, ...]:
    from gnomon.isa import find_instruction

    names = tuple(word.strip() for word in text.split(",") if word.strip())
    for name in names:
        if find_instruction(name).timing_class != "kdsp":
            raise GnomonError(f"--without: {name} is not a vector instruction")
    return names


def _print_build(core: FastCore | GhdlCore, settings: Settings, *, show_edits: bool) -> None:
    build = core.build
    print(f"{build.ghdl.title}, entity {build.entity.name}, {len(build.sources)} files")
    if build.edits and not show_edits:
        print(f"{len(build.edits)} lines edited in a copy, meaning unchanged (--show-edits)")
    for edit in build.edits if show_edits else ():
        print(f"edited in a copy: {edit}")
    for driver in build.drivers:
        print(f"note: {driver}")
    weights = ", ".join(f"{kind} {weight}" for kind, weight in settings.WEIGHTS.items())
    print(f"weights of random items: {weights}")
