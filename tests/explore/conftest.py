"""Small sweeps, and a cache of outcomes that no other test sees."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from gnomon.base.cache import cache_folder
from gnomon.explore._outcomes import unpack
from gnomon.sim import load_engine

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder with the builds of the usual one, and no outcomes."""
    load_engine()  # a child would say that it compiles the engine
    root = tmp_path / "cache"
    root.mkdir()
    for kind in ("native", "program", "object", "host", "zig"):
        (root / kind).symlink_to(cache_folder(kind))
    monkeypatch.setenv("GNOMON_CACHE", str(root))
    return root


def kept_points(cache: Path) -> int:
    """How many outcomes a cache holds."""
    names = [json.loads(note.read_text())["data"] for note in cache.glob("sweep/*.entry")]
    return sum(len(unpack((cache / f"sweep/{n}.points").read_bytes())[1]) for n in names)


def kernel_sweep(**changes: Any) -> dict[str, Any]:
    """A dozen quick points, one of which no machine can have."""
    return {
        "schema": 1,
        "name": "small",
        "kernel": "add",
        "arch": "t13-simd1",
        "axes": {
            "variant": ["scalar", "vector"],
            "n": [2, 4, 6],
            "vcu.simd": [1, 8],
            "vcu.scratchpads.size": ["16 B", "1 KiB"],
        },
        "constraints": ["time <= 1 ms"],
        "objectives": ["minimize time"],
    } | changes


def command(*arguments: str) -> list[str]:
    """The command line in a process of its own."""
    return [sys.executable, "-c", "from gnomon.cli import main; main()", *arguments]


def run_command(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(*arguments),
        check=False,
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        **options,
    )
