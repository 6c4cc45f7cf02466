#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Names for samples that perf recorded in dtrace's code in processes.

    perf record -p PID -- sleep 10
    /usr/share/dtrace/dtrace-perf.py        while dtrace still traces
    perf report

Probes that fire in a process run code of files that are in no directory, so
perf finds no symbols for it (doc/substrates.md).  dtrace has these files open:

    memfd:dtrace-code      bodies of probes and the functions that they call,
                           with their names (src/exec/process/emit/names.c)
    memfd:dtrace           trampolines (src/inproc/tramp.c): each gives its
                           probe's number to a body

For each such file that perf has seen, this script adds an ELF file with
symbols to perf's cache (perf buildid-cache), and puts its build id into
perf.data, as the kernel does for other files.  Offsets stay as they are.
"""

import argparse
import bisect
import collections
import glob
import hashlib
import mmap
import os
import re
import struct
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field

CODE, JUMPS = "/memfd:dtrace-code", "/memfd:dtrace"
SIZE_MAX = 1 << 29
NAMES = b"\ndtrace-names\n"
NAME_LINE = re.compile(rb"([0-9a-f]{8}) (.*)")
DESC_NAMES = struct.Struct("<32x5I")  # struct pr_probe.names

# <linux/perf_event.h>; tools/perf/Documentation/perf.data-file-format.txt
MAGIC = b"PERFILE2"
HEADER = struct.Struct("<8sQQQQQQ")  # size, attr size, attrs, data
PIPE_HEADER = 16
EVENT = struct.Struct("<IHH")  # type, misc, size
MMAP2, AUXTRACE = 10, 71
AUX_SIZE = struct.Struct("<8xQ")
MMAP2_HEAD = struct.Struct("<8xIIQQQIIQQII")
MMAP2_ID = 40  # offset of the device's number, or of the build id
BUILD_ID = struct.Struct("<B3x20s")
HAS_BUILD_ID = 1 << 14  # PERF_RECORD_MISC_MMAP_BUILD_ID
PROT_EXEC = 4

# The beginnings of points in a trampoline: see put_flags_aside(),
# ask_for_room(), ip_go_enter() and inproc_emit_call().
POINT = re.compile(
    rb"(?:\x48\x89\x84\x24....\x9f\x0f\x90\xc0|(?:\x48\x8d\xa4\x24....)?"
    rb"\x9c\xfc)?\xf7\xc4\0[\x0e\x0f]\0\0\x0f\x84(....)"
    rb"|\x64\x80\x3c\x25.\0\0\0\x01\x74\x1f", re.DOTALL)
CALL = re.compile(
    rb"\xb8(....)(?:\xe8(....)|\xff\x15\x02\0\0\0\x48\xb8(.{8}))", re.DOTALL)
JUMP = re.compile(rb"\xe9(....)", re.DOTALL)


class Refusal(Exception):
    pass


@dataclass
class Map:
    """A mapping of code that perf has seen."""
    at: int  # offset of the event in perf.data
    misc: int
    pid: int
    start: int
    size: int
    off: int
    ino: tuple  # major and minor number, inode
    path: str

    def end(self):
        return self.start + self.size


@dataclass
class File:
    """One of dtrace's files."""
    path: str
    data: bytes
    symbols: list = field(default_factory=list)  # offset, name; "": none


# ---- perf.data ---------------------------------------------------------------

def mapping(perf, at, misc, end):
    pid, _, start, size, off, major, minor, ino, _, prot, _ = \
        MMAP2_HEAD.unpack_from(perf, at)
    if not prot & PROT_EXEC:
        return None
    path = perf[at + MMAP2_HEAD.size:end].split(b"\0")[0]
    return Map(at, misc, pid, start, size, off, (major, minor, ino),
               path.decode(errors="replace").removesuffix(" (deleted)"))


