"""``python -m tests.c_coverage FLOOR``: lines of C that ran with ``GNOMON_NATIVE=coverage``.

gcov reads what the library left in the cache folder; the exit code is 1 below the floor, percent.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

from gnomon.base.cache import cache_folder

ROOT = Path(__file__).resolve().parents[1]
_FILE = re.compile(r"File '([^']+)'\nLines executed:([\d.]+)% of (\d+)")


def lines_by_file() -> tuple[Counter[str], Counter[str]]:
    """Lines that ran and lines that are there, by C file of this tree."""
    ran, there = Counter[str](), Counter[str]()
    for counts in cache_folder("native").glob("coverage-*/*.gcda"):
        said = subprocess.run(
            ["gcov", "-n", counts.name], cwd=counts.parent,
            check=True, capture_output=True, text=True,
        )  # fmt: skip
        for file, percent, lines in _FILE.findall(said.stdout):
            if Path(file).is_relative_to(ROOT) and file.endswith(".c"):
                name = Path(file).relative_to(ROOT).as_posix()
                there[name] = int(lines)
                ran[name] = max(ran[name], round(int(lines) * float(percent) / 100))
    return ran, there


def main() -> None:
    """Print a table; judge the whole."""
    ran, there = lines_by_file()
    if not there:
        sys.exit("nothing ran with GNOMON_NATIVE=coverage")
    for name in sorted(there):
        print(f"{name:44} {there[name]:6} {ran[name] / there[name]:8.1%}")
    whole = 100 * ran.total() / there.total()
    print(f"{'all':44} {there.total():6} {whole / 100:8.1%}")
    sys.exit(whole < float(sys.argv[1]))


if __name__ == "__main__":
    main()
