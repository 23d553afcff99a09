"""Scalar loops that are equivalent to a vector instruction, and C code for the replacement.

The branch-free body of an inner loop is evaluated symbolically once, from the initial values of
registers and memory. The loop is equivalent to a vector instruction if it sums consecutive words or
products of consecutive words. It is also equivalent if it writes an array element by element from
one or two arrays. Numbers of calls and words are those of the run.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from gnomon.arch import Architecture
from gnomon.isa import Decoded, decode_word
from gnomon.program import Program, build
from gnomon.sim import Region, Run, simulate

_LONGEST_BODY = 64


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop of the program, and its equivalent vector instruction."""

    function: str
    address: int
    cycles: int  # of the hart that runs it
    calls: int
    length: int  # in words, on average
    instruction: str


@dataclass(frozen=True, slots=True)
class _Sum:
    """A sum of terms and a constant."""

    terms: tuple[_Term, ...] = ()
    constant: int = 0

    def plus(self, other: _Sum) -> _Sum:
        return _Sum((*self.terms, *other.terms), self.constant + other.constant)

    def made_of(self, *kinds: str) -> bool:
        return all(term.kind in kinds for term in self.terms)


@dataclass(frozen=True, slots=True)
class _Term:
    """A term by ``kind``: ``before`` register, ``load`` at ``one``, ``mul`` or ``sub`` of both.

    Any other kind is an unknown value. Addresses are sums of registers; operands of a product are
    registers and words. Deeper terms match none of the vector instructions, and could double in
    size with each instruction.
    """

    kind: str
    one: _Sum = _Sum()
    two: _Sum = _Sum()
    number: int = 0


