"""``python -m tests.c_coverage FLOOR``: lines of C that ran with ``GNOMON_NATIVE=coverage``.

gcov reads the counters that the library left in the cache folder; the exit code is 1 below the
floor, percent. ``--clear`` removes the counters instead: those of earlier runs would count, too.

As a plugin of pytest (``-p``) it lets workers write their counters when they exit.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

from xdist.workermanage import NodeManager

from gnomon.base.cache import cache_folder

ROOT = Path(__file__).resolve().parents[1]


def pytest_configure() -> None:
    """Let workers write their counters: xdist would kill them 10 seconds after the last test."""
    NodeManager.EXIT_TIMEOUT = None  # type: ignore[assignment]


def counters() -> list[Path]:
    """Return the files of counters, one per C file of each library."""
    return sorted(cache_folder("native").glob("coverage-*/*.gcda"))


def lines_by_file() -> dict[str, dict[int, bool]]:
    """Of each C file of this tree, the lines there are, and whether they ran.

    The engine is two libraries of the same files, which leave out different lines: a line counts
    once, and ran if it did in either.
    """
    ran: dict[str, dict[int, bool]] = defaultdict(dict)
    for counts in counters():
        said = subprocess.run(
            ["gcov", "--json-format", "--stdout", counts.name], cwd=counts.parent,
            check=True, capture_output=True, text=True,
        )  # fmt: skip
        for file in json.loads(said.stdout)["files"]:
            path = Path(file["file"])
            if path.is_relative_to(ROOT) and path.suffix == ".c":
                lines = ran[path.relative_to(ROOT).as_posix()]
                for line in file["lines"]:
                    number = line["line_number"]
                    lines[number] = line["count"] > 0 or lines.get(number, False)
    return ran


def main() -> None:
    """Print a table and judge the whole, or remove the counters."""
    parser = argparse.ArgumentParser(prog="python -m tests.c_coverage", description=__doc__)
    parser.add_argument("floor", nargs="?", type=float, help="percent of the lines")
    parser.add_argument("--clear", action="store_true", help="remove the counters of earlier runs")
    options = parser.parse_args()
    if options.clear == (options.floor is not None):
        parser.error("want FLOOR or --clear")
    if options.clear:
        for path in counters():
            path.unlink()
        return
    ran = lines_by_file()
    if not ran:
        sys.exit("nothing ran with GNOMON_NATIVE=coverage")
    for name in sorted(ran):
        print(_row(name, [*ran[name].values()]))
    whole = [line for lines in ran.values() for line in lines.values()]
    print(_row("all", whole))
    sys.exit(100 * sum(whole) < options.floor * len(whole))


def _row(name: str, lines: list[bool]) -> str:
    return f"{name:44} {len(lines):6} {sum(lines) / len(lines):8.1%}"


if __name__ == "__main__":
    main()
