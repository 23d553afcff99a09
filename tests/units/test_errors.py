"""Wrong units: all errors at once, each with file and line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gnomon.arch import load_architecture
from gnomon.arch.units.load import load_unit
from gnomon.base.errors import GnomonError
from gnomon.program import build
from gnomon.sim import UnitFunctions, simulate


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


def test_nothing_is_no_section_of_defaults(project: Path) -> None:
    wanted = "must be a section of parameters, {} (all have their defaults) or none, not empty"
    assert _errors("units.products=") == [f"--set units.products=: units.products: {wanted}"]
    path = project / "mine.yaml"
    path.write_text("extends: t13\nname: mine\ntitle: mine\nunits:\n  products:\n")
    assert _errors(arch=str(path)) == [f"{path}:5: units.products: {wanted}"]
    (message,) = _errors("units={products: {}}")
    assert message.endswith("a section; set one unit, such as units.NAME={}, or units=none to"
                            " remove all")  # fmt: skip
    (message,) = _errors("units.products={stages: 2, stages: 3}")
    assert "units.products: written twice" in message


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


def _instruction(name: str, opcode: str, funct3: int, more: str = "") -> str:
    return (
        f"  {name}:\n    encoding: {{format: R, opcode: {opcode}, funct3: {funct3}, funct7: 0}}\n"
        f"    operands: {{rd: result, rs1: operand}}\n    cycles: 1\n{more}"
    )


def test_a_vector_unit_has_its_opcodes_on_every_core(project: Path) -> None:
    _write(project, _HEAD + "instructions:\n" + _instruction("one", "custom-0", 4))
    (message,) = _errors("units.mine={}", arch="rv32im-simd4")
    assert message.endswith("custom-0 and custom-1 are of the T13's vector unit (allowed: custom-2,"
                            " custom-3)")  # fmt: skip
    load_architecture("rv32im", ["units.mine={}"])


_VARIABLES = {
    "a static variable": "UNIT(one) { static uint32_t sum; return sum += a; }\n",
    "a static variable with a value": "UNIT(one) { static uint32_t sum = 5; return sum += a; }\n",
    "a global variable": "uint32_t sum;\nUNIT(one) { return sum += a; }\n",
    "a table that is not const": "static uint32_t t[2] = {1};\nUNIT(one) { return t[a & 1]++; }\n",
}


@pytest.mark.parametrize("code", _VARIABLES.values(), ids=_VARIABLES)
def test_a_unit_has_no_variables_of_its_own(project: Path, code: str) -> None:
    _write(project, _HEAD + "instructions:\n" + _instruction("one", "custom-3", 4), code)
    with pytest.raises(GnomonError, match=r"^mine/mine\.c: has \d+ bytes of static or global"):
        UnitFunctions(load_unit("mine", {}))
    together = load_architecture("t13", ["units.mine={}", "units.ones={}"])
    (project / "few.c").write_text("int main(void) { return 0; }\n")
    program = build([project / "few.c"], together)
    with pytest.raises(GnomonError, match=r"^mine/mine\.c: has \d+ bytes of static or global"):
        simulate(program, together)


def test_constant_tables_are_allowed(project: Path) -> None:
    code = "static const uint32_t t[2] = {7, 9};\nUNIT(one) { return t[a & 1]; }\n"
    _write(project, _HEAD + "instructions:\n" + _instruction("one", "custom-3", 4), code)
    found = UnitFunctions(load_unit("mine", {})).apply([0, 0], [0, 0], [2, 3], [0, 0], [0, 0])
    assert found.tolist() == [7, 9]


@pytest.mark.parametrize("use", ["*(uint32_t *)state += a", "((uint8_t *)state)[1] + a"])
def test_a_unit_without_state_cannot_use_it(project: Path, use: str) -> None:
    code = f"UNIT(one) {{ return {use}; }}\n"
    _write(project, _HEAD + "instructions:\n" + _instruction("one", "custom-3", 4), code)
    with pytest.raises(GnomonError, match=r"mine/mine\.c:1:\d+: error: .*this_unit_has_no_state"):
        UnitFunctions(load_unit("mine", {}))


def test_names_and_numbers_that_c_and_systemverilog_cannot_have(project: Path) -> None:
    (project / "units" / "mine").mkdir()
    path = project / "units" / "mine" / "unit.yaml"
    (project / "units" / "mine" / "mine.c").write_text(
        '#include "table.h"\n/* UNIT(old) */\nUNIT(one) { return a; }\nUNIT(o_x) { return b; }\n'
    )

    def errors(parameters: str, instructions: str, head: str = _HEAD) -> list[str]:
        path.write_text(f"{head}parameters: {parameters}\ninstructions:\n{instructions}")
        return [re.sub(r"^.*unit\.yaml:\d+: ", "", each) for each in _errors("units.mine={}")]

    one = _instruction("one", "custom-3", 4)
    wide = errors("{size: {default: 1, range: [0, 99999999999999999999]}}", one)
    limits = "must be within -2147483648 to 2147483647"
    assert wide == [f"parameters.size.range: {limits}, not [0, 99999999999999999999]"]
    for name in ("inline", "has_one", "state"):
        (named,) = errors(f"{{{name}: {{default: 1, range: [0, 1]}}}}", one)
        assert named.startswith(f"parameters.{name}: not a name of a parameter")
    many = ", ".join(f"p{k}: {{default: 1, range: [0, 1]}}" for k in range(13))
    assert errors(f"{{{many}}}", one) == ["parameters: at most 12 parameters, not 13"]
    same = one + _instruction("o.x", "custom-3", 5) + _instruction("o_x", "custom-3", 6)
    assert errors("{}", same) == [
        "code: mine.c includes table.h: the C of a unit is one file",
        "instructions.o_x: has the C function of o.x",
    ]
    for name in ('"a b.c"', "-x.c", "'a\".c'"):
        (named,) = errors("{}", one, _HEAD.replace("mine.c", name))
        assert named.startswith("code: must not be ")
        assert named.endswith("(allowed: a file name of letters, digits, '_', '.', '-')")


@pytest.mark.parametrize(
    ("cycles", "why"),
    [("(2**64)**64", "is not below 2 ** 64"), ("((2**63)**63)**63", "is not below 2 ** 64"),
     ("min()", "'min()' is none of"), ("True", "'True' is none of"), ("1 // 0", "divides by 0"),
     ("+".join(["1"] * 200), "at most 200 characters"), ("(" * 150 + "1", "not an arithmetic")],
)  # fmt: skip
def test_hostile_expressions_are_rejected_at_once(project: Path, cycles: str, why: str) -> None:
    rows = _instruction("one", "custom-3", 4).replace("cycles: 1", f'cycles: "{cycles}"')
    _write(project, f"{_HEAD}instructions:\n{rows}")
    (message,) = _errors("units.mine={}")
    assert why in message
