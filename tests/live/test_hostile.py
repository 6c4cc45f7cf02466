#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Nothing in a script can crash or hang the compiler.

Each text repeats one construct over a megabyte.  A text is compiled, or
refused with the tag given here and at most 20 messages, and one that says
so.  Only work linear in the text's length stays within the limits of CPU
time and address space.
"""

import os
import resource
import tempfile

from live import DTRACE, is_sanitized, run, start

SIZE = 1 << 20
SECONDS = 10  # of CPU time, for machines that others use, too
MEMORY = 4 << 30
COMPILES = None


def repeat(text):
    return text * (SIZE // len(text))


def numbered(n, line):
    return "".join(line(i) for i in range(n))


def begin(text):
    return "BEGIN { " + text + " }\n"


TEXTS = [
    ("nested parentheses", "D_SYNTAX", begin("x = " + repeat("("))),
    ("nested unary operators", "D_SYNTAX", begin("x = " + repeat("-") + "1;")),
    ("nested blocks", "D_SYNTAX", "BEGIN " + repeat("{")),
    ("nested ifs", "D_SYNTAX", begin(repeat("if (pid) { "))),
    ("nested structs", "D_SYNTAX", "struct s {" + repeat("struct {")),
    ("nested calls", "D_SYNTAX", begin("x = " + repeat("strlen("))),
    ("an else-if ladder", "D_SYNTAX",
     begin(repeat("if (pid) x = 1; else ") + "x = 2;")),
    ("a chain of +", "D_SYNTAX", begin("x = " + repeat("1+") + "1;")),
    ("a chain of commas", "D_SYNTAX", begin(repeat("1,") + "1;")),
    ("a chain of ?:", "D_SYNTAX", begin("x = " + repeat("pid ? 1 : ") + "1;")),
    ("a chain of members", "D_SYNTAX", begin("x = a" + repeat(".b") + ";")),
    ("a chain of indices", "D_SYNTAX", begin("x = a" + repeat("[1]") + ";")),
    ("a chain of stars", "D_SYNTAX", "int " + repeat("*") + "x;"),
    ("a chain of dimensions", "D_SYNTAX", "int x" + repeat("[1]") + ";"),
    ("arguments without end", "D_PRINTF_ARG_EXTRA",
     begin('printf("x"' + repeat(",1") + ");")),
    ("statements", COMPILES, begin("x = 1; " + repeat("x = x + 1;\n"))),
    ("conditions", COMPILES,
     begin(repeat("if (pid) { x = 1; } else { x = 2; }\n" +
                  8 * "x = x + 1;\n"))),
    ("variables", "D_ID_OFLOW",
     begin(numbered(100000, lambda i: f"v{i} = 1;"))),
    ("aggregations", COMPILES,
     begin(numbered(100000, lambda i: f"@v{i} = count();"))),
    ("members", COMPILES,
     "struct s {" + numbered(150000, lambda i: f"int m{i};") + "};"),
    ("enumerators", COMPILES,
     "enum e {" + numbered(150000, lambda i: f"E{i},") + "};"),
    ("typedefs of typedefs", "D_TYPE_ERR", "typedef int t0;\n" +
     numbered(80000, lambda i: f"typedef t{i} t{i + 1};\n")),
    ("typedefs of pointers", "D_TYPE_ERR", "typedef int t0;\n" +
     numbered(80000, lambda i: f"typedef t{i} *t{i + 1};\n")),
    ("structs of structs", "D_DECL_ARRBIG", "struct s0 { long x; };\n" +
     numbered(2000, lambda i: f"struct s{i + 1} "
              f"{{ struct s{i} a[1024], b; }};\n")),
    ("a struct in itself", "D_DECL_INCOMPLETE", "struct s { struct s x; };"),
    ("inlines of inlines", "D_CG_EXPR", "inline int a0 = pid;\n" +
     numbered(60, lambda i: f"inline int a{i + 1} = a{i} + a{i};\n")),
    ("inlines in a chain", "D_CG_EXPR", "inline int a0 = pid;\n" +
     numbered(60000, lambda i: f"inline int a{i + 1} = a{i} + 1;\n")),
    ("unknown names", "D_IDENT_UNDEF", repeat("BEGIN { y = foo; }\n")),
    ("unknown probes", "D_PDESC_ZERO", repeat("syscal::read:entry { }\n")),
    ("descriptions", COMPILES, repeat("BEGIN,") + "BEGIN {}"),
    ("a long description", "D_PDESC_ZERO", repeat("a") + ":::b {}"),
    ("a pattern of stars", "D_PDESC_ZERO", "*a" * 200 + ":::b {}"),
    ("line directives", COMPILES, repeat('#line 1 "x"\n') + "BEGIN {}"),
    ("pragmas", COMPILES, repeat("#pragma D option quiet\n") + "BEGIN {}"),
    ("NUL bytes", "D_SYNTAX", repeat("\0")),
    ("NUL bytes in a clause", "D_SYNTAX", "BEGIN {" + repeat("\0")),
    ("an open string", "D_STR_NL", 'BEGIN { x = "' + repeat("a")),
    ("an open character", "D_CHR_NL", "BEGIN { x = '" + repeat("a")),
    ("an open comment", "D_SYNTAX", "/*" + repeat("a")),
    ("an integer that is too large", "D_INT_OFLOW",
     begin("x = " + repeat("9") + ";")),
    ("structs without members", COMPILES,
     "struct s {}; struct s x[3]; struct t { int y[0]; } z[5];"),
]


def limited():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def cpu_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def holds(ran, spent, tag):
    if spent > SECONDS:
        return False
    if tag is COMPILES:
        return ran.status == 0 and ran.err == ""
    lines = [line for line in ran.err.splitlines()
             if line.startswith("dtrace: ") and ": error: " in line]
    return (ran.status == 1 and 1 <= len(lines) <= 20 and
            f"[{tag}]" in lines[0])


def main():
    # the shadow memory of an address sanitizer exceeds every limit
    sanitized = is_sanitized()
    tap = start("root")
    with tempfile.TemporaryDirectory() as where:
        path = os.path.join(where, "hostile.d")
        for name, tag, text in TEXTS:
            with open(path, "w") as f:
                f.write(text)
            before = cpu_seconds()
            ran = run([DTRACE, "-q", "-e", "-xerrtags", "-s", path],
                      preexec_fn=None if sanitized else limited)
            spent = cpu_seconds() - before
            tap.ok(holds(ran, spent, tag), f"{name}: {tag or 'compiles'}",
                   f"CPU time {spent:.2f} s", ran)
    tap.done()


main()
