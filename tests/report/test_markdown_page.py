"""Markdown pages of studies as HTML."""

from __future__ import annotations

from pathlib import Path

import pytest

from gnomon.base.errors import GnomonError
from gnomon.report.markdown_page import markdown_page

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "reports").glob("*/*.md"))


def of_text(folder: Path, text: str) -> str:
    file = folder / "page.md"
    file.write_text(text)
    return markdown_page(file)


def test_tables_sort_by_their_heads_and_numbers_are_aligned(tmp_path: Path) -> None:
    page = of_text(tmp_path, "# Results\n\n| name | n |\n|---|---:|\n| a `b` | 3 |\n")
    assert (
        '<tr class="heads"><th scope="col" class="t"><button type="button">name</button></th>'
        in page
    )
    assert '<td class="t">a <code>b</code></td>' in page
    assert '<td class="n">3</td>' in page
    assert 'aria-label="Results"' in page
    assert "<title>Results</title>" in page


def test_html_of_a_page_is_text(tmp_path: Path) -> None:
    page = of_text(tmp_path, "# A <b>\n\n<script>alert(1)</script> [x](javascript:alert(1))\n")
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert" in page
    assert 'href="javascript' not in page


def test_what_is_no_page(tmp_path: Path) -> None:
    with pytest.raises(GnomonError, match=r"page\.md: has no heading"):
        of_text(tmp_path, "text\n")
    with pytest.raises(GnomonError, match=r"none\.svg"):
        of_text(tmp_path, "# A\n\n![words](none.svg)\n")


@pytest.mark.parametrize("file", PAGES, ids=lambda file: file.stem)
def test_every_page_of_a_study_has_its_pictures_and_tables_inside(file: Path) -> None:
    lines, page = file.read_text().splitlines(), markdown_page(file)
    assert page.count("<figure") == sum(line.startswith("![") for line in lines)
    assert page.count("<table>") == sum(line.startswith("|---") for line in lines)
    assert markdown_page(file) == page
