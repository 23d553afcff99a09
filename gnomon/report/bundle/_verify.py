"""Verify a bundle: run its commands again and compare the results byte for byte."""

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from gnomon.base.units import counted
from gnomon.report.bundle._archive import RESULTS, read_bundle
from gnomon.report.bundle._runs import find_versions, run_in

_SHOWN = 60  # most letters of a differing line


@dataclass(frozen=True, slots=True)
class Difference:
    """A result that is not the same here."""

    file: str
    where: str  # its first differing line or byte, or where it is missing


@dataclass(frozen=True, slots=True)
class BundleCheck:
    """Outcome of a verification."""

    files: int  # results compared
    differences: tuple[Difference, ...]
    versions: tuple[tuple[str, str, str], ...]  # name, of the bundle, here; those that differ

    @property
    def cause(self) -> str:
        """The reason of differing results; empty if all are the same.

        Results follow from inputs and versions, and the inputs are the same. If one version
        differs, it is the cause.
        """
        if not self.differences:
            return ""
        told = [f"{name} is {here} here and {there} in the bundle"
                for name, there, here in self.versions]  # fmt: skip
        if not told:
            return (
                "no version differs: the results depend on the host, or on something that the"
                " bundle does not record"
            )
        compilers = [line for line in told if line.startswith("compiler ")]
        if len(told) == 1:
            return f"cause: {told[0]}"
        first = compilers or told
        rest = [line for line in told if line not in first]
        return "; ".join([f"cause, most likely: {'; '.join(first)}",
                          *([f"or: {'; '.join(rest)}"] if rest else [])])  # fmt: skip

    def to_json(self) -> dict[str, Any]:
        """Return the outcome as JSON-compatible data."""
        return {
            "equal": not self.differences,
            "files": self.files,
            "differences": [{"file": each.file, "where": each.where} for each in self.differences],
            "versions": [
                {"name": name, "bundle": there, "here": here} for name, there, here in self.versions
            ],
            "cause": self.cause or None,
        }

    def lines(self) -> list[str]:
        """Return the outcome as text."""
        told = [f"{each.file}: {each.where}" for each in self.differences]
        same = self.files - len(self.differences)
        told.append(
            f"{counted(self.files, 'result')}: {same} equal byte for byte,"
            f" {len(self.differences)} different"
        )
        if self.cause:
            return [*told, self.cause]
        others = ", ".join(f"{name} {here} instead of {there}"
                           for name, there, here in self.versions)  # fmt: skip
        return [*told, *([f"versions that differ without an effect: {others}"] if others else [])]


def verify_bundle(path: Path, *, cached: bool = False) -> BundleCheck:
    """Run the commands of a bundle again and compare their results.

    Args:
        path: the bundle.
        cached: whether results that the user's cache holds are reused; else everything is computed.

    Raises:
        GnomonError: if the file is not a bundle or is damaged, or a command fails.
    """
    bundle, here = read_bundle(path), find_versions()
    with TemporaryDirectory() as work:
        folder = Path(work) / "again"
        folder.mkdir()
        cache = None if cached else Path(work) / "cache"
        results = run_in(folder, bundle.inputs, bundle.runs, cache=cache)
    names = sorted({*bundle.results, *results})
    differences = tuple(
        Difference(f"{RESULTS}/{name}", where)
        for name in names
        if (where := _find_difference(bundle.results.get(name), results.get(name)))
    )
    versions = tuple(
        (name, there, here.get(name, "absent"))
        for name, there in bundle.versions.items()
        if here.get(name, "absent") != there
    )
    return BundleCheck(len(names), differences, versions)


def _find_difference(there: bytes | None, here: bytes | None) -> str:
    """Return the first difference of two files; empty if there is none."""
    if there == here:
        return ""
    if there is None or here is None:
        return "is not in the bundle" if there is None else "is not made here"
    try:
        lines = there.decode().splitlines(), here.decode().splitlines()
    except UnicodeDecodeError:
        at = next((n for n, (a, b) in enumerate(zip(there, here, strict=False)) if a != b),
                  min(len(there), len(here)))  # fmt: skip
        return f"differs from byte {at:,} on"
    for number, (a, b) in enumerate(zip(*lines, strict=False), 1):
        if a != b:
            at = next((n for n, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), 0)
            start = max(0, at - 20)
            shown = [repr(text[start : start + _SHOWN]) for text in (a, b)]
            return f"line {number} is {shown[1]} here and {shown[0]} in the bundle"
    return f"has {len(lines[1]):,} lines here and {len(lines[0]):,} in the bundle"
