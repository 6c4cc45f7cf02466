#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Programs of compilers that this system does not have behave the same traced:
Go of other Debian suites, and binaries from npm.

    test_foreign.py DTRACE [GROUP...]
    test_foreign.py DTRACE --rotate

All is downloaded into a temporary folder.  A program that cannot be downloaded
(there is no network) is skipped, with the reason.  --rotate takes one group,
another each day, and leaves out slow tests.

Each program of Go is built, built without symbols, and built and stripped by
binutils.  In the last two, functions have the names of the first one's
symbols, and probes fire as often.
"""

import argparse
import datetime
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.join(HERE, "..")
sys.path[:0] = [HERE, TESTS, os.path.join(TESTS, "vm")]
from compared import MODES, run, try_once
from kernels import Archive, Unavailable
from tap import Tap, default_signals, first_missing

GO = {"bullseye": "1.15", "bookworm": "1.19", "trixie": "1.24", "sid": "1.27"}
NPM = ["esbuild", "@biomejs/cli-linux-x64", "@swc/core"]
PLAIN = ["functions", "calls"]
SLOW = ["instructions"]
GOROUTINES, CALLS = 20, 50
ARGS = {"hello": [], "goroutines": [str(GOROUTINES), str(CALLS)]}
NO_NETWORK = re.compile(r"Temporary failure|ENOTFOUND|EAI_AGAIN|ECONN|ETIMEDOUT"
                        r"|Could not|Unable to|Failed to fetch|network")


class Place:
    """A folder in the form that compared.py expects."""

    def __init__(self, folder, dtrace):
        self.base = folder
        os.chmod(folder, 0o755)
        self.work = self.make("work")
        self.dtrace = shutil.copy(dtrace, os.path.join(folder, "dtrace"))

    def make(self, name):
        path = os.path.join(self.base, name)
        os.mkdir(path)
        return path

    def list(self, exe):
        """Names of functions with an entry probe.

        They are reduced to those of the runtime's table, which has "[...]"
        for arguments of types, and no "abi0"."""
        ran = run([self.dtrace, "-x", "substrate=process", "-ln",
                   "pid$target:a.out::entry", "-c", exe], self.base,
                  dict(os.environ))
        return {re.sub(r"\[.*\]", "[]", name.removesuffix(".abi0")) for name in
                re.findall(r"(\S+) entry$", ran.out.decode(), re.M)}

    def count(self, exe, probe):
        """Firings of a probe in the goroutines, or dtrace's message."""
        ran = run([self.dtrace, "-q", "-x", "substrate=process", "-n",
                   probe + " { @ = count(); }", "-c",
                   " ".join([exe, *ARGS["goroutines"]])], self.base,
                  dict(os.environ))
        out = ran.out.decode().split()
        return int(out[-1]) if ran.status == 0 and out[:1] == ["sum"] \
            else str(ran)


def fetched(what, fetch):
    try:
        return fetch()
    except subprocess.CalledProcessError as e:
        said = str(e.stderr or e.stdout or "")
        if NO_NETWORK.search(said):
            raise Unavailable(f"{what}: {said.strip().splitlines()[-1]}") \
                from e
        raise


def compare(tap, place, name, argv, modes):
    for mode in modes:
        good, why = try_once(argv, mode, False, True, place.base)
        tap.ok(good, f"{name}: {mode}, an ordinary user, debug files hidden",
               why)


# ---- Go ----------------------------------------------------------------------

def fetch_go(place, suite):
    """The root of a Go that runs here; it needs no library."""
    version = GO[suite]
    where = place.make(suite)

    def fetch():
        archive = Archive(suite, where)
        archive.unpack([f"golang-{version}-go", f"golang-{version}-src"],
                       where + "/root")

    fetched("Go " + version, fetch)
    return f"{where}/root/usr/lib/go-{version}"


def build(place, goroot, source, out, *flags):
    env = dict(os.environ, GOROOT=goroot, GOCACHE=goroot + "/cache",
               GO111MODULE="off", GOTOOLCHAIN="local", CGO_ENABLED="0")
    out = os.path.join(place.base, out)
    subprocess.run([goroot + "/bin/go", "build", *flags, "-o", out, source],
                   env=env, check=True)
    return out


def forms(place, goroot, version, name):
    """Build a program with symbols, without symbols, and stripped."""
    folder = "work" if name == "hello" else "../prog"
    source = os.path.join(HERE, folder, name + ".go")
    full = build(place, goroot, source, f"{name}-{version}")
    bare = build(place, goroot, source, f"{name}-{version}-s", "-ldflags=-s -w")
    stripped = full + "-stripped"
    subprocess.run(["strip", "-o", stripped, full], check=True)
    return full, bare, stripped


def address(exe, name):
    """The address of a function, by the file's symbols."""
    out = subprocess.run(["nm", exe], check=True, stdout=subprocess.PIPE,
                         text=True).stdout
    return re.search(rf"^0*([0-9a-f]+) \w {re.escape(name)}$", out, re.M)[1]


def names(tap, place, version, full, *bare):
    want = place.list(full)
    for exe in bare:
        got = place.list(exe)
        # assembly stubs have no rows of their own
        tap.ok(len(got) > 1000 and len(want - got) * 10 < len(want) and
               not got - want, f"Go {version}: names of functions without "
               "symbols are the same", sorted(want ^ got)[:40])


