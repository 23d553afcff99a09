"""``python -m benchmarks.instructions COMMIT``: host instructions of the engine, by callgrind.

CPU time varies by several percent from run to run; these counts hardly do. Every program is built
once, and runs on the engine of this checkout and on that of the commit, in a temporary worktree.
Only instructions in the library of the engine count: not Python, not translated blocks.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from benchmarks.cases import Case
from benchmarks.harness import Found, Limit, users_environment
from gnomon.base.errors import GnomonError

ROOT: Final = Path(__file__).resolve().parents[1]
COUNTED: Final = ROOT / "benchmarks" / "counted.py"
LIBRARIES: Final = ("native", "_native")
"""Folders of gnomon's compiled libraries, in the cache and in a wheel."""
MOST_RATIO: Final = 1.02


@dataclass(frozen=True, slots=True)
class Count:
    """A case and what is counted of it: a ``run``, its ``record``, or to ``retime`` the latter."""

    case: Case
    kind: str = "run"

    @property
    def name(self) -> str:
        """Name for tables."""
        return f"{self.case.name} on {self.case.machine}, {self.kind}"


COUNTS: Final = (
    Count(Case("matmul", "t13-simd4", 20)),
    Count(Case("mix", "t13-simd4", 30)),
    Count(Case("matmul", "rv32im", 20)),
    Count(Case("mix", "rv32im", 30)),
    Count(Case("mix", "ibex-like", 30)),
    Count(Case("mix", "picorv32", 30)),
    Count(Case("scalar3", "t13-simd4", 10, active_harts=3)),
    Count(Case("vector3", "t13-simd4", 1000, active_harts=3, sharing="shared")),
    Count(Case("vector3", "t13-simd4", 1000, active_harts=3, sharing="replicated")),
    Count(Case("vector3", "t13-simd4", 1000, active_harts=3, sharing="multithreaded")),
    Count(Case("products", "ibex-like-slow-multiplier", 200_000)),
    Count(Case("divisions", "t13", 100_000)),
    Count(Case("divisions", "morph", 100_000)),
    Count(Case("divisions", "rv32im", 100_000)),
    Count(Case("divisions", "ibex-like", 100_000)),
    Count(Case("vector_divide", "t13-paper-simd4", 2000, sharing="shared")),
    Count(Case("vector_divide", "t13-paper-simd4", 1000, sharing="shared"), "record"),
    Count(Case("vector_divide", "t13-paper-simd4", 1000, sharing="shared"), "retime"),
    Count(Case("vector3", "t13-simd4", 1000, sharing="shared"), "record"),
    Count(Case("vector3", "t13-simd4", 1000, sharing="shared"), "retime"),
)


def main() -> None:
    """Count all cases, or those whose name contains a text, on both engines."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.instructions", description=__doc__)
    parser.add_argument("commit", metavar="COMMIT", help="commit of the engine to compare with")
    parser.add_argument("texts", nargs="*", metavar="TEXT", help="part of the name of a case")
    parser.add_argument(
        "--check", action="store_true", help=f"exit 1 if a ratio is above {MOST_RATIO}"
    )
    arguments = parser.parse_args()
    chosen = [
        each
        for each in COUNTS
        if not arguments.texts or any(text in each.name for text in arguments.texts)
    ]
    if not chosen:
        parser.error(f"no such case; there are: {'; '.join(each.name for each in COUNTS)}")
    try:
        found = compare(chosen, arguments.commit)
    except GnomonError as error:
        print(f"benchmarks: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
    found.show()
    if arguments.check and not all(limit.kept for limit in found.limits):
        sys.exit(1)


def compare(chosen: Iterable[Count], commit: str) -> Found:
    """Return the counts on the engines of a commit and of this checkout, and their ratios.

    Raises:
        GnomonError: if valgrind or the commit is missing, or a run fails.
    """
    if shutil.which("valgrind") is None:
        raise GnomonError("valgrind is not on PATH")
    rows: list[dict[str, Any]] = []
    limits: list[Limit] = []
    with worktree(commit) as folder:
        for each in chosen:
            print(each.name, file=sys.stderr)
            before, after = count(each, folder), count(each, ROOT)
            ratio = after / before
            rows.append({"what": each.name, "before": before, "after": after, "ratio": ratio})
            limits.append(Limit(each.name, "x", ratio, MOST_RATIO))
    found = Found()
    found.add(f"host instructions, compared with {commit}", rows, limits)
    return found


@contextmanager
def worktree(commit: str) -> Iterator[Path]:
    """Yield a temporary worktree of a commit.

    Raises:
        GnomonError: if git cannot make it.
    """
    git = ["git", "-C", str(ROOT), "worktree"]
    with tempfile.TemporaryDirectory(prefix="gnomon-") as temporary:
        folder = Path(temporary) / "commit"
        _run([*git, "add", "--quiet", "--detach", str(folder), commit], os.environ)
        try:
            yield folder
        finally:
            _run([*git, "remove", "--force", str(folder)], os.environ)


def count(what: Count, folder: Path) -> int:
    """Return the host instructions of a case on the engine of a checkout.

    Raises:
        GnomonError: if the run fails.
    """
    case = what.case
    settings = [f"vcu.sharing={case.sharing}"] if case.vector else []
    environment = users_environment(PYTHONPATH=str(folder), GNOMON_BLOCKS="off")
    with tempfile.TemporaryDirectory(prefix="gnomon-") as temporary:
        elf, out = Path(temporary) / "program.elf", Path(temporary) / "counts"
        elf.write_bytes(case.build().elf)

        def counted(kind: str) -> int:
            work = [sys.executable, str(COUNTED), kind, str(elf), case.machine, *settings]
            _run(work, environment)  # it compiles the engine
            valgrind = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}"]
            _run([*valgrind, *work], environment)
            return instructions(out.read_text())

        return counted(what.kind) - (counted("record") if what.kind == "retime" else 0)


def instructions(text: str) -> int:
    """Return the instructions in gnomon's libraries, by the output of callgrind."""
    names: dict[str, str] = {}
    inside = called = False
    total = 0
    for line in text.splitlines():
        place = re.match(r"(c?)ob=(\(\d+\))(?: (.*))?", line)
        if place:
            if place[3]:
                names[place[2]] = place[3]
            if not place[1]:
                inside = Path(names[place[2]]).parent.name in LIBRARIES
        elif line.startswith("calls="):
            called = True  # the next line has the cost of the called function
        elif re.match(r"[-+*\d]", line):
            total += int(line.split()[-1]) if inside and not called else 0
            called = False
    return total


def _run(command: list[str], environment: Any) -> None:
    done = subprocess.run(command, env=environment, check=False, capture_output=True, text=True)
    if done.returncode != 0:
        last = done.stderr.strip()[-2000:]
        raise GnomonError(f"{' '.join(command)}: exit code {done.returncode}: {last}")


if __name__ == "__main__":
    main()
