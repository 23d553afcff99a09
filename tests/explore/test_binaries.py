"""Sweeps over settings of the build: a sweep says where such an axis changes no binary."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from gnomon.explore import find_same_binaries, make_sweep, run_sweep
from gnomon.explore.files import summarize
from gnomon.report.sweep_text import print_sweep

if TYPE_CHECKING:
    from pathlib import Path

    from gnomon.explore import SweepResult

LOOP = """
#include "gnomon.h"
/* clang -O1 does not unroll or vectorise; -O2 does; -O3 does argument promotion and more */
static int a[64];
GNOMON_REGION int f(int n){ int s = 0; for (int i = 0; i < n; i++) s += a[i] * i; return s; }
static int sq(int x){ int r = 1; for (int i = 0; i < 8; i++) r *= x + i; return r; }
GNOMON_REGION int g(int n){ int s = 0; for (int i = 0; i < n; i++) s += sq(a[i]); return s; }
int main(void){ for (int i = 0; i < 64; i++) a[i] = i; return f(64) + g(64); }
"""
CONDITION = "#if N > 2\nint main(void) { return 1; }\n#else\nint main(void) { return 0; }\n#endif\n"
ASSEMBLY = (
    ".globl main\n.type main, @function\nmain:\n    li a0, 7\n    ret\n.size main, . - main\n"
)
LEVELS = ["-O0", "-O1", "-O2", "-O3", "-Os", "-Oz"]


def swept(source: Path, text: str, **changes: Any) -> SweepResult:
    source.write_text(text)
    spec = {"schema": 1, "name": "mine", "program": {"sources": [str(source)]}, "arch": "t13-simd1"}
    result = run_sweep(make_sweep(spec | changes))
    assert not result.failed
    return result


@pytest.mark.parametrize(
    ("name", "text", "axes", "sentences"),
    [
        ("loop.c", LOOP, {"optimization": LEVELS}, []),
        ("hand.S", ASSEMBLY, {"optimization": ["-O0", "-O2", "-Oz"]},
         ["optimization changes nothing in the binary, which is the same at -O0, -O2, -Oz"]),
        ("one.c", "int main(void) { return 7; }\n", {"optimization": ["-O1", "-O3"]},
         ["optimization changes nothing in the binary, which is the same at -O1, -O3"]),
        ("loop.c", LOOP, {"defines": [["A=1"], ["A=2"]]},
         ["defines changes nothing in the binary, which is the same at [A=1], [A=2]"]),
        ("loop.c", CONDITION,
         {"defines": [["N=1"], ["N=2"], ["N=3"]], "optimization": ["-O1", "-O2"]},
         ["defines: the binary is the same at [N=1], [N=2]",
          "optimization changes nothing in the binary, which is the same at -O1, -O2"]),
        ("loop.c", LOOP, {"vcu.simd": [1, 2]}, []),
    ],
)  # fmt: skip
def test_an_axis_of_the_build_that_changes_nothing(
    own_cache: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str],
    name: str, text: str, axes: dict[str, Any], sentences: list[str],
) -> None:  # fmt: skip
    result = swept(tmp_path / name, text, axes=axes)
    assert [each.sentence for each in find_same_binaries(result)] == sentences
    assert len(summarize(result)["same_binaries"]) == len(sentences)
    print_sweep(result)
    out = " ".join(capsys.readouterr().out.split())
    assert all(sentence in out for sentence in sentences)
