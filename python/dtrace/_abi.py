# SPDX-License-Identifier: BSD-2-Clause
"""The part of include/dtrace.h that the package uses, for ctypes.

tests/python/test_abi.py compares each structure, enumeration and function here
with the header.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import os
from ctypes import (CFUNCTYPE, POINTER, Structure, c_char, c_char_p, c_double,
                    c_int, c_int32, c_int64, c_int8, c_size_t, c_uint,
                    c_uint16, c_uint32, c_uint64, c_uint8, c_void_p)
from enum import IntEnum
from typing import Any

VERSION = 3     # DTRACE_VERSION
NAME = 3        # DTRACE_PROBESPEC_NAME
C_ZDEFS, C_CPP, C_DEFARG = 0x4, 0x10, 0x800
CONSUME_THIS = 0
HANDLE_OK = 0
EDT_COMPILER, EDT_ACCESS = 1005, 1062
EDT_BADOPTNAME, EDT_BADOPTVAL, EDT_BADOPTCTX = 1038, 1039, 1040


class ValueKind(IntEnum):
    NONE = 0
    INT = 1
    UINT = 2
    BOOL = 3
    ENUM = 4
    FLOAT = 5
    STRING = 6
    BYTES = 7
    ARRAY = 8
    STRUCT = 9
    STACK = 10
    USTACK = 11
    ADDRESS = 12
    UADDRESS = 13


class EventKind(IntEnum):
    RECORD = 1
    ROW = 2


class WorkStatus(IntEnum):
    ERROR = -1
    OKAY = 0
    DONE = 1


class DropKind(IntEnum):
    """Why data were lost."""

    PRINCIPAL = 0
    AGGREGATION = 1
    DYNAMIC = 2
    DYNRINSE = 3
    DYNDIRTY = 4
    SPEC = 5
    SPECBUSY = 6
    SPECUNAVAIL = 7
    STKSTROVERFLOW = 8
    DBLERROR = 9
    SCRATCH = 10
    SKIPPED = 11
    MISSED = 12
    FILLED = 13
    HELPER = 14
    STACK = 15
    UNWIND = 16
    THREADS = 17
    LOADS = 18
    CUT = 19
    AGGMEM = 20


class Severity(IntEnum):
    ERROR = 0
    WARNING = 1
    NOTE = 2


# The header's name of each enumeration, and the prefix of its enumerators.
ENUMS: dict[str, tuple[type[IntEnum], str]] = {
    "dtrace_valuekind": (ValueKind, "DTRACE_VALUE_"),
    "dtrace_eventkind": (EventKind, "DTRACE_EVENT_"),
    "dtrace_workstatus": (WorkStatus, "DTRACE_WORKSTATUS_"),
    "dtrace_dropkind": (DropKind, "DTRACEDROP_"),
    "dtrace_severity": (Severity, "DTRACE_DIAG_"),
}
# Numbers of the header that are used above.
NUMBERS = {
    "DTRACE_VERSION": VERSION, "DTRACE_PROBESPEC_NAME": NAME,
    "DTRACE_C_ZDEFS": C_ZDEFS, "DTRACE_C_CPP": C_CPP,
    "DTRACE_C_DEFARG": C_DEFARG, "DTRACE_CONSUME_THIS": CONSUME_THIS,
    "DTRACE_HANDLE_OK": HANDLE_OK, "EDT_COMPILER": EDT_COMPILER,
    "EDT_ACCESS": EDT_ACCESS, "EDT_BADOPTNAME": EDT_BADOPTNAME,
    "EDT_BADOPTVAL": EDT_BADOPTVAL, "EDT_BADOPTCTX": EDT_BADOPTCTX,
}


class dtrace_probedesc(Structure):
    _fields_ = [("dtpd_id", c_uint32), ("dtpd_provider", c_char * 64),
                ("dtpd_mod", c_char * 64), ("dtpd_func", c_char * 192),
                ("dtpd_name", c_char * 64)]


class dtrace_recdesc(Structure):
    _fields_ = [("dtrd_action", c_uint16), ("dtrd_size", c_uint32),
                ("dtrd_offset", c_uint32), ("dtrd_alignment", c_uint16),
                ("dtrd_format", c_uint16), ("dtrd_arg", c_uint64),
                ("dtrd_uarg", c_uint64)]


class dtrace_eprobedesc(Structure):
    _fields_ = [("dtepd_epid", c_uint32), ("dtepd_probeid", c_uint32),
                ("dtepd_uarg", c_uint64), ("dtepd_size", c_uint32),
                ("dtepd_nrecs", c_int32), ("dtepd_rec", dtrace_recdesc * 1)]


class dtrace_probedata(Structure):
    _fields_ = [("dtpda_handle", c_void_p),
                ("dtpda_edesc", POINTER(dtrace_eprobedesc)),
                ("dtpda_pdesc", POINTER(dtrace_probedesc)),
                ("dtpda_cpu", c_int), ("dtpda_data", c_char_p),
                ("dtpda_flow", c_int), ("dtpda_prefix", c_char_p),
                ("dtpda_indent", c_int), ("dtpda_timestamp", c_uint64)]


class dtrace_errdata(Structure):
    _fields_ = [("dteda_handle", c_void_p),
                ("dteda_edesc", POINTER(dtrace_eprobedesc)),
                ("dteda_pdesc", POINTER(dtrace_probedesc)),
                ("dteda_cpu", c_int), ("dteda_action", c_int),
                ("dteda_offset", c_int), ("dteda_fault", c_int),
                ("dteda_addr", c_uint64), ("dteda_msg", c_char_p)]


class dtrace_dropdata(Structure):
    _fields_ = [("dtdda_handle", c_void_p), ("dtdda_cpu", c_int),
                ("dtdda_kind", c_int), ("dtdda_drops", c_uint64),
                ("dtdda_total", c_uint64), ("dtdda_msg", c_char_p)]


class dtrace_diag(Structure):
    _fields_ = [("dtdg_severity", c_int), ("dtdg_tag", c_char_p),
                ("dtdg_file", c_char_p), ("dtdg_line", c_uint32),
                ("dtdg_column", c_uint32), ("dtdg_length", c_uint32),
                ("dtdg_message", c_char_p), ("dtdg_hint", c_char_p)]


class dtrace_frame(Structure):
    _fields_ = [("dtfr_address", c_uint64), ("dtfr_module", c_char_p),
                ("dtfr_symbol", c_char_p), ("dtfr_offset", c_uint64),
                ("dtfr_helper", c_char_p), ("dtfr_annotation", c_char_p)]


class dtrace_value(Structure):
    pass


dtrace_value._fields_ = [
    ("dtva_kind", c_int), ("dtva_count", c_uint32), ("dtva_type", c_char_p),
    ("dtva_name", c_char_p), ("dtva_int", c_int64), ("dtva_uint", c_uint64),
    ("dtva_float", c_double), ("dtva_data", c_void_p), ("dtva_size", c_size_t),
    ("dtva_elems", POINTER(dtrace_value)),
    ("dtva_frames", POINTER(dtrace_frame)), ("dtva_pid", c_uint64),
    ("dtva_limit", c_char_p)]


class dtrace_action(Structure):
    _fields_ = [("dtac_name", c_char_p), ("dtac_kind", c_uint16),
                ("dtac_count", c_uint32),
                ("dtac_values", POINTER(dtrace_value)),
                ("dtac_format", c_char_p), ("dtac_text", c_void_p),
                ("dtac_size", c_size_t)]


class dtrace_bucket(Structure):
    _fields_ = [("dtbu_min", c_int64), ("dtbu_max", c_int64),
                ("dtbu_count", c_int64), ("dtbu_has_min", c_uint8),
                ("dtbu_has_max", c_uint8)]


class dtrace_percentile(Structure):
    _fields_ = [("dtpc_percent", c_uint32), ("dtpc_known", c_int8),
                ("dtpc_value", c_int64)]


class dtrace_aggvalue(Structure):
    pass


dtrace_aggvalue._fields_ = [
    ("dtav_name", c_char_p), ("dtav_function", c_char_p),
    ("dtav_kind", c_uint16), ("dtav_cpu", c_int), ("dtav_normal", c_uint64),
    ("dtav_value", dtrace_value), ("dtav_nbuckets", c_uint32),
    ("dtav_npercpu", c_uint32), ("dtav_buckets", POINTER(dtrace_bucket)),
    ("dtav_percpu", POINTER(dtrace_aggvalue)),
    ("dtav_percentiles", POINTER(dtrace_percentile)),
    ("dtav_npercentiles", c_uint32)]


class dtrace_event(Structure):
    _fields_ = [("dtev_handle", c_void_p), ("dtev_kind", c_int),
                ("dtev_probe", POINTER(dtrace_probedata)),
                ("dtev_nactions", c_uint32), ("dtev_nkeys", c_uint32),
                ("dtev_nvalues", c_uint32),
                ("dtev_actions", POINTER(dtrace_action)),
                ("dtev_keys", POINTER(dtrace_value)),
                ("dtev_values", POINTER(dtrace_aggvalue)),
                ("dtev_text", c_void_p), ("dtev_size", c_size_t)]


STRUCTS: tuple[type[Structure], ...] = (
    dtrace_probedesc, dtrace_recdesc, dtrace_eprobedesc, dtrace_probedata,
    dtrace_errdata, dtrace_dropdata, dtrace_diag, dtrace_frame, dtrace_value,
    dtrace_action, dtrace_bucket, dtrace_aggvalue, dtrace_event)

EventHandler = CFUNCTYPE(c_int, POINTER(dtrace_event), c_void_p)
ErrHandler = CFUNCTYPE(c_int, POINTER(dtrace_errdata), c_void_p)
DropHandler = CFUNCTYPE(c_int, POINTER(dtrace_dropdata), c_void_p)
DiagHandler = CFUNCTYPE(c_int, c_void_p, POINTER(dtrace_diag), c_void_p)

# Result and parameters of each function.
FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    "dtrace_open": (c_void_p, [c_int, c_int, POINTER(c_int)]),
    "dtrace_close": (None, [c_void_p]),
    "dtrace_errno": (c_int, [c_void_p]),
    "dtrace_errmsg": (c_char_p, [c_void_p, c_int]),
    "dtrace_faultstr": (c_char_p, [c_void_p, c_int]),
    "dtrace_diag_iter": (c_int, [c_void_p, DiagHandler, c_void_p]),
    "dtrace_notices": (c_char_p, [c_void_p]),
    "dtrace_setopt": (c_int, [c_void_p, c_char_p, c_char_p]),
    "dtrace_ctlfd": (c_int, [c_void_p]),
    "dtrace_program_strcompile": (c_void_p, [
        c_void_p, c_char_p, c_int, c_uint, c_int, POINTER(c_char_p)]),
    "dtrace_program_exec": (c_int, [c_void_p, c_void_p, c_void_p]),
    "dtrace_go": (c_int, [c_void_p]),
    "dtrace_stop": (c_int, [c_void_p]),
    "dtrace_sleep": (None, [c_void_p]),
    "dtrace_work": (c_int, [
        c_void_p, c_void_p, c_void_p, c_void_p, c_void_p]),
    "dtrace_handle_event": (c_int, [c_void_p, EventHandler, c_void_p]),
    "dtrace_handle_err": (c_int, [c_void_p, ErrHandler, c_void_p]),
    "dtrace_handle_drop": (c_int, [c_void_p, DropHandler, c_void_p]),
    "dtrace_aggregate_snap": (c_int, [c_void_p]),
    "dtrace_aggregate_print": (c_int, [c_void_p, c_void_p, c_void_p]),
    "dtrace_proc_create": (c_void_p, [c_void_p, c_char_p, POINTER(c_char_p)]),
    "dtrace_proc_grab": (c_void_p, [c_void_p, c_int, c_int]),
    "dtrace_proc_continue": (None, [c_void_p, c_void_p]),
}


def load() -> ctypes.CDLL:
    """The library: $DTRACE_LIBRARY, or the installed one."""
    lib = ctypes.CDLL(os.environ.get("DTRACE_LIBRARY", "libdtrace.so.1"))
    for name, (result, params) in FUNCTIONS.items():
        function = getattr(lib, name)
        function.restype, function.argtypes = result, params
    return lib
