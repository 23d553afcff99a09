"""C that does the work of a scalar loop with a vector instruction, and what a call of it takes."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from gnomon.arch import Architecture
from gnomon.program import build
from gnomon.sim import Region, simulate

_SCALAR: Final = ("ksvaddrf", "ksvmulrf")
_REDUCES: Final = ("kdotp", "kvred")


def vector_code(instruction: str) -> str:
    """A function of C that does it for ``n`` words, in pieces that fit a scratchpad."""
    scalar, reduces = instruction in _SCALAR, instruction in _REDUCES
    given = "const int *a" + (", int x" if scalar else ", const int *b" * (instruction != "kvred"))
    second = {"kvred": "", **dict.fromkeys(_SCALAR, ", (unsigned)x")}
    lines = ["vcu_set_mvsize(bytes);", "kmemld(VCU_SPM(0), a + k, bytes);"]
    lines += ["kmemld(VCU_SPM(1), b + k, bytes);"] * ("*b" in given)
    lines.append(f"{instruction}(VCU_SPM(0), VCU_SPM(0){second.get(instruction, ', VCU_SPM(1)')});")
    if reduces:
        head, start, end = (
            f"int vector_{instruction}(",
            "    int sum = 0, part;\n",
            "    return sum;\n",
        )
        lines += ["kmemstr(&part, VCU_SPM(0), 4);", "sum += part;"]
    else:
        head, start, end = f"void vector_{instruction}(int *out, ", "", ""
        lines.append("kmemstr(out + k, VCU_SPM(0), bytes);")
    return (
        f"static {head}{given}, unsigned n)\n{{\n{start}"
        "    vcu_set_mvtype(VCU_32_BIT);\n"
        "    for (unsigned k = 0; k < n; k += VCU_SPM_BYTES / 4) {\n"
        "        unsigned bytes = 4 * (n - k < VCU_SPM_BYTES / 4 ? n - k : VCU_SPM_BYTES / 4);\n"
        + "".join(f"        {line}\n" for line in lines)
        + f"    }}\n{end}}}\n"
    )


def cycles_of_call(instruction: str, length: int, machine: Architecture) -> int:
    """Wall cycles of one call of it on a machine where nothing else runs.

    Raises:
        GnomonError: it does not fit the machine.
    """
    arguments = "a" + (", x" if instruction in _SCALAR else ", b" * (instruction != "kvred"))
    result = "seen = " if instruction in _REDUCES else ""
    out = "" if instruction in _REDUCES else "out, "
    source = (
        f'#include "gnomon.h"\n#include "vcu.h"\n{vector_code(instruction)}'
        f"int a[{length}], b[{length}], out[{length}];\nvolatile int x = 3, seen;\n"
        f"GNOMON_REGION void work(void)\n{{\n"
        f"    {result}vector_{instruction}({out}{arguments}, {length});\n}}\n"
        "int main(void)\n{\n    work();\n    return 0;\n}\n"
    )
    with TemporaryDirectory() as folder:
        path = Path(folder) / "loop.c"
        path.write_text(source, encoding="utf-8")
        program = build([path], machine)
    region = Region("work", program.symbol("work").address)
    (measured,) = simulate(program, machine, regions=[region]).regions["work"]
    return measured.wall_cycles
