"""Outcomes of damaged inputs by format: a CSV file, and its table in docs/method/robustness.md."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RECORD = ROOT / "reports" / "validation" / "fuzz" / "inputs.csv"
PAGE = ROOT / "docs" / "method" / "robustness.md"
KINDS = ("ok", "no", "refused", "bad")
COLUMNS = (*KINDS, "found")
_BEGIN, _END = "<!-- inputs.csv -->\n", "<!-- end -->"


def read_record(path: Path) -> dict[str, Counter[str]]:
    """Counts by format; empty if there is no such file."""
    if not path.exists():
        return {}
    with path.open(newline="") as file:
        return {
            row["format"]: Counter({column: int(row[column]) for column in COLUMNS})
            for row in csv.DictReader(file)
        }


def write_record(path: Path, ends: dict[str, Counter[str]]) -> None:
    """In order of formats; ``found`` counts what was bad when it was tried first."""
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = [",".join([name, *(str(ends[name][each]) for each in COLUMNS)]) for name in sorted(ends)]
    path.write_text("\n".join(["format," + ",".join(COLUMNS), *rows]) + "\n")


def table(ends: dict[str, Counter[str]]) -> str:
    """Of the counts, with their sum."""
    total: Counter[str] = Counter()
    for each in ends.values():
        total.update(each)
    rows = [
        f"| {name} | {' | '.join(f'{of[kind]:,}' for kind in COLUMNS)} |"
        for name, of in [*ends.items(), ("all", total)]
    ]
    return "\n".join(
        [f"| format | {' | '.join(COLUMNS)} |", "|---|" + "--:|" * len(COLUMNS), *rows]
    )


def page() -> str:
    """docs/method/robustness.md with the table as recorded."""
    text = PAGE.read_text()
    before, _, rest = text.partition(_BEGIN)
    _, _, after = rest.partition(_END)
    return f"{before}{_BEGIN}{table(read_record(RECORD))}\n{_END}{after}"


if __name__ == "__main__":
    PAGE.write_text(page())
