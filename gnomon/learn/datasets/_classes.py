"""Classification sets as bandits: an arm per class, reward 1 if the class is right."""

from __future__ import annotations

import importlib
from array import array
from collections.abc import Sequence
from contextlib import closing
from functools import partial
from math import isnan
from pathlib import Path
from typing import Any

import numpy as np

from gnomon.base.errors import GnomonError, require_known
from gnomon.learn.datasets._reward_table import LeftOut, RewardTable, contexts_from
from gnomon.learn.kernels import Floats
from gnomon.learn.rows import NOT_ENDED, Malformed, csv_header, csv_lines, number_of, parsed_rows

PACKAGED = ("digits", "wine", "breast-cancer")
"""Data sets inside the package scikit-learn."""

MOST_CLASSES = 64
_LEAST_ROWS = 10
_MOST_VALUES = 50_000_000
_BLOCK = 2  # pixels of a side


def read_classes(
    path: Path, label: str, *, ignore: Sequence[str] = (), skip_malformed: bool = False
) -> RewardTable:
    """Read a CSV file with column names; every column but the label is a feature.

    Args:
        path: the file, optionally compressed by gzip.
        label: name of the column with the class.
        ignore: names of columns that are not features.
        skip_malformed: whether to leave out malformed rows and to list them.

    Raises:
        GnomonError: if a column is missing, a row is malformed, or there are fewer than 10 rows,
            fewer than 2 or more than 64 classes.
    """
    with closing(csv_lines(path, "table of classes")) as lines:
        header = csv_header(path, lines, (label, *ignore))
        if label in ignore:
            raise GnomonError(f"{path}:1: column {label!r} is the label, so it cannot be ignored")
        columns = [i for i, name in enumerate(header) if name not in (label, *ignore)]
        if not columns:
            raise GnomonError(f"{path}:1: there is no column in addition to the label {label!r}")
        malformed: list[str] = []
        parse = partial(_row, header, header.index(label), columns)
        rows = ((number, partial(parse, row, ended)) for number, row, ended in lines)
        labels = dict[str, int]()
        numbers, values = array("q"), array("d")
        for number, (name, row) in parsed_rows(
            path, rows, malformed.append if skip_malformed else None
        ):
            numbers.append(labels.setdefault(name, len(labels)))
            values.extend(row)
            if len(values) > _MOST_VALUES:
                raise GnomonError(f"{path}:{number}: holds more than {_MOST_VALUES:,} values")
            if len(labels) > MOST_CLASSES:
                break
    if not 2 <= len(labels) <= MOST_CLASSES:
        found = "one value" if labels else "no value"
        found = f"more than {MOST_CLASSES} different values" if len(labels) > 1 else found
        raise GnomonError(
            f"{path}: column {label!r} has {found}; a bandit has 2 to {MOST_CLASSES} classes"
        )
    if len(numbers) < _LEAST_ROWS:
        raise GnomonError(f"{path}: holds {len(numbers)} rows; at least {_LEAST_ROWS} are needed")
    classes = sorted(labels)
    order = np.array([classes.index(each) for each in labels])[np.array(numbers)]
    left_out = (LeftOut("malformed rows", tuple(malformed)),) if malformed else ()
    features = np.array(values).reshape(-1, len(columns))
    try:
        return _table(features, [header[i] for i in columns], order, classes, "", left_out)
    except GnomonError as error:
        raise GnomonError(f"{path}: {error}") from None


def _row(
    header: Sequence[str], at: int, columns: Sequence[int], row: Sequence[str], ended: bool
) -> tuple[str, list[float]]:
    """Return label and features; `at`: column of the label."""
    if not ended:
        raise Malformed(NOT_ENDED)
    if len(row) != len(header):
        raise Malformed(f"must have {len(header)} columns, not {len(row)}")
    if not row[at] or not row[at].isprintable():
        raise Malformed(f"a label is printable text, not {row[at]!r:.60}")
    values = [number_of(row[i]) for i in columns]
    for i, value in zip(columns, values, strict=True):
        if isnan(value):
            raise Malformed(f"{header[i]!r} is a finite number, not {row[i]!r:.60}")
    return row[at], values


def packaged_classes(name: str) -> RewardTable:
    """Return a data set from the installed package scikit-learn.

    Images of digits, 8 x 8 pixels, become 16 means of blocks of 2 x 2 pixels first.

    Raises:
        GnomonError: if there is no such data set, or scikit-learn is not installed.
    """
    require_known("data set", name, PACKAGED)
    try:
        module: Any = importlib.import_module("sklearn.datasets")
    except ImportError:
        raise GnomonError(
            f"{name} comes with scikit-learn: python -m pip install 'gnomon[datasets]'"
        ) from None
    found = getattr(module, f"load_{name.replace('-', '_')}")()
    features = np.asarray(found.data, dtype=np.float64)
    names, before = [str(each) for each in found.feature_names], ""
    if name == "digits":
        side = int(features.shape[1] ** 0.5)
        blocks = side // _BLOCK
        images = features.reshape(-1, blocks, _BLOCK, blocks, _BLOCK)
        features = images.mean(axis=(2, 4)).reshape(len(images), -1)
        names = [f"block {row}, {column}" for row in range(blocks) for column in range(blocks)]
        before = f"Blocks of {_BLOCK} x {_BLOCK} pixels have become their means. "
    classes = [str(each) for each in found.target_names]
    return _table(features, names, found.target, classes, before, ())


def _table(
    features: Floats, names: Sequence[str], numbers: Any, classes: Sequence[str], before: str,
    left_out: tuple[LeftOut, ...],
) -> RewardTable:  # fmt: skip
    """Return a bandit; ``numbers``: the class of each row."""
    contexts, made, constant = contexts_from(features, names)
    rewards = np.eye(len(classes))[np.asarray(numbers)]
    made = f"{before}{made} An arm is a class; the reward is 1 if the class is right, else 0."
    return RewardTable(contexts, rewards, tuple(classes), made, len(names), left_out + constant)
