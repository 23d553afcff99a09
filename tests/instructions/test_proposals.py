"""Proposed instructions save what is predicted, with equal results."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from typer.testing import CliRunner

from gnomon.arch import load_architecture
from gnomon.arch.units.load import load_unit
from gnomon.arch.units.machine import add_unit
from gnomon.base.errors import CheckFailed, GnomonError
from gnomon.cli.app import app
from gnomon.measure.learners import LearnerBench, find_embedded_learner
from gnomon.observe.instructions import (
    load_proposed,
    make_edit,
    propose_instructions,
    prove_instruction,
    unit_texts,
)
from gnomon.observe.instructions._graph import Graph, Node
from gnomon.program import MARKS, Program, build, find_marks
from gnomon.sim import simulate
from tests.conftest import absent

if TYPE_CHECKING:
    from gnomon.arch import Architecture
    from gnomon.observe.instructions import Proof, Proposal, Rebuild
    from gnomon.sim import Run

GALLERY = Path(__file__).parents[2] / "examples" / "c"
LEARNERS = {
    "linucb-hybrid": "tuned", "linucb-disjoint": "tuned", "lin-sgd": "tuned", "softucb": "tuned",
    "linucb-diagonal": "tuned", "thompson-disjoint": "tuned",
}  # fmt: skip
SOURCE = """\
#include "gnomon.h"
int a[40], b[40], sum = 3;
volatile int seed = 5;
int main(void)
{
    for (int k = 0; k < 40; k++) a[k] = k * seed, b[k] = k ^ seed;
    for (int k = 0; k < 40; k++) sum += a[k] * b[k] >> 4 ^ a[k];
    gnomon_print(sum);
    return 0;
}
"""


MANY_ARGUMENTS = """\
#include "gnomon.h"
volatile int seed = 5;
static __attribute__((noinline)) int many(int a, int b, int c, int d, int e, int f, int g, int h,
                                          int i, int j)
{
    return a + 2 * b + 3 * c - d + e * f + g - h + 5 * i - 3 * j;
}
int main(void)
{
    int s = seed, sum = 0;
    for (int k = 0; k < 100; k++) {
        int t = (k * s ^ 77) + k;
        sum ^= many(k, s, sum, k, s, k, s, k + t, t * 3, t);
    }
    gnomon_print(sum);
    return 0;
}
"""


@dataclass
class Mined:
    """A program, its run and the proposals."""

    program: Program
    run: Run
    rebuild: Rebuild
    proposals: tuple[Proposal, ...]

    def prove(self, number: int) -> Proof:
        unit = self.unit(number)
        return prove_instruction(self.proposals[number], unit, self.program, self.run, self.rebuild)

    def unit(self, number: int) -> Any:
        proposal, name = self.proposals[number], f"own-{number}"
        files = unit_texts(proposal, name, self.program.name, self.run.architecture)
        return load_proposed(name, files)


def _mine(rebuild: Rebuild, architecture: Architecture) -> Mined:
    program = rebuild(architecture=architecture)
    run = simulate(program, architecture)
    marked = rebuild(architecture=architecture, edit=MARKS)
    return Mined(program, run, rebuild, propose_instructions(run, program, marked, architecture))


def _check_all(mined: Mined) -> None:
    """Check that each prediction is within 10 % of the run, whose results are equal."""
    for number, proposal in enumerate(mined.proposals):
        proof = mined.prove(number)
        assert proof.executions == proposal.executions
        for predicted, saved in (
            (proposal.saves_wall_cycles, proof.saves_wall_cycles),
            (proposal.saves_hart_cycles, proof.saves_hart_cycles),
        ):
            assert abs(predicted - saved) <= 0.1 * saved, (proposal.text, predicted, saved)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "sum.c"
    path.write_text(SOURCE)
    return path


@pytest.mark.parametrize(("name", "compiler"), [
    ("t13", "zig"), ("rv32im", "zig"), ("picorv32-fast", "zig"), ("t13", "gcc"),
])  # fmt: skip
def test_a_program(source: Path, name: str, compiler: str) -> None:
    if compiler == "gcc" and not shutil.which("riscv64-unknown-elf-gcc"):
        absent("riscv64-unknown-elf-gcc")
    mined = _mine(
        lambda **more: build([source], compiler=compiler, **more), load_architecture(name)
    )
    assert len(mined.proposals) > 0
    _check_all(mined)


@pytest.mark.parametrize("name", ["t13", "picorv32"])
def test_arguments_of_static_functions(tmp_path: Path, name: str) -> None:
    """Of ten, the compiler passes two in registers outside of the calling convention."""
    path = tmp_path / "many.c"
    path.write_text(MANY_ARGUMENTS)
    mined = _mine(lambda **more: build([path], **more), load_architecture(name))
    assert len(mined.proposals) > 1
    _check_all(mined)
    for number in range(len(mined.proposals)):  # the loader takes each on this machine
        add_unit(mined.run.architecture, mined.unit(number))


def test_a_machine_has_no_room_for_a_unit(source: Path) -> None:
    """The rules of machine files are those of a proposed unit, too."""
    machine = load_architecture("t13", ["units.popcount={}"])
    mined = _mine(lambda **more: build([source], **more), machine)
    files = unit_texts(mined.proposals[0], "popcount", "sum", machine)
    with pytest.raises(GnomonError, match="popcount has the name of popcount"):
        add_unit(machine, load_proposed("popcount", files))


def test_a_wrong_instruction_is_refused(source: Path) -> None:
    mined = _mine(lambda **more: build([source], **more), load_architecture("t13"))
    right = mined.proposals[0]
    last = right.graph.nodes[-1]
    wrong = Graph((*right.graph.nodes[:-1], last, Node("addi", (len(right.graph.nodes) - 1,), 1)),
                  right.graph.inputs)  # fmt: skip
    mined.proposals = (replace(right, graph=wrong),)
    with pytest.raises(CheckFailed, match="printed words"):
        mined.prove(0)


def test_the_command_writes_a_unit(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (source.parent / "gnomon.yaml").touch()
    monkeypatch.chdir(source.parent)
    command = ["advise", str(source), "--arch", "t13", "--write-unit", "xor-sum", "--json"]
    shown = CliRunner().invoke(app, command)
    assert shown.exit_code == 0, shown.output
    first = json.loads(shown.stdout)["instructions"][0]
    assert first["how"] == "about"
    assert first["functions"] == ["main"]
    assert first["saves_cycles"] == first["predicted_cycles"] > 0
    unit = load_unit("xor-sum", {})
    assert [each.mnemonic for each in unit.instructions] == ["xor_sum"]
    assert unit.instructions[0].model.cycles_of(0, 0) == first["cycles"]
    again = CliRunner().invoke(app, command)
    assert "exists already" in str(again.exception)


@pytest.mark.parametrize(("words", "message"), [
    ([], "name FILE, or a learner"),
    (["a.c", "--learner", "lin-sgd"], "name FILE, or a learner"),
    (["a.c", "--variant", "standard", "--d", "4"], "--variant, --d: for --learner NAME"),
    (["--learner", "lin-sgd", "--variant", "standard-vector"], "t13 has no vector unit"),
    (["a.c", "--pick", "2"], "--pick: is for --write-unit NAME"),
    (["a.c", "--write-unit", "mul"], "a unit cannot be called 'mul': mul is a word of RV32"),
    (["a.c", "--write-unit", "uint32-t"], "uint32_t would be a type of stdint.h"),
])  # fmt: skip
def test_options_that_cannot_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], message: str
) -> None:
    (tmp_path / "gnomon.yaml").touch()
    (tmp_path / "a.c").write_text("int main(void) { return 0; }")
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, ["advise", *words, "--arch", "t13"])
    assert isinstance(result.exception, GnomonError)
    assert message in str(result.exception)
    assert not (tmp_path / "units").exists()


def test_no_unit_is_written_if_its_proof_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program that prints its cycles prints others with the instruction."""
    (tmp_path / "gnomon.yaml").touch()
    counts = '    __asm__ volatile("csrr %0, mcycle" : "=r"(sum));\n    gnomon_print(sum);'
    (tmp_path / "time.c").write_text(SOURCE.replace("    gnomon_print(sum);", counts))
    monkeypatch.chdir(tmp_path)
    words = ["advise", "time.c", "--arch", "t13", "--prove", "--write-unit", "one"]
    result = CliRunner().invoke(app, words)
    assert isinstance(result.exception, CheckFailed)
    assert "printed words" in str(result.exception)
    assert "a program that outputs its own cycles" in str(result.exception)
    assert not (tmp_path / "units").exists()


