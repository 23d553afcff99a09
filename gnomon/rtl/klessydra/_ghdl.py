"""GHDL: find it, analyze and elaborate the bench once, whatever the settings to come.

The hardware setting is chosen by generics when a simulation starts, so one build serves all.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from gnomon.arch import Memory
from gnomon.base.content import content
from gnomon.base.errors import GnomonError
from gnomon.rtl._tools import last_lines, run
from gnomon.rtl.klessydra._rejected import (
    EDITS,
    Edit,
    ScratchCopy,
    SharedDriver,
    rejections,
    shared_drivers,
)
from gnomon.rtl.klessydra._wiring import BENCH, Entity, bench_text, parse_generics, read_entity

INSTALL = "sudo apt-get install ghdl-llvm"
DEFAULT_FLAGS = ("--std=08", "-frelaxed", "-fsynopsys")
_MOST_ROUNDS = 20


@dataclass(frozen=True, slots=True)
class Ghdl:
    """A GHDL. ``backend`` is mcode, llvm or gcc."""

    path: Path
    version: str
    backend: str

    @property
    def title(self) -> str:
        """Name, version and back end, for records."""
        return f"GHDL {self.version} ({self.backend})"

    @contextmanager
    def first_on_path(self, folder: Path) -> Iterator[None]:
        """Let the name ``ghdl`` mean this one, for programs that look for it on PATH."""
        folder.mkdir(parents=True, exist_ok=True)
        # A link would not do: some distributions' ghdl is a script that looks at its own name.
        script = folder / "ghdl"
        script.unlink(missing_ok=True)
        script.write_text(f'#!/bin/sh\nexec {shlex.quote(str(self.path))} "$@"\n', encoding="utf-8")
        script.chmod(0o755)
        before = os.environ.get("PATH", "")
        os.environ["PATH"] = f"{folder}{os.pathsep}{before}"
        try:
            yield
        finally:
            os.environ["PATH"] = before


@dataclass(frozen=True, slots=True)
class Build:
    """An elaborated bench. ``edits`` were made to a copy; ``drivers`` are warned of."""

    ghdl: Ghdl
    folder: Path
    flags: tuple[str, ...]
    entity: Entity
    sources: tuple[Path, ...]
    digest: str
    edits: tuple[Edit, ...]
    drivers: tuple[SharedDriver, ...]

    @staticmethod
    def of(
        ghdl: Ghdl,
        sources: Sequence[Path],
        top: str,
        folder: Path,
        *,
        memory: Memory,
        scratch_edits: bool = False,
        flags: Sequence[str] = (),
        given: Sequence[str] = (),
    ) -> Build:
        """Analyze the user's sources with our bench, and elaborate.

        Args:
            ghdl: the simulator.
            sources: VHDL files in any order; the simulator finds the order.
            top: the entity of the core.
            folder: where to work.
            memory: the memories that stand around the core.
            scratch_edits: where the simulator rejects a file, edit a copy in the known ways.
            flags: more options for the simulator.
            given: generics that no setting chooses, ``NAME=VALUE``.

        Raises:
            GnomonError: the core does not fit the bench, or a file is rejected; then with what is
                known about it.
        """
        sources = tuple(path.resolve() for path in sources)
        entity = read_entity(sources, top)
        folder.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(folder / "scratch", ignore_errors=True)
        bench = folder / f"{BENCH}.vhd"
        values = parse_generics(given, entity)
        bench.write_text(bench_text(entity, memory, values), encoding="ascii")
        bits = content("rtl_tests", "klessydra", "bits.vhd").resolve()
        platform = content("rtl_tests", "klessydra", "platform.vhd").resolve()
        options = (*DEFAULT_FLAGS, *flags, f"--workdir={folder}", f"-P{folder}")
        copy = None
        if scratch_edits:
            copy = ScratchCopy(sources, folder / "scratch")
            copy.own_drivers()
        chosen = copy.paths if copy else sources
        for _ in range(_MOST_ROUNDS):
            output = analyze(ghdl, (bits, *chosen, platform, bench), BENCH, options, folder)
            if output is None:
                break
            if not (copy and any(copy.mended(each, EDITS) for each in rejections(output))):
                raise GnomonError(refused(ghdl, output, copy))
        else:
            raise GnomonError(refused(ghdl, output or "", copy))
        edits, drivers = (tuple(copy.edits), ()) if copy else ((), shared_drivers(sources))
        digest = digest_of(sources)
        return Build(ghdl, folder, options, entity, sources, digest, edits, drivers)


def find_ghdl(path: Path | None = None) -> Ghdl:
    """The GHDL on PATH, or the one given.

    Raises:
        GnomonError: there is none, or it is something else.
    """
    found = shutil.which(str(path) if path is not None else "ghdl")
    if found is None:
        what = f"{path}: no such program" if path is not None else "ghdl: not found"
        raise GnomonError(f"{what} (install: {INSTALL})")
    done = run([found, "--version"])
    version = re.search(r"^GHDL (\S+)", done.stdout, re.MULTILINE)
    backend = re.search(r"(mcode|llvm|gcc)", done.stdout, re.IGNORECASE)
    if version is None:
        raise GnomonError(f"{found}: does not say that it is GHDL: {done.stdout[:60]!r}")
    return Ghdl(Path(found).absolute(), version[1], backend[1].lower() if backend else "unknown")


def analyze(
    ghdl: Ghdl, sources: Sequence[Path], top: str, options: Sequence[str], folder: Path
) -> str | None:
    """What GHDL says against the sources, or None."""
    for stale in (*folder.glob("*.cf"), *folder.glob("*.o")):
        stale.unlink()
    for command in (["-i", *options, *map(str, sources)], ["-m", *options, top]):
        done = run([ghdl.path, *command], folder)
        output = done.stdout + done.stderr
        (folder / "build.log").write_text(output, encoding="utf-8")
        if done.returncode:
            return output
    return None


def refused(ghdl: Ghdl, output: str, copy: ScratchCopy | None) -> str:
    """The message of a rejection, with the user's files in place of copies."""
    found = rejections(output)
    if not found:
        end = last_lines(output, 15)
        return f"{ghdl.title} stopped, and nothing is known about why:\n{end}"
    shown = []
    for each in found[:5]:
        text = str(each)
        if copy and each.path in copy.original:
            text = text.replace(str(each.path), str(copy.original[each.path]), 1)
        shown.append(text)
    return f"{ghdl.title} rejects a source:\n" + "\n".join(shown)


def digest_of(sources: Sequence[Path]) -> str:
    """SHA-256 of names and contents, whatever their order."""
    digest = hashlib.sha256()
    for path in sorted(sources, key=lambda each: each.name):
        digest.update(path.name.encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()
