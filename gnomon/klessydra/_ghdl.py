"""GHDL: search for the program, builds of a user's core, and rejections of sources."""

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

from gnomon.base.errors import GnomonError
from gnomon.klessydra._rejected import Edit, ScratchCopy, SharedDriver, rejections
from gnomon.klessydra._wiring import Entity, read_entity
from gnomon.rtl.sources import read_sources
from gnomon.rtl.tools import git, last_lines, run

INSTALL = "sudo apt-get install ghdl-llvm"
DEFAULT_FLAGS = ("--std=08", "-frelaxed", "-fsynopsys")


@dataclass(frozen=True, slots=True)
class Ghdl:
    """An installed GHDL. ``backend`` is mcode, llvm or gcc."""

    path: Path
    version: str
    backend: str

    @property
    def title(self) -> str:
        """Name, version and back end, for records."""
        return f"GHDL {self.version} ({self.backend})"

    @staticmethod
    def find(path: Path | None = None) -> Ghdl:
        """Find the GHDL on PATH, or check the given one.

        Raises:
            GnomonError: if there is no such program, or it is not GHDL.
        """
        found = shutil.which(str(path) if path is not None else "ghdl")
        if found is None:
            what = f"{path}: no such program" if path is not None else "ghdl: not found"
            raise GnomonError(f"{what} (install: {INSTALL})")
        done = run([found, "--version"])
        version = re.search(r"^GHDL (\S+)", done.stdout, re.MULTILINE)
        backend = re.search(r"(mcode|llvm|gcc)", done.stdout, re.IGNORECASE)
        if version is None:
            raise GnomonError(f"{found}: not GHDL, by its --version: {done.stdout[:60]!r}")
        name = backend[1].lower() if backend else "unknown"
        return Ghdl(Path(found).absolute(), version[1], name)

    @contextmanager
    def first_on_path(self, folder: Path) -> Iterator[None]:
        """Put this GHDL first on PATH under the name ``ghdl``, inside the context."""
        folder.mkdir(parents=True, exist_ok=True)
        # A link does not work: ghdl of some distributions is a script that uses its own name.
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
class CoreBuild:
    """A user's core in a clean folder, with edits of a copy and drivers that cause a warning."""

    ghdl: Ghdl
    listing: Path
    folder: Path
    flags: tuple[str, ...]
    entity: Entity
    sources: tuple[Path, ...]
    edits: tuple[Edit, ...] = ()
    drivers: tuple[SharedDriver, ...] = ()

    @staticmethod
    def prepare(
        ghdl: Path | None, listing: Path, top: str, folder: Path, flags: Sequence[str]
    ) -> CoreBuild:
        """Return a build that is not analyzed yet.

        Args:
            ghdl: path of GHDL; None: the one on PATH.
            listing: source list of the core.
            top: entity of the core.
            folder: work folder.
            flags: additional options of GHDL.

        Raises:
            GnomonError: if GHDL is missing, or no source declares the entity.
        """
        listed = read_sources(listing).items()
        sources = tuple(path.resolve() for path, language in listed if language == "vhdl")
        found, entity = Ghdl.find(ghdl), read_entity(sources, top)
        shutil.rmtree(folder / "scratch", ignore_errors=True)
        folder.mkdir(parents=True, exist_ok=True)
        options = (*DEFAULT_FLAGS, *flags, f"--workdir={folder}", f"-P{folder}")
        return CoreBuild(found, listing, folder, options, entity, sources)

    @property
    def digest(self) -> str:
        """SHA-256 of names and contents of the sources, independent of their order."""
        digest = hashlib.sha256()
        for path in sorted(self.sources, key=lambda each: each.name):
            digest.update(path.name.encode())
            digest.update(path.read_bytes())
        return digest.hexdigest()

    @property
    def revision(self) -> str | None:
        """Commit of the checkout, with a mark if it has changes; None without a repository."""
        folder = self.listing.resolve().parent
        head = git(folder, "rev-parse", "HEAD")
        changed = git(folder, "status", "--porcelain", "--untracked-files=no")
        if head is None or changed is None:
            return None
        return f"{head.strip()} with changes" if changed.strip() else head.strip()

    def analyze(self, sources: Sequence[Path], top: str) -> str | None:
        """Analyze and elaborate sources; return the output of GHDL if it fails, else None."""
        for stale in (*self.folder.glob("*.cf"), *self.folder.glob("*.o")):
            stale.unlink()
        for command in (["-i", *self.flags, *map(str, sources)], ["-m", *self.flags, top]):
            done = run([self.ghdl.path, *command], self.folder)
            output = done.stdout + done.stderr
            (self.folder / "build.log").write_text(output, encoding="utf-8")
            if done.returncode:
                return output
        return None

    def rejection_error(self, output: str, copy: ScratchCopy | None) -> GnomonError:
        """Return the error of rejected sources, with the user's files in place of copies."""
        found = rejections(output)
        if not found:
            end = last_lines(output, 15)
            return GnomonError(f"{self.ghdl.title} stopped for an unknown reason:\n{end}")
        shown = []
        for each in found[:5]:
            text = str(each)
            if copy and each.path in copy.original:
                text = text.replace(str(each.path), str(copy.original[each.path]), 1)
            shown.append(text)
        return GnomonError(f"{self.ghdl.title} rejects a source:\n" + "\n".join(shown))
