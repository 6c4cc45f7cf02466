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
  address (entries of switch tables are not read: what only a computed jump
  reaches by an entry that no relocation fills in is not seen);
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

import os
import re
import struct
import subprocess
import sys
from collections import Counter

import decode
import elf as elflib
from decode import BRANCH, CALL, LEAVES, LENGTH, RIP

# The reasons for which an address may be a target.
T_BRANCH, T_RETURN, T_SYMBOL, T_FDE, T_DATA, T_PAD = (
    1, 2, 4, 8, 16, 32)
TARGET_NAMES = {T_BRANCH: "a branch", T_RETURN: "a return", T_SYMBOL: "a symbol",
                T_FDE: "an FDE", T_DATA: "a relocation", T_PAD: "a landing pad"}
SIGRETURNS = (bytes.fromhex("48c7c00f0000000f05"),
              bytes.fromhex("b80f0000000f05"))
SECOND_LEN = 16384
INT3, EVEX = 0xcc, 0x62
SYSCALL = b"\x0f\x05"  # leaves its return address in %rcx


def target_names(marks):
    return " and ".join(name for bit, name in TARGET_NAMES.items()
                        if marks & bit)


# ---- knowledge ---------------------------------------------------------------

class Ids:
    """Capstone's ids of the instructions that matter here."""

    CALLS = ("e800000000", "ffd0")
    JUMPS = ("e900000000", "eb00", "ffe0")
    ENDS = ("c3", "c20000", "cb", "0f0b", "48cf", "f4")
    BRANCHES = tuple(f"{op:x}00" for op in range(0x70, 0x80)) + (
        "e000", "e100", "e200", "e300", "67e300", "c7f800000000")

    def __init__(self, decoder):
        def ids(codes):
            return {next(iter(decoder.run(bytes.fromhex(c), 0, 1)), [0])[0]
                    for c in codes} - {0}
        self.calls = ids(self.CALLS)
        self.jumps = ids(self.JUMPS)
        self.ends = ids(self.ENDS)
        self.branches = ids(self.BRANCHES) - self.jumps
        self.flow = self.calls | self.jumps | self.ends | self.branches


class Text:
    """A segment of code, with facts about each byte."""

    def __init__(self, vaddr, data):
        self.vaddr, self.data = vaddr, data
        self.info = bytearray(len(data) + 16)
        self.targets = bytearray(len(data) + 16)

    def has(self, vaddr):
        return 0 <= vaddr - self.vaddr < len(self.data)


