"""Where the shipped content (machines, kernels, learners, models) lives."""

from __future__ import annotations

from functools import cache
from pathlib import Path


@cache
def content_root() -> Path:
    """The folder that holds ``arch/``, ``kernels/``, ``algorithms/`` and ``models/``.

    In an installed wheel it is inside the package; in a checkout it is the repository root.
    """
    package = Path(__file__).resolve().parents[1]
    installed = package / "_content"
    return installed if installed.is_dir() else package.parent


def content(*parts: str) -> Path:
    """Path of one shipped file or folder, such as ``content("arch", "t13.yaml")``."""
    return content_root().joinpath(*parts)
