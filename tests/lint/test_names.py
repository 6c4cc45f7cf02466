#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The errors that names.py and quotes.py must find, and the texts that they
must accept.

    test_names.py SOURCE_ROOT
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                ".."))
import lint
import names
import quotes
from tap import Tap

PAGE = {"doc/reference/dif.md": "## 3. Three\n\n## 9. Nine to 11. Eleven\n"}

# (claim, text of a comment, number of errors in its citations)
CITATIONS = [
    ("a section that is there", "doc/reference/dif.md section 3.", 0),
    ("a heading for several sections", "doc/reference/dif.md section 10", 0),
    ("a section that is not there", "see doc/reference/dif.md section 4.", 1),
    ("the second of two sections", "doc/reference/dif.md sections 3 and 4", 1),
    ("a section behind a comma", "(doc/reference/dif.md, section 5; x)", 1),
    ("section N of a page", "in section 8 of `doc/reference/dif.md`", 1),
    ("a page that is not there", "doc/reference/dwarf.md says", 1),
    ("a citation over two lines", "/*\n * doc/reference/dif.md section\n * 7.\n"
     " */", 1),
    ("a path without its folder", "reference/dif.md section 3", 1),
    ("a page without any path", "what dif.md section 3 says", 1),
    ("a document that was never here", "measured as DESIGN.md says", 1),
]

# (claim, comment, the file's own text, number of stale names)
NAMES = [
    ("a function of ours", "/* dif_verify() has seen it. */", "", 0),
    ("a function that was never there", "/* dif_verfiy() has. */", "", 1),
    ("one of two", "/* dif_verify() and pr_name_index(). */", "", 1),
    ("a name at the end of a line", "/*\n * By\n * plan_value()\n */", "", 1),
    ("a member that is called", "/* ops->drain() and x.mem_nosuch(). */", "", 1),
    ("a function of libc", "/* Like strtoul(). */", "", 0),
    ("a macro of ours", "/* What VEC_FOREACH() does. */", "", 0),
    ("a subroutine of D", "/* copyinstr() */", "", 0),
    ("an action of D", "/* tracemem() */", "", 0),
    ("a system call", "/* finit_module() */", "", 0),
    ("a helper of BPF", "/* bpf_probe_read_user_str() */", "", 0),
    ("a function of the kernel that is listed", "/* exec_binprm() */", "", 0),
    ("a function of the kernel that is not", "/* exec_binprn() */", "", 1),
    ("a page of the manual", "/* nosuch(3), nosuch(2) */", "", 0),
    ("a file by its folder", "/* codegen/check.c types it. */", "", 0),
    ("a file that is somewhere else", "/* lang/check.c types it. */", "", 1),
    ("a file by its name", "/* dif_ops.def */", "", 0),
    ("a file that was renamed", "/* dif_opcodes.def */", "", 1),
    ("a header of the system", "/* <sys/types.h>, linux/bpf.h */", "", 0),
    ("a header that no system has", "/* <sys/tpyes.h> */", "", 1),
    ("a file that the build makes", "/* rt_funcs.c */", "", 0),
    ("a file that the test writes", "# probe.c", "cat > probe.c", 0),
    ("a file that the test does not write", "# probe.c", "cat > prob.c", 1),
    ("a stand-in for any file", "/* FILE.c, fuzz/fuzz_NAME.c */", "", 0),
]


GLOSSARY = "## Prefixes\n\n| `xx_` | `src/one`, `src/two` | words |\n"
# (claim, where functions are, number of errors)
PREFIXES = [
    ("at home", "one one two", 0),
    ("one of six is elsewhere", "one one one one two three", 0),
    ("two of five are elsewhere", "one one two three three", 1),
    ("a folder that has none", "one one one", 1),
    ("a prefix that hardly exists", "one two", 1),
]

HEADERS = GLOSSARY + "\n## Other prefixes\n\n| `src/one` | `yy_` words |\n"
# (claim, folder and name of extern functions, number of errors)
EXTERNS = [
    ("both tables", "one:xx_go one/below:xx_go one:yy_go", 0),
    ("a function without a prefix", "one:go one:yy_go", 1),
    ("a prefix of another folder", "two:yy_go one:yy_go", 1),
    ("a row without a function", "one:xx_go", 1),
    ("functions of C", "one:memcpy one:yy_go", 0),
]
# (claim, code of a header, names)
CODE = [
    ("of two lines", "int\n*xx_go(\n    int a);\n", ["xx_go"]),
    ("with attributes", "CHECKED int f(int (*g)(int)) "
     "__attribute__((format(printf, 1, 2)));\n", ["f"]),
    ("none: types, inline functions, macros", "typedef int f(int);\n"
     "static inline int f(int a);\n#define F(a) \\\nint f(int);\n", []),
]


SOURCE = r'''
    err("%s: faster than " LIMIT
        " allows: write to it", name);
    add(n == 0 ? "" : " and ", cap);
    err("%s needs the %s %s, which %s missing", n == 1 ? "capability" :
        "capabilities", caps, n == 1 ? "is" : "are");
'''
# (claim, what a table quotes, number of errors)
QUOTES = [
    ("a message", "tick-1: faster than /proc/limit allows: write to it", 0),
    ("its beginning", "tick-1: faster than /proc/limit", 0),
    ("names and strings of the source for conversions",
     "A needs the capabilities CAP_A and CAP_B, which are missing", 0),
    ("a part that is left out", "needs the ..., which are missing", 0),
    ("a word that the source never says", "needs the privilege ...", 1),
    ("a message that has changed", "quicker than /proc/limit allows", 1),
    ("one of two parts", "faster than ...: change it", 1),
]


def main():
    root = sys.argv[1]
    tap = Tap()
    for claim, text, count in CITATIONS:
        wrong = list(names.wrong_citations(names.flat(text), PAGE))
        tap.ok(len(wrong) == count, f"citations: {claim}", *wrong)
    known = names.Known(root, lint.tree(root))
    for claim, comment, own, count in NAMES:
        wrong = list(names.stale_names(comment, known, own))
        tap.ok(len(wrong) == count, f"names: {claim}", *wrong)
    source = quotes.Source(quotes.strings(SOURCE))
    for claim, text, count in QUOTES:
        wrong = quotes.wrong_quotes(
            f"| You see | Do |\n|---|---|\n| `{text}` | it |\n", source)
        tap.ok(len(wrong) == count, f"quotes: {claim}", *wrong)
    for claim, folders, count in PREFIXES:
        wrong = list(names.wrong_prefixes(
            GLOSSARY, [("src/" + f, "xx_go") for f in folders.split()]))
        tap.ok(len(wrong) == count, f"prefixes: {claim}", *wrong)
    for claim, text, count in EXTERNS:
        wrong = list(names.unlisted_prefixes(
            HEADERS, [("src/" + f.split(":")[0], f.split(":")[1])
                      for f in text.split()]))
        tap.ok(len(wrong) == count, f"other prefixes: {claim}", *wrong)
    for claim, text, wanted in CODE:
        found = list(names.prototypes(text))
        tap.ok(found == wanted, f"prototypes: {claim}", *found)
    found, code = names.c_comments('a("/* no */"); /* yes\n */ b(); // and\n')
    tap.ok([line for line, _ in found] == [1, 2] and "yes" not in code,
           "comments of C are told from text constants")
    found, code = names.python_comments('"""Doc."""\nx = "# no"  # yes\n')
    tap.ok(len(found) == 2 and "yes" not in code,
           "comments of Python are its documentation strings, too")
    tap.done()


if __name__ == "__main__":
    main()