def find_vector_loops(run: Run, program: Program) -> Iterator[Loop]:
    """Yield equivalent loops that exactly one hart runs."""
    profile = run.profile
    for end in profile.issues.sum(axis=0).nonzero()[0].tolist():
        branch = _decode_at(program, profile.address(end))
        harts = profile.issues[:, end].nonzero()[0].tolist()
        if branch is None or branch.instruction.format != "B" or len(harts) != 1:
            continue
        start = end + branch.imm // profile.step_bytes
        if not 0 < start < end <= start + _LONGEST_BODY:
            continue
        known = _recognize(_decode_body(program, profile.address(start), profile.address(end)))
        issues = profile.issues[harts[0]]
        # With compressed instructions, the one before begins one or two places earlier.
        before = issues[max(start - 4 // profile.step_bytes, 0) : start]
        calls, iterations = int(before[before > 0][-1:].sum()), int(issues[end])
        if known is not None and 0 < calls <= iterations:
            cycles = int(profile.cycles[harts[0], start : end + 1].sum())
            length = -(-iterations * known[1] // calls)
            address = profile.address(start)
            name = program.function_name(address)
            yield Loop(name, address, cycles, calls, length, known[0])


def _decode_body(program: Program, address: int, end: int) -> list[Decoded | None]:
    """Return the decoded instructions of a loop; None for undecodable words."""
    found: list[Decoded | None] = []
    while address < end:
        found.append(_decode_at(program, address))
        address += found[-1].size_bytes if found[-1] is not None else end
    return found


def _decode_at(program: Program, address: int) -> Decoded | None:
    return decode_word(program.instruction_at(address), compressed=program.compressed)


def _recognize(words: list[Decoded | None]) -> tuple[str, int] | None:
    """Return the vector instruction and the words per iteration; None: not equivalent to one."""
    before = [_Sum((_Term("before", number=k),) if k else ()) for k in range(32)]
    now = list(before)
    stores: list[tuple[_Sum, _Sum]] = []
    for number, word in enumerate(words):
        if word is None:
            return None
        one, two = now[word.rs1], now[word.rs2]
        other = _Sum((_Term("other", number=number),))
        match word.instruction.mnemonic:
            case "addi":
                value = one.plus(_Sum((), word.imm))
            case "add":
                value = one.plus(two)
                if len(value.terms) > _LONGEST_BODY:
                    value = other
            case "lw":
                at = one.plus(_Sum((), word.imm))
                value = _Sum((_Term("load", at),)) if at.made_of("before") else other
            case "mul" | "sub" as name:
                simple = one.made_of("before", "load") and two.made_of("before", "load")
                value = _Sum((_Term(name, one, two),)) if simple else other
            case "sw":
                stores.append((one.plus(_Sum((), word.imm)), two))
                continue
            case "lui" | "slli" | "srli" | "srai" | "and" | "andi" | "or" | "ori" | "xor" | "xori":
                value = other
            case _:
                return None
        if word.rd:
            now[word.rd] = value
    return _Iteration(before, now, stores).find_instruction()


@dataclass(frozen=True, slots=True)
class _Iteration:
    """One iteration of a loop: values before and after it, and its stores."""

    before: list[_Sum]
    now: list[_Sum]
    stores: list[tuple[_Sum, _Sum]]

    def find_instruction(self) -> tuple[str, int] | None:
        """Return the vector instruction and the words per iteration, or None."""
        sums = [
            value.terms[:place] + value.terms[place + 1 :]
            for was, value in zip(self.before, self.now, strict=True)
            if len(value.terms) > 1 and was.terms and was.terms[0] in value.terms
            for place in (value.terms.index(was.terms[0]),)
        ]
        if len(sums) == 1 and not self.stores:
            (terms,) = sums
            if self._are_consecutive([_Sum((term,)) for term in terms]):
                return "kvred", len(terms)
            products = all(term.kind == "mul" for term in terms)
            if products and all(
                self._are_consecutive([getattr(t, one) for t in terms]) for one in ("one", "two")
            ):
                return "kdotp", len(terms)
        if sums or not self.stores or self._find_step([at for at, _ in self.stores]) is None:
            return None
        found = {self._match_stores(k) for k in ("add", "sub", "mul")} - {None}
        return (found.pop() or "", len(self.stores)) if len(found) == 1 else None

    def _match_stores(self, kind: str) -> str | None:
        """Return the instruction that computes all stores from two arrays or array and scalar."""
        pairs = []
        for _, value in self.stores:
            term = value.terms[0] if value.terms else _Term("other")
            if kind == "add" and len(value.terms) == 2 and not value.constant:
                pairs.append((_Sum(value.terms[:1]), _Sum(value.terms[1:])))
            elif kind == "add" and len(value.terms) == 1 and value.constant:
                pairs.append((value, _Sum((), value.constant)))
            elif len(value.terms) == 1 and term.kind == kind and not value.constant:
                pairs.append((term.one, term.two))
            else:
                return None
        left, right = ([pair[k] for pair in pairs] for k in (0, 1))
        if self._are_consecutive(left) and self._are_consecutive(right):
            return {"add": "kaddv", "sub": "ksubv", "mul": "kvmul"}[kind]
        if kind != "sub" and any(self._are_consecutive(a) and self._is_fixed(b)
                                 for a, b in ((left, right), (right, left))):  # fmt: skip
            return {"add": "ksvaddrf", "mul": "ksvmulrf"}[kind]
        return None

    def _is_fixed(self, values: list[_Sum]) -> bool:
        """Return whether all values are one value that is the same in all iterations."""
        return len(set(values)) == 1 and all(
            term.kind == "before" and self.now[term.number] == self.before[term.number]
            for term in values[0].terms
        )

    def _are_consecutive(self, values: list[_Sum]) -> bool:
        """Return whether values are consecutive words of one array, also across iterations."""
        places = []
        for value in values:
            if len(value.terms) != 1 or value.terms[0].kind != "load":
                return False
            places.append(value.terms[0].one)
        return self._find_step(places) is not None

    def _find_step(self, places: list[_Sum]) -> int | None:
        """Return the bytes that consecutive addresses move per iteration; None: not consecutive."""
        registers = {tuple(sorted(place.terms, key=repr)) for place in places}
        offsets = sorted(place.constant for place in places)
        if len(registers) != 1 or offsets != list(
            range(offsets[0], offsets[0] + 4 * len(places), 4)
        ):
            return None
        step = 0
        for term in registers.pop():
            if term.kind != "before" or self.now[term.number].terms != (term,):
                return None
            step += self.now[term.number].constant
        return step if step == 4 * len(places) else None


_SCALAR: Final = ("ksvaddrf", "ksvmulrf")
_REDUCES: Final = ("kdotp", "kvred")


def vector_code(instruction: str) -> str:
    """Return a C function that applies the instruction to ``n`` words, scratchpad by scratchpad."""
    scalar, reduces = instruction in _SCALAR, instruction in _REDUCES
    given = "const int *a" + (", int x" if scalar else ", const int *b" * (instruction != "kvred"))
    second = {"kvred": "", **dict.fromkeys(_SCALAR, ", (unsigned)x")}
    lines = ["vcu_set_mvsize(bytes);", "kmemld(VCU_SPM(0), a + k, bytes);"]
    lines += ["kmemld(VCU_SPM(1), b + k, bytes);"] * ("*b" in given)
    lines.append(f"{instruction}(VCU_SPM(0), VCU_SPM(0){second.get(instruction, ', VCU_SPM(1)')});")
    if reduces:
        head, start, end = (
            f"int vector_{instruction}(",
            "    int sum = 0, part;\n",
            "    return sum;\n",
        )
        lines += ["kmemstr(&part, VCU_SPM(0), 4);", "sum += part;"]
    else:
        head, start, end = f"void vector_{instruction}(int *out, ", "", ""
        lines.append("kmemstr(out + k, VCU_SPM(0), bytes);")
    return (
        f"static {head}{given}, unsigned n)\n{{\n{start}"
        "    vcu_set_mvtype(VCU_32_BIT);\n"
        "    for (unsigned k = 0; k < n; k += VCU_SPM_BYTES / 4) {\n"
        "        unsigned bytes = 4 * (n - k < VCU_SPM_BYTES / 4 ? n - k : VCU_SPM_BYTES / 4);\n"
        + "".join(f"        {line}\n" for line in lines)
        + f"    }}\n{end}}}\n"
    )


def measure_call_cycles(instruction: str, length: int, machine: Architecture) -> int:
    """Return the wall cycles of one call of :func:`vector_code` on an otherwise idle machine.

    Raises:
        GnomonError: if the program does not fit the machine.
    """
    arguments = "a" + (", x" if instruction in _SCALAR else ", b" * (instruction != "kvred"))
    result = "seen = " if instruction in _REDUCES else ""
    out = "" if instruction in _REDUCES else "out, "
    source = (
        f'#include "gnomon.h"\n#include "vcu.h"\n{vector_code(instruction)}'
        f"int a[{length}], b[{length}], out[{length}];\nvolatile int x = 3, seen;\n"
        f"GNOMON_REGION void work(void)\n{{\n"
        f"    {result}vector_{instruction}({out}{arguments}, {length});\n}}\n"
        "int main(void)\n{\n    work();\n    return 0;\n}\n"
    )
    with TemporaryDirectory() as folder:
        path = Path(folder) / "loop.c"
        path.write_text(source, encoding="utf-8")
        program = build([path], machine)
    region = Region("work", program.symbol("work").address)
    (measured,) = simulate(program, machine, regions=[region]).regions["work"]
    return measured.wall_cycles
