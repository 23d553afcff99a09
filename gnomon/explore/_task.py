"""One point made concrete: settings with their defaults, and a checked machine."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gnomon.arch import Architecture, variants
from gnomon.arch.keys import written
from gnomon.base.digest import digest
from gnomon.base.errors import GnomonError
from gnomon.base.files import read_bytes
from gnomon.base.sources import source_digest
from gnomon.explore._spec import Sweep
from gnomon.explore.settings import Value, Workload, find_setting, with_defaults

if TYPE_CHECKING:
    from gnomon.bench.kernels import KernelBench
    from gnomon.bench.learners import LearnerBench
    from gnomon.explore._evaluate import Outcome
    from gnomon.program import Program


@dataclass(frozen=True, slots=True)
class Task:
    """What a worker computes."""

    workload: Workload  # learner, kernel or program
    settings: tuple[tuple[str, Value], ...]  # all of them, in order
    architecture: Architecture  # the machine
    tool: str = ""  # name and version of the compiler, empty for a program
    image: bytes = b""  # the ELF file of a program, so that a worker need not see the same files
    sources: str = ""  # digest of all files that a build of a program may read

    def setting(self, name: str) -> Any:
        """One setting, of the kind that was checked."""
        return self._given[name]

    @classmethod
    def of(cls, sweep: Sweep, values: tuple[Value, ...]) -> Task:
        """The task of a point.

        Raises:
            GnomonError: the values make no machine, or the settings do not go together.
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
        task = cls(sweep.workload, tuple(complete.items()), loaded)
        if sweep.workload == "program" and not complete["sources"]:
            return replace(task, image=_file(str(complete["program"])))
        task = replace(task, tool=_compiler(str(complete["compiler"])))
        if sweep.workload == "program":
            return replace(task, sources=_sources(task.setting("sources"), task.setting("include")))
        return task

    def outcome(self) -> Outcome:
        """Evaluate it here and now.

        Raises:
            EnvironmentFailed: the computer failed.
        """
        from gnomon.explore._evaluate import evaluate

        return evaluate([self])[0]

    def learner_bench(self) -> LearnerBench:
        """The learner that it names, on its machine.

        Raises:
            GnomonError: there is no such learner, variant or size, or too few harts.
        """
        from gnomon.bench.learners import EmbeddedSizes, LearnerBench, find_embedded_learner

        given, machine = self._given, self.architecture
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

    def kernel_bench(self) -> KernelBench:
        """The kernel that it names, on its machine.

        Raises:
            GnomonError: there is no such kernel or variant.
        """
        from gnomon.bench.kernels import FixedPoint, KernelBench, find_kernel

        kernel, bits = find_kernel(self._given["kernel"]), self._given["fraction-bits"]
        variant = kernel.variant(self._given["variant"])
        fixed = FixedPoint(bits, bits // 3, bits // 3)
        return KernelBench(kernel, variant, self.architecture, fixed)

    def build(self, bench: LearnerBench | KernelBench) -> Program:
        """Its learner or kernel, built as the settings say.

        Raises:
            GnomonError: the machine cannot run it.
        """
        names = ("compiler", "optimization", "library-optimization")
        levels = {
            name.replace("-", "_"): self._given[name] for name in names if name in self._given
        }
        return bench.build(**levels)

    @property
    def _given(self) -> dict[str, Any]:
        """Settings by name, of the kinds that were checked."""
        return dict(self.settings)

    @property
    def key(self) -> str:
        """SHA-256 (hexadecimal) of everything that decides the result."""
        return digest((self._but_machine[1], self.architecture.fingerprint))

    @property
    def family(self) -> str:
        """Names the entries among which the outcome is kept: code and workload, shortened."""
        return self._but_machine[0][:16]

    @property
    def _but_machine(self) -> tuple[str, str]:
        return _but_machine(self.workload, self.settings, self.tool, self.image, self.sources)


@lru_cache(maxsize=256)
def _but_machine(
    workload: str, settings: tuple[tuple[str, Value], ...], *rest: str | bytes
) -> tuple[str, str]:
    """Digests of code and workload, and of all that decides a result but for the machine."""
    code = code_digest(*(str(value) for _, value in settings))
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
    from gnomon.program import find_toolchain

    return find_toolchain(name).title


@cache
def _sources(sources: tuple[str, ...], include: tuple[str, ...]) -> str:
    from gnomon.program import sources_digest

    return sources_digest(sources, include)


@cache
def _file(path: str) -> bytes:
    return read_bytes(Path(path))


def forget_files() -> None:
    """A new sweep reads machines and programs again: they may have changed meanwhile."""
    for read in (_machine, _variants, _sources, _file, _complete, _but_machine):
        read.cache_clear()


def code_digest(*names: str) -> str:
    """Of the code and tables that results come from, estimators of packages included.

    Workers on other computers must have the same. Names are of the kernels or learners measured.
    """
    from gnomon.cost.estimators import estimators_digest

    return source_digest("gnomon.explore._evaluate", names=names) + estimators_digest()
