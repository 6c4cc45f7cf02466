#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The manuals of the providers say what `dtrace -lv` says, and their examples
and those of dtrace(8) and d(5) run.

Generated are the arguments of probes, the members of types and the stability
of arguments.  Each command of a page runs, for a moment, and each script
compiles.  A page whose provider this kernel does not have is not compared."""

import glob
import json
import os
import re
import shlex
import signal
import subprocess
import tempfile

import live
from live import DTRACE, run, start

BUILD = os.path.dirname(DTRACE)
MANUALS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..",
                       "doc/man")
# Programs that examples trace; the last is that of dtrace_usdt(4).
CLIENT = """
import socket, threading
server = socket.socket()
server.bind(("127.0.0.1", 0))
server.listen()
def serve():
    peer, _ = server.accept()
    peer.recv(100000)
    peer.close()
thread = threading.Thread(target=serve)
thread.start()
client = socket.create_connection(server.getsockname())
client.send(b"x" * 5000)
client.close()
thread.join()
host = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
host.bind(("127.0.0.1", 0))
guest = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
guest.sendto(b"y" * 100, host.getsockname())
host.recv(1000)
"""
LOOP = "for number in range(1000000):\n    str(number)\n"
# What fires may depend on the machine's other work.
MAY_BE_SILENT = {"dtrace_lockstat", "dtrace_profile"}


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
        """Texts in literal blocks, and commands on lines of their own."""
        text = re.sub(r'^\\&|^\.\\".*\n', "", self.text, flags=re.M)
        if self.name in ("dtrace", "d"):
            text = text[text.index(".Sh EXAMPLES"):text.index(".Sh SEE ALSO")]
        for block in re.findall(r"^\.Bd -literal.*?\n(.*?)^\.Ed", text,
                                re.M | re.S):
            yield block.replace("\\e", "\\")
        for line in re.findall(r"^\.Dl (.*)", text, re.M):
            yield "# " + line.replace("\\e", "\\") + "\n"


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

def command_of(block):
    """The words of a block's first command; the output follows."""
    lines = block.split("\n")
    for n in range(1, len(lines)):
        text = "\n".join(lines[:n])
        try:
            words = shlex.split(text[2:].replace("\\\n", " "))
        except ValueError:
            continue
        if not lines[n - 1].endswith("\\"):
            return words, text[2:], [line for line in lines[n:] if line]
    raise AssertionError(block)


def run_for_a_moment(text, folder):
    """A command that nothing ends is interrupted when it has begun."""
    text += " -n 'BEGIN { printf(\"it has begun\\n\"); }'"
    with subprocess.Popen(["bash", "-c", "exec " + text], cwd=folder,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True) as proc:
        out = ""
        for line in proc.stdout:
            out += line
            if "it has begun" in line:
                proc.send_signal(signal.SIGINT)
                break
        out += proc.stdout.read()
    return proc.returncode == 0, out


def is_missing(out):
    """Does this machine lack what the example traces?"""
    return re.search(r"is not available|cannot be counted|"
                     r"cannot count|no such provider", out) is not None


def check_command(tap, page, block, folder):
    words, text, printed = command_of(block)
    if "calls.d" in words or "calls.dof" in words:
        return      # files of the reader's
    if not any(word.endswith("dtrace") for word in words):
        return
    name = f"{page.name}: {text.split(chr(10), maxsplit=1)[0][:50]}"
    text = text.replace(" -p 1234", " -c ./myserver"
                        if page.name == "dtrace_usdt" else " -c 'sleep 0'")
    ends = printed or "-c" in words or "-p" in words or "-l" in words[1]
    tried = run(["bash", "-c", re.sub(r"dtrace ", "dtrace -e ", text, count=1)
                 if "-l" not in words[1] else text], cwd=folder)
    if tried.status != 0 and is_missing(tried.out + tried.err):
        tap.skip(name, "not available here")
        return
    if not ends:
        ended, out = run_for_a_moment(text, folder)
        tap.ok(tried.status == 0 and ended, name, tried, out)
        return
    ran = run(["bash", "-c", text], cwd=folder)
    told = ran.out.strip() != "" or page.name in MAY_BE_SILENT or not printed
    tap.ok(ran.status == 0 and told, name, ran)


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


def check_shown(tap, page, block, folder):
    """$ cat FILE, its text, and a command that uses it."""
    lines = block.split("\n")
    command = [line for line in lines if line.startswith("$ dtrace")][0]
    name = lines[0].split()[2]
    with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
        f.write("\n".join(lines[1:lines.index(command)]) + "\n")
    check_command(tap, page, command + "\n", folder)


def make_usdt(tap, page, folder):
    """Build the program of dtrace_usdt(4) as the page says; run its example."""
    definition, program, commands = list(page.blocks())[:3]
    for name, text in (("probes.d", definition), ("main.c", program)):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
            f.write(text)
    steps = re.findall(r"^\$ (.*)", commands, re.M)
    for step in steps:
        ran = run(["bash", "-c", step], cwd=folder)
        tap.ok(ran.status == 0, f"{page.name}: {step}", ran)
    _, text, printed = command_of(commands[commands.index("# dtrace"):])
    ran = run(["bash", "-c", text], cwd=folder)
    tap.ok(ran.out.split("\n")[:-1][:1] == printed, f"{page.name}: its example",
           ran)


def check_examples(tap, page, folder):
    for block in page.blocks():
        if block.startswith("# "):
            check_command(tap, page, block, folder)
        elif block.startswith("$ cat took.d"):
            check_shown(tap, page, block, folder)
        elif page.name != "dtrace_usdt":
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
    # not in /tmp, which may be memory: dd needs a disk
    with tempfile.TemporaryDirectory(dir=BUILD) as folder:
        for name, text in (("client.py", CLIENT), ("loop.py", LOOP)):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
                f.write(text)
        os.symlink(live.prog("known"), os.path.join(folder, "prog"))
        make_usdt(tap, [page for page in pages
                        if page.name == "dtrace_usdt"][0], folder)
        pages += [Page(os.path.join(MANUALS, name))
                  for name in ("dtrace.8", "d.5")]
        for page in pages:
            check_examples(tap, page, folder)
    tap.done()


main()
