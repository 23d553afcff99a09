"""One point made concrete: settings with their defaults, and a checked machine."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, cast

from gnomon.arch import Architecture, variants
from gnomon.arch.keys import written
from gnomon.base.digest import digest
from gnomon.base.errors import GnomonError
from gnomon.base.sources import source_digest
from gnomon.explore._spec import plain
from gnomon.explore.settings import find_setting, with_defaults

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gnomon.explore._spec import Sweep
    from gnomon.explore.settings import Value, Workload


@dataclass(frozen=True, slots=True)
class Task:
    """What a worker computes.

    Attributes:
        workload: learner, kernel or program.
        settings: all of them, in order.
        architecture: the machine.
        tool: name and version of the compiler, empty for a program.
        image: the ELF file of a program, so that a worker need not see the same files.
        sources: digest of all files that a build of a program may read.
    """

    workload: Workload
    settings: tuple[tuple[str, Value], ...]
    architecture: Architecture
    tool: str = ""
    image: bytes = b""
    sources: str = ""

    def setting(self, name: str) -> Value:
        """One setting."""
        return dict(self.settings)[name]

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
        complete = with_defaults(sweep.workload, settings)
        task = cls(sweep.workload, tuple(complete.items()), loaded)
        if sweep.workload == "program" and not complete["sources"]:
            return replace(task, image=_file(str(complete["program"])))
        task = replace(task, tool=_compiler(str(complete["compiler"])))
        if sweep.workload == "program":
            sources, include = (
                cast("tuple[str, ...]", complete[n]) for n in ("sources", "include")
            )
            return replace(task, sources=_sources(sources, include))
        return task

    @property
    def key(self) -> str:
        """SHA-256 (hexadecimal) of everything that decides the result; names its cache entry."""
        return digest(
            {
                "code": code_digest(*(str(value) for _, value in self.settings)),
                "workload": self.workload,
                "settings": {name: plain(value) for name, value in self.settings},
                "tool": self.tool,
                "image": self.image,
                "sources": self.sources,
                "machine": self.architecture.fingerprint,
            }
        )


@lru_cache(maxsize=4096)
def _machine(arch: str, overrides: tuple[str, ...]) -> Architecture | GnomonError:
    try:
        return _variants(arch)(overrides)
    except GnomonError as error:
        return error


@cache
def _variants(arch: str) -> Callable[[Sequence[str]], Architecture]:
    return variants(arch)


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
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise GnomonError(f"{path}: cannot be read: {error.strerror}") from None


def forget_files() -> None:
    """A new sweep reads machines and programs again: they may have changed meanwhile."""
    for read in (_machine, _variants, _sources, _file):
        read.cache_clear()


def code_digest(*names: str) -> str:
    """SHA-256 (hexadecimal) of the code and tables that results come from.

    Workers on other computers must have the same.

    Args:
        names: of the kernels or learners that are measured.
    """
    return source_digest("gnomon.explore._evaluate", names=names)
