"""The file of a bundle: a ZIP archive whose bytes depend on its content alone.

Files are sorted, stored without compression (compressors differ in their bytes) and dated
1980-01-01. ``bundle.json`` is first: what was run, versions, and the SHA-256 of each file.
"""

import hashlib
import io
import json
import lzma
import struct
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from gnomon.base.errors import GnomonError
from gnomon.base.files import read_bytes

SCHEMA = 1
INPUTS, RESULTS = "inputs", "results"
_MANIFEST, _README = "bundle.json", "README.txt"
_MOST_FILES, _MOST_BYTES = 20_000, 1 << 30
_NO_ARCHIVE = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, NotImplementedError, RuntimeError,
    EOFError, OSError, OverflowError,
)  # fmt: skip
"""What ``zipfile`` raises for damaged archives."""
_TEXT = """A bundle of gnomon: inputs/, results/, and in bundle.json commands and versions.

    pip install gnomon
    gnomon report verify FILE

runs the commands again and compares the results byte for byte. The commands run Python files that
inputs/ may hold: verify bundles only of people you trust.
"""


@dataclass(frozen=True, slots=True)
class BundledRun:
    """One command of a bundle: a sweep, a deployment or a study."""

    name: str  # folder of its results
    kind: str  # sweep, deployment or study
    what: str  # file below the inputs, or name of the study
    group: str = ""  # of the study: report, experiment or study
    options: tuple[str, ...] = ()  # of the study

    @property
    def command(self) -> list[str]:
        """The words after ``gnomon``; the current folder holds the inputs."""
        out = f"../{RESULTS}/{self.name}"
        if self.kind == "sweep":
            return ["report", "sweep", self.what, "--out", out]
        if self.kind == "deployment":
            return ["deploy", self.what, "--report", out]
        return [*([] if self.group == "study" else [self.group]), self.what, *self.options,
                "--out", out]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Bundle:
    """Content of a bundle."""

    runs: tuple[BundledRun, ...]
    versions: Mapping[str, str]  # of all that results may depend on, by name
    inputs: Mapping[str, bytes] = field(repr=False)  # by path
    results: Mapping[str, bytes] = field(repr=False)

    def to_bytes(self) -> bytes:
        """Return the archive; the same content gives the same bytes."""
        manifest = {
            "schema": SCHEMA,
            "runs": [asdict(each) | {"command": each.command} for each in self.runs],
            "versions": dict(self.versions),
            **{kind: {name: hashlib.sha256(data).hexdigest() for name, data in sorted(of.items())}
               for kind, of in self._parts()},
        }  # fmt: skip
        text = json.dumps(manifest, indent=1, ensure_ascii=False) + "\n"
        files = {_MANIFEST: text.encode(), _README: _TEXT.encode()}
        files |= {f"{kind}/{name}": data for kind, of in self._parts()
                  for name, data in sorted(of.items())}  # fmt: skip
        whole = io.BytesIO()
        with zipfile.ZipFile(whole, "w", zipfile.ZIP_STORED) as archive:
            for name, data in files.items():
                entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
                entry.create_system = 3  # Unix, on every system
                entry.external_attr = 0o644 << 16
                archive.writestr(entry, data)
        return whole.getvalue()

    def _parts(self) -> tuple[tuple[str, Mapping[str, bytes]], ...]:
        return (INPUTS, self.inputs), (RESULTS, self.results)


def read_bundle(path: Path) -> Bundle:
    """Read a bundle and check every file against its digest.

    Raises:
        GnomonError: if it is not a bundle, is damaged, or names a file outside of itself.
    """
    return parse_bundle(read_bytes(path, _MOST_BYTES), path)


def parse_bundle(data: bytes, path: Path) -> Bundle:
    """Return the bundle of a file's bytes; see :func:`read_bundle`."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = archive.infolist()
            if len(entries) > _MOST_FILES or sum(e.file_size for e in entries) > _MOST_BYTES:
                raise GnomonError(f"{path}: holds more than {_MOST_FILES:,} files or 1 GiB")
            files = {entry.filename: archive.read(entry) for entry in entries}
        manifest = json.loads(files[_MANIFEST])
        if manifest["schema"] != SCHEMA:
            raise GnomonError(
                f"{path}: is of schema {manifest['schema']}, this gnomon reads {SCHEMA}"
            )
        runs = tuple(_run_of(each) for each in manifest["runs"])
        versions = {str(name): str(value) for name, value in manifest["versions"].items()}
        parts = {kind: _files_of(path, kind, manifest[kind], files) for kind in (INPUTS, RESULTS)}
    except _NO_ARCHIVE as error:
        raise GnomonError(f"{path}: is not a bundle: {error}") from None
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise GnomonError(f"{path}: {_MANIFEST} is missing or damaged: {error!r}") from None
    return Bundle(runs, versions, **parts)


def _run_of(words: dict[str, Any]) -> BundledRun:
    """Return a run; its command follows from checked words, not from the file."""
    name, kind, what, group = (str(words[key]) for key in ("name", "kind", "what", "group"))
    run = BundledRun(name, kind, what, group, tuple(map(str, words["options"])))
    if run.kind not in ("sweep", "deployment", "study"):
        raise ValueError(run.kind)
    if run.group not in ("", "report", "experiment", "study"):
        raise ValueError(run.group)
    if "/" in run.name or run.name in ("", ".", "..") or run.what.startswith("-"):
        raise ValueError(run.name)
    for word in (run.name, run.what, *run.options):
        if not word.isprintable():  # no argument of a command
            raise ValueError(word)
    check_options(run.options)
    return run


def check_options(options: tuple[str, ...]) -> None:
    """Check that the options of a study do not move its results.

    Raises:
        ValueError: if one does.
    """
    moved = [each for each in options if each.startswith(("--out", "--json"))]
    if moved:
        raise ValueError(moved[0])


def _files_of(
    path: Path, kind: str, digests: dict[str, str], files: Mapping[str, bytes]
) -> dict[str, bytes]:
    """Return the files of one folder.

    Raises:
        GnomonError: if one is missing, differs from its digest or has a path outside.
    """
    found = {}
    for name, expected in digests.items():
        place = PurePosixPath(name)
        if place.is_absolute() or ".." in place.parts or "\\" in name or not place.parts:
            raise GnomonError(f"{path}: {name!r} leads out of the bundle")
        if not name.isprintable():
            raise GnomonError(f"{path}: {name!r} cannot be the name of a file")
        data = files.get(f"{kind}/{name}")
        if data is None:
            raise GnomonError(f"{path}: {kind}/{name} is missing")
        if hashlib.sha256(data).hexdigest() != expected:
            raise GnomonError(f"{path}: {kind}/{name} differs from its digest in {_MANIFEST}")
        found[name] = data
    return found
