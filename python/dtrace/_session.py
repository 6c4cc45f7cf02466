# SPDX-License-Identifier: BSD-2-Clause
"""A handle of libdtrace as a context manager."""

from __future__ import annotations

import contextlib
import ctypes
import os
import re
import select
import signal
import threading
import time
import warnings
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from ctypes import byref, c_char_p, c_int
from types import FrameType, TracebackType
from typing import Any, Optional, Union

from . import _abi
from ._abi import DropKind, Severity, WorkStatus
from ._errors import (AccessError, CompileError, Diagnostic, DropWarning,
                      DTraceError, DTraceWarning, FaultWarning, OptionError)
from ._rows import Drop, Fault, Row, drop_of, fault_of, name_of, row_of, text_of

Options = Mapping[str, Union[None, bool, int, str]]
LOSSES = ("warn", "yield", "raise")

_lib: Optional[ctypes.CDLL] = None
_lib_lock = threading.Lock()


def _library() -> ctypes.CDLL:
    global _lib
    with _lib_lock:
        if _lib is None:
            _lib = _abi.load()
        return _lib


def _encoded(text: str) -> bytes:
    data = text.encode("utf-8", "surrogateescape")
    if b"\0" in data:
        raise ValueError("a text for libdtrace has a NUL")
    return data


def _strings(texts: Sequence[str]) -> Any:
    """char *argv[], which ends with NULL."""
    return (c_char_p * (len(texts) + 1))(*map(_encoded, texts), None)


@contextlib.contextmanager
def _postponed() -> Iterator[None]:
    """Control-C takes effect after the body, which may call C.

    C can call Python back.  If a handler of a signal raises an exception at
    the entry of such a callback, ctypes prints and drops the exception, and
    the callback's work is not done.
    """
    came: list[Optional[FrameType]] = []
    original = signal.getsignal(signal.SIGINT)
    # only Python's main thread runs handlers
    if not callable(original) or \
            threading.current_thread() is not threading.main_thread():
        yield
        return
    signal.signal(signal.SIGINT, lambda _number, frame: came.append(frame))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, original)
        if came:
            original(signal.SIGINT, came.pop())


