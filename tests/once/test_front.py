"""The subset of Python: every node has a rule or is rejected with file, line and remedy."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

import pytest

from gnomon.base.errors import GnomonError
from gnomon.once.front import read_learner
from tests.once.programs import FIRST_LINE, HEAD, SELECT, UPDATE, load, method

if TYPE_CHECKING:
    from pathlib import Path

ACCEPTED = {
    "Add", "And", "AnnAssign", "Assign", "Attribute", "AugAssign", "BinOp", "BoolOp", "Call",
    "Compare", "Constant", "Div", "Eq", "Expr", "FloorDiv", "For", "Gt", "GtE", "If", "IfExp",
    "Load", "Lt", "LtE", "MatMult", "Mod", "Mult", "Name", "Not", "NotEq", "Or", "Pass", "Return",
    "Store", "Sub", "Subscript", "Tuple", "UAdd", "USub", "UnaryOp", "arg", "arguments",
}  # fmt: skip
REJECTED = {
    "Assert": "assert reward > 0",
    "AsyncFor": "async for i in x: pass",
    "AsyncFunctionDef": "async def f(): pass", "AsyncWith": "async with x: pass",
    "Await": "y = await x", "BitAnd": "y = arm & 1", "BitOr": "y = arm | 1",
    "BitXor": "y = arm ^ 1", "Break": "for i in range(2): break", "ClassDef": "class A: pass",
    "Continue": "for i in range(2): continue", "Del": "del x", "Delete": "del x",
    "Dict": "y = {}", "DictComp": "y = {i: i for i in x}",
    "ExceptHandler": "try: pass\nexcept ValueError: pass", "FormattedValue": "y = f'{x}'",
    "FunctionDef": "def f(): pass", "GeneratorExp": "y = sum(i for i in x)", "Global": "global y",
    "Import": "import math",
    "ImportFrom": "from math import pi", "In": "if arm in x: pass",
    "Invert": "y = ~arm", "Is": "if arm is x: pass", "IsNot": "if arm is not x: pass",
    "JoinedStr": "y = f'{x}'", "LShift": "y = arm << 1", "Lambda": "y = lambda: 1",
    "List": "y = [1.0]", "ListComp": "y = [i for i in x]", "Match": "match arm:\n    case 0: pass",
    "NamedExpr": "y = (z := 1.0)", "NotIn": "if arm not in x: pass",
    "Pow": "y = reward ** 2.0", "RShift": "y = arm >> 1", "Raise": "raise ValueError",
    "Set": "y = {1}", "SetComp": "y = {i for i in x}", "Slice": "y = x[1:2]",
    "Starred": "y = max(*x)", "Try": "try: pass\nfinally: pass",
    "TryStar": "try: pass\nexcept* ValueError: pass", "While": "while arm > 0: pass",
    "With": "with x: pass", "Yield": "yield x", "YieldFrom": "yield from x",
    "alias": "import math", "comprehension": "y = [i for i in x]", "keyword": "y = max(a=1.0)",
    "match_case": "match arm:\n    case 0: pass", "withitem": "with x: pass",
}  # fmt: skip
NO_STATEMENT = {
    "Expression", "FunctionType", "Interactive", "Module", "TypeIgnore", "Nonlocal", "AugLoad",
    "AugStore", "Param", "Suite", "Index", "ExtSlice", "Num", "Str", "Bytes", "NameConstant",
    "Ellipsis", "TypeAlias", "TypeVar", "ParamSpec", "TypeVarTuple", "TemplateStr",
    "Interpolation",
}  # fmt: skip
"""Nodes that no statement of a method contains, or that one version of Python alone has."""


def test_every_node_of_python_has_a_verdict() -> None:
    nodes = {
        name for name, kind in vars(ast).items()
        if isinstance(kind, type) and issubclass(kind, ast.AST) and not kind.__subclasses__()
    }  # fmt: skip
    patterns = {name for name in nodes if name.startswith("Match") and name != "Match"}
    assert nodes - patterns - NO_STATEMENT <= ACCEPTED | set(REJECTED)


METHODS = """
    def twice(self):
        total = 0
        for i in range(2):
            total += self.random.below(3)
        return total

    def half(self, v):
        v = v * 0.5
        return v @ v

    def nothing(self):
        self.n[0] += 1

    def first(self, v):
        v[0] = 0.5
        return v[1]

    def renew(self, v):
        self.w = 0.5 * v
        return v[0, 0]

    @property
    def ratio(self):
        return 0.5 * self.s
