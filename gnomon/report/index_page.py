"""One page that leads to all pages of a folder, with what each says first."""

import re
from html import unescape
from pathlib import Path

from gnomon.base.files import read_text, write_file
from gnomon.report.page import render_html
from gnomon.report.table import Table, Value

_HTML = Path(__file__).with_name("html")
_NAME = "index.html"


def _text(page: str, start: str, end: str) -> str:
    """What stands in the first element that starts so, without the tags in it."""
    found = re.search(rf"<{start}>(.*?)</{end}>", page, re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]*>", "", found[1])).split()) if found else ""


def write_index(folder: Path) -> Path:
    """Write ``index.html`` of a folder, over the pages that lie anywhere below it.

    Raises:
        GnomonError: a page cannot be read, or the index not be written.
    """
    rows = []
    for page in sorted(folder.rglob("*.html")):
        if page == folder / _NAME:
            continue
        head, ended, body = read_text(page).partition("</h1>")
        title = _text(head + ended, r"h1\b[^>]*", "h1")
        told = _text(body, 'p class="told"', "p") or _text(body, r'p\b(?! class="told")[^>]*', "p")
        where = page.relative_to(folder).as_posix()
        rows.append((Value(title or where, link=where), told, where))
    heads = ("page", "says first", "file")
    pages = Table.of_cells("pages", f"{len(rows)} pages", heads, rows, words=3)
    text = render_html(_HTML, "index.html.j2", {"folder": folder.name, "pages": pages})
    return write_file(folder / _NAME, text.encode())
