# SPDX-License-Identifier: BSD-2-Clause
"""gdb in a process that dtrace traces from within (doc/substrates.md).

    gdb -p PID -x /usr/share/dtrace/dtrace-gdb.py

No file has the code that dtrace adds, so gdb knows no function or frame there.
This script recognises the code by its instructions (src/inproc/tramp.c,
src/exec/process):

    program          f+7:  jmp trampoline
    memfd:dtrace           save; mov $probe,%eax; call body; restore; jmp f+12
    memfd:dtrace-code      body, and the functions that it calls

A thread in this code gets one frame for it, with the probe's name.  The
frame's caller is the instruction that the probe is on.  gdb takes the caller's
address for a return address, so the script reports it one byte higher.
"""

import re
import struct

import gdb
import gdb.unwinder
from gdb.FrameDecorator import FrameDecorator

REGS = ("rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
        "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15")
KEPT = ("rbx", "rbp", "r12", "r13", "r14", "r15")
RSP = 4
CODE, JUMPS = "/memfd:dtrace-code", "/memfd:dtrace"
CALL_FAR = b"\xff\x15\x02\x00\x00\x00"  # call *2(%rip)
MOV_EAX = 0xb8
DEEP = 1100  # the most bytes of stack that functions take
INSNS = 400  # the most instructions of a trampoline to examine
FRAME = 160  # struct inproc_frame
PLACE, NAME = 16, 48  # in struct pr_probe


class Maps:
    """The executable mappings of the process."""

    def __init__(self):
        self.pid, self.maps = 0, []

    def forget(self, *_):
        self.pid = 0

    def read(self):
        inferior = gdb.selected_inferior()
        if inferior.pid == self.pid:
            return self.maps
        self.pid, self.maps = inferior.pid, []
        try:
            with open(f"/proc/{self.pid}/maps", encoding="utf8",
                      errors="replace") as lines:
                for line in lines:
                    words = line.split(None, 5)
                    if "x" not in words[1]:
                        continue
                    start, end = (int(a, 16) for a in words[0].split("-"))
                    path = words[5].strip() if len(words) > 5 else ""
                    self.maps.append((start, end, int(words[2], 16),
                                      path.removesuffix(" (deleted)")))
        except OSError:
            pass
        return self.maps

    def find(self, addr):
        for found in self.read():
            if found[0] <= addr < found[1]:
                return found
        return None

    def is_in(self, addr, path):
        found = self.find(addr)
        return found is not None and found[3] == path

    def has_dtrace(self):
        return any(found[3] == CODE for found in self.read())


MAPS = Maps()


def read(addr, size):
    return bytes(gdb.selected_inferior().read_memory(addr, size))


def word(addr, size=8):
    return int.from_bytes(read(addr, size), "little")


def disassemble(addr):
    arch = gdb.selected_inferior().architecture()
    insn = arch.disassemble(addr)[0]
    return read(addr, insn["length"])


def jump_target(addr, code):
    """The target of an unconditional jump, or None."""
    if code[0] == 0xe9:
        return addr + 5 + struct.unpack("<i", code[1:5])[0]
    if code[0] == 0xeb:
        return addr + 2 + struct.unpack("<b", code[1:2])[0]
    return None


class Call:
    """A call from a trampoline into dtrace's code, found by its return
    address."""

    def __init__(self, back):
        self.back, self.target, self.probe = back, None, None
        before = read(back - 11, 11)
        if before[5:] == CALL_FAR:
            self.target, mov = word(back + 2), before[:5]
        elif before[6] == 0xe8:
            self.target = back + struct.unpack("<i", before[7:])[0]
            mov = before[1:6]
        if self.target is None or not MAPS.is_in(self.target, CODE):
            raise ValueError("no call")
        if mov[0] == MOV_EAX:  # else the call asks for stack
            self.probe = struct.unpack("<I", mov[1:])[0]

    def base(self):
        """The start of dtrace's code: the first page of its file."""
        start, _, offset, _ = MAPS.find(self.target)
        return start - offset

    def name(self):
        """The probe's name.

        At the site of a system call, the number is not that of a
        description."""
        try:
            at = self.base() + word(self.base() + self.probe + NAME, 4)
            text = read(at, 256).split(b"\0")[0].decode()
        except (gdb.MemoryError, UnicodeDecodeError):
            text = ""
        return text if text.count(":") == 3 else "syscall:::"

    def size(self):
        """The distance from the frame to the program's stack pointer; the
        trampoline adds it to the stack pointer at its end."""
        code = read(self.back, 160)
        at = code.index(b"\x48\x8d\xa4\x24")  # lea SIZE(%rsp),%rsp
        return struct.unpack("<i", code[at + 4:at + 8])[0]

    def saved(self):
        """Registers that the body has saved in the frame.

        The moves to 8+8n(%rsp) end at the jump back to the rest of the
        body."""
        found, at = set(), self.target
        for _ in range(INSNS):
            code = disassemble(at)
            target = jump_target(at, code)
            if target is not None and target <= at:
                break
            if code[0] in (0x48, 0x4c) and code[1] == 0x89 and \
                    code[2] & 7 == RSP and code[3] == 0x24:
                off = struct.unpack("<b", code[4:5])[0] if len(code) == 5 \
                    else struct.unpack("<i", code[4:8])[0]
                reg = (code[2] >> 3 & 7) | (code[0] & 4) << 1
                if off == 8 + 8 * reg:
                    found.add(REGS[reg])
            at = target if target is not None else at + len(code)
        return found

    def place(self, end):
        """The address of the probe's instruction, in the module that the
        trampoline returns to at `end`."""
        module = MAPS.find(end)
        off = word(self.base() + self.probe + PLACE) \
            if self.name() != "syscall:::" else 0
        if module is None or off == 0:
            return end
        return module[0] + off - module[2]


