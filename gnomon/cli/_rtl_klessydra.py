"""``gnomon rtl klessydra``: lock-step with the user's own checkout of the core."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from gnomon.base.errors import GnomonError
from gnomon.base.progress import steps_progress
from gnomon.cli._answer import Answer, answers, as_typed
from gnomon.cli._options import Json, Overrides, option, output_file
from gnomon.cli._rtl_results import (
    coverage,
    keep_differences,
    say_results,
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


@answers(2)
def klessydra(
    *,
    sources: Path = option(
        "--sources", "The core's own list of sources: src_files.yml, a .f list, or a .core.", ...
    ),
    top: str = option("--top", "The entity of the core.", "klessydra_t1_3th_core"),
    arch: str = option(
        "--arch", "The machine described; each setting is set on top of it.", _USUAL["--arch"]
    ),
    overrides: Overrides = None,
    programs: list[Path] | None = option(
        "--programs",
        "Programs: .elf or .c in the first of the settings, or a table (.csv) with settings.",
        None,
    ),
    random: int | None = option(
        "--random", "How many random programs; 24, or none with --programs.", None, min=0
    ),
    seed: int = option("--seed", "Seed of the first; the others follow.", 0, min=0),
    simd: str = option(
        "--simd", "Some of 1,2,4,8; 0 is a core without its vector unit.", _USUAL["--simd"]
    ),
    sharing: str = option(
        "--sharing", "Some of shared,replicated,multithreaded.", _USUAL["--sharing"]
    ),
    superscalar: str = option("--superscalar", "Some of on,off.", _USUAL["--superscalar"]),
    scratchpad_bytes: int | None = option(
        "--scratchpad-bytes", "Of each scratchpad; random programs: 1024 and 4096.", None
    ),
    count_all: bool | None = option(
        "--count-all/--count-own", "What counters count; random programs: both, in turn.", None
    ),
    generics: list[str] | None = option(
        "--generic NAME=VALUE", "A generic of the core (repeatable).", None
    ),
    inside: str = option(
        "--inside", "Instance inside the entity that has the execute stage's signals.", ""
    ),
    without: str = option("--without", "Vector instructions to leave out: kvdiv,kvrem.", ""),
    known_differences: bool = option(
        "--known-differences", "Random programs also with what is known to differ.", False
    ),
    event_counters: bool = option(
        "--event-counters", "Random programs that access mhpmcounters, too.", False
    ),
    scratch_edits: bool = option(
        "--scratch-edits",
        "Where the simulator rejects a file, edit a copy in the known ways and say how.",
        False,
    ),
    show_edits: bool = option(
        "--show-edits", "Print each line that --scratch-edits changed.", False
    ),
    fast: bool = option(
        "--fast", "Through GHDL's synthesis (version 7 or newer) and Verilator, two-valued.", False
    ),
    keep_going: bool = option("--keep-going", "Go on behind a program that differs.", False),
    minimize: int = option(
        "--minimize --minimise", "Smaller programs to try where one differs.", 150, min=0
    ),
    jobs: int = option("--jobs", "Simulations at a time.", 1, min=1),
    work: Path | None = option("--work", "Folder for build and runs; kept if given.", None),
    keep: Path = option(
        "--keep", "Folder for programs that differ, and what differs.", Path("lockstep-differences")
    ),
    report: Path | None = output_file(
        "--report", "Write this page, rows of gnomon validate next to it, a table.", None
    ),
    ghdl: Path | None = option("--ghdl", "Which GHDL; the one on PATH else.", None),
    ghdl_flags: list[str] | None = option(
        "--ghdl-flag", "One more option for it, such as -PFOLDER.", None
    ),
    as_json: Json = False,
) -> Answer:
    """Compare the simulator with your checkout of the Klessydra-T13, cycle by cycle.

    Every issue, every request on the data bus and the final memory must be equal. The first
    difference is shown with the last 20 events of both sides; the program is kept, and a random one
    is made small. Exit code 1 if anything differs that the simulator does not warn of.
    """
    from gnomon.klessydra import FastCore, GhdlCore
    from gnomon.rtl.lockstep import Regression, Settings

    settings = Settings(
        arch, tuple(overrides or ()), _vector_names(without), known_differences, event_counters,
        scratchpad_bytes=scratchpad_bytes, count_all=count_all,
    ).parsed(simd, sharing, superscalar)  # fmt: skip
    machine = settings.architecture(settings.of(seed))
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
            core = FastCore.of(*of, **how, told=_note)
        else:
            core = GhdlCore.of(*of, **how, scratch_edits=scratch_edits)
        steps("build")
        if not as_json:
            _say_build(core, settings, show_edits=show_edits)
        regression = Regression(core, folder / "runs", settings, most_tries=minimize)
        with core.build.ghdl.first_on_path(core.build.folder / "path"):
            results = regression.run_all(
                given,
                range(seed, seed + count),
                progress=_told(steps, runs),
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
        say_results(results, keep, " ".join([here, *words]), arch)
        for path in written:
            print(f"written: {path}")

    told = {
        "simulator": core.build.ghdl.title,
        "entity": core.build.entity.name,
        "edits": [str(edit) for edit in core.build.edits],
        "rules": coverage(results)[0],
        "compared": len(results),
        "mismatches": sum(not each.same for each in results),
        "programs": [each.to_json() for each in results],
    }
    yield told, show
    if any(each.unexplained for each in results):
        raise typer.Exit(1)


def _note(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _told(steps: Steps, count: int) -> Callable[[Result], None]:
    """Progress: a bar on a terminal, a line per program in a log."""
    number = 0

    def tell(result: Result) -> None:
        nonlocal number
        number += 1
        steps(result.name)
        if sys.stderr.isatty():
            return
        state = "equal" if result.same else "known" if result.known else "differs"
        _note(
            f"{number}/{count} {result.name}, {result.setting.title}: {state},"
            f" {result.exit_cycle + 1:,} cycles"
        )

    return tell


def _vector_names(text: str) -> tuple[str, ...]:
    from gnomon.isa import find_instruction

    names = tuple(word.strip() for word in text.split(",") if word.strip())
    for name in names:
        if find_instruction(name).timing_class != "kdsp":
            raise GnomonError(f"--without: {name} is no vector instruction")
    return names


def _say_build(core: FastCore | GhdlCore, settings: Settings, *, show_edits: bool) -> None:
    build = core.build
    print(f"{build.ghdl.title}, entity {build.entity.name}, {len(build.sources)} files")
    if build.edits and not show_edits:
        print(f"{len(build.edits)} lines edited in a copy, no meaning changed (--show-edits)")
    for edit in build.edits if show_edits else ():
        print(f"edited in a copy: {edit}")
    for driver in build.drivers:
        print(f"note: {driver}")
    weights = ", ".join(f"{kind} {weight}" for kind, weight in settings.WEIGHTS.items())
    print(f"weights of random items: {weights}")
