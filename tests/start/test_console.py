"""Nothing that a table holds is cut, neither in a pipe nor on a terminal."""

from __future__ import annotations

import io
import random
import sys
from collections import Counter
from pathlib import Path

import pytest

from gnomon.base.console import Console, Table, console, table
from gnomon.cli import main


class _Pipe(io.StringIO):
    encoding = "utf-8"


class _Terminal(_Pipe):
    def isatty(self) -> bool:
        return True


def _printed(shown: Table | str, monkeypatch: pytest.MonkeyPatch) -> str:
    pipe = _Pipe()
    with monkeypatch.context() as patch:
        patch.setattr("sys.stdout", pipe)
        patch.delenv("FORCE_COLOR", raising=False)
        patch.delenv("TTY_COMPATIBLE", raising=False)
        console().print(shown)
    return pipe.getvalue()


def test_nothing_is_cut_in_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(60):
        made = _random_table(seed)
        text = _printed(made, monkeypatch)
        cells = [made.title, *(each.name for each in made.columns)] if made.show_header else []
        marks = _marks("".join([*cells, *("".join(row) for row in made.rows)]))
        assert not marks - _marks(text), seed
        for row in made.rows:
            for column, cell in zip(made.columns, row, strict=True):
                if column.justify == "right":  # a number is never wrapped
                    assert cell.strip() in text, seed


def test_a_line_is_printed_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    for text in ("", "a line", "two\nlines", "[bold] 字"):
        assert _printed(text, monkeypatch) == f"{text}\n"


def _random_table(seed: int) -> Table:
    choose = random.Random(seed)
    letters = "ab 1,µ" if seed % 3 else "ab 1,µ≤字"

    def word() -> str:
        length = choose.choice([0, 1, 3, 8, 8, 20, 30, 150 * (seed % 2)])
        return "".join(choose.choice(letters) for _ in range(length))

    columns = choose.randint(1, 6)
    made = table(word(), choose.randint(0, columns), *(word() for _ in range(columns)))
    for column in made.columns:
        column.no_wrap = choose.random() < 0.1
    made.show_header = choose.random() < 0.8
    for _ in range(choose.randint(0, 5)):
        made.add_row(*(word() for _ in range(choose.randint(1, columns))))
        made.add_row(word(), end_section=choose.random() < 0.2)
    return made


def _marks(text: str) -> Counter[str]:
    return Counter("".join(text.replace("─", "").split()))


@pytest.mark.parametrize(
    "command",
    [
        "area t13-simd4",
        "kernel multiply --arch t13-simd4 --n 4",
        "run {kernel} --arch t13-simd4 --profile",
    ],
)
def test_nothing_is_cut_on_a_terminal_of_80_columns(
    command: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    source = tmp_path / "quite_a_long_name_of_a_program.c"
    source.write_text("int main(void) { volatile int n = 3; return n * n; }\n")
    cut_at, plain = [], Console.print

    def shown(self: Console, what: Table | str, *, end: str = "\n") -> None:
        start = len(sys.stdout.getvalue())  # type: ignore[attr-defined]
        plain(self, what, end=end)
        if isinstance(what, Table):
            cut_at.append((what, sys.stdout.getvalue()[start:]))  # type: ignore[attr-defined]

    monkeypatch.setattr(Console, "print", shown)
    monkeypatch.setattr("sys.stdout", _Terminal())
    monkeypatch.setattr("sys.argv", ["gnomon", *command.format(kernel=source).split()])
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "dumb")
    with pytest.raises(SystemExit, match="0"):
        main()
    assert cut_at
    for made, text in cut_at:
        assert "…" not in text
        assert max(map(len, text.split("\n"))) <= 80
        cells = [made.title, *(each.name for each in made.columns)] if made.show_header else []
        missing = _marks("".join([*cells, *("".join(row) for row in made.rows)])) - _marks(text)
        assert not missing
        for row in made.rows:
            for column, cell in zip(made.columns, row, strict=True):
                if column.justify == "right":  # a number stays whole, with its unit or its range
                    assert all(number in text for number in cell.split("\n"))
