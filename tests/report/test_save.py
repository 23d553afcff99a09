"""What a page saves is what it shows, and its address leads back to it."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import matplotlib.pyplot as plt
import pytest

from gnomon.content.reports.paper.results import Results
from gnomon.content.reports.paper.study import paper_page
from gnomon.report.canvas import render
from gnomon.report.page import render_html
from gnomon.report.table import MINUS, PageColumn, PageTable, Value
from tests.report.browser import opened
from tests.report.kinds import KINDS

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from playwright.sync_api import Browser, Page

ROOT = Path(__file__).parents[2]
PICTURE = ROOT / "reports" / "deploy" / "wearable" / "index.html"
SWEEP = ROOT / "reports" / "sweeps" / "lanes-disjoint-d8"
MOST_DOWNLOADS = 9  # Chromium asks before the eleventh file of a page


def saved(page: Page, title: str, form: str) -> str:
    """Return the text of the file that the button of a figure or table saves."""
    page.locator("#save").evaluate("box => { box.open = true; }")
    item = page.locator("#save li").filter(has_text=re.compile(f"^{re.escape(title)}")).first
    with page.expect_download() as told:
        item.get_by_role("button", name=form, exact=True).click()
    return told.value.path().read_text()


def rows(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text)))


def page_of(folder: Path, *tables: PageTable) -> Path:
    (folder / "page.html.j2").write_text(
        '{% extends "base.html.j2" %}{% from "macros.html.j2" import table %}'
        "{% block content %}{% for t in tables %}{{ table(t) }}{% endfor %}{% endblock %}"
    )
    (folder / "page.html").write_text(render_html(folder, "page.html.j2", {"tables": tables}))
    return folder / "page.html"


def test_a_table_is_saved_as_csv_and_as_the_latex_of_python(
    browser: Browser, tmp_path: Path
) -> None:
    columns = (
        PageColumn("name", "what"), PageColumn("kind_of", "what", is_filter=True),
        PageColumn("n & m", is_number=True), PageColumn("share %", "of all", is_number=True),
        PageColumn("hidden", "of all", in_print=False),
    )  # fmt: skip
    cells = [('a, "b"', "x", "1,000", f"{MINUS}3", "-"), ("c_d{e}~^\\", "x", "2", "≤ 5 µs", "#"),
             ("line", "y", "3", "4 ²", "$")]  # fmt: skip
    made = [
        PageTable(name, f"Table {name}: 50 % & more", columns,
                  tuple(tuple(map(Value, row)) for row in given))
        for name, given in (("short", cells), ("long", cells * 16))
    ]  # fmt: skip
    with opened(browser, page_of(tmp_path, *made), 1280) as page:
        for table in made:
            assert saved(page, table.caption, "LaTeX") == table.latex()
            found = rows(saved(page, table.caption, "CSV"))
            assert found[0] == [column.label for column in columns]
            assert found[1:] == [[str(value) for value in row] for row in table.rows]
        page.locator("#short select").select_option("y")
        assert rows(saved(page, made[0].caption, "CSV"))[1:] == [list(cells[2])]


def test_the_data_of_a_figure_are_all_that_is_drawn() -> None:
    heights = [n * n for n in range(100)]

    def draw() -> Figure:
        figure, axes = plt.subplots()
        axes.plot(range(100), heights, label="squares")
        axes.bar([200], [3.5], label="bar")
        axes.set_xlabel("n (cycles)")
        return figure

    head, *found = rows(render(draw, with_data=True)["csv"].decode())
    assert head == ["panel", "series", "n (cycles)", "y"]
    expected = [["", "squares", f"{n}", f"{height}"] for n, height in enumerate(heights)]
    assert found == [*expected, ["", "bar", "200", "3.5"]]


@pytest.mark.heavy("browser")
def test_latex_of_every_table_of_the_paper(browser: Browser, tmp_path: Path) -> None:
    text, tables = paper_page(Results(ROOT / "reports"))
    (tmp_path / "paper.html").write_text(text)
    found = dict[str, str]()
    with opened(browser, tmp_path / "paper.html", 1280) as page:
        buttons = page.locator("#save li").get_by_role("button", name="LaTeX")
        for at in range(100):
            if at % MOST_DOWNLOADS == 0:
                page.reload()
                page.locator("#save").evaluate("box => { box.open = true; }")
            page.wait_for_selector("#save li")
            if at == buttons.count():
                break
            with page.expect_download() as told:
                buttons.nth(at).click()
            found[told.value.suggested_filename] = told.value.path().read_text()
    expected = {f"{table.name}.tex": table.latex() for table in tables.values()}
    assert len(expected) > 10
    assert {name: found.get(name) for name in expected} == expected


@pytest.mark.heavy("browser")
def test_a_picture_and_its_points_are_saved(browser: Browser) -> None:
    with opened(browser, PICTURE, 390, "dark") as page:
        title = page.locator("figure img").first.get_attribute("alt") or ""
        assert ET.fromstring(saved(page, title, "SVG")).tag.endswith("svg")
        head, *points = rows(saved(page, title, "CSV"))
        assert head == ["series", "x axis", "x", "y axis", "y"]
        marks = page.locator("figure").first.locator(".marked i")
        assert len(points) == marks.count()
        assert {point[1] for point in points} == {"latency (ms)"}
        assert all(float(point[2]) >= 0 for point in points)


@pytest.mark.heavy("browser")
def test_what_a_sweep_shows_is_saved_and_linked(browser: Browser) -> None:
    path = SWEEP / "index.html"
    with opened(browser, path, 1280) as page:
        page.locator("#y").select_option("energy_uj")
        page.locator("#only-kept").check()
        page.locator("#axes .chip").first.click()
        page.locator("#points th button", has_text="area").click()
        shown = [page.locator(".mark").count(), page.locator("#points").inner_text()]
        link = page.evaluate("location.href")
        head, *points = rows(saved(page, "energy over", "CSV"))
        assert head[0] == "point"
        assert len(points) == shown[0]
        drawn = ET.fromstring(saved(page, "energy over", "SVG"))
        assert len(drawn.findall(".//*[@data-point]")) >= shown[0]
        with (SWEEP / "points.csv").open(newline="") as file:
            known = {row["point"]: row for row in csv.DictReader(file)}
        at = head.index("energy (uj)")
        for point in points:
            assert float(point[at]) == pytest.approx(float(known[point[0]]["energy_uj"]), rel=1e-5)
    other = browser.new_page(viewport={"width": 1280, "height": 900})
    other.goto(link)
    assert [other.locator(".mark").count(), other.locator("#points").inner_text()] == shown
    assert other.locator("#y").input_value() == "energy_uj"
    other.locator("#reset").click()
    other.locator("#y").select_option(other.evaluate("JSON.parse(data.textContent).y"))
    assert "only." not in other.evaluate("location.hash")
    other.close()


@pytest.mark.heavy("browser")
def test_order_and_filter_of_a_table_are_in_its_link(browser: Browser, tmp_path: Path) -> None:
    columns = (PageColumn("name"), PageColumn("kind", is_filter=True))
    cells = tuple((Value(name), Value(kind)) for name, kind in ("ax", "bx", "cy"))
    path = page_of(tmp_path, PageTable("some", "Some", columns, cells))
    with opened(browser, path, 390) as page:
        page.locator("#some select").select_option("x")
        for _ in range(2):
            page.locator("#some th button").first.click()
        link = page.evaluate("location.href")
    other = browser.new_page()
    other.goto(link)
    assert other.locator("#some tbody tr:visible").all_inner_texts() == ["b\tx", "a\tx"]
    other.close()


@pytest.mark.heavy("browser")
@pytest.mark.parametrize("kind", KINDS)
def test_each_figure_and_table_of_each_kind_is_saved(
    browser: Browser, kinds: dict[str, Path], kind: str
) -> None:
    """As SVG and CSV, or as CSV and LaTeX, with what the page shows."""
    with opened(browser, kinds[kind], 390) as page:
        page.locator("#save").evaluate("box => { box.open = true; }")
        page.wait_for_selector("#save li")
        items, count = page.locator("#save li"), page.locator("#save li").count()
        assert count == page.locator("figure img, main svg[role=img], main table").count() > 0
        downloads = 0
        for at in range(count):
            buttons = items.nth(at).get_by_role("button").all_inner_texts()
            forms = ["SVG", "CSV"], ["CSV", "LaTeX"], *([["SVG"]] if kind == "study" else [])
            assert buttons in forms  # the pictures of this study mark no points
            for form in buttons:
                if downloads % MOST_DOWNLOADS == 0:
                    page.reload()
                    page.locator("#save").evaluate("box => { box.open = true; }")
                    page.wait_for_selector("#save li")
                downloads += 1
                with page.expect_download() as told:
                    items.nth(at).get_by_role("button", name=form, exact=True).click()
                text = told.value.path().read_text()
                if form == "SVG":
                    assert ET.fromstring(text).tag.endswith("svg")
                elif form == "CSV":
                    head, *body = rows(text)
                    assert body, items.nth(at).inner_text()
                    assert all(len(row) == len(head) for row in body)
                else:
                    assert text.count("{tabular}") + text.count("{longtable}") >= 2
                    assert text.count(r"\\") >= 2


@pytest.mark.heavy("browser")
@pytest.mark.parametrize("kind", KINDS)
def test_the_order_of_each_table_of_each_kind_is_in_its_link(
    browser: Browser, kinds: dict[str, Path], kind: str
) -> None:
    with opened(browser, kinds[kind], 390) as page:
        page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
        heads = page.locator("table th:last-child button:visible")
        count = heads.count()
        for at in range(count):
            heads.nth(at).click()
        shown, link = page.locator("tbody").all_inner_texts(), page.url
    other = browser.new_page(viewport={"width": 390, "height": 900})
    other.goto(link)
    other.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    assert other.locator("tbody").all_inner_texts() == shown
    assert link.count("sort=") == count
    other.close()
