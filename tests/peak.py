#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Run a parser on hostile variations of its corpus (fuzz/peak.c): the memory
that it holds is bounded.

    peak.py PEAK BASE_KB PER_BYTE CORPUS
"""

import os
import sys

if __name__ == "__main__":
    peak, base, per_byte, corpus = sys.argv[1:5]
    paths = [os.path.join(corpus, n) for n in sorted(os.listdir(corpus))]
    os.execv(peak, [peak, base, per_byte, *paths])
