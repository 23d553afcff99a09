"""Output of the lock-step commands: differences, coverage of rules, JSON, records."""

from __future__ import annotations

import shlex
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gnomon.base.errors import GnomonError
from gnomon.cli._answer import as_typed
from gnomon.isa import disassemble

if TYPE_CHECKING:
    from gnomon.rtl.lockstep import Result

_MOST_NAMED = 40  # rules


def _kept_name(result: Result) -> str:
    return f"seed-{result.seed}" if result.seed is not None else result.name


def keep_differences(results: tuple[Result, ...], folder: Path) -> None:
    """Save each differing program, its minimized form and the difference in a folder."""
    for each in results:
        if each.same or each.program is None:
            continue
        place = folder / _kept_name(each)
        place.mkdir(parents=True, exist_ok=True)
        if each.seed is not None:
            shutil.copy(each.program, place / "program.elf")
        if each.minimized is not None:
            (place / "minimised.elf").write_bytes(each.minimized.case.elf())
        text = f"{each.name}, {each.setting.title}\n{each.compared.divergence}\n"
        (place / "difference.txt").write_text(text, encoding="utf-8")


def print_results(results: tuple[Result, ...], keep: Path, words: str, arch: str) -> None:
    """Print each difference with the commands that reproduce it, then the numbers of equal items.

    Args:
        results: one result per program.
        keep: folder in which :func:`keep_differences` saved the programs.
        words: options of ``gnomon rtl klessydra`` that reproduce the run.
        arch: machine of the run.
    """
    for each in results:
        if each.same:
            continue
        if each.known:
            print(f"{each.name}, {each.setting.title}: differs, a known difference")
            for text in each.known:
                print(f"  {text}")
            continue
        print(f"{each.name}, {each.setting.title}: differs")
        print(each.compared.divergence)
        place = keep / _kept_name(each)
        program = place / "program.elf" if each.seed is not None else each.program
        if each.minimized is not None:
            _print_minimized(each)
            program = place / "minimised.elf"
        print(f"  saved in {place}; to reproduce:")
        print(f"  gnomon rtl klessydra {words} --programs {program} {_options(each)}")
        sets = " ".join(as_typed({"--set": [*each.setting.overrides()]}))
        print(f"  gnomon run {program} --arch {shlex.quote(arch)} {sets}")
    same = sum(each.same for each in results)
    issues = sum(each.compared.issues for each in results)
    bus = sum(each.compared.bus_requests for each in results)
    print(equal_line(same, len(results), issues, bus))
    known = sum(not each.same and bool(each.known) for each in results)
    if known:
        print(f"{known} programs have known differences only")
    endless = sum(each.halted != "exit" for each in results)
    if endless:
        print(
            f"{endless} programs do not terminate; they were compared up to the last issue of the"
            " simulator"
        )
    for line in coverage(results)[1]:
        print(line)


def _print_minimized(result: Result) -> None:
    def text(word: int) -> str:
        try:
            return disassemble(word)
        except GnomonError:
            return f".word {word:#010x}"

    small = result.minimized
    assert small is not None
    end = "minimal" if small.complete else "search limit reached"
    print(
        f"  minimized in {small.tries} tries ({end}) to {small.instructions} instructions;"
        " loop of each hart:"
    )
    for hart, body in enumerate(small.case.bodies):
        print(f"    hart {hart}: {body.loops} rounds, MVTYPE {body.mvtype}")
        for item in body.items:
            print(f"      {item.kind}: " + "; ".join(map(text, item.words)))


def _options(result: Result) -> str:
    setting = result.setting
    words = as_typed({
        "--simd": setting.simd, "--sharing": setting.sharing,
        "--superscalar": "on" if setting.superscalar else "off",
        "--scratchpad-bytes": setting.scratchpad_bytes, "--count-all": bool(setting.count_all),
        "--count-own": not setting.count_all,
    })  # fmt: skip
    return " ".join(words)


def coverage(results: tuple[Result, ...]) -> tuple[dict[str, Any], list[str]]:
    """Return the rules of the reference that no random program met, with the number of all rules.

    The result is JSON-compatible data and the same as lines of text.
    """
    from gnomon.rtl.lockstep import Result

    rules = Result.coverage(results)
    missing, total = rules["not_met"], rules["all"]
    met = total - len(missing)
    lines = [f"random programs met {met} of {total} rules of the reference"] if total else []
    if missing:
        further = ", ..." if len(missing) > _MOST_NAMED else ""
        lines.append(f"  not met: {', '.join(missing[:_MOST_NAMED])}{further}")
    return rules, lines + unit_lines(rules["of_units"], "random programs")


def unit_lines(counts: Mapping[str, int], place: str) -> list[str]:
    """Return the issues of instructions of units, and a warning about those that have none."""
    if not counts:
        return []
    shown = ", ".join(f"{count:,} {name}" for name, count in counts.items())
    lines = [f"instructions of units in {place}: {shown}"]
    none = [name for name, count in counts.items() if not count]
    lines += [f"warning: nothing was compared of {', '.join(none)}"] if none else []
    return lines


def equal_line(same: int, compared: int, issues: int, bus: int) -> str:
    return (
        f"{same} of {compared} programs are equal: {issues:,} issues,"
        f" {bus:,} bus requests, final memory"
    )


@contextmanager
def working_folder(work: Path | None) -> Iterator[Path]:
    """Yield a folder for builds and runs: ``work``, or a temporary one that is deleted."""
    if work is not None:
        yield work.resolve()
        return
    with tempfile.TemporaryDirectory(prefix="gnomon-rtl-") as folder:
        yield Path(folder)


def write_rows(
    path: Path, results: tuple[Result, ...], title: str, command: str, simulator: str
) -> None:
    """Write rows of ``gnomon validate``, with the command that reproduces them."""
    from gnomon.base.files import write_file
    from gnomon.rtl.validate import Record, format_records

    records = Record.from_lockstep(results, title, command, simulator)
    written_by = " ".join(command.split()[:3])
    write_file(path, format_records(records, f"Written by {written_by} --report."))
