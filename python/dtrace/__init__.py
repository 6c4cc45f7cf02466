# SPDX-License-Identifier: BSD-2-Clause
"""Trace with D programs, and get typed rows: see doc/python.md.

    import dtrace
    for row in dtrace.run('syscall:::entry { @[execname] = count(); }',
                          every=1):
        print(row.keys, row.value)
"""

from ._abi import DropKind, Severity
from ._errors import (AccessError, CompileError, Diagnostic, DropWarning,
                      DTraceError, DTraceWarning, FaultWarning, OptionError)
from ._frame import columns, to_frame
from ._rows import (Action, AggregationRow, Amount, Bucket, Drop, Enumerator,
                    Fault, Frame, Probe, Record, Row, Stack, Value)
from ._session import Options, Session, run

__all__ = [
    "AccessError", "Action", "AggregationRow", "Amount", "Bucket",
    "CompileError", "DTraceError", "DTraceWarning", "Diagnostic", "Drop",
    "DropKind", "DropWarning", "Enumerator", "Fault", "FaultWarning", "Frame",
    "OptionError", "Options", "Probe", "Record", "Row", "Session", "Severity",
    "Stack", "Value", "columns", "run", "to_frame"]
