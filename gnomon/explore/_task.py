"""Task: a point with all settings and a checked machine."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from hashlib import sha256
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
from gnomon.sim import observed_fingerprint

LATE = ("area", "clock", "power")
"""Keys that only the price of a run depends on: machines that differ in these share a stem."""
_MOST_STEMS = 4096


@dataclass(frozen=True, slots=True)
class Task:
    """Input of a worker for one point."""

    workload: Workload  # learner, kernel or program
    settings: tuple[tuple[str, Value], ...]  # all settings, in order
    architecture: Architecture  # the machine
    tool: str = ""  # name and version of the compiler, empty for a program
    image: bytes = b""  # the ELF file of a program, so that a worker needs no access to it
    sources: str = ""  # digest of all files that a build of a program may read
    stem: str = ""  # digest of the machine without the keys of `LATE`; empty: not computed

    def setting(self, name: str) -> Any:
        """Return one setting, of the checked kind."""
        return self._given[name]

    @property
    def _given(self) -> dict[str, Any]:
        """Settings by name, of the checked kinds."""
        return dict(self.settings)

    @property
    def key(self) -> bytes:
        """SHA-256 of all inputs that determine the result."""
        machine = self.architecture
        late = f"{machine.area} {machine.clock:d} {machine.power}"
        figures = [_figures(unit.name) for unit in machine.units]
        texts = (self._but_machine[1], self.stem or _stem(machine), late, *figures)
        return sha256("\n".join(texts).encode()).digest()

    def observed(self, unobserved: tuple[str, ...]) -> str:
        """Return the digest of the machine without some keys, see ``observed_fingerprint``."""
        machine = self.architecture
        if not self.stem:
            return observed_fingerprint(machine, unobserved)
        late = [f" {getattr(machine, name)}" for name in LATE if name not in unobserved]
        return "".join([_of_stem(self.stem, unobserved, machine), *late])

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
    settings, overrides = [], []
    for name, value in given.items():
        if _is_setting(sweep.workload, name):
            settings.append((name, value))
        else:
            overrides.append(_override(name, value, str(type(value))))
    loaded = _variants(str(arch))(overrides)
    others = str(arch), *(text for text in overrides if not text.startswith(LATE))
    if others not in _stems:
        _bound(_stems)
        _stems[others] = _stem(loaded)
    complete, tool, image, sources = _given(sweep.workload, tuple(settings))
    return Task(sweep.workload, complete, loaded, tool, image, sources, _stems[others])


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


_is_setting = cache(lambda workload, name: find_setting(workload, name) is not None)
_variants = cache(variants)


@lru_cache(maxsize=256)
def _given(
    workload: Workload, settings: tuple[tuple[str, Value], ...]
) -> tuple[tuple[tuple[str, Value], ...], str, bytes, str]:
    """Return all settings, the compiler, the ELF file of a program, and the digest of sources."""
    complete = with_defaults(workload, dict(settings))
    all_settings = tuple(complete.items())
    if workload == "program" and not complete["sources"]:
        return all_settings, "", _file(str(complete["program"])), ""
    tool = _compiler(str(complete["compiler"]))
    if workload != "program":
        return all_settings, tool, b"", ""
    sources, include = dict[str, Any](complete)["sources"], dict[str, Any](complete)["include"]
    return all_settings, tool, b"", _sources(sources, include)


def _stem(machine: Architecture) -> str:
    """Return the digest of a machine without the keys of ``LATE``."""
    return machine.model_copy(update={"area": None, "clock": 0, "power": None}).fingerprint


_stems: dict[tuple[str, ...], str] = {}  # by machine and its overrides
_observed: dict[tuple[str, ...], str] = {}  # by stem and keys


def _of_stem(stem: str, unobserved: tuple[str, ...], machine: Architecture) -> str:
    key = stem, *unobserved
    if key not in _observed:
        _bound(_observed)
        _observed[key] = observed_fingerprint(machine, tuple(sorted({*unobserved, *LATE})))
    return _observed[key]


def _bound(known: dict[tuple[str, ...], str]) -> None:
    """Remove the oldest entry of a full dictionary."""
    if len(known) >= _MOST_STEMS:
        known.pop(next(iter(known)))


@lru_cache(maxsize=65536)
def _override(name: str, value: Value, _kind: str) -> str:  # True is not 1
    return f"{name}={written(value)}"


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
    for read in (_variants, _sources, _file, _figures, _given, _but_machine, known_code_digest):
        read.cache_clear()
    _stems.clear()


@lru_cache(maxsize=8)
def known_code_digest(*content: str) -> str:
    """Return :func:`code_digest`, computed once for a sweep."""
    return code_digest(*content)


def code_digest(*content: str) -> str:
    """Return the digest of the code and tables that determine results, including estimators.

    Workers on other hosts must have the same digest without ``content``: kinds of content,
    including user files, that affect a result, too.
    """
    return source_digest(*content) + compute_estimators_digest()
