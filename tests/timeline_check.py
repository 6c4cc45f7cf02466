#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Check and print a trace of dtrace -x oformat=chrome or perfetto.

    timeline_check.py chrome|perfetto FILE

Python's json, or protoc with tests/perfetto.proto, reads the file.  In each
thread times do not go back, each end has its beginning, and all ends.  What is
printed is the same for both forms.
"""

import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def chrome(path):
    """Events as (kind, track, time, name, args), and tracks' names."""
    with open(path, encoding="utf-8") as f:
        doc = json.load(f)
    names, events = {}, []
    kinds = {"B": "begin", "E": "end", "i": "instant"}
    for e in doc["traceEvents"]:
        if e["ph"] == "M":
            ids = (e["pid"],) if e["name"] == "process_name" else (e["pid"],
                                                                   e["tid"])
            names[ids] = e["args"]["name"]
        elif e["ph"] == "C":
            for key, value in e["args"].items():
                events.append(("counter", "-", e["ts"],
                               e["name"] + f"[{key}]", {"value": value}))
        else:
            events.append((kinds[e["ph"]], (e["pid"], e["tid"]), e["ts"],
                           e["name"], e["args"]))
    print("status", doc["metadata"]["status"])
    assert doc["otherData"]["version"] and doc["otherData"]["start"] > 0
    return names, events


def unquote(text):
    if not text.startswith('"'):
        return text
    raw = re.sub(rb'\\(?:([0-7]{3})|(.))',
                 lambda m: bytes([int(m[1], 8)]) if m[1] else
                 {b"n": b"\n", b"t": b"\t", b"r": b"\r"}.get(m[2], m[2]),
                 text[1:-1].encode())
    return raw.decode("utf-8")


def messages(lines):
    """protoc's text as (name, value or list of such) pairs."""
    out = []
    for line in lines:
        line = line.strip()
        if line == "}":
            break
        if line.endswith("{"):
            out.append((line[:-1].strip(), messages(lines)))
        else:
            name, value = line.split(": ", 1)
            assert not name.isdigit(), f"a field that Perfetto lacks: {line}"
            out.append((name, unquote(value)))
    return out


def field(message, name, default=None):
    return next((v for n, v in message if n == name), default)


class Perfetto:
    def __init__(self):
        self.interned = {}
        self.tracks, self.names, self.events = {}, {}, []

    def intern(self, data):
        for table, entry in data:
            key = table, field(entry, "iid")
            assert key not in self.interned
            self.interned[key] = field(entry, "name")

    def track(self, t):
        uuid, name = field(t, "uuid"), field(t, "name")
        process, thread = field(t, "process"), field(t, "thread")
        parent = field(t, "parent_uuid")
        assert parent is None or parent in self.tracks
        if process:
            ids = (int(field(process, "pid")),)
            self.names[ids] = field(process, "process_name")
        elif thread:
            ids = (int(field(thread, "pid")), int(field(thread, "tid")))
            self.names[ids] = field(thread, "thread_name")
        elif field(t, "counter") is not None:
            ids = name
        elif name.startswith("CPU "):
            ids = (0, int(name[4:]))
            self.names[ids] = name
        else:
            ids = (0,) if name == "CPUs" else name
            self.names[ids] = name
        self.tracks[uuid] = ids

    def args(self, e):
        out = {}
        for name, a in e:
            if name == "debug_annotations":
                kind, value = a[1]
                out[self.interned["debug_annotation_names", a[0][1]]] = \
                    value if kind == "string_value" else int(value)
        return out

    def event(self, time, e):
        kind = field(e, "type")[5:].lower().replace("slice_", "")
        track = field(e, "track_uuid")
        if track == "0":
            if field(e, "name_iid"):
                name = self.interned["event_names", field(e, "name_iid")]
                if name == "dtrace ends":
                    print("status", self.args(e)["status"])
            return
        if kind == "counter":
            name = self.tracks[track]
            self.events.append((kind, "-", time,
                                name if "[" in name else name + "[value]",
                                {"value": int(field(e, "counter_value"))}))
            return
        name = None
        if kind != "end":
            name = self.interned["event_names", field(e, "name_iid")]
            assert ("event_categories",
                    field(e, "category_iids")) in self.interned
        self.events.append((kind, self.tracks[track], time, name,
                            self.args(e)))


def perfetto(path):
    with open(path, "rb") as f:
        text = subprocess.run(
            ["protoc", "--decode=Trace", "-I" + HERE,
             os.path.join(HERE, "perfetto.proto")], stdin=f,
            capture_output=True, check=True).stdout.decode()
    p = Perfetto()
    packets = messages(iter(text.splitlines()))
    assert field(packets[0][1], "sequence_flags") == "1"
    for _, packet in packets:
        if field(packet, "interned_data"):
            p.intern(field(packet, "interned_data"))
        if field(packet, "track_descriptor"):
            p.track(field(packet, "track_descriptor"))
        if field(packet, "track_event"):
            p.event(int(field(packet, "timestamp")),
                    field(packet, "track_event"))
    return p.names, p.events


def main():
    names, events = {"chrome": chrome, "perfetto": perfetto}[sys.argv[1]](
        sys.argv[2])
    last, stacks = {}, {}
    for kind, track, time, name, args in events:
        stack = stacks.setdefault(track, [])
        assert time >= last.get(track, 0), (track, time, name)
        last[track] = time
        if kind == "begin":
            stack.append(name)
        if kind == "end":
            begun = stack.pop()
            assert name in (None, begun), (name, begun)
            name = begun
        args = {k: "CPU" if k == "cpu" else v for k, v in args.items()}
        if "probe" in args:
            args["probe"] = re.sub("^pid[0-9]+", "pidPID", args["probe"])
        if track != "-":
            # the process's name is that of its first thread
            assert track[:1] in names, track
            track = "CPU" if track[0] == 0 else names[track]
        print(" " * len(stack) * 2 + kind, track, name,
              json.dumps(args, ensure_ascii=False))
    assert not any(stacks.values()), stacks


if __name__ == "__main__":
    main()
