"""What is written without rich looks as rich writes it."""

from __future__ import annotations

import io
import random

import pytest

from gnomon.base.console import Table, console, table


class _Pipe(io.StringIO):
    encoding = "utf-8"


def _printed(shown: Table | str, monkeypatch: pytest.MonkeyPatch, *, by_rich: bool) -> str:
    pipe = _Pipe()
    with monkeypatch.context() as patch:
        patch.setattr("sys.stdout", pipe)
        patch.delenv("FORCE_COLOR", raising=False)
        patch.delenv("TTY_COMPATIBLE", raising=False)
        if by_rich:
            patch.setattr("gnomon.base.console._plain", lambda *_: False)
        console().print(shown)
    return pipe.getvalue()


@pytest.mark.parametrize("seed", range(300))
def test_tables(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
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
    assert _printed(made, monkeypatch, by_rich=False) == _printed(made, monkeypatch, by_rich=True)


@pytest.mark.parametrize("text", ["", "a line", "two\nlines", "long " * 40, "tab\tand 字"])
def test_lines(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert _printed(text, monkeypatch, by_rich=False) == _printed(text, monkeypatch, by_rich=True)
