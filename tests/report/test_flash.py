"""The page of flash waits, caches and placement; the network in C is that of NumPy."""

from __future__ import annotations

import lzma

import pandas as pd

from gnomon.base.content import content
from gnomon.content.reports.flash import measure
from gnomon.content.reports.flash.study import report_of, run_flash

REPORT = content("reports", "flash")


def _tables() -> tuple[pd.DataFrame, pd.DataFrame]:
    return pd.read_csv(REPORT / "rows.csv.xz"), pd.read_csv(REPORT / "programs.csv")


def test_the_page_is_that_of_its_tables() -> None:
    full = measure.FLASH_SIZES["full"]
    assert run_flash(full, pages=True).page() == (REPORT / "flash.md").read_text("utf-8")
    lines = lzma.decompress((REPORT / "rows.csv.xz").read_bytes()).decode().splitlines()
    assert len(lines) == 1 + 2 * len(list(measure.points(full)))


def test_rows_are_measured_again_as_they_stand() -> None:
    rows, sizes = _tables()
    for subject in measure.SUBJECTS:
        programs = measure.Programs(subject())
        assert programs.sizes() in set(sizes.itertuples(index=False, name=None))
        for point in (measure.Point("flash", 4, 256, 2, 4), measure.Point("both", 8)):
            assert programs.row(point) in set(rows.itertuples(index=False, name=None))


def test_without_waits_placement_is_free_and_ram_hides_the_flash() -> None:
    rows, _ = _tables()
    plain = rows[rows["cache_bytes"] == 0]
    for _, of in plain.groupby("program"):
        free = set(of[(of["waits"] == 0) | (of["placement"] == "both")]["cycles"])
        assert len(free) == 1
        assert (of["cycles"] >= free.pop()).all()


def test_sentences_follow_the_figures() -> None:
    """If flash has no effect, the page says so, and does not recommend a cache."""
    rows, sizes = _tables()
    page = report_of(rows[rows["waits"] == 0], sizes).page()
    assert page.count("neither cache nor placement is worth its price") == 2
    assert "is the smallest of these" not in page
