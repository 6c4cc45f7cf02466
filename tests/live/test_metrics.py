#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""dtraced serves the aggregations of the scripts in a directory.

The scripts count calls of a copy of tests/prog/known that has a name of its
own, so what a scrape must show is known.
"""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import tempfile
import urllib.request

from fleets import DTRACED, SOON, Server, free_port, is_there, wait_for
from live import prog, run, start

KNOWN = f"mx{os.getpid()}"
CALLS = f"""#!/usr/sbin/dtrace -qs
syscall::getpriority:entry /execname == "{KNOWN}" && arg0 == 0x7001/ {{
    @n[label("role"), host] = count(); @args = quantize(arg1); }}
"""
MORE = f"""syscall::getpriority:entry /execname == "{KNOWN}" && arg0 == 0x7001/ {{
    @n = sum(2); }}
"""


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as f:
        return [int(child) for child in f.read().split()]


class Agent:
    def __init__(self, folder, settings, name="dtraced"):
        self.port = free_port()
        self.dir = os.path.join(folder, "metrics.d")
        os.makedirs(self.dir, exist_ok=True)
        conf = os.path.join(folder, name + ".conf")
        self.log = os.path.join(folder, name + ".log")
        with open(conf, "w") as f:
            f.write(f"metrics = :{self.port}\nmetrics_dir = {self.dir}\n"
                    f"name = web1\nlabel = role=web\n{settings}")
        with open(self.log, "w") as log:
            self.proc = subprocess.Popen([DTRACED, "-v", "-c", conf],
                                         stdin=subprocess.DEVNULL, stderr=log)

    def said(self):
        with open(self.log) as f:
            return f.read()

    def says(self, text):
        return wait_for(lambda: text in self.said())

    def put(self, name, text, mode=0o644):
        """A whole file comes into the directory."""
        path = os.path.join(self.dir, name)
        with open(path + "~", "w") as f:
            f.write(text)
        os.chmod(path + "~", mode)
        os.rename(path + "~", path)

    def remove(self, name):
        os.unlink(os.path.join(self.dir, name))

    def scrape(self):
        try:
            with urllib.request.urlopen(
                    f"http://127.0.0.1:{self.port}/metrics", timeout=30) as r:
                return r.read().decode()
        except OSError:
            return ""

    def shows(self, line):
        return wait_for(lambda: line + "\n" in self.scrape())

    def is_up(self, name):
        return self.shows(f'dtrace_script_up{{script="{name}"}} 1')

    def is_down(self, name):
        return self.shows(f'dtrace_script_up{{script="{name}"}} 0')

    def end(self):
        self.proc.send_signal(signal.SIGTERM)
        return self.proc.wait(timeout=SOON)


@contextlib.contextmanager
def agent(folder, *args):
    made = Agent(folder, *args)
    try:
        yield made
    finally:
        if made.proc.poll() is None:
            made.proc.kill()
            made.proc.wait()


def check_scripts(tap, made, known):
    made.put("calls.d", CALLS)
    made.put("other-calls.d", MORE)
    tap.ok(made.is_up("calls.d") and made.is_up("other-calls.d"),
           "two scripts trace", made.said())
    run([known, "seq:100"])
    tap.ok(made.shows('dtrace_calls_n_total{key0="web",key1="web1"} 100')
           and made.shows("dtrace_calls_args_count 100"),
           "a scrape has what one counts, with the host's label and name",
           made.scrape())
    tap.ok(made.shows("dtrace_other_calls_n 200"), "... and the other",
           made.scrape())
    run([known, "seq:11"])
    tap.ok(made.shows('dtrace_calls_n_total{key0="web",key1="web1"} 111'),
           "the next one has what came since", made.scrape())
    text = made.scrape()
    heads = re.findall(r"^# TYPE (\S+)", text, re.M)
    tap.ok(len(set(heads)) == len(heads) >= 5, "each metric has one head", text)
    if shutil.which("promtool") is None:
        tap.skip("promtool", "there is no promtool")
    else:
        ran = run(["promtool", "check", "metrics"], input=text)
        tap.ok(ran.status == 0, "promtool has nothing to say", ran)


def check_broken(tap, made):
    made.put("broken.d", "syscall::no_such_call:entry { @ = count(); }")
    tap.ok(made.is_down("broken.d") and made.says("D_PDESC_ZERO"),
           "a script that does not compile is reported", made.said())
    made.put("nothing.d", "BEGIN { trace(1); }")
    tap.ok(made.says("the script has no aggregations"),
           "... and one without aggregations", made.said())
    made.put("ends.d", "BEGIN { @x = count(); exit(3); }")
    tap.ok(made.says("it is started again in 1 s: it ended with status 3")
           and made.says("in 2 s: it ended with status 3")
           and made.says("in 4 s: it ended with status 3")
           and made.is_down("ends.d"),
           "one that ends is started again, ever later", made.said())
    tap.ok(made.is_up("calls.d") and made.shows(
        'dtrace_script_starts_total{script="calls.d"} 1'),
           "the others go on", made.scrape())
    made.put("broken.d", "BEGIN { @mended = count(); }")
    tap.ok(made.shows("dtrace_broken_mended_total 1"),
           "a script that was mended begins at once", made.said())


def check_refused(tap, made):
    made.put("open.d", MORE, 0o666)
    tap.ok(made.says("open.d: others than the owner may write the script")
           and made.is_down("open.d"), "a file that others can write is refused",
           made.said())
    made.put("mine.d", MORE)
    os.chown(os.path.join(made.dir, "mine.d"), 65534, 65534)
    tap.ok(made.says("mine.d: the script belongs to another user"),
           "... and one of another user", made.said())
    os.symlink("calls.d", os.path.join(made.dir, "link.d"))
    tap.ok(made.says("link.d: it is a symbolic link"),
           "... and a symbolic link", made.said())
    made.put('a"b.d', MORE)
    tap.ok(made.says(r'"a\"b.d" reason="the name of a script'),
           "... and a name that is none", made.said())
    made.put("calls-too.d", MORE)
    tap.ok(made.says("its metrics could have the names of those of calls.d"),
           "... and a name that clashes", made.said())
    made.put("README", "no script")
    os.chmod(os.path.join(made.dir, "open.d"), 0o644)
    tap.ok(made.is_up("open.d"), "a file that was put right runs", made.said())
    text = made.scrape()
    tap.ok("mine" not in re.sub('script="mine.d"} 0', "", text)
           and "README" not in text and "README" not in made.said(),
           "what is refused has no metrics", text)


def check_removed(tap, made, known):
    made.remove("calls.d")
    tap.ok(made.says('"calls.d" told="it was removed or changed'),
           "a script that is removed ends", made.said())
    text = made.scrape()
    tap.ok("dtrace_calls_" not in text and '"calls.d"' not in text,
           "... and has no metrics", text)
    tap.ok(wait_for(lambda: 'script="calls-too.d"} 1' in made.scrape()),
           "... and its name is free", made.said())
    made.put("other-calls.d", MORE.replace("sum(2)", "sum(3)"))
    tap.ok(made.shows('dtrace_script_starts_total{script="other-calls.d"} 1')
           and wait_for(lambda: "other_calls_n " not in made.scrape())
           and made.is_up("other-calls.d"), "a changed script begins anew",
           made.scrape())
    run([known, "seq:5"])
    tap.ok(made.shows("dtrace_other_calls_n 15"), "... with its new text",
           made.scrape())


def check_dir(tap, made):
    os.rename(made.dir, made.dir + "-away")
    tap.ok(wait_for(lambda: made.scrape() == "")
           and made.says("No such file or directory"),
           "without the directory there are no metrics", made.said())
    os.rename(made.dir + "-away", made.dir)
    tap.ok(made.is_up("other-calls.d"), "it comes back", made.said())
    pid = made.proc.pid
    scripts = children(pid)
    tap.ok(made.end() == 0 and len(scripts) >= 2
           and not any(is_there(s) for s in scripts),
           "SIGTERM ends dtraced and all scripts", scripts, made.said())


def check_cost(tap, folder):
    """A script that takes a whole CPU is ended."""
    with agent(folder, "metrics_cpu = 1\n") as made:
        made.put("cheap.d", "BEGIN { @x = count(); }")
        made.put("dear.d", """profile:::profile-4999
            { this->s = strjoin(strjoin(strjoin(execname, "a"), "b"), "c");
              this->s = strjoin(strjoin(this->s, this->s), this->s);
              @[index(this->s, "zz"), rindex(this->s, "zz"),
                strstr(this->s, "zz") == NULL] = count(); }""" * 6)
        tap.ok(made.says("(setting metrics_cpu)") and made.is_up("cheap.d"),
               "a script over its budget is ended, and no other",
               made.said()[-2000:])


def check_most(tap, folder):
    """A script that is changed keeps its place among the 64."""
    with agent(folder, "") as made:
        for n in range(63):  # refused ones have places, and take no CPU
            made.put(f"refused{n}.d", MORE, 0o666)
        made.put("own.d", "BEGIN { @x = count(); }")
        tap.ok(made.shows("dtrace_own_x_total 1"), "the 64th script runs",
               made.said())
        made.put("zz.d", "BEGIN { @x = count(); }")
        made.put("own.d", "BEGIN { @y = count(); }")
        tap.ok(made.shows("dtrace_own_y_total 1"),
               "... and is changed where there is no other place",
               made.said())
        tap.ok('"zz.d"' not in made.scrape(), "the 65th has none",
               made.scrape())
        made.remove("refused0.d")
        tap.ok(made.is_up("zz.d"), "... until one is free", made.scrape())


def fleet_settings(folder, port):
    """A server, and a policy that permits nobody anything."""
    public = run([DTRACED, "--new-key", os.path.join(folder, "key")]).out
    policy = os.path.join(folder, "policy")
    with open(policy, "w") as f:
        f.write(f"author tester\nkey {public.strip()}\n")
    os.chmod(policy, 0o644)
    return (f"url = nats://127.0.0.1:{port}\npolicy = {policy}\n"
            f"state = {folder}\n")


def are_gone(pids):
    return wait_for(lambda: not any(map(is_there, pids)))


def check_no_server(tap, folder):
    with agent(folder, fleet_settings(folder, free_port())) as made:
        made.put("cheap.d", "BEGIN { @x = count(); }")
        tap.ok(made.shows("dtrace_cheap_x_total 1"),
               "metrics are served while there is no server", made.said())
        ours = children(made.proc.pid)
        ours += [s for child in ours for s in children(child)]
        made.proc.kill()
        tap.ok(len(ours) == 2 and are_gone(ours),
               "... and nothing is left of a killed agent", ours)


def check_keeper(tap, folder):
    """With a server, the agent keeps the metrics process running."""
    if shutil.which("nats-server") is None:
        tap.skip("keeper", "there is no nats-server")
        return
    server = Server()
    try:
        with agent(folder, fleet_settings(folder, server.port)) as made:
            keep(tap, made)
    finally:
        server.kill()


def keep(tap, made):
    made.put("cheap.d", "BEGIN { @x = count(); }")
    tap.ok(made.shows("dtrace_cheap_x_total 1")
           and made.says("waits for requests"),
           "an agent of a fleet serves metrics, too", made.said())
    ours = children(made.proc.pid)
    scripts = [s for child in ours for s in children(child)]
    for child in ours:
        os.kill(child, signal.SIGKILL)
    tap.ok(len(scripts) == 1 and are_gone(scripts),
           "the scripts of a killed metrics process end", scripts)
    tap.ok(made.proc.poll() is None and made.shows("dtrace_cheap_x_total 1"),
           "the agent goes on, and starts it again", made.said())
    ours = children(made.proc.pid)
    tap.ok(made.end() == 0 and are_gone(ours), "... and ends it with itself",
           ours, made.said())


def check_settings(tap, folder):
    for settings, why in (("metrics_cpu = much\n", "a whole percentage"),
                          ("metrics_cpu = 0\n", "a whole percentage")):
        with agent(folder, settings, "bad") as made:
            tap.ok(made.proc.wait(timeout=SOON) == 1 and made.says(why),
                   "refused: " + settings.strip(), made.said())
    conf = os.path.join(folder, "where.conf")
    with open(conf, "w") as f:
        f.write("metrics = nowhere\n")
    ran = run([DTRACED, "-c", conf])
    tap.ok(ran.status == 1 and "metrics: no address of nowhere" in ran.err,
           "refused: metrics = nowhere", ran)


def main():
    tap = start("root bpf")
    with tempfile.TemporaryDirectory(prefix="dt-metrics.") as folder:
        known = os.path.join(folder, KNOWN)
        shutil.copy(prog("known"), known)
        with agent(folder, "metrics_cpu = 50\n") as made:
            check_scripts(tap, made, known)
            check_broken(tap, made)
            check_refused(tap, made)
            check_removed(tap, made, known)
            check_dir(tap, made)
        check_settings(tap, folder)
        for n, check in enumerate((check_cost, check_most, check_no_server,
                                   check_keeper)):
            own = os.path.join(folder, str(n))
            os.mkdir(own)
            check(tap, own)
    tap.done()


if __name__ == "__main__":
    main()
