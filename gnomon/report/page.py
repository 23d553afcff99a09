"""Pages: Jinja templates next to a study, Markdown or HTML, and their pictures.

A template holds the text, a study supplies the numbers. The numbers select the sentences that state
a result::

    {% set best = rows | sort(attribute="regret") | first %}
    {{ best.name }} has the least regret, {{ best.regret | num(",.1f") }}
    {%- if best.regret < limit %}, within{% else %}, outside{% endif %} the limit of {{ limit }}.

    {{ results | table({"regret": ",.1f", "share": ".0%"}) }}

The study calls ``study_page(Path(__file__).parent, rows=rows, ...)`` of :mod:`gnomon.report.study`
and writes the text with :func:`gnomon.base.files.write_files`. A missing name is an error with file
and line. These filters exist in addition to Jinja's:

``num(form="")``
    a number in a format of :func:`format`; None shows a dash.
``table(columns=())``
    a DataFrame as a Markdown table. ``columns`` names right-aligned columns, with
    ``{"regret": ",.1f"}`` also their number formats; columns of numbers are right-aligned, too.
    None shows a dash. Two columns with equal heads must differ in trailing blanks.
``listed(last="and")``
    ``a, b and c``.
``counted(one, many=None)``
    ``1 kernel``, ``3 kernels``.
``wrap(width=98)``
    paragraphs and list items wrapped at blanks; for blocks: ``{% filter wrap %}…{% endfilter %}``.

An HTML template extends ``base.html.j2`` and imports ``macros.html.j2`` (:mod:`gnomon.report.table`
has its values and tables); style, script and pictures are inlined, so that a page works from a
``file://`` URL without a network.
"""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from jinja2 import (
    Environment,
    FileSystemLoader,
    StrictUndefined,
    TemplateError,
    TemplateSyntaxError,
)
from markupsafe import Markup

from gnomon.base.errors import GnomonError
from gnomon.base.files import read_text
from gnomon.base.frames import frame, markdown
from gnomon.base.units import counted
from gnomon.report.svg import PHONE_LETTERS_PT, PHONE_WIDTH_IN, Mark, compact_svg, split_marks
from gnomon.report.table import LATEX_LETTERS, LATEX_PAGE

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import pandas as pd

NO_VALUE: Final = "\N{EN DASH}"
_BASE = Path(__file__).with_name("html")
_SIZE = re.compile(r' (width|height)="([\d.]+)pt"')


def render_markdown(folder: Path, template: str, data: Mapping[str, Any]) -> str:
    """Fill a Markdown template.

    Args:
        folder: folder of the template, and of templates that it includes.
        template: its file name, such as ``page.md.j2``.
        data: values for the template.

    Raises:
        GnomonError: if the template is missing, wrong, or uses a name outside of ``data``; the
            message names ``file:line``.
    """
    return _render([folder], template, data, escape=False)


def render_html(folder: Path, template: str, data: Mapping[str, Any]) -> str:
    """Fill an HTML template; see :func:`render_markdown`. Values are escaped."""
    return _render([folder, _BASE], template, data, escape=True)


