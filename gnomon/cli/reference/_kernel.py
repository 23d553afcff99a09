"""The page of what kernels are written with: helpers of the models, and the headers of the C."""

from __future__ import annotations

import inspect
import re
import textwrap
from pathlib import Path

import gnomon.program
from gnomon.base.content import content
from gnomon.bench.kernels import fixed
from gnomon.cli.reference._markdown import page

_INTRODUCTION = """\
What kernels and learners are written with (`gnomon new kernel` writes an example). Steps are int64
arrays of fixed-point numbers, reals are float64 arrays; C has `fx_t`, a signed 32-bit number with
`FX_FRACTION_BITS` bits behind the binary point."""

_COMMENT = re.compile(r"/\*(.*?)\*/", re.DOTALL)
# A comment, and the prototypes right behind it, with or without a body.
_DECLARED = re.compile(
    r"/\*((?:[^*]|\*(?!/))*)\*/\n((?:[a-z][a-z0-9_ ]*[ *][a-z0-9_]+\([^;{}]*\)\s*[;{])+)"
)


def kernel_page() -> str:
    """The page as Markdown."""
    parts = [_INTRODUCTION, "## In model.py", "From `gnomon.bench.kernels.fixed`."]
    for name, value in vars(fixed).items():
        if name.startswith("_") or getattr(value, "__module__", "") != fixed.__name__:
            continue
        words = "" if inspect.isclass(value) else str(inspect.signature(value)).replace("'", "")
        parts += [
            f"### {name}",
            f"    {name}{words}",
            (inspect.getdoc(value) or "").replace("``", "`"),
        ]
    parts += ["## In C"]
    runtime = Path(gnomon.program.__file__).parent / "runtime"
    headers = [*sorted(content("kernels", "common").glob("*.h")), runtime / "gnomon.h",
               content("algorithms", "common", "learner.h")]  # fmt: skip
    for header in headers:
        parts += _of_header(header)
    return page("Kernels and learners", *parts)


def _of_header(path: Path) -> list[str]:
    """Name, purpose, and each function with its comment."""
    text = path.read_text()
    first = _COMMENT.match(text)
    parts = [f"### {path.name}", _prose(first[1]) if first else ""]
    for declared in _DECLARED.finditer(text):
        prototype = " ".join(declared[2].rstrip("{; \n").removeprefix("static inline ").split())
        parts += [f"    {prototype}", _prose(declared[1])]
    return parts


def _prose(comment: str) -> str:
    """The words of a C comment; what it indents stays so."""
    lines = [re.sub(r"^ ?\*( ?)", "", line.rstrip()) for line in comment.strip().splitlines()]
    text = textwrap.dedent("\n".join(lines)).strip()
    return re.sub(r"\n\n?((?:    ?.*\n?)+)", r"\n\n\1\n", text).rstrip()
