"""Error of a result relative to real numbers, and its bound by ``model.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from gnomon.base.errors import CheckFailed, GnomonError
from gnomon.measure.kernels._kernel import Kernel, Variant, describe_value
from gnomon.measure.kernels.fixed import FixedPoint, Operands, Reals, Steps


def compute_errors(
    kernel: Kernel,
    variant: Variant,
    fixed: FixedPoint,
    operands: Operands,
    result: Steps,
    *,
    checked_title: str | None,
) -> tuple[Reals, Reals]:
    """Return the error of each element of a result, and its bound.

    Args:
        kernel: the kernel.
        variant: the variant that computed the result.
        fixed: the number format.
        operands: the operands.
        result: the elements, in the shape of the kernel's result.
        checked_title: title for the message if an error is above its bound; None to skip this
            check for arbitrary operands, for which ``exact`` need not be finite.

    Raises:
        CheckFailed: if an error is above its bound.
        GnomonError: if ``exact`` or the bound returns values that are not numbers of this shape, or
            not finite.
    """
    exact = _reals(
        kernel.exact(tuple(fixed.to_real(values) for values in operands)),
        f"{kernel.exact_place}: exact",
        result.shape,
    )
    place = f"{variant.bound_place}: error_bound of variant {variant.name}"
    bound = _reals(variant.error_bound(fixed, operands), place, result.shape, one_for_all=True)
    error = np.abs(kernel.to_real(fixed, result) - exact)
    if checked_title is not None:
        _check_finite(exact, f"{kernel.exact_place}: exact")
        _check_finite(bound, place)
        if not (error <= bound).all():
            worst = int(np.argmax(error - bound))
            raise CheckFailed(
                f"{checked_title}: error {error.flat[worst]:.3g} of element {worst} is above its"
                f" bound {bound.flat[worst]:.3g}"
            )
    return error, bound


def _reals(given: Any, place: str, shape: tuple[int, ...], *, one_for_all: bool = False) -> Reals:
    """Return the value of a function of ``model.py`` as numbers of this shape."""
    try:
        array = np.asarray(given)
        numbers = array if array.dtype.kind in "iuf" else None
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
