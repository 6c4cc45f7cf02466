#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Prove what the planter would do to a file, with independent knowledge.

    plan_check.py PLAN_DUMP FILE [PLANNED]

PLAN_DUMP is the program that prints plans.  The plan is made of PLANNED (FILE
without its symbols, say), the knowledge is of FILE: its symbols and those of
its debug file, its relocations, .eh_frame and .gcc_except_table, and its
instructions, which Capstone decodes from the beginnings of functions.

What must hold:

- a window begins and ends where instructions begin, and its instructions are
  those that Capstone sees;
- no byte is in two windows, or written twice;
- nothing leads into a window behind its first byte: no branch, no call that
  returns, no symbol, no beginning of a function, no landing pad, no relocated
  address, no entry of a switch table, and no local label within a function to
  which something refers;
- the jump at its beginning, read from memory as it is after all writes, leads
  to the window's trampoline.  (A jump may end in bytes of the next
  instruction: they are never changed.)
- bytes that are written behind a window are unused padding;
- a trampoline runs each instruction of the window, with the same operands and
  targets, and each point's body before its instruction; then it goes to the
  window's end, which is in no other window (except behind padding to which
  nothing leads);
- the code of rt_sigreturn and runtime.goexit is unchanged.
"""

import bisect
import ctypes
import os
import re
import struct
import subprocess
import sys
from collections import Counter

import decode
import elf as elflib
from decode import BRANCH, CALL, LEAVES, LENGTH, RIP

# Raise it when a rule may find more than before: results that are kept are
# then no longer taken.
RULES = 1
# The reasons for which an address may be a target.
T_BRANCH, T_RETURN, T_SYMBOL, T_FDE, T_DATA, T_PAD, T_TABLE, T_LABEL = (
    1, 2, 4, 8, 16, 32, 64, 128)
TARGET_NAMES = {T_BRANCH: "a branch", T_RETURN: "a return", T_SYMBOL: "a symbol",
                T_FDE: "an FDE", T_DATA: "a relocation", T_PAD: "a landing pad",
                T_TABLE: "a switch table", T_LABEL: "a used label"}
SIGRETURNS = (bytes.fromhex("48c7c00f0000000f05"),
              bytes.fromhex("b80f0000000f05"))
SECOND_LEN = 2048
INSN_MAX = 15
VECTOR_PREFIXES = (0x62, 0xc4, 0xc5)  # EVEX and VEX: Intel SDM 2.3, 2.7
INT3, EVEX = 0xcc, 0x62
SYSCALL = b"\x0f\x05"  # leaves its return address in %rcx


def target_names(marks):
    return " and ".join(name for bit, name in TARGET_NAMES.items()
                        if marks & bit)


# ---- knowledge ---------------------------------------------------------------

class Text:
    """A segment of code, with facts about each byte."""

    def __init__(self, vaddr, data):
        self.vaddr, self.data = vaddr, data
        self.code = bytearray(data)  # for sweep.c, which needs an address
        self.info = bytearray(len(data) + 16)
        self.targets = bytearray(len(data) + 16)

    def has(self, vaddr):
        return 0 <= vaddr - self.vaddr < len(self.data)

    def sweep_args(self):
        args = decode.SweepArgs()
        args.data = decode.pointer_to(self.code)
        args.info = decode.pointer_to(self.info)
        args.targets = decode.pointer_to(self.targets)
        args.vaddr, args.len = self.vaddr, len(self.data)
        return args


class Intervals:
    """Functions by address; the first of those that overlap counts."""

    def __init__(self, ranges):
        self.starts, self.ends = [], []
        for start, end in sorted(ranges):
            if end > start and (not self.ends or start >= self.ends[-1]):
                self.starts.append(start)
                self.ends.append(end)

    def at(self, vaddr):
        """(start, end) of the function that has an address, or None."""
        i = bisect.bisect_right(self.starts, vaddr) - 1
        if i >= 0 and vaddr < self.ends[i]:
            return self.starts[i], self.ends[i]
        return None


class Range:
    """Code from one possible beginning to the next.

    It is trusted if it is known to be code.  Where a section has FDEs, what no
    FDE and no typed symbol covers may be constants and texts; it is code if a
    branch from known code leads there."""
    __slots__ = ("text", "start", "stop", "known", "trusted")

    def __init__(self, text, start, stop, known, trusted):
        self.text, self.start, self.stop = text, start, stop
        self.known, self.trusted = known, trusted


class Knowledge:
    """The targets of all jumps and pointers in a file."""

    def __init__(self, elf, decoder):
        self.elf, self.decoder = elf, decoder
        self.texts = [Text(v, d) for v, d, code in elf.loads() if code]
        self.starts = set()
        self.typed = set()   # starts that are known to be code
        self.labels = set()  # local, of no type, within a function
        self.sizes = {}   # ends of functions, by start: from symbols
        self.pinned = []  # (from, to) of code that must not change
        self.second = {}  # a part of the code, as objdump decodes it
        self.refs = {}    # addresses in operands, and whose they are
        self.far = set()  # targets of branches that leave their range
        self.unknown = 0  # undecodable bytes
        self._read_fdes()
        self._read_symbols()
        for vaddr in elf.relocated():
            self.mark(vaddr, T_DATA)
        self._pin_sigreturns()
        self.functions = Intervals(
            list(self.fdes) + [r for r in self.sizes.items()
                               if self.covered.at(r[0]) is None])
        self._decode_all()
        self._mark_labels()
        self._read_tables()

    def text_of(self, vaddr):
        for t in self.texts:
            if t.has(vaddr):
                return t
        return None

    def mark(self, vaddr, bits):
        t = self.text_of(vaddr)
        if t is not None:
            t.targets[vaddr - t.vaddr] |= bits

    def _read_fdes(self):
        self.fdes = []
        for fde in elflib.fdes(self.elf):
            if fde.is_signal:
                continue
            self.starts.add(fde.start)
            self.fdes.append((fde.start, fde.start + fde.size))
            self.mark(fde.start, T_FDE)
            for pad in elflib.landing_pads(self.elf, fde):
                self.mark(pad, T_PAD)
        self.covered = Intervals(self.fdes)

    def _read_symbols(self):
        tables = [self.elf]
        debug = self.elf.debug_file()
        if debug is not None:
            tables.append(elflib.Elf(debug))
        for table in tables:
            for s in table.code_symbols():
                self._read_symbol(s)
        self.starts.add(self.elf.entry)
        self.typed.add(self.elf.entry)

    def _read_symbol(self, s):
        self.starts.add(s.value)
        inside = self.covered.at(s.value)
        if s.kind != elflib.STT_NOTYPE or s.size:
            self.typed.add(s.value)
            self.sizes[s.value] = max(self.sizes.get(s.value, 0),
                                      s.value + s.size)
        elif s.is_local and inside and s.value != inside[0]:
            self.labels.add(s.value)
            return
        self.mark(s.value, T_SYMBOL)
        if s.name in ("runtime.goexit", "runtime.goexit.abi0"):
            self.pinned.append((s.value, s.value + max(s.size, 1)))

    def _pin_sigreturns(self):
        for t in self.texts:
            for code in SIGRETURNS:
                for m in re.finditer(re.escape(code), t.data):
                    at = t.vaddr + m.start()
                    self.pinned.append((at, at + len(code)))
                    self.starts.add(at)

    # ---- ranges ------------------------------------------------------------

    def _decode_all(self):
        starts = sorted(self.starts)
        self.ranges = []
        for section in self.elf.sections:
            t = self.text_of(section.addr) if section.is_code else None
            if t is not None:
                self._add_ranges(t, section, starts)
        for r in self.ranges:
            self._sweep(r)
        self._decode_gaps()

    def _add_ranges(self, t, section, starts):
        end = min(section.addr + section.size, t.vaddr + len(t.data))
        lo = bisect.bisect_left(starts, section.addr)
        mine = [section.addr] + starts[lo:bisect.bisect_left(starts, end)]
        lo = bisect.bisect_left(self.covered.starts, section.addr)
        has_fdes = lo < len(self.covered.starts) and \
            self.covered.starts[lo] < end
        known = section.addr
        for start, stop in zip(mine, mine[1:] + [end]):
            inside = self.covered.at(start)
            if inside:
                known = inside[1]
            else:
                known = max(known, self.sizes.get(start, start))
            trusted = bool(inside) or not has_fdes or known > start or \
                start in self.typed or start == section.addr
            if inside and known < stop:
                self._add_range(t, start, known, known, True)
                start, trusted = self._behind_padding(t, known, stop), False
            self._add_range(t, start, stop, known, trusted)

    def _add_range(self, t, start, stop, known, trusted):
        if start < stop:
            self.ranges.append(Range(t, start, stop, known, trusted))

    def _behind_padding(self, t, start, stop):
        """Decode NOPs and INT3; returns the address behind them."""
        while start < stop:
            off = start - t.vaddr
            row = next(iter(self.decoder.run(t.data[off:off + INSN_MAX], start,
                                             1)), None)
            if row is None or start + row[2] > stop or \
                    not is_padding(t.data[off:off + row[2]]):
                break
            t.info[off] = row[2]
            if t.data[off] == INT3:
                t.info[off] |= LEAVES if self._is_end(row[0]) else 0
            start += row[2]
        return start

    def _is_end(self, ident):
        return self.decoder.kinds[ident] == decode.IS_END

    def _decode_gaps(self):
        """Decode once more what a branch has shown to be code."""
        doubtful = [r for r in self.ranges if not r.trusted]
        found = True
        while found and doubtful:
            far, found = sorted(self.far), False
            rest = []
            for r in doubtful:
                lo = bisect.bisect_left(far, r.start)
                mine = far[lo:bisect.bisect_left(far, r.stop)]
                if not mine:
                    rest.append(r)
                    continue
                found = True
                for start, stop in zip(mine, mine[1:] + [r.stop]):
                    self._sweep(Range(r.text, start, stop, start, True))
            doubtful = rest

    # ---- instructions ------------------------------------------------------

    def _sweep(self, r):
        """Decode a range.

        An instruction may reach over the next start: both readings count."""
        args = r.text.sweep_args()
        args.start, args.stop, args.known = r.start, r.stop, r.known
        args.trusted = r.trusted
        if self.elf.type == elflib.ET_EXEC:
            args.lo, args.hi = self.elf.span()
        at = ctypes.c_uint64(r.start)
        while True:
            args.refs = decode.pointer_to(self.decoder.refs)
            args.nrefs, args.max_refs = 0, decode.MAX_REFS
            how = self.decoder.sweep(self.decoder.args, args, at)
            self._take_refs(args.nrefs)
            if how == decode.SWEPT:
                return
            if how == decode.EVEX_MET and (
                    not r.trusted or self._is_agreed(r.text, at.value)):
                args.agreed = at.value
            elif how != decode.REFS_FULL:
                at.value = self._arbitrate(r, at.value)

    def _take_refs(self, n):
        for source, target, is_branch in struct.iter_unpack(
                "<QQQ", self.decoder.refs[:24 * n]):
            if is_branch:
                self.far.add(target)
                self.mark(target, T_BRANCH)
            else:
                self.refs.setdefault(target, set()).add(source)

    def _is_agreed(self, t, at):
        """Does objdump agree on the length of an instruction with an EVEX
        prefix?

        Capstone 4 takes VMULPS with {rz-sae} for 7 bytes, but it has 6."""
        off = at - t.vaddr
        return all(self._second_at(t, at)[0] in (row[2], 0) for row in
                   self.decoder.run(t.data[off:off + INSN_MAX], at, 1))

    def _second_at(self, t, at):
        """(length, mnemonic, operands), as objdump decodes it."""
        if at not in self.second:
            off = at - t.vaddr
            code = t.data[off:off + SECOND_LEN + INSN_MAX]
            # objdump does not see all of an instruction at the end
            self.second = {row[0]: row[1:] for row in
                           decode.objdump(code, at)
                           if row[0] < at + SECOND_LEN}
        return self.second.get(at, (0, "(bad)", ""))

    def _arbitrate(self, r, at):
        """Decode with objdump where Capstone cannot.

        Code that is only presumed may be data.  There, objdump is asked for
        vector instructions alone: Capstone 4 lacks VBROADCASTI128 and many of
        AVX-512, and would be out of step behind each."""
        t = r.text
        first = t.data[at - t.vaddr]
        if first in (0, INT3) and \
                not t.data[at - t.vaddr:r.stop - t.vaddr].strip(b"%c" % first):
            return r.stop
        if r.trusted or first in VECTOR_PREFIXES:
            length, name, operands = self._second_at(t, at)
            if "(bad)" not in name and at + length <= r.stop:
                self._note_text(r, at, length, name, operands)
                return at + length
        self.unknown += 1
        return at + 1

    def _note_text(self, r, addr, length, name, operands):
        t, off = r.text, addr - r.text.vaddr
        t.info[off] = length
        if "rip" in operands:
            t.info[off] |= RIP
        m = re.match(r"(?:0x)?([0-9a-f]+)\b", operands)
        if name[0] == "j" or name.startswith(("call", "loop", "xbegin")):
            if m:
                t.info[off] |= BRANCH
                self.far.add(int(m.group(1), 16))
                self.mark(int(m.group(1), 16), T_BRANCH)
            if name.startswith("call"):
                t.info[off] |= CALL
                t.targets[off + length] |= T_RETURN
            elif name.startswith("jmp"):
                t.info[off] |= LEAVES
        elif name in ("ret", "retq", "ud2", "hlt", "iretq"):
            t.info[off] |= LEAVES

    # ---- labels and tables -------------------------------------------------

    def _mark_labels(self):
        """Mark local labels within functions that something refers to.

        A branch or a relocation has already marked its target.  Hand-written
        code has labels at which nothing but the code before arrives."""
        used = self.labels & self.refs.keys()
        if self.elf.type == elflib.ET_EXEC and self.labels:
            used |= self.labels & self.elf.words()
        for label in used:
            self.mark(label, T_LABEL)

    def _read_tables(self):
        """Mark what the switch tables of a function lead to.

        A table is where an operand points to, in no code.  Its entries are
        offsets from its beginning, or addresses.  It ends before the next such
        place, and where an entry leads to no code or between two instructions:
        constants that follow a table look like entries."""
        places = sorted(self.refs)
        places.append(1 << 64)
        for here, stop in zip(places, places[1:]):
            data = self.elf.constants(here, stop)
            if not data:
                continue
            found = {self.functions.at(s) for s in self.refs[here]} - {None}
            if not found:
                continue
            self._read_table(found, [here + e for (e,) in struct.iter_unpack(
                "<i", data[:len(data) & ~3])])
            if self.elf.type == elflib.ET_EXEC:
                self._read_table(found, [e for (e,) in struct.iter_unpack(
                    "<Q", data[:len(data) & ~7])])

    def _read_table(self, functions, entries):
        for vaddr in entries:
            t = self.text_of(vaddr)
            if t is None or not t.info[vaddr - t.vaddr] & decode.LENGTH:
                break
            if any(start <= vaddr < end for start, end in functions):
                t.targets[vaddr - t.vaddr] |= T_TABLE


# ---- plans -------------------------------------------------------------------

class Plan:
    """The output of plan_dump for one kind of places."""

    def __init__(self, name):
        self.name = name
        self.writes, self.texts, self.moves, self.points = [], [], [], []
        self.refused = Counter()


def read_dump(text):
    """(bias, plans), or a reason why the file was refused as a whole."""
    bias, plans = 0, []
    for line in text.splitlines():
        kind, _, rest = line.partition(" ")
        f = rest.split(" ")
        if kind == "m":
            plans[-1].moves.append((int(f[0], 16), int(f[1], 16), f[2] == "1"))
        elif kind == "p":
            plans[-1].points.append((int(f[0], 16), int(f[1], 16)))
        elif kind == "w":
            plans[-1].writes.append((int(f[0], 16), bytes.fromhex(f[1]),
                                     bytes.fromhex(f[2])))
        elif kind == "t":
            plans[-1].texts.append((int(f[0], 16), bytes.fromhex(f[1])))
        elif kind == "r":
            plans[-1].refused[rest.partition(" ")[2]] += int(f[0], 16)
        elif kind == "mode":
            plans.append(Plan(rest))
        elif kind == "file":
            bias = int(rest, 16)
        elif kind == "refused":
            return rest
        else:
            raise ValueError(f"plan_dump printed '{line[:80]}'")
    return bias, plans


BODY_OPEN = bytes.fromhex("488da424")  # lea disp32(%rsp),%rsp
BODY_NOP = bytes.fromhex("0f1f80")
BODY_LEN = 8 + 7 + 8


class Violation(Exception):
    """A window breaks a rule."""


class Checker:
    def __init__(self, known, bias, plan):
        self.known, self.bias, self.plan = known, bias, plan
        self.found = []
        self.now = [bytearray(t.data) for t in known.texts]
        self.inside = [bytearray(len(t.data) + 64) for t in known.texts]
        self.wanted = {i: at - bias for i, at in plan.points}
        self.ran = {}
        self.ends = []
        self.jumps = {}
        self.slots = set()

    def report(self, where, what):
        self.found.append(f"{self.plan.name}: 0x{where:x}: {what}")

    def run(self):
        self._apply()
        codes = dict(self.plan.texts)
        for window in self._windows():
            try:
                self._check_window(window, codes)
            except Violation as e:
                self.report(window[0][0], str(e))
        self._check_writes()
        self._check_ends()
        self._check_points()
        self._check_pinned()
        return self.found

    def _apply(self):
        """Apply all writes to a copy of the memory."""
        for at, old, new in self.plan.writes:
            vaddr = at - self.bias
            i, t = self._find(vaddr)
            if t is None or not t.data.startswith(old, vaddr - t.vaddr):
                self.report(vaddr, "the bytes to be replaced are not there")
                continue
            self.now[i][vaddr - t.vaddr:vaddr - t.vaddr + len(new)] = new
            self.jumps[vaddr] = len(new)

    def _find(self, vaddr):
        for i, t in enumerate(self.known.texts):
            if t.has(vaddr):
                return i, t
        return -1, None

    def _windows(self):
        window = []
        for m in self.plan.moves:
            if m[2] and window:
                yield window
                window = []
            window.append((m[0] - self.bias, m[1]))
        if window:
            yield window

    # ---- the window --------------------------------------------------------

    def _check_window(self, window, codes):
        begin = window[0][0]
        i, t = self._find(begin)
        off = begin - t.vaddr
        for k, (vaddr, _) in enumerate(window):
            info = t.info[vaddr - t.vaddr]
            if info == 0:
                raise Violation(f"no instruction begins at 0x{vaddr:x}")
            end = vaddr + (info & LENGTH)
            if k + 1 < len(window) and window[k + 1][0] != end:
                raise Violation(f"its instructions are not those at 0x{vaddr:x}"
                                f" to 0x{end:x}")
        if begin not in self.jumps:
            raise Violation("nothing is written at its beginning")
        self._check_targets(i, t, off, end - t.vaddr, begin)
        at = self._jump_from(i, t, begin)
        if at not in codes:
            raise Violation(f"its jump leads to 0x{at:x}, which is no "
                            "trampoline")
        if window[0][1] != at:
            raise Violation("its jump leads to another window's trampoline")
        self._check_code(t, window, end, at, codes[at])

    def _take(self, i, start, end, first, what):
        """Note a window's bytes, which must be in no other window.

        `inside` has 1 for the first byte of a window, 2 for the others."""
        taken = self.inside[i]
        if taken[start:end].strip(b"\0"):
            raise Violation(f"{what} shares a byte with another window")
        taken[start:end] = bytes([2]) * (end - start)
        if first:
            taken[start] = 1

    def _check_targets(self, i, t, off, end, begin):
        """Check that nothing leads into the window, or into bytes written
        behind it."""
        written = off + self.jumps[begin]
        stop = max(end, written)
        self._no_target(t, off + 1, stop)
        self._take(i, off, stop, True, "it")
        if written > end:
            last = self._last_before(t, end)
            if not t.info[last] & LEAVES:
                raise Violation("its jump covers more than its instructions")
            self._padding(t, end, written)

    @staticmethod
    def _no_target(t, start, stop):
        part = t.targets[start:stop]
        if part.strip(b"\0"):
            for k, marks in enumerate(part):
                if marks:
                    raise Violation(f"{target_names(marks)} leads to "
                                    f"0x{t.vaddr + start + k:x}, inside")

    @staticmethod
    def _last_before(t, end):
        for n in range(1, 16):
            if t.info[end - n] & LENGTH == n:
                return end - n
        raise Violation("no instruction ends where it ends")

    def _padding(self, t, start, stop):
        """Check for unused instructions without effect."""
        while start < stop:
            length = t.info[start] & LENGTH
            code = t.data[start:start + length]
            if not length or not is_padding(code):
                raise Violation(f"0x{t.vaddr + start:x} is written to, and is "
                                "no padding")
            start += length

    # ---- the jump ----------------------------------------------------------

    def _jump_from(self, i, t, vaddr):
        off = vaddr - t.vaddr
        code = bytes(self.now[i][off:off + 5])
        if code[:1] == b"\xe9" and len(code) == 5:
            return self.bias + vaddr + 5 + struct.unpack("<i", code[1:])[0]
        if code[:1] != b"\xeb":
            raise Violation("no jump is at its beginning")
        slot = off + 2 + struct.unpack("<b", code[1:2])[0]
        if slot < 0 or t.vaddr + slot not in self.jumps or \
                self.now[i][slot] != 0xe9:
            raise Violation("its short jump leads to no jump")
        self._check_slot(i, t, slot)
        return self._jump_from(i, t, t.vaddr + slot)

    def _check_slot(self, i, t, slot):
        self.slots.add(t.vaddr + slot)
        self._no_target(t, slot, slot + 5)
        last = self._padding_start(t, slot)
        if last is None:
            raise Violation(f"its slot 0x{t.vaddr + slot:x} is not behind "
                            "what leaves")
        self._padding(t, last, slot + 5)
        self._take(i, slot, slot + 5, False, "its slot")

    @staticmethod
    def _padding_start(t, off):
        """The beginning of padding that reaches to an offset; None: no
        padding.

        It is behind an instruction that leaves.  An INT3 leaves, too: Go
        ends functions with a call that does not return, a NOP and a row of
        INT3, V8 with such a call and one INT3."""
        at = off
        while not t.info[at] & LENGTH or at == off or is_padding(
                t.data[at:at + (t.info[at] & LENGTH)]):
            if at != off and t.data[at] == INT3 and \
                    t.info[at] & LENGTH == 1:
                return at + 1
            if at == max(off - 512, 0) or (at != off and t.targets[at]):
                return None
            at -= 1
        last = at + (t.info[at] & LENGTH)
        return last if t.info[at] & LEAVES and last <= off else None

    def _is_dead(self, t, window):
        """Is the window padding that is never executed?"""
        off = window[0][0] - t.vaddr
        return not t.targets[off] and \
            all(is_padding(t.data[v - t.vaddr:v - t.vaddr +
                                  (t.info[v - t.vaddr] & LENGTH)])
                for v, _ in window) and \
            self._padding_start(t, off) is not None

    # ---- the trampoline ----------------------------------------------------

    def _check_code(self, t, window, end, at, code):
        pos = 0
        for k, (vaddr, to) in enumerate(window):
            if to != at + pos:
                raise Violation(f"the copy of 0x{vaddr:x} is not at its place")
            pos = self._bodies(code, pos, vaddr)
            stop = window[k + 1][1] - at if k + 1 < len(window) else None
            pos = self._check_copy(t, vaddr, at, code, pos, stop)
        if not t.info[window[-1][0] - t.vaddr] & LEAVES:
            pos = self._bodies(code, pos, end)
            pos = self._check_return(code, pos, at, end)
            if not self._is_dead(t, window):
                self.ends.append(end)
        if pos != len(code):
            raise Violation("something is behind its trampoline's end")

    def _bodies(self, code, pos, vaddr):
        while code[pos:pos + 4] == BODY_OPEN and \
                code[pos + 8:pos + 11] == BODY_NOP:
            ident = struct.unpack_from("<I", code, pos + 11)[0]
            down = struct.unpack_from("<i", code, pos + 4)[0]
            up = struct.unpack_from("<i", code, pos + 19)[0]
            if self.wanted.get(ident) != vaddr:
                break
            if code[pos + 15:pos + 19] != BODY_OPEN or down + up != 0:
                raise Violation("a body does not keep the stack")
            if ident in self.ran:
                raise Violation(f"body {ident} runs twice")
            self.ran[ident] = vaddr
            pos += BODY_LEN
        return pos

    def _check_return(self, code, pos, at, end):
        if code[pos:pos + 1] == b"\xe9":
            to = at + pos + 5 + struct.unpack_from("<i", code, pos + 1)[0]
            pos += 5
        elif code[pos:pos + 6] == b"\xff\x25\0\0\0\0":
            to = struct.unpack_from("<Q", code, pos + 6)[0]
            pos += 14
        else:
            raise Violation("its trampoline does not end in a jump")
        if to != self.bias + end:
            raise Violation(f"its trampoline returns to 0x{to - self.bias:x}, "
                            f"not to its end, 0x{end:x}")
        return pos

    def _check_copy(self, t, vaddr, at, code, pos, stop):
        """Check the instruction at its new place; returns the position behind
        it."""
        off = vaddr - t.vaddr
        info = t.info[off]
        length = info & LENGTH
        old = t.data[off:off + length]
        if old == SYSCALL:
            return self._check_rewritten(t, vaddr, at, code, pos, stop)
        if not info & (RIP | BRANCH | CALL):
            if code[pos:pos + length] != old:
                if is_nop(old):
                    return pos
                raise Violation(f"the copy of 0x{vaddr:x} is another "
                                f"instruction: {code[pos:pos + length].hex()}")
            return pos + length
        if info & RIP and not info & CALL:
            done = self._check_rip(vaddr, old, at + pos,
                                   code[pos:pos + length])
            if done:
                return pos + length
        return self._check_rewritten(t, vaddr, at, code, pos, stop)

    def _check_rip(self, vaddr, old, to, new):
        """Is it the same instruction with another displacement of four
        bytes?"""
        for k in range(1, len(old) - 3):
            if old[:k] != new[:k] or old[k + 4:] != new[k + 4:]:
                continue
            before = struct.unpack_from("<i", old, k)[0]
            behind = struct.unpack_from("<i", new, k)[0]
            if self.bias + vaddr + before == to + behind:
                return True
        return False

    def _check_rewritten(self, t, vaddr, at, code, pos, stop):
        """Check other instructions with the same effect.

        Only the addresses are compared: the target, the operand read, and
        the return address of a call."""
        off = vaddr - t.vaddr
        info = t.info[off]
        if stop is None:
            stop = len(code)
            if not info & LEAVES:
                stop = self._find_tail(code, pos, at,
                                       vaddr + (info & LENGTH))
        part = code[pos:stop]
        for want in self._wanted(t, vaddr):
            if not self._uses(part, at + pos, want + self.bias):
                raise Violation(f"the copy of 0x{vaddr:x} has lost "
                                f"0x{want:x}: {part.hex()}")
        if info & CALL or t.data[off:off + 2] == SYSCALL:
            back = vaddr + (info & LENGTH) + self.bias
            if struct.pack("<I", back & 0xffffffff) not in part and \
                    not self._uses(part, at + pos, back):
                raise Violation(f"the call at 0x{vaddr:x} returns elsewhere")
        return stop

    def _find_tail(self, code, pos, at, end):
        """The beginning of the bodies behind the last instruction, and of the
        jump back."""
        tail = len(code) - 5
        if code[tail:tail + 1] != b"\xe9" or \
                at + tail + 5 + struct.unpack_from("<i", code, tail + 1)[0] != \
                self.bias + end:
            tail = len(code) - 14
        while tail - BODY_LEN >= pos and \
                code[tail - BODY_LEN:tail - BODY_LEN + 4] == BODY_OPEN and \
                code[tail - BODY_LEN + 8:tail - BODY_LEN + 11] == BODY_NOP:
            tail -= BODY_LEN
        return tail

    def _uses(self, part, at, want):
        """May the code use the address?

        It may be a constant of 8 bytes, one of 4 that is relative to its
        end, or an operand as Capstone prints it."""
        if struct.pack("<Q", want) in part:
            return True
        # from the last place to the first, as the end of a jump is likely
        for k in range(len(part) - 4, -1, -1):
            if at + k + 4 + struct.unpack_from("<i", part, k)[0] == want:
                return True
        return want in self._operands(part, at)

    def _operands(self, part, at):
        values = set()
        for row in self.known.decoder.run(part, at):
            text = decode.text(row[4])
            for m in re.finditer(rb"rip ([+-]) (0x[0-9a-f]+|\d+)", text):
                disp = int(m.group(2), 0)
                values.add(row[1] + row[2] +
                           (disp if m.group(1) == b"+" else -disp))
            for m in re.finditer(rb"0x[0-9a-f]+", text):
                values.add(int(m.group(0), 16))
        return values

    def _wanted(self, t, vaddr):
        """The address that an instruction refers to."""
        off = vaddr - t.vaddr
        info = t.info[off]
        length = info & LENGTH
        for row in self.known.decoder.run(t.data[off:off + length], vaddr, 1):
            text = decode.text(row[4])
            if info & BRANCH:
                yield int(text, 16)
            for m in re.finditer(rb"\[rip ([+-]) (0x[0-9a-f]+|\d+)\]", text):
                disp = int(m.group(2), 0)
                yield row[1] + row[2] + (disp if m.group(1) == b"+" else -disp)

    # ---- the whole plan ----------------------------------------------------

    def _check_writes(self):
        """Check that each write is a window's jump, or a jump in padding."""
        begins = {m[0] - self.bias for m in self.plan.moves if m[2]}
        for vaddr in self.jumps:
            if vaddr not in begins and vaddr not in self.slots:
                self.report(vaddr, "is written to, for no window")

    def _check_ends(self):
        for end in self.ends:
            i, t = self._find(end - 1)
            if t is None:
                self.report(end, "a trampoline returns to what is no code")
            elif self.inside[i][end - t.vaddr] == 2:
                self.report(end, "a trampoline returns into another window")
            elif not t.info[end - t.vaddr] and \
                    not t.targets[end - t.vaddr] & T_RETURN:
                # a call that never returns may be the last instruction of a
                # section
                self.report(end, "a trampoline returns to no instruction")

    def _check_points(self):
        for ident, at in self.wanted.items():
            if self.ran.get(ident) != at:
                self.report(at, "the body of its point does not run before it")

    def _check_pinned(self):
        for start, end in self.known.pinned:
            i, t = self._find(start)
            part = slice(start - t.vaddr, end - t.vaddr)
            if self.inside[i][part].strip(b"\0") or \
                    self.now[i][part] != t.data[part]:
                self.report(start, "what must stay as it is is in a window")