def test_the_library_has_no_proposals(tmp_path: Path) -> None:
    """No source of the user can call an instruction there."""
    path = tmp_path / "sort.c"
    path.write_text(
        "#include <stdlib.h>\nint a[200];\n"
        "static int order(const void *x, const void *y) { return *(int *)x - *(int *)y; }\n"
        "int main(void) { for (int k = 0; k < 200; k++) a[k] = k * 7919 % 211 * 3 + 1;\n"
        "qsort(a, 200, sizeof *a, order); return a[0] & 1; }\n"
    )
    mined = _mine(lambda **more: build([path], **more), load_architecture("t13"))
    assert mined.run.work.instructions["mul"] > 200  # of qsort, too
    found = {each.address for proposal in mined.proposals for each in proposal.sites}
    assert {mined.program.function_name(each) for each in found} <= {"main", "order"}


@pytest.mark.parametrize("order", [1, -1])
def test_a_line_that_the_linker_deletes_keeps_its_label(source: Path, order: int) -> None:
    """Relaxation of the linker gives it the address of the next line."""
    program = build([source], load_architecture("t13"))
    rows = [("gnomon.2.7lf", 64), ("gnomon.2.8", 64), ("gnomon.2.9", 68), ("main", 64)][::order]
    named = replace(program, symbols=tuple(program.symbols[0]._replace(name=name, address=address)
                                           for name, address in rows))  # fmt: skip
    marks = find_marks(named)
    assert [*marks] == [64, 68]
    assert (marks[64].labelled, marks[64].fixed) == (True, True)
    assert (marks[68].labelled, marks[68].fixed) == (False, False)


