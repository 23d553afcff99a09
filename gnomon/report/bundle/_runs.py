"""Runs of a bundle in a folder of their own, and the versions that their results depend on."""

import os
import platform
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from gnomon._version import __version__
from gnomon.base.content import PATH_VARIABLE
from gnomon.base.errors import GnomonError
from gnomon.base.files import write_file
from gnomon.base.sources import shipped_digest
from gnomon.program import find_toolchain
from gnomon.report.bundle._archive import INPUTS, RESULTS, BundledRun

_LIBRARIES = ("numpy", "scipy", "pandas", "matplotlib", "jinja2", "pydantic", "pyarrow", "dask")
_ABSENT = "absent"


def find_versions() -> dict[str, str]:
    """Return the versions of all that results may depend on; compilers are first."""
    found = {f"compiler {name}": _find_compiler(name) for name in ("zig", "gcc")}
    found |= {
        "gnomon": __version__,
        "gnomon's sources": shipped_digest()[:16],
        "Python": platform.python_version(),
    }
    for name in _LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = _ABSENT
    return found | {"system": platform.system(), "processor": platform.machine()}


def _find_compiler(name: str) -> str:
    try:
        return find_toolchain(name).version
    except GnomonError:
        return _ABSENT


def run_in(
    folder: Path,
    inputs: Mapping[str, bytes],
    runs: Iterable[BundledRun],
    *,
    cache: Path | None = None,
) -> dict[str, bytes]:
    """Write inputs below a folder, run the commands there, and return their results by path.

    Args:
        folder: an empty folder.
        inputs: by path.
        runs: the commands.
        cache: cache folder of the commands; None: that of the user.

    Raises:
        GnomonError: if a command fails.
    """
    (folder / INPUTS).mkdir()
    for name, data in inputs.items():
        write_file(folder / INPUTS / name, data)
    for each in runs:
        run_command(["-m", "gnomon", *each.command], folder / INPUTS, each, cache)
    return read_results(folder)


def read_results(folder: Path) -> dict[str, bytes]:
    """Return the files below the results of a folder by path."""
    base = folder / RESULTS
    return {
        path.relative_to(base).as_posix(): path.read_bytes()
        for path in sorted(base.rglob("*"))
        if path.is_file()
    }


def run_command(
    words: Sequence[str], folder: Path, run: BundledRun, cache: Path | None = None
) -> None:
    """Run Python with words in a folder.

    Raises:
        GnomonError: if it ends with another exit code than 0.
    """
    environment = {name: value for name, value in os.environ.items() if name != PATH_VARIABLE}
    if cache is not None:
        environment["GNOMON_CACHE"] = str(cache)
    done = subprocess.run(
        [sys.executable, *words], cwd=folder, env=environment, check=False,
        stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
    )  # fmt: skip
    if done.returncode:
        said = (done.stderr.strip() or done.stdout.strip()).splitlines()
        command = " ".join(["gnomon", *run.command])
        raise GnomonError(
            f"`{command}` ended with exit code {done.returncode}: {said[-1] if said else ''}"
        )
