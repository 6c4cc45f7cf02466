# SPDX-License-Identifier: BSD-2-Clause
"""Results of tracing: records, rows of aggregations, lost data, faults."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any, Optional, Union

from . import _abi
from ._abi import DropKind, ValueKind


class Enumerator(int):
    """A value of an enumeration: a number that may have a name."""

    name: Optional[str]

    def __new__(cls, number: int, name: Optional[str]) -> Enumerator:
        self = super().__new__(cls, number)
        self.name = name
        return self

    def __str__(self) -> str:
        return self.name if self.name is not None else int.__repr__(self)

    __repr__ = __str__


@dataclass(frozen=True)
class Frame:
    """An address, and its known names."""

    address: int
    module: Optional[str] = None
    symbol: Optional[str] = None
    offset: int = 0
    helper: Optional[str] = None
    annotation: Optional[str] = None
    pid: Optional[int] = None       # of usym() and the like

    def __str__(self) -> str:
        if self.module is None:
            return self.helper or hex(self.address)
        if self.symbol is None:
            return f"{self.module}`+{self.offset:#x}" if self.offset \
                else self.module
        name = f"{self.module}`{self.symbol}"
        return f"{name}+{self.offset:#x}" if self.offset else name


@dataclass(frozen=True)
class Stack:
    """The frames of a stack, the innermost first; pid None: the kernel's.

    limit names the option that permits no more frames; the stack may be deeper.
    """

    frames: tuple[Frame, ...]
    pid: Optional[int] = None
    limit: Optional[str] = None


# A struct is a dict, an array a tuple.  Text that is not UTF-8 has surrogates:
# os.fsencode() gives its bytes.  None: it was not recorded.
Value = Union[None, int, bool, Enumerator, float, str, bytes, Frame, Stack,
              tuple[Any, ...], dict[str, Any]]


@dataclass(frozen=True)
class Probe:
    id: int
    provider: str
    module: str
    function: str
    name: str

    def __str__(self) -> str:
        return f"{self.provider}:{self.module}:{self.function}:{self.name}"


@dataclass(frozen=True)
class Action:
    """An action: name as in doc/json.md ("trace", "printf", ...)."""

    name: str
    values: tuple[Value, ...]
    types: tuple[Optional[str], ...]
    labels: tuple[Optional[str], ...]   # "status" of exit(), ...
    format: Optional[str] = None        # of printf(), system(), freopen()
    text: Optional[str] = None          # made by the format


@dataclass(frozen=True)
class Record:
    """A firing of one clause; time in ns of CLOCK_MONOTONIC."""

    time: int
    cpu: int
    epid: int
    probe: Probe
    actions: tuple[Action, ...]

    @property
    def values(self) -> tuple[Value, ...]:
        """The data of trace(), print(), printf(), stack() and the like."""
        return tuple(value for action in self.actions
                     for value, label in zip(action.values, action.labels)
                     if label in (None, "value"))

    @property
    def text(self) -> str:
        """The text of the printf()s."""
        return "".join(action.text or "" for action in self.actions
                       if action.name == "printf")


@dataclass(frozen=True)
class Bucket:
    """Both bounds belong to it; None: it is open on that side."""

    min: Optional[int]
    max: Optional[int]
    count: int


@dataclass(frozen=True)
class Amount:
    """The value of one aggregation: a number, or the used buckets.

    `percentiles` are those of percentile(): ((99.9, 1200),).  One whose bucket
    is open on a side is the bound that is known."""

    name: str
    function: str
    value: Union[int, tuple[Bucket, ...]]
    normal: int = 1
    percpu: tuple[tuple[int, Union[int, tuple[Bucket, ...]]], ...] = ()
    percentiles: tuple[tuple[float, int], ...] = ()


@dataclass(frozen=True)
class AggregationRow:
    """A row: of a snapshot, or of a printa(), which is then in `probe`."""

    keys: tuple[Value, ...]
    amounts: tuple[Amount, ...]
    snapshot: int
    probe: Optional[Probe] = None
    text: Optional[str] = None

    @property
    def name(self) -> str:
        return self.amounts[0].name

    @property
    def value(self) -> Union[int, tuple[Bucket, ...]]:
        return self.amounts[0].value


@dataclass(frozen=True)
class Drop:
    """Data were lost: count since the last one, total of all."""

    kind: DropKind
    count: int
    total: int
    cpu: Optional[int]
    text: str


@dataclass(frozen=True)
class Fault:
    """A clause ended by a fault; action 0 is the predicate."""

    probe: Optional[Probe]
    cpu: Optional[int]
    epid: Optional[int]
    action: int
    offset: Optional[int]
    fault: str
    address: int
    text: str


Row = Union[Record, AggregationRow, Drop, Fault]


# ---- out of libdtrace's structures ------------------------------------------

def text_of(data: Optional[bytes]) -> str:
    return (data or b"").decode("utf-8", "surrogateescape")


def name_of(data: Optional[bytes]) -> Optional[str]:
    return None if data is None else text_of(data)


def memory(address: Optional[int], size: int) -> bytes:
    return ctypes.string_at(address, size) if address and size else b""


def probe_of(desc: Any) -> Optional[Probe]:
    if not desc:
        return None
    d = desc.contents
    return Probe(d.dtpd_id, text_of(d.dtpd_provider), text_of(d.dtpd_mod),
                 text_of(d.dtpd_func), text_of(d.dtpd_name))


def _frames(v: Any, pid: Optional[int]) -> tuple[Frame, ...]:
    return tuple(
        Frame(f.dtfr_address, name_of(f.dtfr_module), name_of(f.dtfr_symbol),
              f.dtfr_offset, name_of(f.dtfr_helper), name_of(f.dtfr_annotation),
              pid)
        for f in v.dtva_frames[:v.dtva_count])


def value_of(v: Any) -> Value:
    kind = v.dtva_kind
    if kind == ValueKind.INT:
        return int(v.dtva_int)
    if kind == ValueKind.UINT:
        return int(v.dtva_uint)
    if kind == ValueKind.STRING:
        return text_of(memory(v.dtva_data, v.dtva_size))
    if kind == ValueKind.BOOL:
        return bool(v.dtva_uint)
    if kind == ValueKind.ENUM:
        name = memory(v.dtva_data, v.dtva_size)
        return Enumerator(v.dtva_int, text_of(name) if v.dtva_data else None)
    if kind == ValueKind.FLOAT:
        return float(v.dtva_float)
    if kind == ValueKind.BYTES:
        return memory(v.dtva_data, v.dtva_size)
    if kind == ValueKind.ARRAY:
        return tuple(value_of(e) for e in v.dtva_elems[:v.dtva_count])
    if kind == ValueKind.STRUCT:
        return {text_of(e.dtva_name): value_of(e)
                for e in v.dtva_elems[:v.dtva_count]}
    if kind == ValueKind.STACK:
        return Stack(_frames(v, None), None, name_of(v.dtva_limit))
    if kind == ValueKind.USTACK:
        return Stack(_frames(v, None), int(v.dtva_pid), name_of(v.dtva_limit))
    if kind == ValueKind.ADDRESS:
        return _frames(v, None)[0]
    if kind == ValueKind.UADDRESS:
        return _frames(v, int(v.dtva_pid))[0]
    return None


def action_of(a: Any) -> Action:
    values = a.dtac_values[:a.dtac_count] if a.dtac_count else []
    has_text = a.dtac_format is not None
    return Action(
        text_of(a.dtac_name), tuple(value_of(v) for v in values),
        tuple(name_of(v.dtva_type) for v in values),
        tuple(name_of(v.dtva_name) for v in values),
        name_of(a.dtac_format),
        text_of(memory(a.dtac_text, a.dtac_size)) if has_text else None)


def _amount_value(a: Any) -> Union[int, tuple[Bucket, ...]]:
    if a.dtav_value.dtva_kind != ValueKind.NONE:
        value = value_of(a.dtav_value)
        assert isinstance(value, int)
        return value
    return tuple(Bucket(b.dtbu_min if b.dtbu_has_min else None,
                        b.dtbu_max if b.dtbu_has_max else None, b.dtbu_count)
                 for b in a.dtav_buckets[:a.dtav_nbuckets])


def amount_of(a: Any) -> Amount:
    percpu = a.dtav_percpu[:a.dtav_npercpu] if a.dtav_npercpu else []
    return Amount(text_of(a.dtav_name), text_of(a.dtav_function),
                  _amount_value(a), a.dtav_normal,
                  tuple((cpu.dtav_cpu, _amount_value(cpu)) for cpu in percpu),
                  tuple((p.dtpc_percent / 1000, p.dtpc_value) for p in
                        a.dtav_percentiles[:a.dtav_npercentiles]))


def row_of(event: Any, snapshot: int) -> Union[Record, AggregationRow]:
    data = event.dtev_probe
    probe = probe_of(data.contents.dtpda_pdesc) if data else None
    if event.dtev_kind == _abi.EventKind.RECORD:
        assert probe is not None
        record = data.contents
        actions = event.dtev_actions[:event.dtev_nactions]
        return Record(record.dtpda_timestamp, record.dtpda_cpu,
                      record.dtpda_edesc.contents.dtepd_epid, probe,
                      tuple(action_of(a) for a in actions))
    text = text_of(memory(event.dtev_text, event.dtev_size))
    return AggregationRow(
        tuple(value_of(v) for v in event.dtev_keys[:event.dtev_nkeys]),
        tuple(amount_of(a) for a in event.dtev_values[:event.dtev_nvalues]),
        snapshot, probe, text if event.dtev_text else None)


def drop_of(d: Any) -> Drop:
    return Drop(DropKind(d.dtdda_kind), d.dtdda_drops, d.dtdda_total,
                d.dtdda_cpu if d.dtdda_cpu >= 0 else None,
                text_of(d.dtdda_msg))


def fault_of(d: Any, name: str) -> Fault:
    edesc = d.dteda_edesc
    return Fault(probe_of(d.dteda_pdesc),
                 d.dteda_cpu if d.dteda_cpu >= 0 else None,
                 edesc.contents.dtepd_epid if edesc else None, d.dteda_action,
                 d.dteda_offset if d.dteda_offset != -1 else None, name,
                 d.dteda_addr, text_of(d.dteda_msg))