def mappings(perf):
    """The processes in perf.data."""
    if perf[:len(MAGIC)] != MAGIC:
        raise Refusal("this is no file of perf record's")
    _, size, _, _, _, at, data_size = HEADER.unpack_from(perf)
    if size == PIPE_HEADER:
        raise Refusal("perf has written this to a pipe: use perf record -o FILE")
    end = at + data_size
    while at < end:
        kind, misc, size = EVENT.unpack_from(perf, at)
        if size < EVENT.size:
            raise Refusal(f"there is no event at byte {at}: "
                          "the file is damaged, or perf still writes to it")
        if kind == MMAP2:
            found = mapping(perf, at, misc, at + size)
            if found is not None:
                yield found
        elif kind == AUXTRACE:
            size += AUX_SIZE.unpack_from(perf, at)[0]
        at += size


def read_mappings(perf):
    try:
        return list(mappings(perf))
    except struct.error as error:
        raise Refusal("it ends too early: is perf record still running?") \
            from error


def put_build_id(perf, found, build_id):
    kind, misc, size = EVENT.unpack_from(perf, found.at)
    EVENT.pack_into(perf, found.at, kind, misc | HAS_BUILD_ID, size)
    BUILD_ID.pack_into(perf, found.at + MMAP2_ID, len(build_id), build_id)


# ---- dtrace's files ----------------------------------------------------------

def open_files(wanted):
    """Files by device and inode, among those that any dtrace has open."""
    files = {}
    for link in glob.glob("/proc/[0-9]*/fd/*"):
        try:
            path = os.readlink(link).removesuffix(" (deleted)")
            if path not in (CODE, JUMPS):
                continue
            stat = os.stat(link)
            ino = os.major(stat.st_dev), os.minor(stat.st_dev), stat.st_ino
            if ino in wanted and ino not in files:
                with open(link, "rb") as content:
                    files[ino] = File(path, content.read(SIZE_MAX))
        except OSError:  # the process ends, or belongs to another user
            continue
    return files


def text_at(data, off):
    return data[off:max(data.find(b"\0", off), off)]


def code_symbols(data):
    """Symbols from all texts of names in the file: later code has its own
    text."""
    for found in re.finditer(re.escape(NAMES), data):
        for line in text_at(data, found.end()).splitlines():
            read = NAME_LINE.fullmatch(line)
            if read is not None:
                yield int(read[1], 16), read[2].decode(errors="replace")


def probe_name(data, desc):
    """The name of the probe that the call is for.

    None: the call is for no single probe."""
    try:
        *names, full = (text_at(data, off)
                        for off in DESC_NAMES.unpack_from(data, desc))
    except struct.error:
        return None
    if b":".join(names) != full:
        return None
    return "dtrace`" + full.decode(errors="replace")


def symbol_at(symbols, off):
    """The name of the symbol at `off`; `symbols` are in order."""
    at = bisect.bisect_right(symbols, off, key=lambda symbol: symbol[0])
    return symbols[at - 1][1] if at > 0 else ""


class Space:
    """The mappings of a process, as perf saw them last."""

    def __init__(self, maps):
        self.maps = sorted(maps, key=lambda found: found.start)

    def find(self, addr):
        at = bisect.bisect_right(self.maps, addr, key=lambda m: m.start)
        return self.maps[at - 1] if at > 0 and addr < self.maps[at - 1].end() \
            else None


