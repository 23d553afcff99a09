"""A fit as the YAML file of a power table, which ``gnomon power fit`` writes."""

import math
import re
from dataclasses import asdict
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from gnomon.base.units import format_frequency
from gnomon.cost.energy._fit import Alternatives, Fit
from gnomon.cost.energy._power_table import SCHEMA_VERSION

_DIGITS = 5
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_./-]*")


def table_text(fit: Fit, *, draws: int, seed: int, **about: object) -> str:
    """The YAML text of a table; see :meth:`Fit.table`."""
    alternatives = Alternatives.draw(fit.points, fit.groups, draws=draws, seed=seed)
    clock, *groups = fit.parameters
    prices = zip(alternatives.clock_mw, alternatives.pj_per_toggle, strict=True)
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent), undefined=StrictUndefined,
        trim_blocks=True, keep_trailing_newline=True, autoescape=False,  # noqa: S701 - YAML
    )  # fmt: skip
    environment.filters |= {"n": _n, "word": _word, "quoted": _quoted}
    return environment.get_template("power_table.yaml.j2").render(
        about, fit=fit, points=fit.points, clock=clock, groups=groups, alternatives=alternatives,
        rows=[(float(mw), *row.tolist()) for mw, row in prices],
        leave_one_out=asdict(fit.leave_one_out),
        schema=SCHEMA_VERSION, clock_frequency=format_frequency(fit.points.clock_hz),
    )  # fmt: skip


def _n(value: float, digits: int = _DIGITS) -> str:
    if math.isinf(value):
        return ".inf"
    text = f"{value:.{digits}g}"
    # YAML 1.1 takes 1e-05 for text without a point in it.
    return text.replace("e", ".0e") if "e" in text and "." not in text else text


def _word(text: str) -> str:
    return text if _PLAIN.fullmatch(text) else _quoted(text)


def _quoted(text: str) -> str:
    return '"' + " ".join(text.split()).replace("\\", "\\\\").replace('"', '\\"') + '"'
