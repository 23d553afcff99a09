"""Templates to pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

if TYPE_CHECKING:
    from collections.abc import Mapping

_BASE = "gnomon.report.html"


def render_page(package: str, template: str, data: Mapping[str, Any]) -> str:
    """Fill a template.

    Args:
        package: where the template is, such as ``gnomon.report.paper``. ``base.html.j2``,
            ``macros.html.j2``, ``style.css`` and ``page.js`` are found from any.
        template: its file name.
        data: what it may use. A name that is missing is an error, not an empty place.
    """
    environment = Environment(
        loader=ChoiceLoader([PackageLoader(package, "."), PackageLoader(_BASE, ".")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    return environment.get_template(template).render(data)