class Jumps:
    """The trampolines in a mapping."""

    def __init__(self, found, space, files):
        self.found, self.space, self.files = found, space, files
        data = files[found.ino].data
        self.text = data[found.off:found.off + found.size].rstrip(b"\0")

    def target(self, end, disp):
        return self.found.start + end + struct.unpack("<i", disp)[0]

    def calls(self):
        """Calls of bodies: offsets of beginning and end, and the body's
        name."""
        for call in CALL.finditer(self.text):
            to = self.target(call.end(), call[2]) if call[2] is not None \
                else struct.unpack("<Q", call[3])[0]
            body = self.space.find(to)
            if body is None or body.path != CODE or body.ino not in self.files:
                continue
            file = self.files[body.ino]
            name = probe_name(file.data, struct.unpack("<I", call[1])[0]) or \
                symbol_at(file.symbols, to - body.start + body.off)
            yield call.start(), call.end(), name

    def end_of_ask(self, ask, point):
        """The end of the code that asks for stack: it jumps back behind its
        point."""
        for jump in JUMP.finditer(self.text, ask):
            to = jump.end() + struct.unpack("<i", jump[1])[0]
            if point < to < ask:
                return jump.end()
        return ask

    def end_of_window(self, end):
        """The end of the window's code: it jumps back to the program."""
        for jump in JUMP.finditer(self.text, end):
            to = self.space.find(self.target(jump.end(), jump[1]))
            if to is not None and to.path != JUMPS:
                return jump.end()
        return end

    def parts(self):
        """The name of each part of the text, by offset; "" where it is
        unknown.

        Behind a window is the code that asks for stack, for each point in
        it."""
        parts, last = {0: ""}, 0
        for start, end, name in self.calls():
            point = collections.deque(
                POINT.finditer(self.text, last, start), 1)
            parts[point[0].start() if point else last] = name
            if point and point[0][1] is not None:
                ask = point[0].end() + struct.unpack("<i", point[0][1])[0]
                parts[ask] = name
                behind = self.end_of_ask(ask, point[0].end())
            else:
                behind = self.end_of_window(end)
            parts.setdefault(behind, "")
            last = end
        return parts

    def symbols(self):
        """The code before a window's first point belongs to the window, too."""
        parts = self.parts()
        order = sorted(parts)
        for off, behind in zip(order, [*order[1:], order[-1]]):
            yield self.found.off + off, parts[off] or parts[behind]


# ---- ELF ---------------------------------------------------------------------
# System V gABI, chapter 4

EHDR = struct.Struct("<16sHHIQQQIHHHHHH")
SHDR = struct.Struct("<IIQQQQIIQQ")
SYM = struct.Struct("<IBBHQQ")
ET_DYN, EM_X86_64 = 3, 62
PROGBITS, SYMTAB, STRTAB, NOTE = 1, 2, 3, 7
ALLOC, EXECINSTR = 2, 4
GLOBAL_FUNC = 1 << 4 | 2
TEXT = 1  # index of section .text


class Strings:
    def __init__(self):
        self.data = bytearray(b"\0")

    def add(self, text):
        off = len(self.data)
        self.data += text.encode() + b"\0"
        return off


def symbol_table(symbols):
    strings, table = Strings(), bytearray(SYM.pack(0, 0, 0, 0, 0, 0))
    for (off, name), (end, _) in zip(symbols, symbols[1:]):
        if name != "":
            table += SYM.pack(strings.add(name), GLOBAL_FUNC, 0, TEXT, off,
                              end - off)
    return table, strings.data


def make_elf(symbols, data):
    """An ELF file with the symbols, and its build id.

    Addresses of bytes are their offsets in the mapped file, so the header
    replaces the first bytes."""
    code = data[EHDR.size:symbols[-1][0]]
    table, strings = symbol_table(symbols)
    build_id = hashlib.sha1(code + table + strings).digest()
    names = Strings()
    sections = [  # name, type, flags, link, info, size of an entry, bytes
        (names.add(".text"), PROGBITS, ALLOC | EXECINSTR, 0, 0, 0, code),
        (names.add(".note.gnu.build-id"), NOTE, 0, 0, 0, 0,
         struct.pack("<III4s", 4, len(build_id), 3, b"GNU") + build_id),
        (names.add(".symtab"), SYMTAB, 0, 4, 1, SYM.size, table),
        (names.add(".strtab"), STRTAB, 0, 0, 0, 0, strings),
        (names.add(".shstrtab"), STRTAB, 0, 0, 0, 0, names.data)]
    heads, body = bytearray(SHDR.size), bytearray()
    for name, kind, flags, link, info, entry, content in sections:
        off = EHDR.size + len(body)
        heads += SHDR.pack(name, kind, flags, off if flags else 0, off,
                           len(content), link, info, 8, entry)
        body += content + bytes(-len(content) % 8)
    ehdr = EHDR.pack(b"\x7fELF\2\1\1" + bytes(9), ET_DYN, EM_X86_64, 1, 0, 0,
                     EHDR.size + len(body), 0, EHDR.size, 0, 0, SHDR.size,
                     len(sections) + 1, len(sections))
    return ehdr + body + heads, build_id