def _render(folders: list[Path], template: str, data: Mapping[str, Any], *, escape: bool) -> str:
    environment = Environment(
        loader=FileSystemLoader(folders),
        autoescape=escape,  # noqa: S701 - Markdown is not HTML
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.globals |= {"latex_letters": LATEX_LETTERS, "latex_page": LATEX_PAGE}
    environment.filters |= {
        "num": num, "table": table, "listed": listed, "counted": counted, "wrap": wrap,
    }  # fmt: skip
    try:
        return environment.get_template(template).render(data)
    except TemplateSyntaxError as error:
        raise GnomonError(f"{error.filename or template}:{error.lineno}: {error.message}") from None
    except TemplateError as error:
        raise GnomonError(f"{_place(error, folders, template)}: {error.message}") from None


def _place(error: Exception, folders: Sequence[Path], template: str) -> str:
    """Return ``file:line`` of the innermost template in the trace of an error."""
    place, trace = str(folders[0] / template), error.__traceback__
    while trace is not None:
        file = Path(trace.tb_frame.f_code.co_filename)
        if file.suffix == ".j2":
            place = f"{file}:{trace.tb_lineno}"
        trace = trace.tb_next
    return place


def num(value: float | None, form: str = "") -> str:
    """Return a number in a format of :func:`format`; None is a dash."""
    return NO_VALUE if value is None else format(value, form)


def table(data: pd.DataFrame, columns: Iterable[str] = ()) -> str:
    """Return a table as Markdown; see the docstring of this module."""
    forms = dict(columns) if isinstance(columns, Mapping) else dict.fromkeys(map(str, columns), "")
    heads = [str(name) for name in data.columns]
    cells = [
        [_cell(value, forms.get(name, "")) for name, value in zip(heads, row, strict=True)]
        for row in data.itertuples(index=False, name=None)
    ]
    numbers = {name for at, name in enumerate(heads) if _is_numeric(data.iloc[:, at])}
    shown = frame([name.strip() for name in heads], cells)  # two columns may share a head
    return markdown(shown, {name.strip() for name in (*forms, *numbers)})


def _cell(value: Any, form: str) -> str:
    if value is None or value != value:  # noqa: PLR0124 - not a number
        return NO_VALUE
    return value if isinstance(value, str) else format(value, form)


def _is_numeric(column: pd.Series[Any]) -> bool:
    known = [value for value in column if value is not None]
    return bool(known) and not any(isinstance(value, str | bool) for value in known)


def listed(words: Iterable[object], last: str = "and") -> str:
    """Return text such as ``a, b and c``."""
    *first, end = [str(word) for word in words] or [""]
    return f"{', '.join(first)} {last} {end}" if first else end


def wrap(text: str, width: int = 98) -> str:
    """Return paragraphs and list items wrapped at blanks; items are indented."""
    blocks = re.split(r"\n(?=- |\s*\n)|(?<=\n)\n", text.strip("\n"))
    lines = []
    for block in blocks:
        indent = "  " if block.startswith("- ") else ""
        lines.append(
            textwrap.fill(
                " ".join(block.split()), width, subsequent_indent=indent, break_long_words=False,
                break_on_hyphens=False,
            )
        )  # fmt: skip
    return "\n".join(lines) + "\n"


@dataclass(frozen=True, slots=True)
class Picture:
    """SVG picture: its address for ``<img>``, its size in CSS pixels, texts of its points."""

    address: Markup
    width: int
    height: int
    marks: tuple[Mark, ...] = ()

    @property
    def least_width(self) -> int:
        """Width in CSS pixels that keeps its letters at 10 px.

        They have 8 pt, and more in figures for phones.
        """
        letters_pt = PHONE_LETTERS_PT if self.width == round(96 * PHONE_WIDTH_IN) else 8
        return math.ceil(self.width * 10 / (letters_pt * 96 / 72))


def read_picture(path: Path) -> Picture:
    """Read an SVG picture in the format of matplotlib.

    Raises:
        GnomonError: if it cannot be read, or states no size in points.
    """
    return picture_of(read_text(path), str(path))


def picture_of(text: str, where: str) -> Picture:
    """Return an SVG picture in the format of matplotlib; ``where`` names it in messages.

    Raises:
        GnomonError: if it states no size in points.
    """
    size = dict(_SIZE.findall(text.partition("<svg ")[2].partition(">")[0]))
    if len(size) < 2:
        raise GnomonError(f"{where}: is not an SVG picture with width and height in points")
    text, marks = split_marks(text)
    letters = compact_svg(text).replace('"', "'").translate({37: "%25", 35: "%23", 38: "%26"})
    width, height = (round(float(size[name]) * 96 / 72) for name in ("width", "height"))
    address = Markup(f"data:image/svg+xml,{letters}")  # noqa: S704 - no quotes
    return Picture(address, width, height, marks)