def stack_change(code):
    """The change of the stack pointer by an instruction; None: unknown."""
    if code[:3] == b"\x48\x8d\x64" and code[3] == 0x24:
        return struct.unpack("<b", code[4:5])[0]
    if code[:4] == b"\x48\x8d\xa4\x24":
        return struct.unpack("<i", code[4:8])[0]
    if code[:3] in (b"\x48\x83\xec", b"\x48\x83\xc4"):
        by = struct.unpack("<b", code[3:4])[0]
        return by if code[2] == 0xc4 else -by
    if code[:3] in (b"\x48\x81\xec", b"\x48\x81\xc4"):
        by = struct.unpack("<i", code[3:7])[0]
        return by if code[2] == 0xc4 else -by
    op = code[1:] if code[0] & 0xf0 == 0x40 else code
    if 0x50 <= op[0] < 0x58 or op[0] in (0x9c, 0x68, 0x6a) or \
            (op[0] == 0xff and op[1] >> 3 & 7 == 6):
        return -8
    if 0x58 <= op[0] < 0x60 or op[0] == 0x9d or \
            (op[0] == 0x8f and op[1] >> 3 & 7 == 0):
        return 8
    return 0 if op[0] != 0xc9 and op[0] != 0xc3 else None


def run_ahead(pc, sp):
    """Where a thread in a trampoline leaves it, and its stack pointer then.

    Bodies leave the stack pointer unchanged."""
    for _ in range(INSNS):
        code = disassemble(pc)
        target = jump_target(pc, code)
        if target is not None and not MAPS.is_in(target, JUMPS):
            return target, sp
        if code[0] == 0xff and code[1] == 0x25:  # jmp *disp(%rip)
            return word(pc + 6 + struct.unpack("<i", code[2:6])[0]), sp
        if code[0] == 0xc3:
            return word(sp) - 1, sp + 8
        change = stack_change(code)
        if change is None:
            break
        sp += change
        pc = target if target is not None else pc + len(code)
    raise ValueError("no end")


def find_call(sp):
    """The call that the thread came through, and where its return address is.

    The highest such address counts: below it are remains of other calls."""
    found = None
    for at in range(sp, sp + DEEP, 8):
        try:
            back = word(at)
            if MAPS.is_in(back, JUMPS):
                found = Call(back), at
        except (ValueError, gdb.MemoryError):
            continue
        if found is not None and at == sp:
            break
    if found is None:
        raise ValueError("nobody has called")
    return found


def firing(pc, sp):
    """The probe's name, the program's place and stack pointer, and where the
    program's registers are saved."""
    if MAPS.is_in(pc, JUMPS):
        return "trampoline", *run_ahead(pc, sp), {}
    call, at = find_call(sp)
    if call.probe is None:
        return "trampoline", *run_ahead(call.back, at + 8), {}
    frame = at + 8
    end, _ = run_ahead(call.back, frame)
    regs = {reg: frame + 8 * REGS.index(reg) for reg in call.saved()}
    return call.name(), call.place(end), frame + call.size(), regs


class FrameId:
    def __init__(self, sp, pc):
        self.sp, self.pc = sp, pc


class DtraceUnwinder(gdb.unwinder.Unwinder):
    def __init__(self):
        super().__init__("dtrace")

    def __call__(self, pending):
        pc = int(pending.read_register("rip")) & (1 << 64) - 1
        sp = int(pending.read_register("rsp")) & (1 << 64) - 1
        if not MAPS.has_dtrace() or \
                not (MAPS.is_in(pc, CODE) or MAPS.is_in(pc, JUMPS)):
            return None
        try:
            _, place, above, regs = firing(pc, sp)
        except (ValueError, IndexError, gdb.MemoryError):
            return None
        value = gdb.Value(0).cast(gdb.lookup_type("unsigned long"))
        info = pending.create_unwind_info(FrameId(value + above, value + pc))
        info.add_saved_register("rip", value + place + 1)
        info.add_saved_register("rsp", value + above)
        for reg in KEPT:
            info.add_saved_register(
                reg, value + word(regs[reg]) if reg in regs
                else pending.read_register(reg))
        return info


class DtraceFrame(FrameDecorator):
    def __init__(self, base, name):
        super().__init__(base)
        self.name = name

    def function(self):
        return "dtrace`" + self.name


class DtraceFilter:
    """Give names to frames in dtrace's code."""

    def __init__(self):
        self.name, self.priority, self.enabled = "dtrace", 100, True
        gdb.frame_filters[self.name] = self

    @staticmethod
    def decorate(decorated):
        frame = decorated.inferior_frame()
        if MAPS.find(frame.pc()) is None or \
                MAPS.find(frame.pc())[3] not in (CODE, JUMPS):
            return decorated
        try:
            name = firing(frame.pc(), int(frame.read_register("rsp")))[0]
        except (ValueError, IndexError, gdb.error):
            return decorated
        return DtraceFrame(decorated, name)

    def filter(self, frames):
        return map(self.decorate, frames)


gdb.events.cont.connect(MAPS.forget)
gdb.events.exited.connect(MAPS.forget)
gdb.unwinder.register_unwinder(None, DtraceUnwinder(), replace=True)
DtraceFilter()
