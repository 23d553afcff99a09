"""The page for authors of kernels: helpers of the models, and the C headers."""

import inspect
import re
import textwrap
from pathlib import Path
from typing import get_args

from pydantic import BaseModel

import gnomon.program
from gnomon.base.content import content
from gnomon.cli.reference._markdown import code, page, table
from gnomon.isa import INSTRUCTIONS, vcu_header
from gnomon.learn.algorithm import Algorithm, Embedded, EmbeddedVariant, Once, OnceRecord
from gnomon.measure.kernels import KernelFile, fixed

_INTRODUCTION = """\
Tools for writing kernels and learners (`gnomon new kernel` writes an example):
[kernel.yaml](#in-kernelyaml), [model.py](#in-modelpy), [vector instructions](#vector-instructions)
and [other C](#in-c). Steps are int64 arrays of fixed-point numbers, reals are float64 arrays; C has
`fx_t`, a signed 32-bit number with `FX_FRACTION_BITS` bits after the binary point."""
_VECTOR = """\
Each function of `vcu.h` is one instruction; `gnomon headers` writes the file. A vector is named by
the address of its first element in a scratchpad, `VCU_SPM(i)` plus bytes. MVSIZE is the length of
all vectors in bytes, MVTYPE the width of their elements. An instruction traps if the two vectors
that it reads lie in one scratchpad; its result may overwrite either. A load of the core waits for
the transfers before it, so it returns the data that an earlier `kmemstr` stored. Sums of 8- and
16-bit elements are unsigned: bytes count as 0 to 255, and each beat is cut to 16 bits. A run warns
if it meets negative elements. For other results the table states whether signs count.
`fx_vector.h` adds `FX_SPM_WORDS`, the number of 32-bit words of one scratchpad. An instruction
with an extension in the last column needs it in `vcu.extensions` of the machine."""

_COMMENT = re.compile(r"/\*(.*?)\*/", re.DOTALL)
# A comment, and the prototypes directly after it, with or without a body.
_DECLARED = re.compile(
    r"/\*((?:[^*]|\*(?!/))*)\*/\n((?:[a-z][a-z0-9_ ]*[ *][a-z0-9_]+\([^;{}]*\)\s*[;{])+)"
)

_INSTRUCTION = re.compile(r"/\* (.*) \*/\nstatic inline void (([kv]\w+)\(.*\))\n")


def kernel_page() -> str:
    variant = get_args(KernelFile.model_fields["variants"].annotation)[1]
    parts = [_INTRODUCTION, "## In kernel.yaml", _keys(KernelFile), "### Each of the variants",
             _keys(variant), "## In algorithm.yaml", _keys(Algorithm), "### Its key embedded",
             _keys(Embedded), "### Each of the variants of embedded", _keys(EmbeddedVariant),
             "### Each of once", _keys(Once), "### Its key record", _keys(OnceRecord),
             "## In model.py", "From `gnomon.measure.kernels.fixed`."]  # fmt: skip
    for name, value in vars(fixed).items():
        if name.startswith("_") or getattr(value, "__module__", "") != fixed.__name__:
            continue
        words = "" if inspect.isclass(value) else str(inspect.signature(value)).replace("'", "")
        parts += [
            f"### {name}",
            f"    {name}{words}",
            (inspect.getdoc(value) or "").replace("``", "`"),
        ]
    parts += ["## Vector instructions", _VECTOR, _vector_instructions(), "## In C"]
    runtime = Path(gnomon.program.__file__).parent / "runtime"
    headers = [*sorted(content("kernels", "common").glob("*.h")), runtime / "gnomon.h",
               content("algorithms", "common", "learner.h")]  # fmt: skip
    for header in headers:
        parts += _describe_header(header)
    return page("Kernels and learners", *parts)


def _keys(kind: type[BaseModel]) -> str:
    """Return the table of keys, with the meanings in the docstring of the class that reads them."""
    attributes = (inspect.getdoc(kind) or "").partition("Attributes:\n")[2].replace("``", "`")
    meanings = dict(re.findall(r"^    (\w+): (.*(?:\n {8}.*)*)", attributes, re.MULTILINE))
    rows = [
        (code(field.alias or name), "yes" if field.is_required() else "",
         " ".join(meanings[name].split()).removesuffix("."))
        for name, field in kind.model_fields.items()
    ]  # fmt: skip
    return table(("key", "needed", "meaning"), rows)


def _vector_instructions() -> str:
    """Return the table of the functions of ``vcu.h``, with the extension that each needs."""
    needs = {row.mnemonic: row.extension for row in INSTRUCTIONS if row.optional}
    rows = dict.fromkeys(  # twice in the header: for RISC-V, and for the host
        (code(function), does, code(needs.get(name, "")))
        for does, function, name in _INSTRUCTION.findall(vcu_header())
    )
    return table(("function", "does", "extension"), rows)


def _describe_header(path: Path) -> list[str]:
    """Return name and purpose of a header, and each function with its comment."""
    text = path.read_text()
    first = _COMMENT.match(text)
    parts = [f"### {path.name}", _prose(first[1]) if first else ""]
    for declared in _DECLARED.finditer(text):
        prototype = " ".join(declared[2].rstrip("{; \n").removeprefix("static inline ").split())
        parts += [f"    {prototype}", _prose(declared[1])]
    return parts


def _prose(comment: str) -> str:
    """Return the text of a C comment; indented lines stay indented."""
    lines = [re.sub(r"^ ?\*( ?)", "", line.rstrip()) for line in comment.strip().splitlines()]
    text = textwrap.dedent("\n".join(lines)).strip()
    return re.sub(r"\n\n?((?:    ?.*\n?)+)", r"\n\n\1\n", text).rstrip()
