"""Task: a point with all settings and a checked machine."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from gnomon.arch import Architecture, variants
from gnomon.arch.keys import written
from gnomon.base.content import find
from gnomon.base.digest import digest
from gnomon.base.errors import GnomonError
from gnomon.base.files import read_bytes
from gnomon.base.sources import source_digest
from gnomon.cost.estimators import compute_estimators_digest
from gnomon.explore._spec import Sweep
from gnomon.explore.settings import Value, Workload, find_setting, with_defaults
from gnomon.measure.kernels import FixedPoint, KernelBench, find_kernel
from gnomon.measure.learners import EmbeddedSizes, LearnerBench, find_embedded_learner
from gnomon.program import Program, find_toolchain, sources_digest


@dataclass(frozen=True, slots=True)
class Task:
    """Input of a worker for one point."""

    workload: Workload  # learner, kernel or program
    settings: tuple[tuple[str, Value], ...]  # all settings, in order
    architecture: Architecture  # the machine
    tool: str = ""  # name and version of the compiler, empty for a program
    image: bytes = b""  # the ELF file of a program, so that a worker needs no access to it
    sources: str = ""  # digest of all files that a build of a program may read

    def setting(self, name: str) -> Any:
        """Return one setting, of the checked kind."""
        return self._given[name]

    @property
    def _given(self) -> dict[str, Any]:
        """Settings by name, of the checked kinds."""
        return dict(self.settings)

    @property
    def key(self) -> str:
        """SHA-256 (hexadecimal) of all inputs that determine the result."""
        figures = [_figures(unit.name) for unit in self.architecture.units]
        return digest((self._but_machine[1], self.architecture.fingerprint, *figures))

    @property
    def family(self) -> str:
        """Prefix of the cache entries with the outcome: digest of code and workload, shortened."""
        return self._but_machine[0][:16]

    @property
    def _but_machine(self) -> tuple[str, str]:
        return _but_machine(self.workload, self.settings, self.tool, self.image, self.sources)


def make_task(sweep: Sweep, values: tuple[Value, ...]) -> Task:
    """Return the task of a point.

    Raises:
        GnomonError: if the values make no machine, or the settings contradict each other.
    """
    given = dict(sweep.fixed) | dict(zip((a.name for a in sweep.axes), values, strict=True))
    arch = given.pop("arch", sweep.arch)
    settings, overrides = {}, []
    for name, value in given.items():
        if find_setting(sweep.workload, name) is not None:
            settings[name] = value
        else:
            overrides.append(f"{name}={written(value)}")
    loaded = _machine(str(arch), tuple(overrides))
    if isinstance(loaded, GnomonError):
        raise loaded
    complete = _complete(sweep.workload, tuple(settings.items()))
    task = Task(sweep.workload, tuple(complete.items()), loaded)
    if sweep.workload == "program" and not complete["sources"]:
        return replace(task, image=_file(str(complete["program"])))
    task = replace(task, tool=_compiler(str(complete["compiler"])))
    if sweep.workload == "program":
        return replace(task, sources=_sources(task.setting("sources"), task.setting("include")))
    return task


def make_learner_bench(task: Task) -> LearnerBench:
    """Return the bench of the learner that a task names, on its machine.

    Raises:
        GnomonError: if there is no such learner, variant or size, or there are too few harts.
    """
    given: dict[str, Any] = dict(task.settings)
    machine = task.architecture
    learner = find_embedded_learner(given["learner"])
    variant = learner.variant(given["variant"], given["line"])
    if given["correction-period"] is not None:
        variant = variant.corrected_every(given["correction-period"])
    sizes = learner.check_sizes(EmbeddedSizes(given["d"], given["arms"], given["f"]))
    harts = given["harts"]
    if harts > machine.core.harts:
        raise GnomonError(
            f"{harts} harts cannot share the arms: {machine.name} has {machine.core.harts}"
        )
    return LearnerBench(learner, variant, machine, sizes, harts, given["fraction-bits"])


def make_kernel_bench(task: Task) -> KernelBench:
    """Return the bench of the kernel that a task names, on its machine.

    Raises:
        GnomonError: if there is no such kernel or variant.
    """
    kernel, bits = find_kernel(task.setting("kernel")), task.setting("fraction-bits")
    variant = kernel.variant(task.setting("variant"))
    fixed = FixedPoint(bits, bits // 3, bits // 3)
    return KernelBench(kernel, variant, task.architecture, fixed)


def build_task(task: Task, bench: LearnerBench | KernelBench) -> Program:
    """Build the learner or kernel of a task with its settings.

    Raises:
        GnomonError: if the machine cannot run it.
    """
    names, given = ("compiler", "optimization", "library-optimization"), dict(task.settings)
    levels: dict[str, Any] = {
        name.replace("-", "_"): given[name] for name in names if name in given
    }
    return bench.build(**levels)


@lru_cache(maxsize=256)
def _but_machine(
    workload: str, settings: tuple[tuple[str, Value], ...], *rest: str | bytes
) -> tuple[str, str]:
    """Return digests of code and workload, and of all inputs of a result except the machine."""
    content = ("models",) if workload == "program" else ("kernels", "algorithms", "models")
    code = code_digest(*content)
    return digest((code, workload)), digest((code, workload, settings, rest))


@lru_cache(maxsize=256)
def _complete(workload: Workload, given: tuple[tuple[str, Value], ...]) -> dict[str, Value]:
    return with_defaults(workload, dict(given))


_variants = cache(variants)


@lru_cache(maxsize=4096)
def _machine(arch: str, overrides: tuple[str, ...]) -> Architecture | GnomonError:
    try:
        return _variants(arch)(overrides)
    except GnomonError as error:
        return error


@cache
def _compiler(name: str) -> str:
    return find_toolchain(name).title


@cache
def _sources(sources: tuple[str, ...], include: tuple[str, ...]) -> str:
    return sources_digest(sources, include)


@cache
def _file(path: str) -> bytes:
    return read_bytes(Path(path))


@cache
def _figures(unit: str) -> str:
    """Return the digest of the figures of a unit, such as areas and energies, in its files."""
    folder = find("units", unit).folder
    files = sorted([*folder.glob("*.csv"), *folder.glob("*.yaml")])
    return digest([(path.name, read_bytes(path)) for path in files])


def forget_files() -> None:
    """Forget machines and programs, so that a new sweep reads changed files."""
    for read in (_machine, _variants, _sources, _file, _figures, _complete, _but_machine):
        read.cache_clear()


def code_digest(*content: str) -> str:
    """Return the digest of the code and tables that determine results, including estimators.

    Workers on other hosts must have the same digest without ``content``: kinds of content,
    including user files, that affect a result, too.
    """
    return source_digest(*content) + compute_estimators_digest()
