"""Every promise of SECURITY.md names a test that is there."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_promises_are_tests() -> None:
    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (?!promise|---).*\|$", text, re.MULTILINE)
    named = re.findall(r"`(tests/\S+\.py)::(\w+)`", text)
    assert len(rows) == len(named) > 0 == text.count("::") - len(named)
    for file, name in named:
        assert f"def {name}(" in (ROOT / file).read_text(encoding="utf-8"), (file, name)
