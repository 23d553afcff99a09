"""The files that this process has open."""

from pathlib import Path


def open_files() -> list[str]:
    """Return the numbers of the open files; equal before and after a call that leaves none open."""
    return sorted(each.name for each in Path("/dev/fd").iterdir())
