# SPDX-License-Identifier: BSD-2-Clause
"""Rows as a table of pandas, if it is installed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from ._rows import AggregationRow, Amount, Record, Row

# The columns that are not named by aggregations.
OWN = re.compile(r"[kv]\d+|time|cpu|provider|module|function|name|loss|"
                 r"snapshot|aggregation|min|max|count|value")


def columns(rows: Iterable[Row]) -> Iterator[dict[str, Any]]:
    """Each row as names and values; a distribution gives a row per bucket.

    Of a record: time, cpu, provider, module, function, name and its data as
    v0, v1, ...; of an aggregation: snapshot, the keys as k0, k1, ... and the
    values by the names of the aggregations ("value": that of @, which has no
    name; "@count": that of @count, since "count" is of buckets).
    """
    for row in rows:
        if isinstance(row, Record):
            probe = row.probe
            yield {"time": row.time, "cpu": row.cpu,
                   "provider": probe.provider, "module": probe.module,
                   "function": probe.function, "name": probe.name,
                   **{f"v{i}": v for i, v in enumerate(row.values)}}
        elif isinstance(row, AggregationRow):
            yield from _aggregation(row)
        else:
            yield {"loss": row.text}


def _column(a: Amount) -> str:
    if a.name == "_":
        return "value"
    return f"@{a.name}" if OWN.fullmatch(a.name) else a.name


def _aggregation(row: AggregationRow) -> Iterator[dict[str, Any]]:
    keys: dict[str, Any] = {"snapshot": row.snapshot}
    keys.update({f"k{i}": k for i, k in enumerate(row.keys)})
    numbers = {_column(a): a.value for a in row.amounts
               if isinstance(a.value, int)}
    if numbers:
        yield {**keys, **numbers}
    for a in row.amounts:
        if isinstance(a.value, int):
            continue
        for b in a.value:
            yield {**keys, "aggregation": a.name, "min": b.min, "max": b.max,
                   "count": b.count}


def _dtype(values: list[Any]) -> str:
    """The type of a column, which keeps each value as it is.

    Pandas itself makes floating-point numbers of integers beside which
    values are missing, and plain integers of enumerators.
    """
    kinds = {type(v) for v in values if v is not None}
    is_full = None not in values
    if kinds == {int}:
        numbers = [v for v in values if v is not None]
        if -2**63 <= min(numbers) and max(numbers) < 2**63:
            return "int64" if is_full else "Int64"
        if min(numbers) >= 0 and max(numbers) < 2**64:
            return "uint64" if is_full else "UInt64"
    if kinds == {bool}:
        return "bool" if is_full else "boolean"
    return "float64" if kinds == {float} else "object"


def to_frame(rows: Iterable[Row]) -> Any:
    """A pandas.DataFrame of the rows; ImportError without pandas.

    Where a row has no such column, its value is None, NaN or pandas.NA.
    """
    import pandas   # type: ignore
    table = list(columns(rows))
    names = dict.fromkeys(name for line in table for name in line)
    data = {name: [line.get(name) for line in table] for name in names}
    return pandas.DataFrame({
        name: pandas.Series(values, dtype=_dtype(values))
        for name, values in data.items()})
