"""Markdown page of a study as one HTML page, with its pictures inside."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markupsafe import Markup

from gnomon.base.errors import GnomonError
from gnomon.base.files import read_text
from gnomon.report.page import Picture, read_picture, render_html

_HTML = Path(__file__).with_name("html")
_SHORT = 28
"""Most letters of a cell without a line break."""


class _Renderer(RendererHTML):
    """Tables in boxes that scroll, with heads that sort them."""

    _tables = 0

    def table_open(self, tokens: Sequence[Token], at: int, *_: object) -> str:
        self._tables += 1
        title = next((tokens[k + 1].content for k in range(at, -1, -1)
                      if tokens[k].type == "heading_open"), "Table")  # fmt: skip
        label = Markup.escape(title)
        return (
            f'<div class="table" id="table-{self._tables}">'
            f'<div class="scroll" tabindex="0" role="region" aria-label="{label}"><table>'
        )

    def table_close(self, *_: object) -> str:
        return "</table></div></div>\n"

    def tr_open(self, tokens: Sequence[Token], at: int, *_: object) -> str:
        return '<tr class="heads">' if tokens[at - 1].type == "thead_open" else "<tr>"

    def th_open(self, tokens: Sequence[Token], at: int, *_: object) -> str:
        return f'<th scope="col" class="{_kind(tokens, at)}"><button type="button">'

    def th_close(self, *_: object) -> str:
        return "</button></th>"

    def td_open(self, tokens: Sequence[Token], at: int, *_: object) -> str:
        return f'<td class="{_kind(tokens, at)}">'

    def fence(self, *of: Any) -> str:
        return f'<div class="scroll">{super().fence(*of)}</div>\n'

    def code_block(self, *of: Any) -> str:
        return f'<div class="scroll">{super().code_block(*of)}</div>\n'


def _kind(tokens: Sequence[Token], at: int) -> str:
    """Return the class of a cell: number, text that wraps, or short text."""
    if "right" in str(tokens[at].attrGet("style") or ""):
        return "n"
    return "long" if len(tokens[at + 1].content) > _SHORT else "t"


def markdown_page(file: Path) -> str:
    """Return a Markdown file as an HTML page; the SVG pictures next to it are inside.

    HTML in the file is shown as text. Links to other files stay as they are.

    Raises:
        GnomonError: if the file or a picture cannot be read, or the file has no heading.
    """
    reader = MarkdownIt("commonmark", {"html": False}, renderer_cls=_Renderer).enable("table")
    tokens = reader.parse(read_text(file))
    title = next((tokens[at + 1].content for at, each in enumerate(tokens)
                  if each.type == "heading_open"), "")  # fmt: skip
    if not title:
        raise GnomonError(f"{file}: has no heading")
    parts: list[tuple[Markup, Picture | None, str]] = []
    start = 0

    def text(end: int) -> Markup:
        made = reader.renderer.render(tokens[start:end], reader.options, {})
        return Markup(made)  # noqa: S704 - the reader escapes HTML

    for at, each in enumerate(tokens):
        drawn = each.children or []
        if len(drawn) == 1 and drawn[0].type == "image":
            address = str(drawn[0].attrGet("src"))
            picture = read_picture(file.parent / unquote(address))
            parts.append((text(at - 1), picture, drawn[0].content))
            start = at + 2
    parts.append((text(len(tokens)), None, ""))
    return render_html(_HTML, "markdown.html.j2", {"title": title, "parts": parts})