"""


def reject(folder: Path, name: str, body: str) -> str:
    other = {"update": SELECT, "select": UPDATE}[name]
    path = folder / "mine.py"
    path.write_text(HEAD + method(name, body) + other + METHODS)
    kind = load(path)
    with pytest.raises(GnomonError) as error:
        read_learner(kind(arms=3, dimensions=2))
    return str(error.value)


@pytest.mark.parametrize(
    "name", sorted(set(REJECTED) - NO_STATEMENT - {"Await", "AsyncFor", "AsyncWith"})
)
def test_a_node_without_a_rule_is_rejected(name: str, tmp_path: Path) -> None:
    text = REJECTED[name]
    assert name in {type(each).__name__ for each in ast.walk(ast.parse(text))}
    said = reject(tmp_path, "update", text)
    assert re.search(rf"mine\.py:({FIRST_LINE}|{FIRST_LINE + 1}): .+: .+", said), said


REFUSALS = [
    ("update", "row = self.w[arm]", r"another name for an array: write \.copy"),
    ("update", "y = self.other @ x", "add 'other' to keeps"),
    ("update", "y = self.misses", "add 'misses' to keeps"),
    ("update", "self.n[arm] = 0.5", "holds whole numbers"),
    ("update", "self.n[arm] += reward", "holds whole numbers"),
    ("update", "self.w[arm] = self.a[arm]", "shape"),
    ("update", "self.w[arm, 9] = 1.0", "index 9 is outside"),
    ("update", "self.w[reward] = 0.0", "must be a whole number"),
    ("update", "self.w[arm, 0, 0] = 1.0", "too many indices"),
    ("update", "self.alpha = 1.0", "cannot be assigned"),
    ("update", "x[0] = 1.0", "cannot be assigned"),
    ("update", "self.a[arm] += np.outer(self.a[arm, 0], x)", "take .copy()"),
    ("update", "y = np.outer(x, x)", "stands alone"),
    ("update", "self.a[arm] += np.outer(x, self.n)", "shape"),
    ("update", "y = np.linalg.inv(self.a[arm])", "write np.linalg.solve"),
    ("update", "y = np.linalg.solve(x, x)", "solve of shapes"),
    ("update", "y = np.linalg.solve(self.a[arm], self.n)", "solve of shapes"),
    ("update", "y = np.linalg.solve(self.a[arm])", "solve of shapes"),
    ("update", "y = np.linalg.solve(self.a[arm], self.a[arm])", "solve of shapes"),
    ("update", "y = np.sqrt(x)", "takes one number"),
    ("update", "y = np.maximum(x, self.n)", "differ"),
    ("update", "y = max(x, x)", "np.maximum"),
    ("update", "y = x + self.n", "differ"),
    ("update", "y = x @ self.n", "@ of shapes"),
    ("update", "y = self.a[arm] @ self.a[arm]", "@ of shapes"),
    ("update", "y = int(reward)", "int\\(\\) of a real number"),
    ("update", "y = arm // self.n[arm]", "divisor may be 0"),
    ("update", "y = arm / 0", "division by 0"),
    ("update", "y = z + 1.0", "z is not a variable"),
    ("update", "y = True", "not a number"),
    ("update", "y = 'text'", "not a number"),
    ("update", "y = 1e999", "not finite"),
    ("update", "y = 5000000000", "32 bits"),
    ("update", "y = z = 1.0", "several targets"),
    ("update", "y, z = x", "assign each"),
    ("update", "for i in range(self.n[arm]): pass", "range whose end changes"),
    ("update", "for i in x: pass", "range"),
    ("update", "for i in range(3):\n    i = 2", "loop variable"),
    ("update", "if reward: pass", "not a condition"),
    ("update", "if 0.0 < reward < 1.0 / self.s: pass", "second if"),
    ("update", "if 0.0 < reward in x: pass", "not a condition"),
    ("update", "y = x if arm > 0 else self.w[arm]", "choice between arrays"),
    ("update", "y: float", "give it a value"),
    ("update", "y = np.empty(3)", "write np.zeros"),
    ("update", "y = np.clip(reward, 0.5)", "two limits"),
    ("update", "if arm > 0 and reward / self.s > 1.0: pass", "second if"),
    ("update", "if arm > 0:\n    y = reward + 1.0\nelse:\n    y = arm + 2", "before the if"),
    ("update", "self.n += 1", "elements in a loop"),
    ("update", "self.w = 0.0", "would become a number"),
    ("update", "v = x + x\nv = 0.0", "would become a number"),
    ("update", "self.w = self.a[arm]", "another name for an array: write \\.copy"),
    ("update", "y = np.fabs(reward)", "write abs"),
    ("update", "y = np.random.rand()", r"self\.random\.below\(n\)"),
    ("update", "y = self.other.integers(3)", r"self\.random\.below\(n\)"),
    ("update", "y = x.argmax()", r"write np\.argmax\(y\)"),
    ("update", "y = np.max(x)", r"write y\[np\.argmax\(y\)\]"),
    ("update", "y = np.nan", "compute constants in __init__"),
    ("update", "y = self.a[arm].T", "not in the subset"),
    ("update", "return arm", "update returns a value"),
    ("update", "self.update(x, arm, reward)", "calls itself"),
    ("update", "self.missing(x)", "not a method"),
    ("update", "y = self.random.below(0)", "above 0"),
    ("update", "y = self.s.below(2)", "no generator"),
    ("update", "y = np.zeros(self.n[0])", "np.zeros of this shape"),
    ("update", "reward + 1.0", "not used"),
    ("update", "self.a *= 0.9", "arm by arm"),
    ("update", "self.a = self.a + self.a", "arm by arm"),
    ("update", "self.a = np.maximum(self.a, 0.0)", "arm by arm"),
    ("update", "y = self.a.copy()", "arm by arm"),
    ("update", "y = np.max(reward, 0)", "np.max\\(\\) is not in the subset"),
    ("update", "for i in range(2):\n    for i in range(2): pass", "i has another use"),
    ("update", "for i in range(2): pass\ny = i", "i has no value here"),
    ("update", "self = x", "assigns to self"),
    ("update", "if arm > 0 and self.twice() > 1: pass", "second if"),
    ("update", "y = self.half(self.w[arm])", "v is an argument"),
    ("update", "self.s = self.ratio", "computed when it is read"),
    ("update", "self.s = reward ** 2", "write a product, such as y \\* y"),
    ("update", "reward = max(reward, 0.0)", "reward is an argument.*choose another name"),
    ("update", "if arm < 0:\n    y = reward + 1.0\nself.s = y", "y has no value here"),
    ("update", "y = self.nothing()", "nothing returns no value"),
    ("update", "v = x + x\ny = v[0] + self.first(v)", "an argument inside an expression"),
    ("update", "y = self.renew(self.w)", "self.w is also an argument"),
    ("update", "if arm > 0 and np.linalg.solve(self.a[1], x) @ x > 0.0: pass", "second if"),
    ("select", "y = x @ x", "select must return an arm"),
    ("select", "return x @ x", "must be a whole number"),
    ("select", "return", "returns no arm"),
    ("select", "return 0\ny = 1.0", "after return"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "body", "words"), REFUSALS)
def test_what_is_refused_names_line_and_remedy(
    name: str, body: str, words: str, tmp_path: Path
) -> None:
    said = reject(tmp_path, name, body)
    assert re.search(words, said), said
    assert re.search(r"mine\.py:\d+: .+", said), said


STATES = [
    ("self.b = self.s_and_w = np.zeros(3)", '("b", "s_and_w")', r"share memory: write \.copy"),
    ("self.b = np.zeros(3, dtype=np.float32)", '("b",)', "float32: use float64"),
    ("self.b = np.zeros(3, dtype=np.int8)", '("b",)', "int8: use float64 or int64"),
    ("self.b = np.array([np.nan])", '("b",)', "finite"),
    ("self.b = 'text'", '("b",)', "must be a number or an array"),
    ("self.b = [0.0, 1.0]", '("b",)', "must be a number or an array"),
    ("self.b = np.ma.zeros(3)", '("b",)', "must be a number or an array"),
    ("self.b = np.array(0.5)", '("b",)', r"write self\.b = 0\.5"),
    ("self.b = np.zeros(0)", '("b",)', r"without elements, of shape \(0,\)"),
    ("self.b = 0.5; self.g = self.h = Draws(1)", '("b",)', "share a generator"),
    ("self.b = 0.5; self.select = self.update", '("b",)', "select is replaced"),
]


@pytest.mark.parametrize(("first", "keeps", "words"), STATES)
def test_a_state_without_a_word_for_each_element_is_rejected(
    first: str, keeps: str, words: str, tmp_path: Path
) -> None:
    path = tmp_path / "mine.py"
    head = HEAD.replace('("a", "w", "n", "s")', keeps).replace("self.s = 0.5", first)
    path.write_text(head + method("select", "return 0") + method("update", "pass"))
    with pytest.raises(GnomonError, match=words):
        read_learner(load(path)(arms=3, dimensions=2))


def test_names_after_a_branch_that_returns_are_those_of_the_other(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    body = "if reward > 0.0:\n    return\nelse:\n    y = 0.5 * reward\nself.s = y"
    path.write_text(HEAD + SELECT + method("update", body))
    assert read_learner(load(path)(arms=3, dimensions=2)).update


def test_a_class_with_slots_is_rejected(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    names = "a w n s arms dimensions alpha random other"
    text = HEAD.replace("class Mine:", f"class Mine:\n    __slots__ = {names.split()}")
    path.write_text(text + SELECT + UPDATE)
    with pytest.raises(GnomonError, match="delete __slots__"):
        read_learner(load(path)(arms=3, dimensions=2))
