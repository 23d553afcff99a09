"""How far a result is from that of real numbers, and how far it may be, as ``model.py`` says."""

from __future__ import annotations

from typing import Any

import numpy as np

from gnomon.base.errors import CheckFailed, GnomonError
from gnomon.measure.kernels._kernel import Kernel, Variant, describe_value
from gnomon.measure.kernels.fixed import FixedPoint, Operands, Reals, Steps


def errors_of(
    kernel: Kernel,
    variant: Variant,
    fixed: FixedPoint,
    operands: Operands,
    result: Steps,
    *,
    held: str | None,
) -> tuple[Reals, Reals]:
    """The error of each element of a result, and its bound.

    Args:
        kernel: what was computed.
        variant: by what.
        fixed: in which format.
        operands: of what.
        result: the elements, of the shape that the kernel says.
        held: what the errors must be within their bounds of, for the message; None where operands
            may be any, for which ``exact`` need not be finite.

    Raises:
        CheckFailed: an error is above its bound.
        GnomonError: what ``exact`` or the bound returns is not numbers of this shape, or not
            finite, which no error can be compared with.
    """
    exact = _reals(
        kernel.exact(tuple(fixed.to_real(values) for values in operands)),
        f"{kernel.exact_place}: exact",
        result.shape,
    )
    place = f"{variant.bound_place}: error_bound of variant {variant.name}"
    bound = _reals(variant.error_bound(fixed, operands), place, result.shape, one_for_all=True)
    error = np.abs(kernel.to_real(fixed, result) - exact)
    if held is not None:
        _check_finite(exact, f"{kernel.exact_place}: exact")
        _check_finite(bound, place)
        if not (error <= bound).all():
            worst = int(np.argmax(error - bound))
            raise CheckFailed(
                f"{held}: error {error.flat[worst]:.3g} of element {worst} is above its bound"
                f" {bound.flat[worst]:.3g}"
            )
    return error, bound


def _reals(given: Any, place: str, shape: tuple[int, ...], *, one_for_all: bool = False) -> Reals:
    """What a function of ``model.py`` returned, as numbers of this shape."""
    try:
        made = np.asarray(given)
        numbers = made if made.dtype.kind in "iuf" else None
        if numbers is not None and one_for_all:
            numbers = np.broadcast_to(numbers, shape)
    except ValueError:
        numbers = None
    if numbers is None or numbers.shape != shape:
        one = "one number for all, or " if one_for_all else ""
        raise GnomonError(
            f"{place} must return {one}an array of real numbers of shape {shape}, not"
            f" {describe_value(given)}"
        )
    return numbers.astype(np.float64)


def _check_finite(numbers: Reals, place: str) -> None:
    wrong = np.flatnonzero(~np.isfinite(numbers))
    if len(wrong):
        raise GnomonError(
            f"{place} must return finite numbers, not {numbers.flat[wrong[0]]} for element"
            f" {wrong[0]} ({len(wrong)} of {numbers.size} are not finite)"
        )
