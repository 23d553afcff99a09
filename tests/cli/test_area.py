"""``gnomon area``: tables for people, JSON for programs, refusals."""

from __future__ import annotations

import json
import sys

import pytest

from gnomon.arch import load_architecture
from gnomon.cli import main
from gnomon.cost.area import RESOURCES, Area


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["gnomon", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    return int(ended.value.code or 0)


def test_tables(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(monkeypatch, "area", "t13-paper-simd4") == 0
    text = capsys.readouterr().out
    for part in Area.from_architecture(load_architecture("t13-paper-simd4")).parts:
        assert part.figure.name in text
    assert "Not included: instruction and data memory" in text
    assert "models/area/t13-xc7.yaml:" in text


def test_json(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(monkeypatch, "area", "t13", "--set", "core.harts=4", "--json") == 0
    answer = json.loads(capsys.readouterr().out)
    found = Area.from_architecture(load_architecture("t13", ["core.harts=4"]))
    assert answer["machine"] == "t13"
    for name in RESOURCES:
        assert answer["total"][name]["value"] == found.total.of(name).value
    assert [part["part"] for part in answer["parts"]] == ["core", "core.divider", "core.hart"]
    assert all(part["origins"] and part["source"] for part in answer["parts"])


def test_unknown_area(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(monkeypatch, "area", "rv32im") == 2
    out, err = capsys.readouterr()
    assert not out
    assert err == "gnomon: area of rv32im is not known: it names no area table (key area)\n"
