#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""plan_check.py proves the plans for many files.

    test_plan.py [-s FILE] [-j N] [-n N] PLAN_DUMP sample
    test_plan.py [-s FILE] [-j N] [-n N] PLAN_DUMP machine
    test_plan.py [-s FILE] [-j N] [-n N] PLAN_DUMP packages [NAME...]

The files are a sample of this machine's, all of them, or those of Debian
packages; -j says how many processes check them, and -n how many instructions
of a file are planned at most.  Small files come first.  A run with -s keeps
the result of each file in the state file, and takes those that are there: a
file is checked again if it, plan_dump or the rules have changed, or if there
was a violation.

Each file is planned as the planter finds it: with the debug file that belongs
to it if there is one, and without.  A file with all its symbols is also
planned stripped: then the planter knows less than the checker.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import decode
import elf as elflib
import plan_check
import tap

ROOTS = ("/usr", "/opt", "/bin", "/lib", "/lib64", "/sbin")
# Always in the sample: the files of every process, and one that was once
# planned wrong.
ALWAYS = ("/lib/x86_64-linux-gnu/libc.so.6", "/lib64/ld-linux-x86-64.so.2")
SAMPLE_FILES = 240
SAMPLE_CODE = 128 * 1024  # limit of the code of a file
MAX_INSNS = 2000000       # limit of planned instructions
SHOWN = 5                 # violations shown for a file
PER_DOWNLOAD = 20         # packages
PER_POOL = 100            # files
HERE = os.path.dirname(os.path.abspath(__file__))


# ---- files -------------------------------------------------------------------

def is_elf(path):
    try:
        with open(path, "rb") as f:
            head = f.read(20)
    except OSError:
        return False
    return head[:6] == b"\x7fELF\x02\x01" and head[16] in (2, 3) and \
        head[18:20] == b"\x3e\0"


def elf_files(roots):
    """Yields each file once, in a fixed order."""
    seen, files = set(), []
    for root in roots:
        for folder, folders, names in os.walk(os.path.realpath(root)):
            folders.sort()
            for name in sorted(names):
                path = os.path.join(folder, name)
                if os.path.islink(path) or not os.path.isfile(path):
                    continue
                st = os.stat(path)
                if (st.st_dev, st.st_ino) in seen or path.endswith(".debug"):
                    continue
                seen.add((st.st_dev, st.st_ino))
                if is_elf(path):
                    files.append(path)
    return files


def code_size(path):
    try:
        return sum(s.size for s in elflib.Elf(path).sections if s.is_code)
    except (elflib.BadFile, OSError):
        return 0


def sample(files):
    """Choose some hundreds of files by the hash of their path."""
    chosen = [os.path.realpath(p) for p in ALWAYS if os.path.exists(p)]
    for path in sorted(files, key=lambda p: hashlib.sha1(p.encode()).digest()):
        if len(chosen) >= SAMPLE_FILES:
            break
        if path not in chosen and 0 < code_size(path) <= SAMPLE_CODE:
            chosen.append(path)
    return chosen


# ---- one file ----------------------------------------------------------------

DECODER = []


def decoder(program):
    if not DECODER:
        DECODER.append(decode.Decoder(plan_check.sweeper_of(program)))
    return DECODER[0]


def stripped_copy(path, folder):
    copy = os.path.join(folder, "stripped")
    done = subprocess.run(["strip", "-o", copy, path], capture_output=True,
                          check=False)
    return copy if done.returncode == 0 else None


def check_variants(program, path, limit):
    """[(variant, result)] of a file."""
    elf = elflib.Elf(path)
    known = plan_check.Knowledge(elf, decoder(program))
    results = [("alone", plan_check.check(program, known, limit=limit))]
    if elf.debug_file() is not None:
        results.append(("with debug file", plan_check.check(
            program, known, debug=True, limit=limit)))
    if elf.section(".symtab") is not None:
        with tempfile.TemporaryDirectory(prefix="plan.") as folder:
            copy = stripped_copy(path, folder)
            if copy is not None:
                results.append(("stripped", plan_check.check(
                    program, known, planned=copy, limit=limit)))
    return results