# ---- together ----------------------------------------------------------------

def add_to_cache(file, elf):
    with tempfile.TemporaryDirectory(prefix="dtrace-perf.") as folder:
        path = os.path.join(folder, os.path.basename(file.path))
        with open(path, "wb") as out:
            out.write(elf)
        try:
            ran = subprocess.run(["perf", "buildid-cache", "--add", path],
                                 capture_output=True, text=True, check=False)
        except OSError as error:
            raise Refusal(f"perf cannot be run: {error.strerror}") from error
    if ran.returncode != 0:
        raise Refusal("perf buildid-cache has failed: " + ran.stderr.strip())


def collect_symbols(maps, files):
    for file in files.values():
        if file.path == CODE:
            file.symbols = list(code_symbols(file.data))
    spaces = {pid: Space(m for m in maps if m.pid == pid)
              for pid in {m.pid for m in maps}}
    for found in maps:
        if found.path == JUMPS and found.ino in files:
            files[found.ino].symbols += \
                Jumps(found, spaces[found.pid], files).symbols()


def give_names(perf):
    """Returns the number of names, and the processes of whose code some is
    gone."""
    maps = read_mappings(perf)
    ours = [m for m in maps if m.path in (CODE, JUMPS)]
    if not ours:
        raise Refusal("no code of dtrace's has been there when perf recorded: "
                      "let dtrace trace the process from within (dtrace -p, "
                      "doc/substrates.md), then perf record -p")
    todo = [m for m in ours if not m.misc & HAS_BUILD_ID]
    files = open_files({m.ino for m in todo})
    collect_symbols(maps, files)
    ids, count = {}, 0
    for ino, file in files.items():
        symbols = sorted(set(file.symbols))
        if symbols:
            elf, ids[ino] = make_elf(symbols, file.data)
            add_to_cache(file, elf)
            count += sum(name != "" for _, name in symbols)
    for found in todo:
        if found.ino in ids:
            put_build_id(perf, found, ids[found.ino])
    return count, {m.pid for m in todo if m.ino not in files}


def main():
    parser = argparse.ArgumentParser(
        description="Name dtrace's code in a file of perf record's, while "
        "dtrace still traces.", epilog="Then use perf report as ever.")
    parser.add_argument("-i", default="perf.data", metavar="FILE", dest="path",
                        help="what perf has recorded (perf.data)")
    path = parser.parse_args().path
    try:
        if os.path.getsize(path) == 0:
            raise Refusal("it is empty")
        with open(path, "r+b") as file, mmap.mmap(file.fileno(), 0) as perf:
            count, gone = give_names(perf)
    except (Refusal, OSError) as error:
        sys.exit(f"dtrace-perf.py: {path}: "
                 f"{getattr(error, 'strerror', None) or error}")
    if count != 0 or not gone:
        print(f"{path}: {count} new names")
    if gone:
        sys.exit("dtrace-perf.py: some code has no names, since dtrace does not "
                 "trace any more, or is somebody else's: of process "
                 f"{', '.join(map(str, sorted(gone)))}; run this while dtrace "
                 "still traces, as who has started it")


main()
