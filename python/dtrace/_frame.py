# SPDX-License-Identifier: BSD-2-Clause
"""Rows as a table of pandas, if it is installed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ._rows import AggregationRow, Record, Row


def columns(rows: Iterable[Row]) -> Iterator[dict[str, Any]]:
    """Each row as names and values; a distribution gives a row per bucket.

    Of a record: time, cpu, provider, module, function, name and its data as
    v0, v1, ...; of an aggregation: snapshot, the keys as k0, k1, ... and the
    values by the names of the aggregations ("value" has no name).
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


def _aggregation(row: AggregationRow) -> Iterator[dict[str, Any]]:
    keys: dict[str, Any] = {"snapshot": row.snapshot}
    keys.update({f"k{i}": k for i, k in enumerate(row.keys)})
    numbers = {a.name or "value": a.value for a in row.amounts
               if isinstance(a.value, int)}
    if numbers:
        yield {**keys, **numbers}
    for a in row.amounts:
        if isinstance(a.value, int):
            continue
        for b in a.value:
            yield {**keys, "aggregation": a.name, "min": b.min, "max": b.max,
                   "count": b.count}


def to_frame(rows: Iterable[Row]) -> Any:
    """A pandas.DataFrame of the rows; ImportError without pandas."""
    import pandas   # type: ignore
    return pandas.DataFrame(list(columns(rows)))
