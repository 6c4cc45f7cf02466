#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Feed every file of a fuzz corpus to its target: none may crash or hang.

    corpus.py REPLAY CORPUS
"""

import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tap import Tap


def replay(program, path):
    """None when the target survives, else what happened."""
    try:
        proc = subprocess.run([program, path], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=20)
    except subprocess.TimeoutExpired:
        return "still running after 20 s"
    if proc.returncode == 0:
        return None
    tail = proc.stdout.decode("utf-8", "backslashreplace")[-2000:]
    return f"ended with status {proc.returncode}\n{tail}"


def main():
    program, corpus = sys.argv[1:3]
    tap = Tap()
    for name in sorted(os.listdir(corpus)):
        wrong = replay(program, os.path.join(corpus, name))
        tap.ok(wrong is None, name, wrong)
    if tap.count == 0:
        tap.ok(False, "corpus", f"{corpus} is empty")
    tap.done()


if __name__ == "__main__":
    main()
