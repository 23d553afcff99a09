"""Area and energy of machines with units: known with their source, or the reason why not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gnomon.arch import load_architecture
from gnomon.arch.units.area import AREA_FILE, area_text, parameters_text, rtl_digest
from gnomon.arch.units.load import load_unit
from gnomon.base.errors import GnomonError
from gnomon.cost.area import Area
from gnomon.cost.energy import Energy, price_functions
from gnomon.explore import make_sweep, run_sweep
from gnomon.program import build
from gnomon.sim import simulate

_UNIT = "units.products={}"


def _write_area(project: Path, **changes: str) -> None:
    unit = load_unit("products", {})
    assert unit.rtl is not None
    row = {"parameters": parameters_text(unit.values), "lut": "100", "ff": "7", "dsp": "4",
           "bram": "0", "tool": "a test",
           "rtl": rtl_digest(unit.rtl.files, unit.rtl.top)}  # fmt: skip
    path = project / "units" / "products" / AREA_FILE
    path.write_text(area_text("products", [row | changes]))


def test_the_area_of_a_machine_includes_its_units(project: Path) -> None:
    _write_area(project)
    plain = Area.from_architecture(load_architecture("t13"))
    found = Area.from_architecture(load_architecture("t13", [_UNIT]))
    assert found.total.lut.value == plain.total.lut.value + 100
    assert found.total.dsp.value == plain.total.dsp.value + 4
    (part,) = [part for part in found.parts if part.group == "unit"]
    assert (part.figure.name, part.figure.kind) == ("unit.products", "synthesised")
    assert part.figure.origins == (f"{project}/units/products/area.csv: stages=3",)


def test_an_unknown_area_is_never_zero(project: Path) -> None:
    def reason(*overrides: str) -> str:
        with pytest.raises(GnomonError) as error:
            Area.from_architecture(load_architecture("t13", overrides))
        return str(error.value)

    assert "unit products: it has no area.csv (gnomon rtl unit products" in reason(_UNIT)
    _write_area(project)
    assert re.search(
        r"has no row for stages=2 \(gnomon rtl unit products stages=2 ",
        reason("units.products.stages=2"),
    )
    _write_area(project, rtl="0" * 16)
    assert "its SystemVerilog has changed since" in reason(_UNIT)


def test_a_stated_price_enters_the_energy_and_a_missing_one_is_named(project: Path) -> None:
    source = project / "few.c"
    source.write_text(
        '#include "units.h"\n'
        "int main(void)\n{\n    uint32_t s = 1;\n"
        "    for (int k = 0; k < 50; k++) s = mulr(s, s) + 1;\n    return (int)s;\n}\n"
    )

    def energy() -> Energy:
        machine = load_architecture("t13", [_UNIT])
        return Energy.from_work(simulate(build([source], machine), machine).work, machine)

    with pytest.raises(GnomonError, match=r"unit products states no price .* executes mulr is not"):
        energy()
    path = project / "units" / "products" / "unit.yaml"
    text = path.read_text()
    prices = (10.0, 30.0)
    found = []

    def by_function() -> dict[str, Energy]:
        machine = load_architecture("t13", [_UNIT])
        program = build([source], machine)
        return price_functions(simulate(program, machine), program, machine)

    for pj in prices:
        path.write_text(f"{text}price: {{value: {pj}, source: a test}}\n")
        found.append(energy())
    more = found[1].energy_uj.value - found[0].energy_uj.value
    assert more == pytest.approx(50 * 20e-6)
    assert found[1].units["user-defined units"].value == pytest.approx(50 * 30e-6)
    assert sum(each.value for each in found[1].units.values()) == pytest.approx(
        found[1].energy_uj.value
    )
    parts = by_function()
    assert sum(each.energy_uj.value for each in parts.values()) == pytest.approx(
        found[1].energy_uj.value
    )
    (unit_uj,) = {
        each.units["user-defined units"].value for name, each in parts.items() if name == "main"
    }
    assert unit_uj == pytest.approx(50 * 30e-6)


def test_a_damaged_area_file_is_named(project: Path) -> None:
    def reason() -> str:
        with pytest.raises(GnomonError) as error:
            Area.from_architecture(load_architecture("t13", [_UNIT]))
        return str(error.value)

    path = project / "units" / "products" / AREA_FILE
    for count in ("nan", "-5", "1e3", "", "inf"):
        _write_area(project, lut=count)
        assert f"area.csv: stages=3: lut: {count!r} is not a count" in reason()
    _write_area(project)
    good = path.read_text()
    for text in ("", "parameters,lut\n", f"{good}stages=1,5\n", 'a,"b\n' + "x" * 200_000):
        path.write_text(text)
        assert "area.csv: " in reason()


def test_a_sweep_sees_a_new_area(project: Path) -> None:
    raw = {"schema": 1, "name": "a", "arch": "t13", "program": str(project / "few.c"),
           "axes": {"units.products.stages": [3]}}  # fmt: skip
    (project / "few.c").write_text("int main(void) { return 0; }\n")

    def area() -> float | None:
        (row,) = run_sweep(make_sweep(raw)).rows
        return row.outcome.metrics.get("area_luts")

    assert area() is None
    _write_area(project)
    first = area()
    _write_area(project, lut="150")
    second = area()
    assert first is not None
    assert second == first + 50