def test_assembly_has_no_proposals(tmp_path: Path) -> None:
    path = tmp_path / "a.s"
    path.write_text(".globl main\nmain:\n mul a0, a1, a1\n add a0, a0, a1\n li a0, 0\n ret\n")
    shown = CliRunner().invoke(app, ["advise", str(path), "--arch", "t13"])
    assert "no own instruction saves a hundredth of it" in shown.output


@pytest.mark.heavy("studies")
def test_the_command_proves_instructions_of_a_learner() -> None:
    command = ["advise", "--learner", "lin-sgd", "--arch", "t13", "--prove", "--json"]
    shown = CliRunner().invoke(app, command)
    assert shown.exit_code == 0, shown.output
    rows = json.loads(shown.stdout)["instructions"]
    assert rows
    assert {row["how"] for row in rows} == {"run"}


def _learner(name: str, architecture: Architecture) -> tuple[LearnerBench, Rebuild]:
    learner = find_embedded_learner(name)
    line = LEARNERS[name]
    variant = learner.variant(learner.scalar_names(line)[0], line)
    bench = LearnerBench(learner, variant, architecture, learner.sizes(8, 8))
    step = bench.step(case="random")

    def rebuild(*, architecture: Architecture = architecture, **more: Any) -> Program:
        other = replace(bench, architecture=architecture)
        return other.place(other.build(**more), step)

    return bench, rebuild


@pytest.mark.heavy("studies")
@pytest.mark.parametrize("name", ["dot", "fir", "mlp", "kalman", "quicksort", "ridge"])
def test_the_gallery(name: str) -> None:
    path = GALLERY / f"{name}.c"
    mined = _mine(lambda **more: build([path], **more), load_architecture("t13"))
    assert len(mined.proposals) > 0
    _check_all(mined)


@pytest.mark.heavy("studies")
@pytest.mark.parametrize("name", LEARNERS)
def test_learners(name: str) -> None:
    architecture = load_architecture("t13")
    bench, rebuild = _learner(name, architecture)
    mined = _mine(rebuild, architecture)
    assert len(mined.proposals) > 0
    _check_all(mined)
    # The learner's own check: arm, scores and model of the step are those of the host.
    unit = mined.unit(0)
    edit = make_edit(mined.proposals[0], unit)
    with_unit = replace(bench, architecture=architecture.model_copy(update={"units": (unit,)}))
    step = bench.step(case="random")
    before = bench.measure(step=step, details=False)
    after = with_unit.measure(program=with_unit.build(edit=edit), step=step, details=False)
    assert before.arm == after.arm
    cycles = [run.select.wall_cycles + run.update.wall_cycles for run in (before, after)]
    assert cycles[0] > cycles[1]
    if name == "linucb-hybrid":
        assert cycles[0] - cycles[1] >= 0.2 * cycles[0]
