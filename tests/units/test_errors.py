"""Wrong units: all errors at once, each with file and line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gnomon.arch import load_architecture
from gnomon.base.errors import GnomonError
from gnomon.sim import UnitFunctions


def _errors(*overrides: str, arch: str = "t13") -> list[str]:
    with pytest.raises(GnomonError) as error:
        load_architecture(arch, overrides)
    return str(error.value).splitlines()


def _write(project: Path, text: str, code: str = "UNIT(one) { return a; }\n") -> None:
    (project / "units" / "mine").mkdir()
    (project / "units" / "mine" / "unit.yaml").write_text(text)
    (project / "units" / "mine" / "mine.c").write_text(code)


_HEAD = "schema: 1\ntitle: Mine\nsource: a test\ncode: mine.c\n"


def test_all_errors_of_a_file_come_at_once(project: Path) -> None:
    _write(
        project,
        _HEAD + "parameters:\n  depth: {default: 3, range: [0, 300]}\ninstructions:\n"
        "  one:\n    encoding: {format: R, opcode: custom-2, funct3: 1, funct7: 0}\n"
        "    operands: {rd: result, rs1: operand}\n    cycles: depth\n"
        "  two:\n    encoding: {format: R4, opcode: custom-2, funct3: 1, funct2: 0}\n"
        "    operands: {rd: accumulator, rs3: operand, imm: immediate}\n"
        "    cycles: {by: rs2-bits, cycles: 1, each: width}\n    use: 65\n"
        "  add:\n    encoding: {format: I, opcode: custom-3, funct3: 0}\n"
        "    operands: {rd: result, rs2: operand}\n    cycles: 2\n",
    )  # fmt: skip
    seen = [re.sub(r"^.*unit\.yaml", "unit.yaml", each) for each in _errors("units.mine={}")]
    assert seen == [
        (
            "unit.yaml:14: instructions.two.operands.imm: format R4 has no imm (allowed: rd, rs1,"
            " rs2, rs3)"
        ),
        (
            "unit.yaml:14: instructions.two.operands.rd: the port has one third operand: an"
            " accumulator excludes rs3 and imm"
        ),
        "unit.yaml:15: instructions.two.cycles.by: rs2-bits needs the operand rs2",
        "unit.yaml:13: instructions.two.encoding: overlaps the encoding of one",
        "unit.yaml:17: instructions.add: add is a word of RV32 or the T13",
        "unit.yaml:19: instructions.add.operands.rs2: format I has no rs2 (allowed: rd, rs1, imm)",
        (
            "unit.yaml:11: instructions.one.cycles: must be 1 to 256 cycles, not 0 to 0 (with depth"
            " = 0)"
        ),
        (
            "unit.yaml:15: instructions.two.cycles: 'width' is none of: whole numbers, depth, + - *"
            " // **, min(), max()"
        ),
        "unit.yaml:12: instructions.two: mine.c has no function UNIT(two)",
        "unit.yaml:17: instructions.add: mine.c has no function UNIT(add)",
    ]


def test_wrong_values_of_keys_have_their_line(project: Path) -> None:
    _write(
        project,
        _HEAD + "occupies: decode\ninstructions:\n  one:\n"
        "    encoding: {format: S, opcode: custom-4, funct3: 8}\n"
        "    operands: {rd: result, rs1: operand}\n    cycles: {cycles: 1, bye: rs1-bits}\n",
    )  # fmt: skip
    seen = [re.sub(r"^.*unit\.yaml", "unit.yaml", each) for each in _errors("units.mine={}")]
    assert [each.split(": ")[1] for each in seen] == [
        "occupies", "instructions.one.encoding.format", "instructions.one.encoding.opcode",
        "instructions.one.encoding.funct3", "instructions.one.cycles.bye",
    ]  # fmt: skip
    assert all(re.match(r"unit\.yaml:\d+: ", each) for each in seen)


@pytest.mark.usefixtures("project")
def test_a_machine_names_units_and_parameters_that_exist() -> None:
    (message,) = _errors("units.prodcts={}")
    assert message.startswith(
        "--set units.prodcts={}: units.prodcts: there is no unit 'prodcts' (allowed: "
    )
    assert message.endswith("did you mean 'products'?)")
    assert _errors("units.products.stage=2") == [
        (
            "--set units.products.stage=2: units.products: no parameter is called 'stage' (allowed:"
            " stages, did you mean 'stages'?)"
        )
    ]
    assert _errors("units.products.stages=5") == [
        "--set units.products.stages=5: units.products: stages must be 1 to 4, not 5"
    ]


def test_units_of_a_machine_exclude_each_other_and_its_core(project: Path) -> None:
    rows = "instructions:\n  one:\n    encoding: {{format: R, opcode: {}, funct3: {}, funct7: 0}}\n"
    rows += "    operands: {{rd: result, rs1: operand}}\n    cycles: 1\n"
    _write(project, _HEAD + rows.format("custom-2", 4))
    assert _errors("units.mine={}", "units.products={}") == [
        "--set units.products={}: units.products: mulr has the encoding of one of mine"
    ]
    (project / "units" / "mine" / "unit.yaml").write_text(_HEAD + rows.format("custom-1", 4))
    assert _errors("units.mine={}") == [
        (
            "--set units.mine={}: units.mine: one: custom-0 and custom-1 are of the T13's vector"
            " unit (allowed: custom-2, custom-3)"
        )
    ]
    load_architecture("rv32im", ["units.mine={}"])


def test_a_unit_that_does_not_compile_names_its_file(project: Path) -> None:
    _write(
        project,
        _HEAD + "instructions:\n  one:\n"
        "    encoding: {format: R, opcode: custom-3, funct3: 4, funct7: 0}\n"
        "    operands: {rd: result, rs1: operand}\n    cycles: 1\n",
        "UNIT(one)\n{\n    return missing;\n}\n",
    )  # fmt: skip
    (unit,) = load_architecture("t13", ["units.mine={}"]).units
    with pytest.raises(GnomonError, match=r"mine/mine\.c:3:12: error: .*missing"):
        UnitFunctions(unit)


@pytest.mark.usefixtures("project")
def test_the_fingerprint_depends_on_parameters_and_files(project: Path) -> None:
    def fingerprint(*overrides: str) -> str:
        return load_architecture("t13", overrides).fingerprint

    plain, with_unit = fingerprint(), fingerprint("units.products={}")
    assert with_unit == fingerprint("units.products.stages=3")
    assert fingerprint("units.products={}", "units.products=none") == plain
    code = project / "units" / "products" / "products.c"
    code.write_text(code.read_text().replace("0x80000000ll", "0x80000001ll"))
    assert len({plain, with_unit, fingerprint("units.products={}")}) == 3