class Knowledge:
    """The targets of all jumps and pointers in a file."""

    def __init__(self, elf, decoder):
        self.elf, self.decoder = elf, decoder
        self.ids = Ids(decoder)
        self.texts = [Text(v, d) for v, d, code in elf.loads() if code]
        self.starts = set()
        self.ends = {}    # of functions, by start: from FDEs and symbols
        self.pinned = []  # (from, to) of code that must not change
        self.second = {}  # a part of the code, as objdump decodes it
        self.unknown = 0  # undecodable bytes
        self._read_symbols()
        self._read_fdes()
        for section in elf.sections:
            if section.is_code:
                self.starts.add(section.addr)
        for vaddr in elf.relocated():
            self.mark(vaddr, T_DATA)
        self._pin_sigreturns()
        self._decode_all()

    def text_of(self, vaddr):
        for t in self.texts:
            if t.has(vaddr):
                return t
        return None

    def mark(self, vaddr, bits):
        t = self.text_of(vaddr)
        if t is not None:
            t.targets[vaddr - t.vaddr] |= bits

    def _read_symbols(self):
        tables = [self.elf]
        debug = self.elf.debug_file()
        if debug is not None:
            tables.append(elflib.Elf(debug))
        for table in tables:
            for s in table.code_symbols():
                self.starts.add(s.value)
                self._note_end(s.value, s.size)
                self.mark(s.value, T_SYMBOL)
                if s.name in ("runtime.goexit", "runtime.goexit.abi0"):
                    self.pinned.append((s.value, s.value + max(s.size, 1)))
        self.starts.add(self.elf.entry)

    def _read_fdes(self):
        for fde in elflib.fdes(self.elf):
            if fde.is_signal:
                continue
            self.starts.add(fde.start)
            self._note_end(fde.start, fde.size)
            self.mark(fde.start, T_FDE)
            for pad in elflib.landing_pads(self.elf, fde):
                self.mark(pad, T_PAD)

    def _note_end(self, start, size):
        self.ends[start] = max(self.ends.get(start, 0), start + size)

    def _pin_sigreturns(self):
        for t in self.texts:
            for code in SIGRETURNS:
                for m in re.finditer(re.escape(code), t.data):
                    at = t.vaddr + m.start()
                    self.pinned.append((at, at + len(code)))
                    self.starts.add(at)

    def _decode_all(self):
        starts = sorted(self.starts)
        for section in self.elf.sections:
            if not section.is_code:
                continue
            t = self.text_of(section.addr)
            if t is None:
                continue
            end = section.addr + section.size
            mine = [s for s in starts if section.addr <= s < end] + [end]
            known = section.addr
            for start, stop in zip(mine, mine[1:]):
                known = max(known, self.ends.get(start, start))
                self.range = start, stop, known
                self._decode_range(t, start, stop)

    def _mark_branch(self, source, target):
        """Note a branch's target.

        Behind the known end of a function, a branch counts only within its
        own range: OpenSSL has texts there, in which "ss" is a JAE. A
        function without an end ends where the next one begins."""
        start, stop, known = self.range
        if source < known or known == start or start <= target < stop:
            self.mark(target, T_BRANCH)

    def _decode_range(self, t, start, stop):
        """Decode a range.

        An instruction may reach over the next start: both readings count."""
        at = start
        while at < stop:
            code = t.data[at - t.vaddr:stop - t.vaddr + 15]
            if len(code) > 1 << 18:
                code = code[:1 << 18]
            begin = at
            for row in self.decoder.run(code, at):
                at = row[1]
                if at >= stop or not self._is_agreed(t, at, row[2], stop):
                    break
                at += row[2]
                self._note(t, *row)
            if at == begin:
                at = self._arbitrate(t, at, stop)

    def _is_agreed(self, t, at, length, stop):
        """Does objdump agree on the length of an instruction with an EVEX
        prefix?

        Capstone 4 takes VMULPS with {rz-sae} for 7 bytes, but it has 6."""
        return t.data[at - t.vaddr] != EVEX or \
            self._second_at(at, stop)[0] in (length, 0)

    def _second_at(self, at, stop):
        """(length, mnemonic, operands), as objdump decodes it."""
        if at not in self.second:
            end = min(stop, at + SECOND_LEN)
            self.second = {row[0]: row[1:] for row in
                           decode.objdump(self.elf.path, at, end)}
        return self.second.get(at, (0, "(bad)", ""))

    def _arbitrate(self, t, at, stop):
        """Decode with objdump where Capstone cannot."""
        code = t.data[at - t.vaddr:stop - t.vaddr]
        if not code.strip(b"\0") or not code.strip(b"\xcc"):
            return stop
        length, name, operands = self._second_at(at, stop)
        if "(bad)" not in name and at + length <= stop:
            self._note_text(t, at, length, name, operands)
            return at + length
        self.unknown += 1
        return at + 1

    def _note_text(self, t, addr, length, name, operands):
        off = addr - t.vaddr
        t.info[off] = length
        if "rip" in operands:
            t.info[off] |= RIP
        m = re.match(r"([0-9a-f]+)\b", operands)
        if name[0] == "j" or name.startswith(("call", "loop", "xbegin")):
            if m:
                t.info[off] |= BRANCH
                self._mark_branch(addr, int(m.group(1), 16))
            if name.startswith("call"):
                t.info[off] |= CALL
                t.targets[off + length] |= T_RETURN
            elif name.startswith("jmp"):
                t.info[off] |= LEAVES
        elif name in ("ret", "retq", "ud2", "hlt", "iretq"):
            t.info[off] |= LEAVES

    def _note(self, t, ident, addr, length, _name, operands):
        off = addr - t.vaddr
        info = length
        if b"rip" in operands and b"rip" in decode.text(operands):
            info |= RIP
        if ident in self.ids.flow:
            info |= self._note_flow(t, ident, off, length, operands)
        t.info[off] = info

    def _note_flow(self, t, ident, off, length, operands):
        info = 0
        if operands[:2] == b"0x" and ident not in self.ids.ends:
            info = BRANCH
            self._mark_branch(t.vaddr + off,
                              int(decode.text(operands), 16))
        if ident in self.ids.calls:
            t.targets[off + length] |= T_RETURN
            return info | CALL
        if ident in self.ids.branches:
            return info
        return info | LEAVES


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
        if not info & (RIP | BRANCH | CALL) and \
                code[pos:pos + length] == old:
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
        values = self._addresses(part, at + pos)
        for want in self._wanted(t, vaddr):
            if want + self.bias not in values:
                raise Violation(f"the copy of 0x{vaddr:x} has lost "
                                f"0x{want:x}: {part.hex()}")
        if info & CALL or t.data[off:off + 2] == SYSCALL:
            back = vaddr + (info & LENGTH) + self.bias
            if back not in values and \
                    struct.pack("<I", back & 0xffffffff) not in part:
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

    def _addresses(self, part, at):
        """All addresses that the code may use.

        They are %rip-relative operands, and constants of 4 and 8 bytes."""
        values = set()
        for row in self.known.decoder.run(part, at):
            text = decode.text(row[4])
            for m in re.finditer(rb"rip ([+-]) (0x[0-9a-f]+|\d+)", text):
                disp = int(m.group(2), 0)
                values.add(row[1] + row[2] +
                           (disp if m.group(1) == b"+" else -disp))
            for m in re.finditer(rb"0x[0-9a-f]+", text):
                values.add(int(m.group(0), 16))
        for k in range(len(part) - 7):
            values.add(struct.unpack_from("<Q", part, k)[0])
        for k in range(len(part) - 3):
            values.add(at + k + 4 + struct.unpack_from("<i", part, k)[0])
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


def is_padding(code):
    """Is it a NOP of any length, an INT3, or one with data16 prefixes?"""
    code = code.lstrip(b"\x66\x2e\xf3") or b"\x90"
    if code[:1] in (b"\x48", b"\x4f", b"\x40"):
        code = code[1:]
    return code[:1] in (b"\x90", b"\xcc") or code[:2] == b"\x0f\x1f"


# ---- files -------------------------------------------------------------------

class Result:
    """The figures of one file."""

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


def main():
    if len(sys.argv) not in (3, 4):
        print(__doc__, file=sys.stderr)
        return 2
    known = Knowledge(elflib.Elf(sys.argv[2]), decode.Decoder())
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
