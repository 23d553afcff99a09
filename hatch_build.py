"""Wheels that carry the C libraries, cross-compiled by zig, one per system.

``GNOMON_WHEEL`` names the system, such as ``aarch64-macos``; without it the wheel is pure, and each
library is compiled where it is first used. ``make wheels`` makes all of them.
"""

from __future__ import annotations

import importlib
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

VARIABLE = "GNOMON_WHEEL"
SYSTEMS = {
    # The libraries use nothing of libc but what every one has, so one wheel serves GNU and musl.
    "x86_64-linux": ("x86_64-linux-gnu", "manylinux_2_17_x86_64.musllinux_1_1_x86_64"),
    "aarch64-linux": ("aarch64-linux-gnu", "manylinux_2_17_aarch64.musllinux_1_1_aarch64"),
    "x86_64-macos": ("x86_64-macos.11.0", "macosx_11_0_x86_64"),
    "aarch64-macos": ("aarch64-macos.11.0", "macosx_11_0_arm64"),
}
"""What zig and pip call each."""


class CustomBuildHook(BuildHookInterface[Any]):
    """Compiles what ``libraries`` of pyproject.toml lists, for the system that is asked for."""

    def dependencies(self) -> list[str]:
        """Return what the list of libraries imports, and zig."""
        if not os.environ.get(VARIABLE):
            return []
        return list(self.build_config.builder.metadata.core.dependencies)

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Put libraries into the wheel."""
        system = os.environ.get(VARIABLE, "")
        if not system or version == "editable":
            return
        if system not in SYSTEMS:
            sys.exit(f"{VARIABLE}: no system {system!r} (allowed: {', '.join(SYSTEMS)})")
        triple, tag = SYSTEMS[system]
        sys.path.insert(0, self.root)
        from gnomon.base.native import PREBUILT, prebuild

        self.place = tempfile.TemporaryDirectory(prefix="gnomon-wheel-")
        inside = PREBUILT.relative_to(Path(self.root).resolve()).as_posix()
        for each in self.config["libraries"]:
            module, _, name = each.partition(":")
            native = getattr(importlib.import_module(module), name)
            for file in prebuild(native, triple, Path(self.place.name)):
                build_data["force_include"][str(file)] = f"{inside}/{file.name}"
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{tag}"

    def finalize(self, *_: Any) -> None:
        """Remove what was compiled."""
        if hasattr(self, "place"):
            self.place.cleanup()