def is_nop(code):
    return is_padding(code) and code[-1] != INT3


def is_padding(code):
    """Is it a NOP of any length, an INT3, or one with data16 prefixes?"""
    code = code.lstrip(b"\x66\x2e\xf3") or b"\x90"
    if code[:1] in (b"\x48", b"\x4f", b"\x40"):
        code = code[1:]
    return code[:1] in (b"\x90", b"\xcc") or code[:2] == b"\x0f\x1f"


# ---- files -------------------------------------------------------------------

class Result:
    """The figures of one file."""

    @staticmethod
    def from_dict(fields):
        result = Result()
        vars(result).update(fields)
        result.places = Counter(fields["places"])
        result.refused = Counter(fields["refused"])
        return result

    def __init__(self):
        self.refusal = None
        self.places = Counter()   # by kind
        self.refused = Counter()  # by reason
        self.windows = 0
        self.unknown = 0
        self.violations = []


def check(program, known, planned=None, debug=False, limit=0):
    """Plan a file (or a variant of it), and check the plan by the known
    facts."""
    result = Result()
    args = [program, "-n", str(limit)] + ["-d"] * debug
    out = subprocess.run(args + [planned or known.elf.path],
                         capture_output=True, text=True, check=False)
    if out.returncode != 0:
        result.violations.append(f"plan_dump ended with {out.returncode}: "
                                 f"{out.stderr.strip()}")
        return result
    dump = read_dump(out.stdout)
    if isinstance(dump, str):
        result.refusal = dump
        return result
    bias, plans = dump
    result.unknown = known.unknown
    for plan in plans:
        result.places[plan.name] += len(plan.points) + \
            sum(plan.refused.values())
        result.refused += plan.refused
        result.windows += sum(m[2] for m in plan.moves)
        result.violations += Checker(known, bias, plan).run()
    return result


def sweeper_of(program):
    """The library that is made of sweep.c is beside plan_dump."""
    return os.path.join(os.path.dirname(os.path.abspath(program)),
                        "plan_sweep.so")


def main():
    if len(sys.argv) not in (3, 4):
        print(__doc__, file=sys.stderr)
        return 2
    known = Knowledge(elflib.Elf(sys.argv[2]), decode.Decoder(sweeper_of(sys.argv[1])))
    result = check(sys.argv[1], known, *sys.argv[3:])
    if result.refusal:
        print(f"refused: {result.refusal}")
    for name, n in result.places.items():
        print(f"{name}: {n} places")
    for why, n in result.refused.items():
        print(f"refused: {n}: {why}")
    print(f"{result.windows} windows; {result.unknown} bytes are not decoded; "
          f"{len(result.violations)} violations")
    for v in result.violations[:int(os.environ.get("PLAN_SHOWN", "20"))]:
        print("  " + v)
    return 1 if result.violations else 0


if __name__ == "__main__":
    sys.exit(main())