def check_file(job):
    program, path, limit = job
    try:
        return path, check_variants(program, path, limit), None
    except elflib.BadFile as e:
        return path, [], str(e)
    except Exception as e:  # an error of the checker fails the test
        result = plan_check.Result()
        result.violations.append(f"the checker failed: {e!r}")
        return path, [("alone", result)], None


# ---- the state file ----------------------------------------------------------

def hash_of(path):
    with open(path, "rb") as f:
        return hashlib.sha256(f.read()).hexdigest()


class State:
    """Results of earlier runs: one line of JSON for each file.

    A key has all that a result depends on: the file, whether a debug file
    belongs to it, plan_dump, the rules, and the limit."""

    def __init__(self, path, program, limit):
        self.program = f"{hash_of(program)} {plan_check.RULES} {limit}"
        self.known = {}
        self.file = None
        if path is None:
            return
        self.file = open(path, "a+", encoding="utf-8")
        self.file.seek(0)
        for line in self.file:
            # a run that was killed may have left a part of a line
            if line.endswith("}\n"):
                row = json.loads(line)
                self.known[row["key"]] = row

    def key(self, path):
        if self.file is None:
            return None
        try:
            has_debug = elflib.Elf(path).debug_file() is not None
        except elflib.BadFile:
            has_debug = False
        return f"{hash_of(path)} {has_debug} {self.program}"

    def get(self, key):
        """(results, why skipped), or None."""
        row = self.known.get(key)
        if row is None:
            return None
        results = [(v, plan_check.Result.from_dict(d))
                   for v, d in row["results"]]
        if any(r.violations for _, r in results):
            return None
        return results, row["skipped"]

    def put(self, key, path, results, skipped):
        if self.file is None:
            return
        row = {"key": key, "path": path, "skipped": skipped,
               "results": [(v, vars(r)) for v, r in results]}
        self.file.write(json.dumps(row) + "\n")
        self.file.flush()


# ---- many files --------------------------------------------------------------

class Figures:
    def __init__(self):
        self.files = 0
        self.places, self.refused = Counter(), Counter()
        self.windows = self.violations = self.unknown = 0
        self.whole = Counter()
        self.lines = []

    def add(self, path, variant, result):
        self.files += 1
        if result.refusal:
            self.whole[result.refusal] += 1
        self.places += result.places
        self.refused += result.refused
        self.windows += result.windows
        self.unknown += result.unknown
        self.violations += len(result.violations)
        self.lines += [f"{path} ({variant}): {v}"
                       for v in result.violations[:SHOWN]]

    def tell(self, name):
        places = sum(self.places.values())
        print(f"# {name}: {self.files} files, {places} places, "
              f"{self.windows} windows, {sum(self.refused.values())} places "
              f"refused, {sum(self.whole.values())} files refused, "
              f"{self.unknown} bytes not decoded, "
              f"{self.violations} violations")
        for why, n in self.places.most_common():
            print(f"#   {n} places: {why}")
        for why, n in self.refused.most_common():
            print(f"#   {n} places refused: {why}")
        for why, n in self.whole.most_common():
            print(f"#   {n} files refused: {why}")


