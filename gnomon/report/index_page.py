"""Index page of a folder: links to all its pages, with the first statement of each."""

from html.parser import HTMLParser
from pathlib import Path

from gnomon.base.files import read_text, write_file
from gnomon.report.page import render_html
from gnomon.report.table import PageTable, Value

_HTML = Path(__file__).with_name("html")
_NAME = "index.html"


class _First(HTMLParser):
    """Parser of a page: its heading, the first paragraph after it, and the first framed one."""

    def __init__(self) -> None:
        super().__init__()
        self.found = {"h1": "", "p": "", "told": ""}
        self._open = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        part = "told" if tag == "p" and dict(attrs).get("class") == "told" else tag
        if part in self.found and not self.found[part] and (tag == "h1" or self.found["h1"]):
            self._open = part

    def handle_endtag(self, tag: str) -> None:
        if tag in ("h1", "p"):
            self._open = ""

    def handle_data(self, data: str) -> None:
        if self._open:
            self.found[self._open] += data


def write_index(folder: Path) -> Path:
    """Write ``index.html`` of a folder, with links to all pages below it.

    Raises:
        GnomonError: if a page cannot be read, or the index cannot be written.
    """
    rows = []
    for page in sorted(folder.rglob("*.html")):
        if page == folder / _NAME:
            continue
        first = _First()
        first.feed(read_text(page))
        title, words, framed = (" ".join(text.split()) for text in first.found.values())
        where = page.relative_to(folder).as_posix()
        rows.append((Value(title or where, link=where), framed or words, where))
    heads = ("page", "says first", "file")
    pages = PageTable.from_cells("pages", f"{len(rows)} pages", heads, rows, words=3)
    text = render_html(_HTML, "index.html.j2", {"folder": folder.name, "pages": pages})
    return write_file(folder / _NAME, text)
