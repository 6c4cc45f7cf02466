#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Probe sites survive every way of building a program: compilers, linkers,
optimisers that drop unused code, languages; gdb reads them too.

Each program must have the sites of the remaining functions, with places in
its text, semaphores in its data, and the DOF of dtrace -G."""

import os
import re
import shutil
import tempfile

from live import dtrace, run, start

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
INCLUDE = os.path.join(ROOT, "include")

DEFINITION = """
provider bld {
    probe one(int);
    probe two__args(const char *, long);
    probe dropped(int);
};
"""

C_FILE = """
#include "bld.h"
extern int printf(const char *, ...);
static void __attribute__((noinline)) unused(int a) { BLD_DROPPED(a); }
void also_unused(int a);
void also_unused(int a) { unused(a); }
int main(int argc, char **argv)
{
	BLD_ONE(argc);
	if (BLD_TWO_ARGS_ENABLED())
		BLD_TWO_ARGS(argv[0], 5L);
	printf("ran\\n");
	return 0;
}
"""

SDT_FILE = """
#define _SDT_HAS_SEMAPHORES 1
#include <sys/sdt.h>
#ifdef __cplusplus
extern "C" int printf(const char *, ...);
#define SEMAPHORE(name) \\
	extern "C" { __extension__ unsigned short name \\
	    __attribute__((used, section(".probes"))); }
template <typename T> static void __attribute__((noinline))
probe(T value) { DTRACE_PROBE1(bld, one, value); }
#else
extern int printf(const char *, ...);
#define SEMAPHORE(name) \\
	__extension__ unsigned short name \\
	    __attribute__((used, section(".probes")));
