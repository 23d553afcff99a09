"""The page of what kernels are written with: helpers of the models, and the headers of the C."""

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
from gnomon.learn.algorithm import Algorithm, Embedded, EmbeddedVariant
from gnomon.measure.kernels import KernelFile, fixed

_INTRODUCTION = """\
What kernels and learners are written with (`gnomon new kernel` writes an example):
[kernel.yaml](#in-kernelyaml), [model.py](#in-modelpy), [vector instructions](#vector-instructions)
and [other C](#in-c). Steps are int64 arrays of fixed-point numbers, reals are float64 arrays; C has
`fx_t`, a signed 32-bit number with `FX_FRACTION_BITS` bits behind the binary point."""
_VECTOR = """\
Each function of `vcu.h` is one instruction; `gnomon headers` writes the file. A vector is named by
the address of its first element in a scratchpad, `VCU_SPM(i)` plus bytes; MVSIZE says how long all
vectors are, in bytes, MVTYPE how wide their elements are. The two vectors that one instruction
reads must lie in different scratchpads, or it traps; its result may take the place of either. A
load of the core waits for the transfers before it, so whoever reads what `kmemstr` stores gets it.
Sums of 8- and 16-bit elements are unsigned: bytes count as 0 to 255, and each beat is cut to 16
bits (a run warns where it meets negative elements); other results depend on signs where the table
says so. `fx_vector.h` adds `FX_SPM_WORDS`, the 32-bit words of one scratchpad. An instruction with
an extension in the last column needs it in `vcu.extensions` of the machine."""

_COMMENT = re.compile(r"/\*(.*?)\*/", re.DOTALL)
# A comment, and the prototypes right behind it, with or without a body.
_DECLARED = re.compile(
    r"/\*((?:[^*]|\*(?!/))*)\*/\n((?:[a-z][a-z0-9_ ]*[ *][a-z0-9_]+\([^;{}]*\)\s*[;{])+)"
)

_INSTRUCTION = re.compile(r"/\* (.*) \*/\nstatic inline void (([kv]\w+)\(.*\))\n")


def kernel_page() -> str:
    variant = get_args(KernelFile.model_fields["variants"].annotation)[1]
    parts = [_INTRODUCTION, "## In kernel.yaml", _keys(KernelFile), "### Each of the variants",
             _keys(variant), "## In algorithm.yaml", _keys(Algorithm), "### Its key embedded",
             _keys(Embedded), "### Each of the variants of embedded", _keys(EmbeddedVariant),
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
        parts += _of_header(header)
    return page("Kernels and learners", *parts)


def _keys(kind: type[BaseModel]) -> str:
    """The keys and meanings in the words of the class that reads them."""
    said = (inspect.getdoc(kind) or "").partition("Attributes:\n")[2].replace("``", "`")
    meanings = dict(re.findall(r"^    (\w+): (.*(?:\n {8}.*)*)", said, re.MULTILINE))
    rows = [
        (code(field.alias or name), "yes" if field.is_required() else "",
         " ".join(meanings[name].split()).removesuffix("."))
        for name, field in kind.model_fields.items()
    ]  # fmt: skip
    return table(("key", "needed", "meaning"), rows)


def _vector_instructions() -> str:
    """Each function of ``vcu.h`` once, and the extension that a machine needs for it."""
    needs = {row.mnemonic: row.extension for row in INSTRUCTIONS if row.optional}
    rows = dict.fromkeys(  # twice in the header: for RISC-V, and for the host
        (code(function), does, code(needs.get(name, "")))
        for does, function, name in _INSTRUCTION.findall(vcu_header())
    )
    return table(("function", "does", "extension"), rows)


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