class Run:
    def __init__(self, program, jobs, limit, state):
        self.program, self.jobs, self.limit = program, jobs, limit
        self.state = State(state, program, limit)
        self.by_variant = {}
        self.skipped = Counter()
        self.again = 0

    def _add(self, path, results, skipped):
        if skipped:
            self.skipped[skipped] += 1
        for variant, result in results:
            self.by_variant.setdefault(variant, Figures()).add(
                path, variant, result)
            for v in result.violations[:SHOWN]:
                print(f"# {path} ({variant}): {v}", flush=True)

    def files(self, paths):
        # Each pool does some files, and then gives its memory back.  The
        # option for that, max_tasks_per_child, can hang (CPython's issue
        # 115634).
        paths = sorted(paths, key=os.path.getsize)
        for i in range(0, len(paths), PER_POOL):
            part = paths[i:i + PER_POOL]
            self._check(self._unknown(part))
            if len(paths) > PER_POOL:
                print(f"# {i + len(part)} of {len(paths)} files, "
                      f"{self.violations()} violations", flush=True)

    def _unknown(self, paths):
        """The keys of the files that no earlier run has checked."""
        unknown = {}
        for path in paths:
            key = self.state.key(path)
            known = self.state.get(key)
            if known is None:
                unknown[path] = key
            else:
                self.again += 1
                self._add(path, *known)
        return unknown

    def _check(self, keys):
        jobs = [(self.program, path, self.limit) for path in keys]
        if self.jobs == 1:
            self._finish(map(check_file, jobs), keys)
        elif jobs:
            with concurrent.futures.ProcessPoolExecutor(self.jobs) as pool:
                self._finish(pool.map(check_file, jobs), keys)

    def _finish(self, done, keys):
        for path, results, skipped in done:
            self._add(path, results, skipped)
            self.state.put(keys[path], path, results, skipped)

    def violations(self):
        return sum(f.violations for f in self.by_variant.values())

    def report(self, t, what):
        for variant, figures in self.by_variant.items():
            figures.tell(f"{what}, {variant}")
            t.ok(figures.violations == 0,
                 f"{what}, {variant}: {figures.files} files, no violation",
                 *figures.lines)
            t.ok(figures.windows > 0 and
                 sum(figures.whole.values()) * 4 <= figures.files,
                 f"{what}, {variant}: {figures.windows} windows in most files",
                 figures.whole)
        t.ok("alone" in self.by_variant, f"{what}: files were looked at")
        for why, n in self.skipped.most_common():
            print(f"# {n} files not looked at: {why}")


# ---- packages ----------------------------------------------------------------

def package_names():
    with open(os.path.join(HERE, "packages.txt"), encoding="utf-8") as f:
        return [w for line in f for w in line.partition("#")[0].split()]


def download(names, folder):
    """Download packages; returns their files.  Missing packages are
    reported."""
    for name in names:
        if subprocess.run(["apt-get", "download", "-qq", "-o",
                           "APT::Sandbox::User=root", name], cwd=folder,
                          capture_output=True, check=False).returncode != 0:
            print(f"# {name}: no such package can be downloaded here")
    return [os.path.join(folder, f) for f in sorted(os.listdir(folder))
            if f.endswith(".deb")]


def unpack(debs, folder):
    root = os.path.join(folder, "root")
    for deb in debs:
        subprocess.run(["dpkg", "-x", deb, root], check=True)
        os.unlink(deb)
    return root


def check_packages(run, t, names):
    count = 0
    for i in range(0, len(names), PER_DOWNLOAD):
        with tempfile.TemporaryDirectory(prefix="plan.") as folder:
            debs = download(names[i:i + PER_DOWNLOAD], folder)
            count += len(debs)
            if count == 0:
                t.skip("packages", "no package can be downloaded: is there a "
                       "network?")
                return
            run.files(elf_files([unpack(debs, folder)]))
            print(f"# {count} packages, {run.violations()} violations",
                  flush=True)
    print(f"# {count} of {len(names)} packages")
    run.report(t, "packages")


# ------------------------------------------------------------------------------

def read_arguments():
    p = argparse.ArgumentParser()
    p.add_argument("-s", dest="state", help="state file")
    p.add_argument("-j", dest="jobs", type=int, help="processes")
    p.add_argument("-n", dest="limit", type=int, default=MAX_INSNS,
                   help="instructions planned of a file, at most")
    p.add_argument("program")
    p.add_argument("what", choices=("sample", "machine", "packages"))
    p.add_argument("names", nargs="*")
    args = p.parse_args()
    args.program = os.path.abspath(args.program)
    if args.jobs is None:
        args.jobs = 1 if args.what == "sample" else os.cpu_count()
    return args


def main():
    tap.default_signals()
    args = read_arguments()
    t = tap.Tap()
    try:
        decoder(args.program)
    except decode.Missing as e:
        t.skip("plans", str(e))
        t.done()
    run = Run(args.program, args.jobs, args.limit, args.state)
    if args.what == "packages":
        check_packages(run, t, args.names or package_names())
    else:
        files = elf_files(ROOTS)
        run.files(sample(files) if args.what == "sample" else files)
        run.report(t, args.what)
    if args.state:
        print(f"# {run.again} files are as they were in an earlier run")
    t.done()


if __name__ == "__main__":
    main()
