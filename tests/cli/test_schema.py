"""``gnomon schema``: the schemas for editors accept every file that is shipped."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from typer.testing import CliRunner

from gnomon.arch import load_architecture
from gnomon.base.errors import GnomonError
from gnomon.cli._schema import KINDS
from gnomon.cli.app import app

ROOT = Path(__file__).resolve().parents[2]
FILES = {
    "machine": sorted(ROOT.glob("arch/*.yaml")),
    "kernel": sorted(ROOT.glob("kernels/*/kernel.yaml")),
    "learner": sorted(ROOT.glob("algorithms/*/algorithm.yaml")),
    "unit": sorted(ROOT.glob("units/*/unit.yaml")),
    "device": sorted(ROOT.glob("devices/*/device.yaml")),
    "study": sorted(ROOT.glob("reports/*/study.yaml")),
    "sweep": [p for p in sorted(ROOT.glob("examples/*.yaml")) if "axes:" in p.read_text()],
    "budget": sorted(ROOT.glob("examples/budget/*.yaml")),
    "deploy": [p for p in sorted(ROOT.glob("examples/*.yaml")) if "battery:" in p.read_text()],
    "pipeline": sorted(ROOT.glob("examples/pipeline/*.yaml")),
}


def schema(kind: str) -> dict[str, Any]:
    done = CliRunner().invoke(app, ["schema", kind], catch_exceptions=False)
    assert done.exit_code == 0
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


@pytest.mark.parametrize("kind", KINDS)
def test_every_shipped_file_keeps_its_schema(kind: str) -> None:
    checker = jsonschema.Draft202012Validator(schema(kind))
    checker.check_schema(checker.schema)
    assert FILES[kind]
    for path in FILES[kind]:
        wrong = [each.message for each in checker.iter_errors(yaml.safe_load(path.read_text()))]
        assert wrong == [], path


@pytest.mark.parametrize("kind", KINDS)
def test_a_misspelled_key_is_marked(kind: str) -> None:
    checker = jsonschema.Draft202012Validator(schema(kind))
    data = yaml.safe_load(FILES[kind][0].read_text())
    assert not checker.is_valid(data | {"titel": "x"})


def test_keys_have_meaning_and_unit() -> None:
    machine = schema("machine")
    assert machine["properties"]["clock"]["description"].startswith("clock frequency")
    axes = schema("sweep")["properties"]["axes"]["properties"]
    assert axes["vcu.simd"]["description"]
    assert "arms" in axes
    assert (
        "settings" in schema("budget")["properties"]["checks"]["additionalProperties"]["properties"]
    )


def test_an_unknown_kind_names_the_known_ones() -> None:
    with pytest.raises(GnomonError, match=r"did you mean 'kernel'"):
        CliRunner().invoke(app, ["schema", "kernle"], catch_exceptions=False)


def test_what_is_out_of_range_in_the_schema_is_refused_by_the_loader() -> None:
    checker = jsonschema.Draft202012Validator(schema("machine"))
    assert not checker.is_valid({"schema": 1, "vcu": {"simd": 3}})
    with pytest.raises(GnomonError, match=r"vcu\.simd"):
        load_architecture("t13-simd4", ["vcu.simd=3"])


def test_machines_and_units_describe_units() -> None:
    assert "units" in schema("machine")["properties"]
    unit = schema("unit")
    assert {"instructions", "parameters", "code", "state"} <= unit["properties"].keys()
    assert all(each["description"] for each in unit["properties"].values())


def test_all_schemas_are_written_as_files(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["schema", "--out", str(tmp_path)], catch_exceptions=False)
    assert done.exit_code == 0
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {f"{kind}.schema.json" for kind in KINDS}
    assert json.loads((tmp_path / "sweep.schema.json").read_text()) == schema("sweep")
