#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The manuals of the providers say what `dtrace -lv` says, and the scripts in
them and in d(5) compile.

Generated are the arguments of probes, the members of types and the stability
of arguments.  A page whose provider this kernel does not have is not compared.
The program of dtrace_usdt(4) is built and traced.  All other commands of the
manuals are for package/test_readme.py."""

import glob
import json
import os
import re
import sys
import tempfile

from live import DTRACE, run, start

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(ROOT, "tests/package"))
import document

BUILD = os.path.dirname(DTRACE)

class Page:
    """The generated parts of a page, and its examples."""

    def __init__(self, path):
        self.name = os.path.basename(path)[:-2]
        with open(path, encoding="utf-8") as f:
            self.text = f.read()
        if ".Sh PROBES\n" not in self.text:
            return
        self.probes = self.read_probes()
        self.types = {
            name: re.findall(r'^\.It Va (\w+) Ta Vt "([^"]*)"', body, re.M)
            for name, body in re.findall(r"^\.Ss (\w+_t)\n(.*?)^\.El",
                                         self.text, re.M | re.S)}
        self.unavailable = {
            member for member in re.findall(
                r'^\.It Va (\w+) Ta .*"not available: ', self.text, re.M)}
        args = re.search(r"^\.It args Ta (.*)", self.text, re.M)
        self.args = args.group(1).replace(" Ta ", "/") if args else None

    def read_probes(self):
        """Probes with the types of their arguments."""
        probes, common = {}, []
        part = re.search(r"^\.Sh PROBES\n(.*?)^\.Sh", self.text, re.M | re.S)
        part = part.group(1)
        if "All probes have these arguments:" in part:
            head, part = part.split(".Bl -tag -width Ds", 1)
            common = re.findall(r'^\.It Va args.* Ta Vt "(.*)"', head, re.M)
        for item in part.split("\n.It Xo\n")[1:]:
            names, text = item.split("\n.Xc\n", 1)
            types = re.findall(r'^\.It Va args.* Ta Vt "(.*)"', text, re.M)
            for name in re.findall(r"^\.Cm (\S+)", names, re.M):
                probes[name] = types or common
        return probes

    def blocks(self):
        """Texts in literal blocks."""
        text = re.sub(r'^\\&|^\.\\".*\n', "", self.text, flags=re.M)
        if self.name == "d":
            text = text[text.index(".Sh EXAMPLES"):text.index(".Sh SEE ALSO")]
        for block in re.findall(r"^\.Bd -literal.*?\n(.*?)^\.Ed", text,
                                re.M | re.S):
            yield block.replace("\\e", "\\")


def listing(provider):
    """The probes and types of -lv, by name; the probes' stability."""
    target = ["-c", "sleep 0"] if "$" in provider else []
    ran = run([DTRACE, "-x", "oformat=json", "-lvP", provider, *target])
    events = [json.loads(line) for line in ran.out.splitlines()]
    probes = {event["name"]: event for event in events
              if event["event"] == "listing"}
    types = {event["name"]: event for event in events
             if event["event"] == "type"}
    return probes, types


def compare(tap, page, provider):
    probes, types = listing(provider)
    if not probes:
        tap.skip(f"{page.name}: compared", f"{provider} is not available here")
        return
    wrong = [name for name, probe in probes.items()
             if [arg["type"] for arg in probe["args"]] != page.probes.get(name)]
    tap.ok(not wrong, f"{page.name}: arguments of {len(probes)} probes", wrong)
    tap.ok(all(probe["stability"]["args"] == page.args
               for probe in probes.values()),
           f"{page.name}: stability", page.args)
    ours = {name: event for name, event in types.items()
            if name.endswith("_t") and event.get("translators")}
    wrong = [name for name, event in ours.items()
             if page.types.get(name) is None or
             [(m["name"], m["type"]) for m in event["members"]] !=
             page.types[name]]
    tap.ok(not wrong and set(page.types) <= set(types),
           f"{page.name}: members of {len(ours)} types", wrong,
           set(page.types) - set(types))
    wrong = [member["name"] for event in ours.values()
             for translator in event["translators"]
             for member in translator["members"]
             if "the translator" not in member.get("missing", "the translator")
             and member["name"] not in page.unavailable]
    tap.ok(not wrong, f"{page.name}: members that are not available", wrong)


# ---- examples ---------------------------------------------------------------

def is_missing(out):
    """Does this machine lack what the example traces?"""
    return re.search(r"is not available|cannot be counted|"
                     r"cannot count|no such provider", out) is not None


def check_script(tap, page, block, folder):
    name = f"{page.name}: a script with {block.split(chr(10), maxsplit=1)[0]}"
    path = os.path.join(folder, "script.d")
    with open(path, "w", encoding="utf-8") as f:
        f.write(block)
    target = ["-c", "sleep 0"] if "$target" in block else []
    ran = run([DTRACE, "-es", path, *target])
    if ran.status != 0 and is_missing(ran.err):
        tap.skip(name, "not available here")
        return
    tap.ok(ran.status == 0, name, ran)


def make_usdt(tap, page, folder):
    """Build the program of dtrace_usdt(4) as the page says; run it."""
    definition, program, text = list(page.blocks())[:3]
    for name, source in (("probes.d", definition), ("main.c", program)):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
            f.write(source)
    commands = document.read_commands(document.manual_text(page.text))
    for step in re.findall(r"^\$ (.*)", text, re.M):
        ran = run(["bash", "-c", step], cwd=folder)
        tap.ok(ran.status == 0, f"{page.name}: {step}", ran)
    for command in commands:
        if "myserver$target" in command.text:
            ran = run(["bash", "-c", command.text.replace(
                "-p 1234", "-c ./myserver")], cwd=folder)
            lines = {line.strip() for line in ran.out.splitlines()}
            wrong = document.faults(command, ran.status, ran.out, ran.err)
            tap.ok(not wrong and lines.issuperset(command.shown_lines()),
                   f"{page.name}: {command.name()}", *wrong, ran)


def check_scripts(tap, page, folder):
    for block in page.blocks():
        if not block.startswith(("# ", "$ ")):
            check_script(tap, page, block, folder)


def main():
    tap = start("root bpf cmd:cc")
    os.environ["PATH"] = BUILD + ":" + os.environ["PATH"]
    pages = [Page(path) for path in
             sorted(glob.glob(os.path.join(BUILD, "doc/man4/*.4")))]
    tap.ok(len(pages) > 20, "the pages have been made")
    for page in pages:
        if "\n.It Xo\n" in page.text:
            provider = page.name[len("dtrace_"):]
            compare(tap, page, provider + "$target"
                    if provider == "plockstat" else provider)
    pages.append(Page(os.path.join(ROOT, "doc/man/d.5")))
    with tempfile.TemporaryDirectory() as folder:
        for page in pages:
            if page.name == "dtrace_usdt":
                make_usdt(tap, page, folder)
            else:
                check_scripts(tap, page, folder)
    tap.done()


main()