class Session:
    """One handle of libdtrace.

    A session may be used by one thread at a time; sessions are independent of
    each other.  Only stop() may be called from other threads, and from
    handlers of signals.  After a fork, the child cannot use it.
    """

    def __init__(self, options: Optional[Options] = None, *,
                 losses: str = "warn") -> None:
        self._handle: Optional[int] = None
        if losses not in LOSSES:
            raise ValueError(f"losses must be one of {', '.join(LOSSES)}")
        self._c = _library()
        self._pid = os.getpid()
        # Control-C may come between acquire() and try: then the thread that
        # has the lock can still close the session.
        self._busy = threading.RLock()
        self._losses = losses
        self._rows: deque[Row] = deque()
        self._failure: Optional[BaseException] = None
        self._snapshot = 0
        self._procs: list[int] = []
        self._is_done = self._is_going = self._must_stop = False
        self._wake: tuple[int, ...] = ()    # a pipe: stop() writes
        # Guards _wake between stop() and close() of different threads; nests
        # in _busy.  Signals may meet it: a handler may call stop().
        self._wake_lock = threading.RLock()
        self.drops: Counter[DropKind] = Counter()
        self.nfaults = 0
        error = c_int()
        try:
            with _postponed():
                self._handle = self._c.dtrace_open(_abi.VERSION, 0,
                                                   byref(error))
                self._wake = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
            if self._handle is None:
                raise DTraceError(error.value, text_of(
                    self._c.dtrace_errmsg(None, error.value)))
            self._set_handlers()
            for name, value in (options or {}).items():
                self.set_option(name, value)
        except BaseException:
            self.close()
            raise

    # -- life

    def close(self) -> None:
        """End tracing; kill the processes of create() that still run."""
        if os.getpid() != self._pid:
            self._handle = None     # a forked child has only copies
            self._close_pipe()      # unlocked: threads did not come along
            return
        if self._handle is None:
            with self._wake_lock:
                self._close_pipe()
            return
        with self._alone():
            handle, self._handle = self._handle, None
            try:
                if handle is not None:
                    self._c.dtrace_close(handle)
            finally:
                with self._wake_lock:
                    self._close_pipe()

    def _close_pipe(self) -> None:
        pipe, self._wake = self._wake, ()
        for fd in pipe:
            os.close(fd)

    def __enter__(self) -> Session:
        return self

    def __exit__(self, kind: Optional[type[BaseException]],
                 error: Optional[BaseException],
                 where: Optional[TracebackType]) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_handle", None) is None:
            return
        if os.getpid() == self._pid:
            warnings.warn(f"{self!r} was not closed", ResourceWarning,
                          source=self)
        self.close()

    def _live(self) -> int:
        if self._handle is None:
            raise ValueError("the session is closed")
        if os.getpid() != self._pid:
            raise RuntimeError("the session belongs to the parent process")
        return self._handle

    def _call(self, call: Callable[..., Any], *args: Any) -> Any:
        """Call libdtrace, from one thread at a time."""
        self._live()
        with self._alone():
            return call(self._live(), *args)

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        """Refuse other threads, and postpone Control-C."""
        with _postponed():
            if not self._busy.acquire(blocking=False):
                raise RuntimeError("another thread uses the session")
            try:
                yield
            finally:
                self._busy.release()

    def _checked(self, call: Callable[..., Any], *args: Any) -> Any:
        """The same; 0 or a pointer is success."""
        result = self._call(call, *args)
        if result is None or (call.restype is c_int and  # type: ignore
                              result < 0):
            raise self._error()
        return result

    # -- errors

    def _error(self) -> DTraceError:
        handle = self._live()
        code = int(self._c.dtrace_errno(handle))
        message = text_of(self._c.dtrace_errmsg(handle, code))
        if code == _abi.EDT_COMPILER:
            return CompileError(code, message, self._diagnostics(handle))
        if code == _abi.EDT_ACCESS:
            return AccessError(code, message)
        if code in (_abi.EDT_BADOPTNAME, _abi.EDT_BADOPTVAL,
                    _abi.EDT_BADOPTCTX):
            return OptionError(code, message)
        return DTraceError(code, message)

    def _diagnostics(self, handle: int) -> tuple[Diagnostic, ...]:
        found: list[Diagnostic] = []

        def take(_handle: int, diag: Any, _arg: object) -> int:
            d = diag.contents
            has_place = d.dtdg_line != 0
            found.append(Diagnostic(
                Severity(d.dtdg_severity), name_of(d.dtdg_tag),
                name_of(d.dtdg_file), d.dtdg_line if has_place else None,
                d.dtdg_column if has_place else None, d.dtdg_length,
                text_of(d.dtdg_message), name_of(d.dtdg_hint)))
            return 0
        with _postponed():
            self._c.dtrace_diag_iter(handle, _abi.DiagHandler(take), None)
        return tuple(found)

    def _tell_notices(self) -> None:
        for line in text_of(self._call(self._c.dtrace_notices)).splitlines():
            if re.fullmatch(r"dtrace: pid \d+ has exited", line):
                continue    # an end of tracing like any other
            warnings.warn(line, DTraceWarning, stacklevel=3)

    # -- what libdtrace calls

    def _set_handlers(self) -> None:
        def event(data: Any) -> Row:
            return row_of(data.contents, self._snapshot)

        def fault(data: Any) -> Row:
            number = data.contents.dteda_fault
            return fault_of(data.contents, text_of(
                self._c.dtrace_faultstr(None, number)))

        def drop(data: Any) -> Row:
            return drop_of(data.contents)
        # ctypes does not keep them
        self._callbacks = (_abi.EventHandler(self._taking(event)),
                           _abi.ErrHandler(self._taking(fault)),
                           _abi.DropHandler(self._taking(drop)))
        self._checked(self._c.dtrace_handle_event, self._callbacks[0], None)
        self._checked(self._c.dtrace_handle_err, self._callbacks[1], None)
        self._checked(self._c.dtrace_handle_drop, self._callbacks[2], None)

    def _taking(self, convert: Callable[[Any], Row]) -> Callable[..., int]:
        """A handler that keeps rows: an exception must not pass through C."""
        def take(data: Any, _arg: object) -> int:
            try:
                self._rows.append(convert(data))
            except BaseException as failure:
                self._failure = failure
            return _abi.HANDLE_OK
        return take

    # -- before tracing

    def set_option(self, name: str,
                   value: Union[None, bool, int, str] = None) -> None:
        """Set an option of dtrace(8); None or True sets a flag."""
        if value is False:
            value = "0"
        text = None if value is None or value is True else _encoded(str(value))
        self._checked(self._c.dtrace_setopt, _encoded(name), text)

    def compile(self, program: str, args: Sequence[str] = (), *,
                flags: int = 0) -> None:
        """Compile a text, whose $1, ... are args, and enable it."""
        argv = _strings(["python", *args])
        prog = self._checked(
            self._c.dtrace_program_strcompile, _encoded(program), _abi.NAME,
            flags, len(args) + 1, argv)
        self._checked(self._c.dtrace_program_exec, prog, None)
        self._tell_notices()

    def create(self, command: Sequence[str]) -> None:
        """Create a process, which runs from go() on; the first is $target."""
        if isinstance(command, str) or not command:
            raise TypeError("a command is a sequence of words")
        self._procs.append(self._checked(
            self._c.dtrace_proc_create, _encoded(command[0]),
            _strings(command)))

    def grab(self, pid: int) -> None:
        """Trace a process that runs; the first is $target."""
        self._checked(self._c.dtrace_proc_grab, pid, 0)

    # -- tracing

    def go(self) -> None:
        with _postponed():
            self._checked(self._c.dtrace_go)
            self._is_going = True
            for proc in self._procs:
                self._call(self._c.dtrace_proc_continue, proc)
            self._tell_notices()

    def stop(self) -> None:
        """End tracing: rows of END and of aggregations follow."""
        self._must_stop = True
        if os.getpid() != self._pid:
            return
        with self._wake_lock, contextlib.suppress(BlockingIOError):
            if self._wake:
                os.write(self._wake[1], b"s")   # full: it is readable already

    def _wait(self, until: Optional[float]) -> bool:
        """Wait for work, or until then; is there work?"""
        fd = self._checked(self._c.dtrace_ctlfd)
        poll = select.poll()
        poll.register(fd, select.POLLIN)
        poll.register(self._wake[0], select.POLLIN)
        left = None if until is None else max(0.0, until - time.monotonic())
        ready = poll.poll(None if left is None else left * 1000)
        return any(which == fd for which, _ in ready)

    def _work(self, is_ready: bool) -> None:
        """Take the records; at the end, the aggregations."""
        if self._must_stop:
            self._checked(self._c.dtrace_stop)
        if is_ready:    # else it would sleep
            self._call(self._c.dtrace_sleep)
        with _postponed():
            status = self._call(self._c.dtrace_work, None, None, None, None)
            if status == WorkStatus.ERROR:
                raise self._error()
            if status == WorkStatus.DONE:
                self._is_done = True
                self.snapshot()
        self._tell_notices()

    def snapshot(self) -> None:
        """Take the aggregations that no printa() prints: their rows come."""
        with _postponed():
            self._checked(self._c.dtrace_aggregate_snap)
            self._checked(self._c.dtrace_aggregate_print, None, None)
            self._snapshot += 1

    def _taken(self) -> Iterator[Row]:
        """The rows that have come; losses as they were asked for."""
        while self._rows:
            row = self._rows.popleft()
            if isinstance(row, (Drop, Fault)):
                self._count(row)
                if self._losses != "yield":
                    self._tell(row)
                    continue
            yield row

    def _count(self, row: Union[Drop, Fault]) -> None:
        if isinstance(row, Drop):
            self.drops[row.kind] += row.count
        else:
            self.nfaults += 1

    def _tell(self, row: Union[Drop, Fault]) -> None:
        warning = (DropWarning(row) if isinstance(row, Drop)
                   else FaultWarning(row))
        if self._losses == "raise":
            raise warning
        warnings.warn(warning, stacklevel=4)

    def rows(self, every: Optional[float] = None) -> Iterator[Row]:
        """Trace until exit(), stop(), or the end of the processes.

        Rows come as soon as they are known; those of aggregations each
        `every` seconds, and at the end.  Control-C ends tracing: the rest
        comes, and then KeyboardInterrupt.
        """
        if every is not None and every <= 0:
            raise ValueError("every must be positive")
        due = None
        while not self._is_done:
            try:
                if not self._is_going:
                    if self._failure is not None:   # Control-C came earlier
                        break
                    self.go()
                if due is None and every is not None:
                    due = time.monotonic() + every
                self._work(self._wait(due))
                if due is not None and every is not None and \
                        time.monotonic() >= due and not self._is_done:
                    self.snapshot()
                    due += every * (1 + (time.monotonic() - due) // every)
            except KeyboardInterrupt as interrupt:
                self._failure = interrupt
            self._heed_failure()
            yield from self._taken()
        if self._failure is not None:
            failure, self._failure = self._failure, None
            raise failure

    def _heed_failure(self) -> None:
        """Control-C ends tracing first; a bug is raised at once."""
        if isinstance(self._failure, KeyboardInterrupt):
            self.stop()
        elif self._failure is not None:
            failure, self._failure = self._failure, None
            raise failure


def run(program: str, args: Sequence[str] = (), *,
        every: Optional[float] = None, options: Optional[Options] = None,
        command: Optional[Sequence[str]] = None, pids: Iterable[int] = (),
        losses: str = "warn") -> Iterator[Row]:
    """Trace with a D program, and give its rows.

    The handle is closed at the end, by an exception, and by close() of the
    generator, which a `for` that is left calls when the generator is freed.
    Lost data and faults are warnings; losses="yield": rows among the others;
    losses="raise": exceptions.
    """
    with Session(options, losses=losses) as session:
        for pid in pids:
            session.grab(pid)
        if command is not None:
            session.create(command)
        session.compile(program, args)
        yield from session.rows(every)