static void __attribute__((noinline))
probe(int value) { DTRACE_PROBE1(bld, one, value); }
#endif
SEMAPHORE(bld_one_semaphore)
SEMAPHORE(bld_two__args_semaphore)
int main(int argc, char **argv)
{
	char array[] = "text";
	probe(argc);
	DTRACE_PROBE2(bld, two__args, array, (unsigned char)argc);
	(void)argv;
	printf("ran\\n");
	return 0;
}
"""

GC = ["-ffunction-sections", "-fdata-sections", "-Wl,--gc-sections"]
LLD = ["-fuse-ld=lld"]
# Name: the compiler's arguments, and the expected sites.
BUILDS = {
    "plain": [],
    "unoptimised": ["-O0"],
    "C of 1989": ["-std=c89"],
    "position-independent": ["-fPIC"],
    "not position-independent": ["-fno-pie", "-no-pie"],
    "static": ["-static"],
    "unused sections dropped": GC,
    "link-time optimised": ["-flto"],
    "link-time optimised, unused sections dropped": ["-flto", *GC],
    "linked by lld": LLD,
    "linked by lld, unused sections dropped": [*LLD, *GC],
    "link-time optimised by lld": ["-flto", *LLD],
    "static, linked by lld, unused sections dropped": ["-static", *LLD, *GC],
}
NOTE = re.compile(r"Provider: (\S+)\n\s+Name: (\S+)\n\s+Location: 0x(\w+), "
                  r"Base: 0x(\w+), Semaphore: 0x(\w+)\n\s+Arguments: (.*)")
SECTION = re.compile(r"\] (\.\S+)\s+\S+\s+(\w{16}) \w+ (\w{6,})")


def sections(path):
    text = run(["readelf", "-SW", path]).out
    return {name: (int(addr, 16), int(size, 16))
            for name, addr, size in SECTION.findall(text)}


def within(address, section):
    return section and section[0] <= address < section[0] + section[1]


def check_notes(path, wanted):
    """The errors in the sites of a program, as text."""
    found = sections(path)
    wrong = []
    notes = {}
    for prov, name, pc, base, sema, args in NOTE.findall(
            run(["readelf", "-nW", path]).out):
        notes.setdefault(name, []).append(args.split())
        if name == "dropped":
            continue
        if prov != "bld" or not within(int(pc, 16), found.get(".text")):
            wrong.append(f"{prov}:{name} at {pc}")
        if int(base, 16) != found.get(".stapsdt.base", (0, 0))[0]:
            wrong.append(f"base of {name}: {base}")
        if not within(int(sema, 16), found.get(".probes")):
            wrong.append(f"semaphore of {name}: {sema}")
    for name, sizes in wanted.items():
        got = [[a.split("@")[0] for a in args] for args in
               notes.get(name, [])]
        if got != [sizes]:
            wrong.append(f"{name}: {got}, not {sizes}")
    return wrong


def build(tap, what, command, path, wanted, dof):
    made = run(command)
    if not tap.ok(made.status == 0 and not made.err, what + ": builds",
                  " ".join(command), made):
        return
    ran = run([path])
    wrong = check_notes(path, wanted)
    tap.ok(not wrong and ran.out == "ran\n", what + ": sites and semaphores",
           wrong, ran)
    if dof:
        text = dtrace("-S", "-s", path).out
        tap.ok('dofpv_name "bld"' in text, what + ": DOF", text)


def check_compiler(tap, compiler, header):
    name = os.path.basename(compiler)
    wanted = {"one": ["-4"], "two__args": ["8", "-8" if header else "1"]}
    source = ("bld.c" if header else
              "sdt.cc" if name.endswith("++") else "sdt.c")
    for what, flags in BUILDS.items():
        if name.startswith("g") and {"-flto", *LLD} <= set(flags):
            continue    # lld cannot read gcc's LTO objects
        if "-std=c89" in flags and source.endswith(".cc"):
            flags = ["-std=c++11"]
        path = os.path.abspath("program")
        command = [compiler, "-O2", "-Wall", "-Wextra", *flags,
                   "-I" + INCLUDE, source, "-o", path]
        if header:
            command.insert(-2, "bld.o")
        build(tap, f"{name}, {source}, {what}", command, path, wanted, header)


def check_i386(tap, compiler):
    """Compiling 32-bit code needs no 32-bit libc."""
    source = "bld.c" if not compiler.endswith("++") else "sdt.cc"
    made = run([compiler, "-m32", "-O2", "-ffreestanding", "-I" + INCLUDE,
                "-c", source, "-o", "32.o"])
    linked = run(["ld", "-m", "elf_i386", "-r", "32.o", "-o", "both32.o",
                  *(["bld32.o"] if source == "bld.c" else [])])
    found = run(["readelf", "-nW", "both32.o"]).out
    tap.ok(made.status == 0 and linked.status == 0 and
           len(NOTE.findall(found)) >= 2, f"{compiler}: i386", made, linked,
           found)


def check_library(tap):
    """A shared library with probes, and an archive with their object."""
    made = run(["gcc", "-shared", "-fPIC", "-O2", "-Wl,-z,text", *GC, "bld.c",
                "bld.o", "-o", "libbld.so"])
    wrong = check_notes("libbld.so", {"one": ["-4"]})
    tap.ok(made.status == 0 and not wrong, "a shared library", made, wrong)
    run(["ar", "rc", "libarchive.a", "bld.o"])
    build(tap, "the object in an archive",
          ["gcc", "-O2", "bld.c", "-L.", "-larchive", "-o", "./archived"],
          "./archived", {"one": ["-4"]}, True)


def check_readers(tap):
    for tool, command, want in (
            ("gdb", ["gdb", "-nx", "-batch", "-ex", "info probes stap bld",
                     "./archived"], "two__args"),
            ("bpftrace", ["bpftrace", "-l", "usdt:./archived:*"],
             "bld:two__args")):
        if not shutil.which(tool):
            tap.skip(tool + " reads the notes", tool + " is not installed")
            continue
        ran = run(command)
        tap.ok(want in ran.out, tool + " reads the notes", ran)


def main():
    tap = start("")
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        for name, text in (("bld.d", DEFINITION), ("bld.c", C_FILE),
                           ("sdt.c", SDT_FILE), ("sdt.cc", SDT_FILE)):
            with open(name, "w", encoding="ascii") as file:
                file.write(text)
        made = [dtrace("-h", "-s", "bld.d"), dtrace("-G", "-s", "bld.d"),
                dtrace("-32", "-G", "-s", "bld.d", "-o", "bld32.o")]
        tap.ok(all(m.status == 0 for m in made), "-h, -G and -32 -G", *made)
        for compiler in "gcc", "clang", "g++", "clang++":
            if not shutil.which(compiler):
                tap.skip(compiler, compiler + " is not installed")
                continue
            if not compiler.endswith("++"):
                check_compiler(tap, compiler, True)
            check_compiler(tap, compiler, False)
            check_i386(tap, compiler)
        check_library(tap)
        check_readers(tap)
        os.chdir("/")
    tap.done()


main()
