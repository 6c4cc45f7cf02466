#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Feed every file of a fuzz corpus to its target, then variations of them for
some seconds: none may crash or hang.

    corpus.py REPLAY CORPUS
"""

import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tap import Tap


SECONDS = 3  # for the variations
LIMIT = 60


def replay(program, *args):
    """None if the target survives; else a description of its failure."""
    try:
        proc = subprocess.run([program, *args], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return f"still running after {LIMIT} s"
    if proc.returncode == 0:
        return None
    tail = proc.stdout.decode("utf-8", "backslashreplace")[-2000:]
    return f"ended with status {proc.returncode}\n{tail}"


def vary(tap, program, paths):
    """Run the target on variations; on failure, keep the input beside the
    program."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "input")
        wrong = replay(program, "-m", str(SECONDS), out, *paths)
        kept = program + ".input"
        if wrong and os.path.exists(out):
            shutil.copy(out, kept)
        tap.ok(wrong is None, f"{SECONDS} s of variations", wrong,
               "the input is kept: " + kept)


def main():
    program, corpus = sys.argv[1:3]
    tap = Tap()
    paths = [os.path.join(corpus, n) for n in sorted(os.listdir(corpus))]
    for path in paths:
        wrong = replay(program, path)
        tap.ok(wrong is None, os.path.basename(path), wrong)
    if paths:
        vary(tap, program, paths)
    if tap.count == 0:
        tap.ok(False, "corpus", f"{corpus} is empty")
    tap.done()


if __name__ == "__main__":
    main()
