"""Translation of one method: the operations so far, the names that have values, rejections."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Final, NoReturn

from gnomon.base.errors import GnomonError
from gnomon.once.code import LearnerCode, Operand, Operation, Place, Ref, Whole

_REMEDY: Final = {
    "AsyncFunctionDef": "write a method", "Await": "call a method of the class",
    "Assert": "check settings in __init__", "AnnAssign": "give it a value",
    "Break": "put the rest of the body under an if", "ClassDef": "define it outside the method",
    "Continue": "put the rest of the body under an if",
    "Compare": "write it as the condition of an if",
    "Delete": "set it to 0.0",
    "Dict": "use an array", "DictComp": "fill an array in a loop",
    "FunctionDef": "write a method of the class", "GeneratorExp": "add up in a loop",
    "Global": "keep the value in an attribute that keeps names",
    "Import": "import at the top of the file", "ImportFrom": "import at the top of the file",
    "JoinedStr": "leave out texts", "Lambda": "write a method of the class",
    "List": "use an array of __init__, or np.zeros", "ListComp": "fill an array in a loop",
    "Match": "write if and elif", "NamedExpr": "assign on a line of its own",
    "Nonlocal": "keep the value in an attribute that keeps names",
    "Raise": "check settings in __init__",
    "Set": "use an array", "SetComp": "fill an array in a loop",
    "Slice": "copy the elements in a loop, or use a whole row a[i]",
    "Starred": "name each argument", "Try": "test the condition with an if",
    "TryStar": "test the condition with an if", "Tuple": "assign each on a line of its own",
    "While": "use for ... in range(n)", "With": "leave it out", "AsyncFor": "use for",
    "AsyncWith": "leave it out", "Yield": "return a value", "YieldFrom": "return a value",
}  # fmt: skip
_OF_ELEMENTS: Final = ("add", "sub", "mul", "div", "min", "max", "copy", "sqrt", "log", "exp")
_MOST_DIMENSIONS: Final = 2  # of an array that one line computes element by element


class Translation(ABC):
    """State of a translation, and what its rules share.

    Attributes:
        code: the learner.
        name: ``select`` or ``update``.
        block: operations of the current block.
        names: values of the variables of the current method.
        file: Python file of the current method.
        offset: lines of the file before the method.
        calls: own methods that are being inlined.
        globals: names of the module.
        locals: names that the current method assigns, which are never those of the module.
        given: names of the arguments of the current method.
        siblings: variables that the first branch of an ``if`` creates, in its second branch.
        answer: value that the inlined method returns.
        depth: number of ``if`` and ``for`` around the statement, in its method.
        loops: loop variables around the statement.
        alone: whole right side of the statement.
        unused: the same, if nothing uses its value.
        lent: arrays that arguments of the methods that are being inlined name.
    """

    def __init__(self, code: LearnerCode, name: str) -> None:
        self.code, self.name = code, name
        self.block: list[Operation] = []
        self.names: dict[str, Operand] = {}
        self.file = code.file
        self.offset = 0
        self.calls: list[str] = []
        self.globals: dict[str, Any] = {}
        self.locals: frozenset[str] = frozenset()
        self.given: frozenset[str] = frozenset()
        self.siblings: dict[str, Operand] = {}
        self.count = 0
        self.answer: Operand | None = None
        self.depth = 0
        self.loops: set[str] = set()
        self.alone: ast.expr | None = None
        self.unused: ast.expr | None = None
        self.lent: set[Place] = set()

    @abstractmethod
    def call(self, name: str, node: ast.Call) -> Operand:
        """Inline a method of the class and return its value."""

    @abstractmethod
    def expr(self, node: ast.expr) -> Operand:
        """Return the value of an expression."""

    def line(self, node: ast.AST) -> int:
        """Return the line of a node in its file."""
        return int(getattr(node, "lineno", 1)) + self.offset

    def reject(self, node: ast.AST, what: str, remedy: str) -> NoReturn:
        """Raise an error at the line of a node."""
        raise GnomonError(f"{self.file}:{self.line(node)}: {what}: {remedy}")

    def reject_node(self, node: ast.AST) -> NoReturn:
        """Reject a node that has no rule."""
        kind = type(node).__name__
        remedy = _REMEDY.get(kind, "write it with the statements that the guide lists")
        text = ast.unparse(node).splitlines()[0] if isinstance(node, ast.stmt | ast.expr) else kind
        self.reject(node, f"{text:.50} ({kind}) is not in the subset", remedy)

    def result(self, line: int, shape: Sequence[int], hint: str = "r") -> Ref:
        """Return a new place for a result."""
        self.count += 1
        name = f"{hint}_{line}_{self.count}" if line else f"{hint}_{self.count}"
        return Ref(Place(name, False, tuple(shape), "result", line))

    def emit(self, op: str, out: Ref, args: list[Operand], line: int, **more: Any) -> Ref:
        """Append an operation, and return what it writes.

        Raises:
            GnomonError: if it computes every element of an array of three dimensions.
        """
        if len(out.shape) > _MOST_DIMENSIONS and op in _OF_ELEMENTS:
            raise GnomonError(
                f"{self.file}:{line}: an array of shape {out.shape} is computed as a whole:"
                " compute it arm by arm, such as self.a[arm] *= 0.9 in a loop"
            )
        out.place.writes += 1
        self.block.append(Operation(op, out, args, line, **more))
        return out

    def whole_of(self, node: ast.AST, value: Operand, what: str) -> Whole:
        """Return the value of an expression that must be a whole number."""
        if not isinstance(value, Whole):
            self.reject(
                node, f"{what} must be a whole number", "use whole numbers for counts and indices"
            )
        return value

    def new_whole(
        self, hint: str, line: int, op: str, args: list[Operand], low: int, high: int
    ) -> Whole:
        """Emit an operation that creates a whole number, and return that number."""
        self.count += 1
        place = Place(f"{hint}_{line}_{self.count}", True, (), "local", line, low=low, high=high)
        out = self.emit(op, Ref(place), args, line)
        return Whole("read", low, high, ref=out)

    def reading(self, ref: Ref) -> Operand:
        """Return what reading a place gives: an array, a real or a whole number."""
        if not ref.whole:
            return ref
        place = ref.place
        if ref.shape:
            return ref
        return Whole("read", place.low, place.high, ref=ref)
