"""Units from their folders: the files, checked as a whole, and the units that machines have."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import Any, Final, NamedTuple, get_args

from gnomon.arch.operands import LatencyModel
from gnomon.arch.units._unit import (
    MOST_INSTRUCTIONS,
    MOST_VECTOR_INSTRUCTIONS,
    Unit,
    UnitInstruction,
    UnitParameter,
    UnitPrice,
    UnitRtl,
    VectorForm,
    VectorPart,
)
from gnomon.arch.units.area import AREA_FILE, MODULE, UnitArea, find_area
from gnomon.arch.units.file import (
    LONGEST_VECTOR_CYCLES,
    InstructionKeys,
    UnitFile,
)
from gnomon.arch.units.lanes import hardware_of, least_cycles
from gnomon.base.content import find
from gnomon.base.digest import digest
from gnomon.base.errors import GnomonError, allowed_hint
from gnomon.base.files import is_file, read_text
from gnomon.base.schema import problems_at, validate_tree
from gnomon.base.tables import shown_path
from gnomon.base.yaml import FileError, Place, read_file, shown, strip_lines
from gnomon.base.yaml import Mapping as Tree
from gnomon.isa import INSTRUCTIONS, Instruction, Meaning, Role

_FIELDS: Final[dict[str, tuple[str, ...]]] = {
    "R": ("rd", "rs1", "rs2"), "I": ("rd", "rs1", "imm"), "R4": ("rd", "rs1", "rs2", "rs3"),
}  # fmt: skip
_C_WORDS: Final = frozenset([
    "auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum",
    "extern", "float", "for", "goto", "if", "inline", "int", "long", "register", "restrict",
    "return", "short", "signed", "sizeof", "static", "struct", "switch", "typedef", "union",
    "unsigned", "void", "volatile", "while", "asm", "typeof", "bool", "true", "false", "nullptr",
    "main",
])  # fmt: skip
_MNEMONIC: Final = re.compile(r"[a-z][a-z0-9]*([._][a-z0-9]+)*")
_TYPE: Final = re.compile(r"u?int((_fast|_least)?[0-9]+|max|ptr)_t")
_FUNCTION: Final = re.compile(r"\bUNIT\(\s*(\w+)\s*\)", re.ASCII)
_COMMENT: Final = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_INCLUDED: Final = re.compile(r"^[ \t]*#[ \t]*(?:include|embed)[ \t]*\"([^\"\n]*)", re.MULTILINE)
_FILE: Final = "unit.yaml"
_MOST_COMBINATIONS = 4096  # of parameters, for which every latency model is checked
_ROLES: Final[dict[str | None, Role | None]] = {
    "result": "result", "accumulator": "accumulator", "operand": "operand", "vector": "spm_vector",
    "scalar": "register_scalar", None: None,
}  # fmt: skip
_VECTOR_OPERANDS: Final[dict[str, tuple[str | None, ...]]] = {
    "rd": ("result",), "rs1": ("vector",), "rs2": ("vector", "scalar", None),
    "rs3": ("scalar", None),
}  # fmt: skip
_NOT_WITH_VECTORS: Final = {
    "state": "lanes have no common state",
    "price": "its energy depends on the length of the vectors",
}


class _Texts(NamedTuple):
    """The files of a unit: ``unit.yaml``, its C, and its SystemVerilog by name."""

    folder: str
    description: str
    code: str | None  # None: the file is missing
    rtl: tuple[tuple[str, str | None], ...]
    area: str | None = None


def load_unit(name: str, given: Mapping[str, Any]) -> Unit:
    """Return a unit with the parameters that a machine gives; the others have their defaults.

    Raises:
        GnomonError: if the unit is missing, its files are wrong (one line per problem:
            ``file:line: key: problem``), or a parameter does not exist or is out of range.
    """
    return unit_in(find("units", name).folder, name, given)


def unit_in(folder: Path, name: str, given: Mapping[str, Any]) -> Unit:
    """Return the unit of a folder, see :func:`load_unit`."""
    file, texts = read_unit(folder)
    parameters = {each: keys.default for each, keys in file.parameters.items()}
    for each, value in given.items():
        if each not in parameters:
            raise GnomonError(f"no parameter is called {each!r} {allowed_hint(each, parameters)}")
        low, high = file.parameters[each].range
        if type(value) is not int or not low <= value <= high:
            raise GnomonError(f"{each} must be {low} to {high}, not {shown(value)}")
        parameters[each] = value
    try:
        return _make_unit(name, texts, tuple(parameters.items()))
    except ValueError as error:  # only the ends of large ranges were checked
        raise GnomonError(f"{shown_path(folder / _FILE)}: {error}") from None


@lru_cache(maxsize=256)
def _make_unit(name: str, texts: _Texts, parameters: tuple[tuple[str, int], ...]) -> Unit:
    file, values = _parse(texts), dict(parameters)
    instructions = tuple(
        UnitInstruction(
            row=_make_row(mnemonic, each, file.source),
            model=each.cycles.model(values, file.source),
            use_cycles=each.use_cycles(values),
            third=each.operands.third,
            vector=_make_form(each),
        )
        for mnemonic, each in file.instructions.items()
    )
    state, rtl, price = file.state, file.rtl, file.price
    unit = Unit(
        name=name,
        title=file.title,
        parameters=tuple(
            UnitParameter(each, value, keys.default, *keys.range, keys.meaning)
            for (each, value), keys in zip(parameters, file.parameters.values(), strict=True)
        ),
        instructions=instructions,
        code=texts.code or "",
        code_file=f"{Path(texts.folder).name}/{file.code}",
        folder=texts.folder,
        state_bytes=0 if state is None else state.bytes,
        shared=state is not None and state.of == "shared",
        rtl=None if rtl is None else UnitRtl(
            tuple((each, text or "") for each, text in texts.rtl), rtl.top
        ),
        price=None if price is None else UnitPrice(price.value, price.source),
        digest=digest((texts.description, texts.code, texts.rtl)),
    )  # fmt: skip
    return replace(unit, area=_find_area(unit, texts))


def _find_area(unit: Unit, texts: _Texts) -> UnitArea | str:
    if unit.rtl is None:
        return "it has no SystemVerilog"
    where = shown_path(Path(texts.folder, AREA_FILE))
    return find_area(texts.area, where, unit.values, hardware_of(unit).digest)


def _make_form(keys: InstructionKeys) -> VectorForm | None:
    if keys.vector is None:
        return None
    reduces = keys.vector.form == "reduce"
    held = {*keys.vector.holds, *(["accumulator"] if reduces else [])}
    parts = tuple(each for each in get_args(VectorPart) if each in held)
    return VectorForm(keys.vector.elements, reduces, parts)


def _make_row(mnemonic: str, keys: InstructionKeys, source: str) -> Instruction:
    match, mask = keys.encoding.match_and_mask()
    given = keys.operands.given()
    rd, rs1, rs2 = (_ROLES[given.get(field)] for field in ("rd", "rs1", "rs2"))
    if keys.vector is not None:
        rd = "spm_word" if keys.vector.form == "reduce" else "spm_vector"
    return Instruction(
        number=-1, mnemonic=mnemonic, format=keys.encoding.format, match=match, mask=mask,
        template=match, extension="unit", rd=rd, rs1=rs1, rs2=rs2,
        timing_class="unit" if keys.vector is None else "kdsp", description=keys.meaning,
        source=source, meaning=Meaning(),
    )  # fmt: skip


def read_unit(folder: Path) -> tuple[UnitFile, _Texts]:
    """Read and check the files of a unit.

    Raises:
        FileError: if they are wrong; one line per problem.
    """
    path = folder / _FILE
    tree, _ = read_file(path, "unit", shown_path(path))
    code, rtl = tree.at("code"), tree.at("rtl")
    sources = rtl.at("sources") if isinstance(rtl, Tree) else None
    names = strip_lines(sources) if sources is not None else []
    texts = _Texts(
        str(folder),
        read_text(path),
        None if code is None else _text_of(folder, strip_lines(code)),
        tuple((str(each), _text_of(folder, each))
              for each in (names if isinstance(names, list) else [])),
        _text_of(folder, AREA_FILE),
    )  # fmt: skip
    return _parse(texts), texts


def _text_of(folder: Path, name: object) -> str | None:
    """Return the text of a file in the folder itself; None if there is none."""
    if not isinstance(name, str) or Path(name).name != name or not is_file(folder / name):
        return None
    return read_text(folder / name)


@lru_cache(maxsize=64)
def _parse(texts: _Texts) -> UnitFile:
    path = Path(texts.folder, _FILE)
    where = shown_path(path)
    tree, twice = read_file(path, "unit", where)
    file = validate_tree(tree, UnitFile, twice)
    found = [*_check_instructions(file), *_check_laws(file), *_check_vectors(file)]
    found += _check_files(file, texts)
    if found:
        raise FileError(problems_at(tree, found))
    return file


Found = Iterator[tuple[Place, str]]


def _check_instructions(file: UnitFile) -> Found:
    if not 1 <= len(file.instructions) <= MOST_INSTRUCTIONS:
        count = len(file.instructions)
        yield ("instructions",), f"must be 1 to {MOST_INSTRUCTIONS} instructions, not {count}"
    seen: dict[str, tuple[int, int]] = {}
    for name, each in file.instructions.items():
        place = ("instructions", name)
        if why := why_not_mnemonic(name):
            yield place, why
        yield from _check_operands(place, each)
        match, mask = each.encoding.match_and_mask()
        for other, (bits, of) in seen.items():
            if not (match ^ bits) & mask & of:
                yield (*place, "encoding"), f"overlaps the encoding of {other}"
        seen[name] = match, mask


def why_not_mnemonic(name: str) -> str:
    """Return the reason why an instruction of a unit cannot have a name; empty: it can."""
    if not _MNEMONIC.fullmatch(name):
        return "not a mnemonic: lower-case letters, digits, '.', '_'"
    for words, of in ((_C_WORDS, "C"), ({row.mnemonic for row in INSTRUCTIONS}, "RV32 or the T13")):
        if name in words:
            return f"{name} is a word of {of}"
    if _TYPE.fullmatch(name.replace(".", "_")):
        return f"{name} would be a type of stdint.h in units.h"
    return ""


def _check_operands(place: Place, each: InstructionKeys) -> Found:
    form, operands = each.encoding.format, each.operands
    given = [name for name, value in operands if value is not None]
    for name in given:
        if name not in _FIELDS[form]:
            fields = ", ".join(_FIELDS[form])
            yield (*place, "operands", name), f"format {form} has no {name} (allowed: {fields})"
    if operands.rd == "accumulator" and (operands.rs3 or operands.imm):
        yield (
            (*place, "operands", "rd"),
            ("the port has one third operand: an accumulator excludes rs3 and imm"),
        )
    by = each.cycles.by
    needs = {"rs1-bits": ("rs1",), "rs2-bits": ("rs2",), "shift-amount": ("rs2",), None: ()}
    for name in needs.get(by, ("rs1", "rs2")):
        if name not in given:
            yield (*place, "cycles", "by"), f"{by} needs the operand {name}"


def _check_laws(file: UnitFile) -> Found:
    """Check each latency model for all combinations of parameters, or for the ends of ranges."""
    ranges = [each.range for each in file.parameters.values()]
    values: list[range | tuple[int, int]] = [range(low, high + 1) for low, high in ranges]
    combinations = 1
    for each in values:
        combinations *= len(each)
    if combinations > _MOST_COMBINATIONS:
        values = list(ranges)
    if len(file.instructions) > MOST_INSTRUCTIONS:
        return
    for name, keys in file.instructions.items():
        for point in product(*values):
            parameters = dict(zip(file.parameters, point, strict=True))
            try:
                model = keys.cycles.model(parameters, file.source)
                _check_start_up(keys, model, built=file.rtl is not None)
            except ValueError as error:
                yield ("instructions", name, "cycles"), str(error)
                break
            try:
                keys.use_cycles(parameters)
            except ValueError as error:
                yield ("instructions", name, "use"), str(error)
                break


def _check_start_up(keys: InstructionKeys, model: LatencyModel, *, built: bool) -> None:
    if keys.vector is None:
        return
    most, least = model.most_cycles, 1
    what = "cycles of a vector instruction"
    if built:
        least = least_cycles(reduces=keys.vector.form == "reduce")
        what += f" with SystemVerilog and form: {keys.vector.form}"
    if not least <= most <= LONGEST_VECTOR_CYCLES:
        raise ValueError(f"must be {least} to {LONGEST_VECTOR_CYCLES} {what}, not {most}")


def _check_vectors(file: UnitFile) -> Found:
    """Check the rules of vector instructions, and that no other instruction has their operands."""
    vectors = [name for name, keys in file.instructions.items() if keys.vector is not None]
    for name, keys in file.instructions.items():
        place, given = ("instructions", name), keys.operands.given()
        if keys.vector is None:
            for field, word in given.items():
                if word in ("vector", "scalar"):
                    yield (*place, "operands", field), f"{word} needs the key vector"
            continue
        for field, allowed in _VECTOR_OPERANDS.items():
            if given.get(field) not in allowed:
                words = ", ".join("none" if each is None else each for each in allowed)
                problem = f"of a vector instruction must be one of: {words}"
                at = (*place, "operands", *([field] if field in given else []))
                yield at, problem if field in given else f"{field} {problem}"
        if keys.cycles.by is not None:
            yield (
                (*place, "cycles", "by"),
                "cycles of a vector instruction must not depend on operands",
            )
        if keys.use != 0:
            yield (*place, "use"), "a vector instruction writes no register"
    yield from _check_file_of_vectors(file, vectors)


def _check_file_of_vectors(file: UnitFile, vectors: list[str]) -> Found:
    if len(vectors) > MOST_VECTOR_INSTRUCTIONS:
        what = f"{len(vectors)} vector instructions, more than {MOST_VECTOR_INSTRUCTIONS}"
        yield ("instructions",), what
    scalars = [name for name in file.instructions if name not in vectors]
    if vectors and scalars and file.rtl is not None:
        what = f"{vectors[0]} is a vector instruction, and {scalars[0]} is not"
        yield ("rtl",), f"{what}: put instructions with SystemVerilog into two units"
    for key, why in _NOT_WITH_VECTORS.items():
        if vectors and getattr(file, key) is not None:
            yield (key,), f"{vectors[0]} is a vector instruction: {why}"


def _check_files(file: UnitFile, texts: _Texts) -> Found:
    if texts.code is None:
        yield ("code",), f"no such file in {texts.folder}: {file.code}"
    else:
        yield from _check_code(file, _COMMENT.sub(" ", texts.code))
    if file.rtl is None:
        return
    for number, (name, text) in enumerate(texts.rtl):
        if text is None:
            yield ("rtl", "sources", number), f"no such file in {texts.folder}: {name}"
    if all(text is not None for _, text in texts.rtl):
        modules = [each for _, text in texts.rtl for each in MODULE.findall(text or "")]
        if file.rtl.top not in modules:
            yield (
                ("rtl", "top"),
                f"no module is called {file.rtl.top!r} " + allowed_hint(file.rtl.top, modules),
            )


def _check_code(file: UnitFile, code: str) -> Found:
    for name in _INCLUDED.findall(code):
        yield ("code",), f"{file.code} includes {name}: the C of a unit is one file"
    functions = _FUNCTION.findall(code)
    names: dict[str, str] = {}
    for name in file.instructions:
        first = names.setdefault(name.replace(".", "_"), name)
        if first != name:
            yield ("instructions", name), f"has the C function of {first}"
    for function, name in names.items():
        if function not in functions:
            yield ("instructions", name), f"{file.code} has no function UNIT({function})"
    for function in dict.fromkeys(functions):
        if function not in names:
            hint = allowed_hint(function, names)
            yield ("code",), f"{file.code} has UNIT({function}), no instruction {hint}"
