# SPDX-License-Identifier: BSD-2-Clause
"""Errors and warnings."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Optional

from ._abi import Severity
from ._rows import Drop, Fault


@dataclass(frozen=True)
class Diagnostic:
    """A message of the compiler; line None: it has no place."""

    severity: Severity
    tag: Optional[str]
    file: Optional[str]     # None: the text that was compiled
    line: Optional[int]
    column: Optional[int]   # in bytes, from 1
    length: int
    message: str
    hint: Optional[str]


class DTraceError(Exception):
    """A call of libdtrace failed: code is that of dtrace_errno()."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


class CompileError(DTraceError):
    """A program could not be compiled; tag and place are of the first error."""

    def __init__(self, code: int, message: str,
                 diagnostics: tuple[Diagnostic, ...]) -> None:
        super().__init__(code, message)
        self.diagnostics = diagnostics
        first = next((d for d in diagnostics if d.severity == Severity.ERROR),
                     None)
        self.tag = first.tag if first else None
        self.file = first.file if first else None
        self.line = first.line if first else None
        self.column = first.column if first else None


class OptionError(DTraceError):
    """An option does not exist, or has no such value."""


class AccessError(DTraceError):
    """More privileges are needed."""


class DTraceWarning(UserWarning):
    """A message of libdtrace that is no error."""


class DropWarning(DTraceWarning):
    def __init__(self, drop: Drop) -> None:
        super().__init__(drop.text)
        self.drop = drop


class FaultWarning(DTraceWarning):
    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.text)
        self.fault = fault


# By default Python shows equal warnings once, which would hide losses.
warnings.simplefilter("always", DTraceWarning, append=True)
