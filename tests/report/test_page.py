"""Templates of pages: filters, what goes wrong and where."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gnomon.base.errors import GnomonError
from gnomon.base.frames import frame
from gnomon.report.page import render_markdown

if TYPE_CHECKING:
    from pathlib import Path


def _page(folder: Path, text: str, **data: object) -> str:
    (folder / "page.md.j2").write_text(text)
    return render_markdown(folder, "page.md.j2", data)


def test_a_table_takes_formats_and_aligns_numbers(tmp_path: Path) -> None:
    rows = frame(("name", "n", "share"), [("a", 3, 0.25), ("b", None, float("nan"))])
    text = _page(tmp_path, '{{ rows | table({"share": ".0%"}) }}\n', rows=rows)
    assert text == (
        "| name | n | share |\n|---|---:|---:|\n"
        "| a | 3 | 25% |\n| b | \N{EN DASH} | \N{EN DASH} |\n"
    )
    rows = frame(("name", "text"), [("a", "7")])
    assert "|---|---:|" in _page(tmp_path, '{{ rows | table(["text"]) }}', rows=rows)


def test_words_follow_numbers(tmp_path: Path) -> None:
    text = '{{ x | num(".2f") }} {{ n | counted("kernel") }}: {{ names | listed }}'
    assert _page(tmp_path, text, x=1.234, n=1, names=["a"]) == "1.23 1 kernel: a"
    assert _page(tmp_path, text, x=None, n=2, names=["a", "b", "c"]) == (
        "\N{EN DASH} 2 kernels: a, b and c"
    )


def test_paragraphs_are_wrapped(tmp_path: Path) -> None:
    text = "{% filter wrap(20) %}\nOne two three\nfour five.\n\n- six seven eight nine\n"
    text += "- ten\n{% endfilter %}"
    assert _page(tmp_path, text) == (
        "One two three four\nfive.\n\n- six seven eight\n  nine\n- ten\n"
    )


@pytest.mark.parametrize("text", ["a\n{{ missing }}\n", "a\n{{ 1 | nonesuch }}\n", "a\n{% if %}\n"])
def test_an_error_names_file_and_line(tmp_path: Path, text: str) -> None:
    with pytest.raises(GnomonError, match=r"page\.md\.j2:2: "):
        _page(tmp_path, text)
