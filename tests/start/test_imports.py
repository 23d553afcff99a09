"""A short run imports no heavy third-party package."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).resolve().parents[1] / "reference/t13x/programs/p00.elf"
RUN = ["run", str(PROGRAM), "--arch", "t13-simd4"]
NEVER = {
    "pandas", "matplotlib", "scipy", "pyarrow", "jinja2", "simpy", "ziglang", "elftools",
    "cocotb", "dask", "distributed", "pymoo", "xarray",
}  # fmt: skip


def imported(*words: str, **variables: str) -> set[str]:
    """Names of the modules that a command has imported when it ends."""
    script = (
        "import sys\nfrom gnomon.cli import main\n"
        "try:\n    main()\nfinally:\n    print(*sys.modules, sep='\\n', file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *words], env=os.environ | variables,
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return set(done.stderr.split())


def packages(modules: set[str]) -> set[str]:
    return {name.partition(".")[0] for name in modules}


@pytest.mark.parametrize("more", [[], ["--json"]])
def test_a_run(more: list[str]) -> None:
    assert not packages(imported(*RUN, *more)) & NEVER


@pytest.mark.parametrize(
    ("variables", "threads"),
    [({}, "1 1"), ({"OPENBLAS_NUM_THREADS": "2"}, "2 2"), ({"OMP_NUM_THREADS": "2"}, "None 2")],
)
def test_one_thread_of_linear_algebra_by_default(
    variables: dict[str, str], threads: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENBLAS", "OMP", "MKL", "GOTO"):  # a test before may have set them, as Dask does
        monkeypatch.delenv(f"{name}_NUM_THREADS", raising=False)
    code = (
        "import os, sys\nfrom threadpoolctl import threadpool_info\nfrom gnomon.cli import main\n"
        "sys.argv[1:] = ['--version']\ntry:\n    main()\nfinally:\n"
        "    (blas,) = [each for each in threadpool_info() if each['user_api'] == 'blas']\n"
        "    print(os.environ.get('OPENBLAS_NUM_THREADS'), blas['num_threads'])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=os.environ | variables,
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.splitlines()[-1] == threads