def firings(tap, place, version, full, *bare):
    """Each goroutine calls leaf() CALLS times, and deep() calls it once."""
    leaves = GOROUTINES * (CALLS + 1)
    at = address(full, "main.leaf")
    for exe in bare:
        got = place.count(exe, "pid$target:a.out:main.leaf:entry")
        tap.ok(got == leaves, f"Go {version}: each call is counted, by name",
               got)
        got = place.count(exe, "pid$target:a.out:-:" + at)
        tap.ok(got == leaves, f"Go {version}: and by its address", got)


def try_go(tap, place, suite, is_short):
    version = GO[suite]
    goroot = fetch_go(place, suite)
    modes = PLAIN if is_short else PLAIN + SLOW
    for name, args in ARGS.items():
        made = forms(place, goroot, version, name)
        for exe in made:
            compare(tap, place, os.path.basename(exe), [exe, *args], modes)
        if name == "hello":
            names(tap, place, version, *made)
        else:
            firings(tap, place, version, *made)
    shutil.rmtree(os.path.join(place.base, suite))


# ---- npm ---------------------------------------------------------------------

TYPED = """\
interface Point { x: number; y?: string }
export const f = (p: Point): string => `${p.x ?? 0}:` + p.y?.length;
enum Color { Red, Green = 5 }
console.log(f({x: 1}), Color.Green);
"""
TRANSFORM = """\
const swc = require("%s");
const options = {jsc: {parser: {syntax: "typescript"}, target: "es5"}};
const text = require("fs").readFileSync("typed.ts", "utf8");
console.log(swc.transformSync(text, options).code);
try { swc.transformSync("let = = 1", {}); } catch (e) { console.log("no"); }
Promise.all([1, 2, 3].map(i => swc.transform(text + i, options)))
    .then(all => all.forEach(one => console.log(one.code)));
"""
# npm's programs are too large to trace every function or instruction.
COUNT = " { @n = count(); }"
MODES["functions of esbuild"] = \
    "pid$target:a.out:*esbuild*:entry, pid$target:a.out:*esbuild*:return, " \
    "pid$target:a.out:runtime.*:entry, pid$target:a.out:main.*:" + COUNT
MODES["functions of the addon"] = \
    "#pragma D option zdefs\n" \
    "pid$target:swc*::entry, pid$target:swc*::return" + COUNT


def fetch_npm(place):
    where = place.make("npm")

    def fetch():
        subprocess.run(["npm", "install", "--no-audit", "--no-fund",
                        "--ignore-scripts", "--prefix", where, *NPM],
                       check=True, text=True, stdout=subprocess.PIPE,
                       stderr=subprocess.PIPE)

    fetched("npm", fetch)
    return os.path.join(where, "node_modules")


def package_version(modules, name):
    with open(os.path.join(modules, name, "package.json"),
              encoding="utf-8") as f:
        return f"{name} {json.load(f)['version']}"


def try_npm(tap, place, _is_short):
    modules = fetch_npm(place)
    with open(os.path.join(place.work, "typed.ts"), "w",
              encoding="ascii") as f:
        f.write(TYPED)
    with open(os.path.join(place.work, "transform.js"), "w",
              encoding="ascii") as f:
        f.write(TRANSFORM % os.path.join(modules, "@swc/core"))
    esbuild = modules + "/@esbuild/linux-x64/bin/esbuild"
    biome = modules + "/@biomejs/cli-linux-x64/biome"
    compare(tap, place, package_version(modules, "esbuild"),
            [esbuild, "--bundle", "--minify", "typed.ts"],
            [*PLAIN, "functions of esbuild"])
    compare(tap, place, package_version(modules, "@biomejs/cli-linux-x64"),
            [biome, "lint", "--colors=off", "--reporter=github", "typed.ts"],
            PLAIN)
    compare(tap, place, package_version(modules, "@swc/core"),
            ["node", "transform.js"], ["functions of the addon", "calls"])


# ------------------------------------------------------------------------------

GROUPS = {**{suite: lambda *args, s=suite: try_go(*args[:2], s, args[2])
             for suite in GO}, "npm": try_npm}


def missing(group):
    needs = ["cmd:npm", "cmd:node"] if group == "npm" else \
        ["cmd:apt-get", "cmd:nm", "cmd:strip"]
    return first_missing(["root", "cmd:setpriv", "cmd:unshare", *needs])


def one(tap, dtrace, group, is_short):
    why = missing(group)
    if why:
        tap.skip(group, why)
        return
    with tempfile.TemporaryDirectory(prefix="dt-foreign.") as folder:
        try:
            GROUPS[group](tap, Place(folder, dtrace), is_short)
        except Unavailable as e:
            tap.skip(group, str(e))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("dtrace")
    parser.add_argument("--rotate", action="store_true")
    parser.add_argument("groups", nargs="*")
    opts = parser.parse_args()
    default_signals()
    tap = Tap()
    groups = opts.groups or list(GROUPS)
    if opts.rotate:
        day = datetime.date.today().toordinal()
        groups = [groups[day % len(groups)]]
    for group in groups:
        one(tap, opts.dtrace, group, opts.rotate)
    tap.done()


main()
