"""Run heavy groups of tests: ``python -m tests.heavy [GROUP ...]``; `make heavy` calls it.

Without a name: the stale groups, or the one whose run is the longest ago. A run that was stopped
resumes. A whole run writes the row of its group into ``reports/validation/suite/heavy.csv``.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from tests.heavy import checkout_variable
from tests.heavy.digests import ROOT, InputError
from tests.heavy.given import look_up, name_releases
from tests.heavy.groups import GROUPS, Group, Step
from tests.heavy.plugin import Journal, read_journal
from tests.heavy.record import Row, failed_rows, read_record, stale_groups, write_row

OUT = ROOT / "out" / "heavy"
_SLICE_S = 150.0  # the tests that are running when it is over take the rest of four minutes
_CI_S = 30 * 60.0


class NotRunError(Exception):
    """A group that cannot be run here, with the reason."""


def main() -> int:
    """Run what the command line names; exit code 1 if a case failed, 2 if an input is broken."""
    try:
        return _run_command_line()
    except InputError as broken:
        print(broken, file=sys.stderr)
        return 2


def _run_command_line() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.heavy", description=__doc__)
    parser.add_argument("group", nargs="*", help=f"allowed: {', '.join(GROUPS)}")
    parser.add_argument("--status", action="store_true", help="name stale groups; run nothing")
    parser.add_argument("--ci", metavar="COMMIT", help="stale groups for 30 min, or one slice")
    parser.add_argument("--checkout", metavar="NAME=FOLDER", action="append", default=[],
                        help="a repository that some cases need")  # fmt: skip
    options = parser.parse_args()
    for name in options.group:
        if name not in GROUPS:
            parser.error(f"no group {name!r} (allowed: {', '.join(GROUPS)})")
    checkouts = _checkouts(parser, options.checkout)
    if options.status:
        return _print_status()
    if options.ci:
        return _run_in_ci(options.ci)
    groups = [GROUPS[name] for name in options.group] or _default_groups()
    code = 0
    for group in groups:
        try:
            code |= run_group(group, checkouts)
        except NotRunError as refused:
            print(f"{group.name}: not run: {refused}")
            code |= bool(options.group)
    return code


def _checkouts(parser: argparse.ArgumentParser, given: list[str]) -> dict[str, Path]:
    known = sorted({name for group in GROUPS.values() for name in group.checkouts})
    found = {}
    for each in given:
        name, _, folder = each.partition("=")
        if name not in known or not Path(folder).is_dir():
            parser.error(f"--checkout {each}: want NAME=FOLDER (names: {', '.join(known)})")
        found[name] = Path(folder).resolve()
    return found


def _default_groups() -> list[Group]:
    stale = [group for group, _ in stale_groups()]
    return stale or [GROUPS[name] for name in read_record() if name in GROUPS][:1]


def _print_status() -> int:
    for group, inputs in stale_groups():
        why = "never run" if inputs is None else f"changed: {', '.join(inputs)}"
        print(f"stale: {group.name} ({why}); run: make heavy GROUP={group.name}")
    failed = failed_rows()
    for row in failed:
        print(f"failed: {row.group}, {row.failed} of {row.cases} cases of its last run")
    return bool(failed)


def run_group(group: Group, checkouts: dict[str, Path], *, deadline: float | None = None) -> int:
    """Run what is left of a group; write its row when all cases have run.

    Raises:
        NotRunError: if an outside program is missing.
    """
    _check_programs(group)
    given = look_up(group, checkouts)
    folder = OUT / group.name / given.key
    done: list[Journal] = []
    for step in group.steps:
        journal = folder / f"{step.name}.jsonl"
        begins = not journal.exists()
        folder.mkdir(parents=True, exist_ok=True)
        for command in step.fresh if begins else ():
            if code := _run_shell(command):
                print(f"{group.name}: {step.name}: exit code {code} of `{_fill(command)}`")
                return 1
        print(f"{group.name}: {step.name}{'' if begins else ', resumed'}", flush=True)
        code = _run_pytest(group, step, journal, checkouts, deadline)
        done.append(read_journal(journal))
        if problem := _find_problem(code, done[-1]):
            print(f"{group.name}: {step.name}: {problem}; no row is written")
            return 1
    failed = sum(len(each.failed) for each in done)
    if deadline is not None:
        _print_part(group, done)
        return bool(failed)
    for command in group.finish:
        failed += _run_shell(command) != 0
    if changed := given.differences(look_up(group, checkouts)):
        shutil.rmtree(folder)  # which of its cases ran with which input is not known
        print(f"{group.name}: changed during the run: {', '.join(changed[:5])};"
              " no row is written, run it again")  # fmt: skip
        return 1
    cases = sum(each.cases for each in done)
    reasons = Counter(reason for each in done for reason in each.skipped.values())
    write_row(Row(
        group=group.name, cases=cases, failed=failed,
        skipped=sum(reasons.values()), cpu_s=round(sum(each.cpu_s for each in done)),
        inputs=given.inputs, checkouts=given.checkouts,
        tools="; ".join(filter(None, (given.tools, name_releases(group)))),
        left_out="; ".join(f"{count} x {reason}" for reason, count in sorted(reasons.items())),
    ))  # fmt: skip
    print(f"{group.name}: {cases} cases, {failed} failed; its row is written")
    if not failed:
        shutil.rmtree(folder)
    return bool(failed)


def _find_problem(code: int, journal: Journal) -> str:
    """Return why an exit code of pytest and a journal are no result; empty if they are one."""
    # 0: passed, 1: a failure, 5: nothing was left to run. All else is not a result.
    if code not in (0, 1, 5):
        return f"pytest ended with {code}"
    if not journal.cases and not journal.left:
        return "no case ran"
    if (code == 1) != bool(journal.failed):
        return f"pytest ended with {code}, and {len(journal.failed)} cases failed"
    return ""


def _print_part(group: Group, done: list[Journal]) -> None:
    left = sum(len(each.left) for each in done)
    ran = sum(len(each.passed) + len(each.failed) for each in done)
    failed = sum(len(each.failed) for each in done)
    rest = f"; {left} cases did not fit into the time" if left else ""
    print(f"{group.name}: {ran} cases ran, {failed} failed{rest}", flush=True)


def _run_pytest(
    group: Group, step: Step, journal: Path, checkouts: dict[str, Path], deadline: float | None,
    *more: str,
) -> int:  # fmt: skip
    # One word each, and folders: pytest reads its options before it knows those of the plugin.
    command = [step.python or sys.executable, *step.wrap, "-m", "pytest", "-q",
               "-n", os.environ.get("JOBS", "auto"), "--dist", "worksteal",
               "-p", "no:cacheprovider", f"--journal={journal}", *more,
               *(step.select or ("tests",))]  # fmt: skip
    if step.heavy:
        command += [f"--heavy={step.heavy}"]
    if deadline is not None:
        command += [f"--until={deadline}"]
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"} | step.environment()
    environment |= {checkout_variable(name): str(folder) for name, folder in checkouts.items()}
    return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode


def _run_shell(command: str) -> int:
    return subprocess.run(_fill(command), cwd=ROOT, shell=True, check=False).returncode


def _fill(command: str) -> str:
    return command.format(python=sys.executable)


def _check_programs(group: Group) -> None:
    missing = [name for name in group.programs if shutil.which(name) is None]
    if missing:
        raise NotRunError(f"not on PATH: {', '.join(missing)}")


def _run_in_ci(commit: str) -> int:
    """Run stale groups until 30 minutes are over; with none, one slice. No row is written."""
    if any(group for group, _ in stale_groups()):
        return _run_stale(time.time() + _CI_S)
    return _run_slice(commit)


def _run_stale(deadline: float) -> int:
    code = 0
    rows = read_record()
    for group, _ in stale_groups():
        row = rows.get(group.name)
        cores = len(os.sched_getaffinity(0))
        left = deadline - time.time()
        whole = row is not None and row.cpu_s / cores <= left
        if left <= 0 or (not group.sliced and not whole):
            print(f"{group.name}: stale and not run: it does not fit into the time that is left")
            continue
        try:
            code |= run_group(group, {}, deadline=deadline)
        except NotRunError as refused:
            print(f"{group.name}: not run: {refused}")
            code = 1  # CI installs every program
    return code


def _run_slice(commit: str) -> int:
    """Run some minutes of one group, in an order that the commit chooses."""
    rows = read_record()
    choice = random.Random(commit)
    group = choice.choice([each for each in GROUPS.values() if each.sliced])
    step = choice.choice(group.steps)
    row = rows[group.name]
    try:
        _check_programs(group)
    except NotRunError as refused:
        print(f"slice of {group.name}: not run: {refused}")
        return 1
    journal = OUT / f"slice-{group.name}.jsonl"
    journal.parent.mkdir(parents=True, exist_ok=True)
    journal.unlink(missing_ok=True)
    print(f"slice of {group.name} ({step.name}), order {commit}", flush=True)
    until = time.time() + _SLICE_S
    code = _run_pytest(group, step, journal, {}, until, f"--order={commit}")
    found = read_journal(journal)
    ran = len(found.passed) + len(found.failed)
    print(f"slice of {group.name}: {ran} of {row.cases} cases, {len(found.failed)} failed;"
          f" the record says {row.failed}")  # fmt: skip
    if not ran:
        print(f"{group.name}: no case ran, so nothing was compared")
        return 1
    if problem := _find_problem(code, found):
        print(f"{group.name}: {problem}")
        return 1
    return bool(found.failed)


if __name__ == "__main__":
    sys.exit(main())
