#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Check lines of dtrace -x oformat=json, and print their main contents.

    ... | json_check.py [--run]

Python's json parses each line, which must conform to doc/json.schema.json.
Values that vary from run to run (time, cpu, addresses) are replaced; base64 is
decoded, so a case shows the bytes that arrived.  The start and the end of a run
are shown with --run.
"""

import base64
import json
import os
import sys

import jsonschema

SCHEMA = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                      "../doc/json.schema.json")
VARIES = {"time": "TIME", "cpu": "CPU", "epid": "EPID", "address": "ADDR",
          "wall": "WALL"}


def shown(value, name=None):
    if isinstance(value, dict) and list(value) == ["base64"]:
        return "bytes " + base64.b64decode(value["base64"]).hex(" ")
    if isinstance(value, dict):
        return {k: shown(v, k) for k, v in value.items()}
    if isinstance(value, list):
        return [shown(v) for v in value]
    if name in VARIES:
        assert isinstance(value, int)
        return VARIES[name]
    return value


def main():
    with open(SCHEMA, encoding="utf-8") as f:
        validator = jsonschema.Draft202012Validator(json.load(f))
    for line in sys.stdin.buffer:
        event = json.loads(line.decode("utf-8"))
        problem = jsonschema.exceptions.best_match(
            validator.iter_errors(event))
        if problem is not None:
            print(f"not of the schema: {problem.message}\n    {line!r}")
            continue
        if event["event"] in ("start", "end") and "--run" not in sys.argv:
            continue
        for name, value in shown(event).items():
            if name == "actions":
                print("  actions")
                for action in value:
                    print("   ", json.dumps(action))
            else:
                print(" " if name != "event" else "-", name,
                      json.dumps(value))


if __name__ == "__main__":
    main()
