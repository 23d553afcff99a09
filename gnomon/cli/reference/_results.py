"""The page of the results of Python functions: type, unit and meaning of every attribute."""

import inspect
import io
import re
import tokenize
from collections.abc import Iterator, Mapping
from dataclasses import fields
from functools import cached_property

from gnomon.cli.reference._markdown import code, page, table
from gnomon.cost.area import Area
from gnomon.cost.energy import Energy
from gnomon.deploy import DeploymentResult, PipelineResult, StageResult
from gnomon.explore import SweepPoint, SweepResult
from gnomon.measure.kernels import KernelRun
from gnomon.measure.learners import LearnerRun, StageRun
from gnomon.observe.profile import RunProfile
from gnomon.program import BuildInfo, Program
from gnomon.sim import RegionRun, Run, Work

_RESULTS: Mapping[str, tuple[type, ...]] = {
    "Programs": (Program, BuildInfo),
    "Simulation": (Run, RegionRun, Work, RunProfile),
    "Costs": (Energy, Area),
    "Kernels and learners": (KernelRun, LearnerRun, StageRun),
    "Sweeps": (SweepResult, SweepPoint),
    "Deployments": (DeploymentResult, PipelineResult, StageResult),
}
_UNITS = {
    "cycle": "cycles", "cycles": "cycles", "slots": "issue slots", "hz": "Hz", "bytes": "bytes",
    "fj": "fJ", "ps": "ps", "ns": "ns", "us": "µs", "s": "s", "uj": "µJ", "pj": "pJ",
    "mw": "mW", "ma": "mA", "luts": "LUT", "lut": "LUT", "bits": "bits",
}  # fmt: skip
"""Unit by the last word of a name."""
_INTRODUCTION = """\
Attributes of the results of the functions in [python.md](python.md) and of
`gnomon.deploy`. A mapping or tuple has the unit for each of its values. Columns of a sweep, with
units: [sweep.md](sweep.md). An empty unit: a count, a share, text, or an object."""


def results_page() -> str:
    parts = [_INTRODUCTION]
    for title, kinds in _RESULTS.items():
        parts.append(f"## {title}")
        for kind in kinds:
            rows = [(code(name), _show_type(annotation), unit_of(name), meaning)
                    for name, annotation, meaning in list_attributes(kind)]  # fmt: skip
            parts += [f"### {kind.__name__}", table(("attribute", "type", "unit", "meaning"), rows)]
    return page("Results", *parts)


def list_attributes(kind: type) -> Iterator[tuple[str, str, str]]:
    """Yield name, type and meaning of each public field and property."""
    notes = _read_notes(kind)
    for each in fields(kind):
        if not each.name.startswith("_"):
            yield each.name, str(each.type), notes.get(each.name, "")
    for name, value in sorted(vars(kind).items()):
        function = getattr(value, "fget", None) or getattr(value, "func", None)
        if name.startswith("_") or not isinstance(value, property | cached_property):
            continue
        meaning = (inspect.getdoc(function) or "").partition("\n")[0].rstrip(".")
        yield name, str(function.__annotations__.get("return", "")), meaning


def unit_of(name: str) -> str:
    """Return the unit that the last word of a name states, or an empty text."""
    words = name.split("_")
    if "per" in words:
        return f"1/{words[-1]}" if len(words) > 1 else ""
    units = [_UNITS[word] for word in words[-2:] if word in _UNITS]
    return " ".join(units) if words[-1] in _UNITS else ""


def _show_type(annotation: str) -> str:
    """Return a type as a cell of a table."""
    plain = re.sub(r"<class '([\w.]+)'>", r"\1", annotation)
    return code(re.sub(r"\b(?:\w+\.)+(\w+)", r"\1", plain).replace("'", ""))


def _read_notes(kind: type) -> dict[str, str]:
    """Return the meanings of fields, from comments in the source or ``Attributes:``."""
    notes: dict[str, str] = {}
    above: list[str] = []
    name = ""
    for token in tokenize.generate_tokens(io.StringIO(inspect.getsource(kind)).readline):
        first = token.line.strip().partition(":")[0]
        if token.type == tokenize.COMMENT:
            text = token.string.lstrip("# ")
            if token.line.strip().startswith("#"):
                above.append(text)
            elif name and not text.startswith(("noqa", "fmt", "type")):
                notes.setdefault(name, text)
        elif token.type == tokenize.NAME and token.string == first and token.start[1] == 4:
            name = token.string
            if above:
                notes[name] = " ".join(above)
            above = []
        elif token.type == tokenize.OP and token.string == "@":
            above = []
    documented = (inspect.getdoc(kind) or "").partition("Attributes:\n")[2]
    for match in re.finditer(r"^    (\w+): (.+(?:\n        .+)*)", documented, re.MULTILINE):
        notes[match[1]] = " ".join(match[2].split())
    return {each: text.rstrip(".") for each, text in notes.items()}
