"""Build a design, run a cocotb bench on it, and return the results of the bench.

The bench runs inside the simulator, in a subprocess. Its arguments and its outcome are JSON
(``rtl_tests/benches/channel.py``).
"""

import json
import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gnomon.base.content import content_root
from gnomon.base.errors import CheckFailed, GnomonError
from gnomon.rtl.tools import Tool, find_simulator, last_lines

_LOG_LINES = 30


ARGUMENTS_VARIABLE = "GNOMON_BENCH_ARGUMENTS"
"""Environment variable with the arguments of a bench, JSON."""

OUTCOME_VARIABLE = "GNOMON_BENCH_OUTCOME"
"""Environment variable with the path of the file that the bench writes, JSON."""


@dataclass(frozen=True, slots=True)
class Bench:
    """A design and the cocotb module that tests it.

    ``sources`` are in the order of compilation; ``top`` is the module under test with its
    ``parameters``; ``module`` is importable from the root of the repository.
    """

    top: str
    sources: tuple[Path, ...]
    module: str
    parameters: Mapping[str, int | str] = field(default_factory=dict)
    defines: Mapping[str, int | str] = field(default_factory=dict)

    def run(
        self,
        folder: Path,
        *,
        seed: int,
        arguments: Mapping[str, Any] | None = None,
        simulator: Tool | None = None,
        waves: bool = False,
        most_seconds: int = 3600,
    ) -> dict[str, Any]:
        """Run every test and return the outcome.

        A failing bench runs again with the same seed and waves on, so that the message names a
        recording of the failure.

        Args:
            folder: build folder; logs and waves stay there.
            seed: seed of the random choices of the bench.
            arguments: JSON-compatible arguments of the bench.
            simulator: usable simulator; default: :func:`find_simulator`.
            waves: record waves even if no test fails.
            most_seconds: time limit of the simulation, if the program ``timeout`` exists.

        Raises:
            CheckFailed: if a test of the bench fails.
            GnomonError: if the simulator is missing or the design does not compile.
        """
        tool = (simulator or find_simulator()).check()
        environment = _environment(folder, seed, arguments or {}, most_seconds)
        outcome = _run(self, folder, tool, environment, waves=waves)
        if isinstance(outcome, str):
            recording = ""
            if not waves:
                _run(self, folder / "waves", tool, environment, waves=True)
                recorded = sorted(
                    path for end in ("fst", "vcd") for path in (folder / "waves").glob(f"*.{end}")
                )
                recording = "".join(f"\nwaves: {path}" for path in recorded)
            raise CheckFailed(f"{self.module} on {self.top}: seed {seed}:\n{outcome}{recording}")
        return outcome


def _run(
    bench: Bench, folder: Path, tool: Tool, environment: Mapping[str, str], *, waves: bool
) -> dict[str, Any] | str:
    # Returns the end of the log in place of an outcome if a test failed.
    runner = cocotb_runner(tool.name)
    from cocotb_tools.check_results import get_results

    folder.mkdir(parents=True, exist_ok=True)
    outcome, results = Path(environment[OUTCOME_VARIABLE]), folder / "results.xml"
    outcome.unlink(missing_ok=True)
    log = folder / "build.log"
    try:
        runner.build(
            sources=list(bench.sources), hdl_toplevel=bench.top, build_dir=folder,
            parameters=dict(bench.parameters), defines=dict(bench.defines), always=True,
            timescale=("1ns", "1ps"), waves=waves, log_file=log,
        )  # fmt: skip
    except (RuntimeError, SystemExit):
        raise GnomonError(
            f"{bench.top}: does not compile with {tool.name}:\n{end_of(log)}"
        ) from None
    log = folder / "run.log"
    failed = 1
    with _environment_set(environment):
        try:
            runner.test(
                test_module=bench.module, hdl_toplevel=bench.top, hdl_toplevel_lang="verilog",
                build_dir=folder, test_dir=folder, results_xml=str(results),
                timescale=("1ns", "1ps"), waves=waves, log_file=log,
            )  # fmt: skip
            _, failed = get_results(results)
        except (RuntimeError, SystemExit):
            failed = 1
    if failed or not outcome.is_file():
        return end_of(log)
    data: dict[str, Any] = json.loads(outcome.read_text(encoding="utf-8"))
    return data


def _environment(
    folder: Path, seed: int, arguments: Mapping[str, Any], most_seconds: int
) -> dict[str, str]:
    environment = {
        ARGUMENTS_VARIABLE: json.dumps(dict(arguments)),
        OUTCOME_VARIABLE: str(folder.absolute() / "outcome.json"),
        "COCOTB_RANDOM_SEED": str(seed),
        "COCOTB_ANSI_OUTPUT": "0",
        "COCOTB_REWRITE_ASSERTION_FILES": "",  # would load pytest into every simulation
    }
    if shutil.which("timeout"):
        # A zero-delay loop in a design never returns control to the bench.
        environment["SIM_CMD_PREFIX"] = f"timeout {most_seconds}"
    return environment


@contextmanager
def benches_importable() -> Iterator[None]:
    """Put the folder that holds ``rtl_tests`` on the search path."""
    root = str(content_root())
    sys.path.insert(0, root)
    try:
        yield
    finally:
        sys.path.remove(root)


@contextmanager
def _environment_set(environment: Mapping[str, str]) -> Iterator[None]:
    # The Python inside the simulator inherits search path and environment variables.
    before = dict(os.environ)
    os.environ.update(environment)
    try:
        with benches_importable():
            yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def rendered(path: Path, **values: Any) -> str:
    """Return the text of a template, with values filled in."""
    from jinja2 import StrictUndefined, Template

    text = path.read_text("utf-8")
    template = Template(text, keep_trailing_newline=True, undefined=StrictUndefined)
    return str(template.render(**values))


def cocotb_runner(simulator: str) -> Any:
    """Return the cocotb runner of a simulator, which builds and runs simulations.

    Raises:
        GnomonError: if cocotb is not installed.
    """
    try:
        from cocotb_tools.runner import get_runner
    except ImportError:
        raise GnomonError("cocotb is not installed (pip install 'gnomon[rtl]')") from None
    runner = get_runner(simulator)
    runner.log.setLevel("CRITICAL")  # its log repeats the commands, which are in log files
    return runner


def end_of(log: Path) -> str:
    """Return the last lines of a log, or nothing if there is no such file."""
    text = log.read_text(encoding="utf-8", errors="replace") if log.is_file() else ""
    return last_lines(text, _LOG_LINES)
