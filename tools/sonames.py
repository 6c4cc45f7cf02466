#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Write sonames.h: the names of libraries that are loaded at run time.

    sonames.py FILE NAME...

FILE is linked with the libraries libNAME.so.  Its DT_NEEDED entries are the
sonames of those that the build found, so that what is loaded has the binary
interface that was compiled against.  For each NAME:

    #define SONAME_ZYDIS "libZydis.so.4.0"
    #define PACKAGE_ZYDIS "libzydis4.0"

The package's name follows from the soname (Debian Policy 8.1).
"""

import re
import subprocess
import sys


def needed(path):
    out = subprocess.run(["readelf", "-dW", path], check=True, text=True,
                         stdout=subprocess.PIPE,
                         env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"}).stdout
    return re.findall(r"\(NEEDED\).*\[(.*)\]", out)


def package(soname):
    """libfoo.so.1 is in libfoo1, libfoo2.so.1 in libfoo2-1."""
    name, version = re.match(r"(.*?)\.so\.?(.*)", soname).groups()
    dash = "-" if name[-1].isdigit() and version else ""
    return (name + dash + version).lower().replace("_", "-")


def main():
    path, names = sys.argv[1], sys.argv[2:]
    sonames = needed(path)
    for name in names:
        found = [s for s in sonames if s.startswith(f"lib{name}.so")]
        if len(found) != 1:
            sys.exit(f"sonames: {path} needs {' '.join(sonames)}: "
                     f"lib{name} is not there once")
        print(f'#define SONAME_{name.upper()} "{found[0]}"')
        print(f'#define PACKAGE_{name.upper()} "{package(found[0])}"')


main()
