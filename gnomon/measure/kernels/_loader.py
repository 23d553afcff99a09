"""Loader of kernels from their folders; errors name the wrong line.

The functions of ``model.py`` take the number format and then one argument for each operand
(``exact``: operands alone, in real numbers) or, after format and generator, for each extent::

    def exact(a, x): ...                  # real numbers in, real numbers out
    def generate(fixed, rng, n): ...      # random operands, int64 arrays of steps
    def model(fixed, a, x): ...           # the bits of the result, with the status if it has one
    def error_bound(fixed, a, x): ...     # real operands, bound in real numbers
    def obstacle(architecture, fixed, n): ...  # reason why a machine cannot run it, or None
"""

import inspect
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from gnomon.arch import Architecture
from gnomon.base.content import ContentItem, content, find
from gnomon.base.errors import GnomonError
from gnomon.base.loading import import_content_module, locate_errors
from gnomon.base.tables import shown_path
from gnomon.measure.kernels._description import VariantEntry, kernel_source, read_kernel_file
from gnomon.measure.kernels._kernel import Bound, Extents, Kernel, Obstacle, Variant, describe_value
from gnomon.measure.kernels.fixed import Answer, FixedPoint, Operands, Status

_Place = tuple[str | int, ...]


def find_kernel(name: str) -> Kernel:
    """Return the kernel of this name.

    Raises:
        GnomonError: if no such kernel exists, or its folder is wrong; the message names
            ``file:line``.
    """
    return _load(find("kernels", name))


@cache
def _load(folder: ContentItem) -> Kernel:
    return _Loader(folder).kernel()


class _Loader:
    """Builder of a :class:`Kernel` from its folder."""

    def __init__(self, folder: ContentItem) -> None:
        self.folder = folder
        self.table, self.file = read_kernel_file(folder)
        self.module = import_content_module(folder.folder, "model")

    def kernel(self) -> Kernel:
        file = self.file
        exact = self.function("exact", len(file.operands), ("variants",))
        generate = self.function("generate", 2 + len(file.extents), ("extents",))
        work = file.vector_work
        return Kernel(
            name=self.folder.name,
            folder=self.folder.folder,
            description=file,
            exact=lambda operands: exact(*operands),
            generate=lambda fixed, extents, rng: self.operands(generate(fixed, rng, *extents)),
            variants=tuple(self.variant(*each) for each in file.variants.items()),
            driver=self.source(file.driver, ("driver",)) if file.driver else None,
            vector_work=self.function(work, len(file.extents), ("vector_work",)) if work else None,
            exact_place=self.place_of("exact"),
        )

    def operands(self, given: Any) -> Operands:
        """Return the value of ``generate``, after a check that it holds operands."""
        count, each = len(self.file.operands), given if isinstance(given, tuple | list) else ()
        if len(each) != count or not all(isinstance(one, np.ndarray) for one in each):
            raise GnomonError(
                f"{self.place_of('generate')}: generate must return {count} array(s), one for each"
                f" operand, not {describe_value(given)}"
            )
        return tuple(each)

    def variant(self, name: str, entry: VariantEntry) -> Variant:
        place = ("variants", name)
        answer = self.model(entry, (*place, "model"))
        sources = (
            self.source(each, (*place, "sources", n)) for n, each in enumerate(entry.sources)
        )
        status = (
            (lambda fixed, operands: answer(fixed, operands)[1]) if entry.returns_status else None
        )
        return Variant(
            name=name,
            sources=tuple(sources),
            model=lambda fixed, operands: answer(fixed, operands)[0],
            error_bound=self.error_bound(entry, (*place, "error_bound")),
            status=status,
            obstacle=self.obstacle(entry, (*place, "obstacle")),
            place=self.place_of(entry.model),
            bound_place=(
                self.table.origin(*place, "error_bound")
                if isinstance(entry.error_bound, int)
                else self.place_of(entry.error_bound)
            ),
            **entry.model_dump(
                include={"function", "vector", "scratchpads", "contract", "harts", "helper"}
            ),
        )

    def model(self, entry: VariantEntry, place: _Place) -> Callable[[FixedPoint, Operands], Answer]:
        function = self.function(entry.model, 1 + len(self.file.operands), place)

        def answer(fixed: FixedPoint, operands: Operands) -> Answer:
            given = function(fixed, *operands)
            pair = given if entry.returns_status else (given, Status.OK)
            try:
                result, status = pair[0], Status(pair[1])
                good = isinstance(result, np.ndarray) and result.dtype == np.int64
            except (TypeError, ValueError, IndexError):
                good = False
            if not good:
                what = "an int64 array and a Status" if entry.returns_status else "an int64 array"
                raise GnomonError(
                    f"{self.place_of(entry.model)}: {entry.model} must return {what},"
                    f" not {describe_value(given)}"
                )
            return result, status

        return answer

    def error_bound(self, entry: VariantEntry, place: _Place) -> Bound:
        if isinstance(entry.error_bound, int):
            steps = entry.error_bound
            return lambda fixed, _: np.array(steps * fixed.step)
        bound = self.function(entry.error_bound, 1 + len(self.file.operands), place)
        return lambda fixed, operands: bound(fixed, *map(fixed.to_real, operands))

    def obstacle(self, entry: VariantEntry, place: _Place) -> Obstacle:
        most = entry.most_fraction_bits
        own: Callable[..., str | None] = (
            self.function(entry.obstacle, 2 + len(self.file.extents), place)
            if entry.obstacle
            else lambda *_: None
        )

        def obstacle(architecture: Architecture, extents: Extents, fixed: FixedPoint) -> str | None:
            found_own = own(architecture, fixed, *extents)
            if found_own is None and most is not None and fixed.fraction_bits > most.bits:
                return (
                    f"{fixed.fraction_bits} fraction bits leave no room for {most.room_for}"
                    f" (at most {most.bits})"
                )
            return found_own

        return obstacle

    def source(self, name: str, place: _Place) -> Path:
        own = self.folder.folder / name
        path = own if own.is_file() else kernel_source(name)
        if not path.is_file():
            raise GnomonError(
                f"{self.table.origin(*place)}: {name}: no such file exists in"
                f" {shown_path(self.folder.folder)} or"
                f" {shown_path(content('kernels', 'common'))}"
            )
        return path

    def place_of(self, name: str) -> str:
        """Return ``file:line`` of a function of ``model.py``."""
        code = getattr(inspect.unwrap(getattr(self.module, name)), "__code__", None)
        if code is None:  # not a Python function
            return shown_path(self.folder.folder / "model.py")
        return f"{shown_path(Path(code.co_filename))}:{code.co_firstlineno}"

    def function(self, name: str, count: int, place: _Place) -> Callable[..., Any]:
        """Return a function of ``model.py`` whose errors name their line in the folder."""
        file = shown_path(self.folder.folder / "model.py")
        function = getattr(self.module, name, None)
        if not callable(function):
            raise GnomonError(
                f"{self.table.origin(*place)}: {'.'.join(map(str, place))}: {file} has no"
                f" function {name!r}"
            )
        kinds = [each.kind for each in inspect.signature(function).parameters.values()]
        if inspect.Parameter.VAR_POSITIONAL not in kinds and len(kinds) != count:
            raise GnomonError(
                f"{self.place_of(name)}: {name} takes {len(kinds)} argument(s), but gnomon passes"
                f" {count}: see the operands and extents in kernel.yaml"
            )

        def call(*arguments: Any) -> Any:
            with locate_errors(self.folder.folder):
                return function(*arguments)

        return call
