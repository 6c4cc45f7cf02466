#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Rules of the tree that no compiler checks.

    lint.py SOURCE_ROOT

* Layers: an #include follows an arrow of tools/layers.txt; a folder's
  *_impl.h is its own affair.  Headers of BPF are for the folders that it names.
* Headers compile alone.
* Tables: every built-in variable, subroutine, action, option that acts, macro
  variable, stage of --dump and printf conversion occurs in a case; every error
  tag that the source gives in a case or unit test.
* Text: no file beyond 1500 lines, no trailing blanks, a licence in each;
  comments within 80 columns.
* Names: things that comments and documents name exist (names.py).
* Widths: utf8_widths.def is what tools/widthgen.py makes.
* Types: mypy accepts the Python package.
"""

import ast
import io
import os
import re
import subprocess
import sys
import tempfile
import tokenize

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                ".."))
import names
import quotes
from tap import Tap

MAX_LINES = 1500
MAX_COLUMNS = 80
SOURCES = (".c", ".h", ".def", ".py", ".sh", ".S")
TEXTS = SOURCES + (".d", ".d.in", ".md", ".build", ".txt")
# Files that were not written for readers.
NOT_OURS = ("fuzz/corpus/", "tests/cases/")

# Headers that only freestanding code includes.
FREESTANDING = ("src/exec/process/inside/parts.h",)

# Rows that no D program can name.
NOT_IN_D = {
    "none", "libact",		# not actions that a program can write
    "$cpuaddr",			# what `percpu_variable compiles to
    "tracemem_dynsize",		# foreign DOF's form of tracemem()
}

# Error tags of the source that no test expects.  The list may only shrink.
# Tags that only unit tests can provoke.
NO_CASE = {
    "D_ARGS_XLATOR", "D_ARGS_TYPE",	# no provider has such arguments yet
    "D_CG_EXPR",			# a DIF object beyond its limits
}


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8",
              errors="replace") as f:
        return f.read()


def tree(root):
    """Files of the repository, without build directories."""
    found = []
    for folder, folders, files in os.walk(root):
        rel = os.path.relpath(folder, root)
        folders[:] = [d for d in folders
                      if d not in (".git", ".cache", "__pycache__")
                      and not (rel == "." and d.startswith("build"))]
        found += [os.path.normpath(os.path.join(rel, f)) for f in files]
    return sorted(found)


# -- layers ----------------------------------------------------------------

def read_layers(root):
    """Arrows by folder; for beginnings of system headers' names, the
    folders."""
    layers, system = {}, {}
    for line in read(root, "tools/layers.txt").splitlines():
        line = line.split("#")[0].strip()
        name, _, others = line.partition(":")
        if name.startswith("<"):
            system[name.strip("<>")] = others.split()
        elif line:
            layers[name.strip()] = others.split()
    return layers, system


def layer_of(layers, path):
    """The folder below src of a file, or the innermost room."""
    parts = path.split("/")
    if parts[0] == "cmd":
        return "cmd"
    if parts[0] != "src" or len(parts) < 3:
        return None
    return room_of(layers, "/".join(parts[1:])) or parts[1]


def room_of(layers, path):
    folder = os.path.dirname(path)
    while folder and folder not in layers:
        folder = os.path.dirname(folder)
    return folder or None


def includes(text):
    """Yields (line, header, is it a system header?)."""
    for number, line in enumerate(text.splitlines(), 1):
        match = re.match(r'\s*#\s*include\s+(["<])([^">]+)[">]', line)
        if match:
            yield number, match.group(2), match.group(1) == "<"


def check_include(layers, path, header):
    """The reason why this include is not permitted, or None."""
    layer, target = layer_of(layers, path), room_of(layers, header)
    if target is None or target == layer:
        return None		# of libbpf, generated, or beside it
    if header.endswith("_impl.h") and not layer.startswith(target + "/"):
        return f"{header} belongs to {target} alone"
    if target not in layers[layer]:
        return f"{layer} may not include {header}"
    return None


def check_system(system, path, header):
    """The same as check_include() for a system header."""
    for prefix, folders in system.items():
        if header.startswith(prefix) and not path.startswith(
                tuple(f"src/{folder}/" for folder in folders)):
            return f"only {' '.join(folders)} may include <{header}>"
    return None


def lint_layers(root, files):
    layers, system = read_layers(root)
    wrong = []
    for i, (name, uses) in enumerate(layers.items()):
        above = list(layers)[:i]
        wrong += [f"tools/layers.txt: {name} uses {u}, which is not above it"
                  for u in uses if u not in above]
    for path in files:
        layer = layer_of(layers, path)
        if layer is None or not path.endswith((".c", ".h")):
            continue
        if layer not in layers:
            wrong.append(f"{path}: {layer} is not in layers.txt")
            continue
        for number, header, is_system in includes(read(root, path)):
            why = check_system(system, path, header) if is_system else \
                check_include(layers, path, header)
            if why:
                wrong.append(f"{path}:{number}: {why}")
    return wrong


# -- headers ---------------------------------------------------------------

def compiles_alone(root, path):
    header = path.split("/", 1)[1]
    kind = ["-DRT_FREESTANDING"] if path in FREESTANDING else []
    with tempfile.NamedTemporaryFile("w", suffix=".c") as f:
        f.write(f'#include "{header}"\n#include "{header}"\n'
                "extern int not_empty;\n")
        f.flush()
        proc = subprocess.run(
            ["gcc", "-std=gnu17", "-D_GNU_SOURCE", "-fsyntax-only", "-Wall",
             "-Wextra", "-Wno-unused-function", "-Werror", *kind,
             "-I" + os.path.join(root, "src"),
             "-I" + os.path.join(root, "include"), f.name],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return None if proc.returncode == 0 else proc.stdout


def lint_headers(root, files):
    wrong = []
    for path in files:
        if not path.endswith(".h") or not path.startswith(("src/",
                                                           "include/")):
            continue
        what = compiles_alone(root, path)
        if what:
            wrong.append(f"{path} does not compile alone:\n{what}")
        guard = re.sub(r"\W", "_", path.split("/", 1)[1]).upper()
        if f"#ifndef {guard}\n" not in read(root, path):
            wrong.append(f"{path}: the include guard is not {guard}")
    return wrong


# -- tables ----------------------------------------------------------------

def strip_comments(text):
    return re.sub(r"/\*.*?\*/", " ", text, flags=re.S)


def rows(root, path, macro):
    """The arguments of each row of a .def file, quotes removed."""
    text = strip_comments(read(root, path))
    for match in re.finditer(rf"^{macro}\((.*)\)\s*$", text, re.M):
        columns = re.findall(r'\s*(?:"((?:[^"\\]|\\.)*)"|([^,]*))\s*(?:,|$)',
                             match.group(1))
        yield [text or bare.strip() for text, bare in columns][:-1]


def case_expects(stem, have):
    """Does the case expect output, or a refusal?"""
    return os.path.basename(stem).startswith("err.") or any(
        have.get(stem + suffix, 0) > 0
        for suffix in (".out", ".err", ".dif", ".sh"))


def case_texts(root, files):
    """Text of all cases that expect something: D, directives and script.

    Comments and text constants are removed."""
    have = {path: os.path.getsize(os.path.join(root, path)) for path in files
            if path.startswith("tests/cases/")}
    for path in have:
        stem, suffix = os.path.splitext(path)
        if suffix not in (".d", ".sh") or not case_expects(stem, have):
            continue
        text = read(root, path)
        yield strip_comments(text) + " " + " ".join(
            re.findall(r"@@\w+:(.*)", text))


def case_words(texts):
    words = set()
    for text in texts:
        words |= set(re.findall(r"\w+", text))
    return words


def table_names(root):
    """Yields (table, name) of every row that must occur in a case."""
    for row in rows(root, "src/dif/dif_vars.def", "DIF_VAR"):
        yield "dif_vars.def", row[2]
    for row in rows(root, "src/dif/dif_subrs.def", "DIF_SUBR"):
        yield "dif_subrs.def", row[2]
    for row in rows(root, "src/dif/dif_acts.def", "DT_ACT"):
        yield "dif_acts.def", row[2]
    for row in rows(root, "src/lang/macros.def", "LEX_MACRO"):
        yield "macros.def", row[0]
    for row in rows(root, "src/libdtrace/dumps.def", "DT_DUMP"):
        yield "dumps.def", row[1]
    for name in acting_options(root):
        yield "options.def", name
    for row in rows(root, "src/lang/tokens.def", "KEYWORD"):
        yield "tokens.def", row[1]


def unused_operators(root, texts):
    """Operators and separators that are a token in no case."""
    marks = [row[1] for row in rows(root, "src/lang/tokens.def", "PUNCT")]
    longest = "|".join(re.escape(m) for m in
                       sorted(marks, key=len, reverse=True))
    seen = set()
    for text in texts:
        seen |= set(re.findall(longest, re.sub(r'"[^"\n]*"', " ", text)))
    for mark in marks:
        if mark not in seen:
            yield f"tokens.def: no case has {mark}"


def unused_conversions(root, texts):
    """printf conversions that no case prints."""
    text = "".join(texts)
    for row in rows(root, "src/fmt/printf_convs.def", "PF_CONV"):
        if not re.search(r"%[-+ #0'@*.\d]*(?:hh|h|ll|l|L)?" + row[0], text):
            yield f"printf_convs.def: no case prints with %{row[0]}"


def acting_options(root):
    """Options with an effect: the last column has no reason why not."""
    for row in rows(root, "src/libdtrace/options.def", "DT_OPTION"):
        if row[-1] == "NULL":
            yield row[1]


def lint_tables(root, files):
    texts = list(case_texts(root, files))
    words = case_words(texts)
    return [f"{table}: no case exercises {name}"
            for table, name in table_names(root)
            if name not in words and name not in NOT_IN_D] + \
        list(unused_conversions(root, texts)) + \
        list(unused_operators(root, texts))


# -- the manual ------------------------------------------------------------

def manual_options(page):
    """The table of options: name to default."""
    return {name: default.strip('"') for name, default in re.findall(
        r"^\.It Cm (\w+) Ta \S+ Ta (\S+) Ta \S", page, re.M)}


def lint_letters(root, files):
    """The letters of options that take an argument are those of args.c."""
    short = re.search(r'#define SHORT "(.*)"', read(root, "cmd/dtrace/args.c"))
    taking = set(re.findall(r"([A-Za-z]):", short[1]))
    wrong = []
    for path, pattern in (
            ("cmd/dtrace/operands.c", r'with_arguments\[\] = "(\w+)"'),
            ("tools/complete/complete.sh", r"(?m)^valued=(\w+)$")):
        told = re.search(pattern, read(root, path))
        if told is None or set(told[1]) != taking:
            wrong.append(f"{path}: the letters are not {''.join(sorted(taking))}")
    return wrong


def lint_manual(root, files):
    """dtrace.8 has every option with an effect, and every letter that args.c
    takes.

    Defaults and choices are right."""
    page = read(root, "doc/man/dtrace.8")
    compat = read(root, "doc/compat.md")
    main = read(root, "cmd/dtrace/args.c")
    told = manual_options(page)
    wrong = []
    for row in rows(root, "src/libdtrace/options.def", "DT_OPTION"):
        name, default, choices = row[1], row[5], row[8]
        acts = row[-1] == "NULL"
        if acts != (name in told):
            wrong.append(f"dtrace.8: option {name} is " +
                         ("missing" if acts else "told, and refused"))
        elif acts and default != "NULL" and told[name] != default:
            wrong.append(f"dtrace.8: default of {name} is {default}")
        if acts and row[4] == "ENUM":
            wrong += [f"dtrace.8: {name} can be {choice}"
                      for choice in choices.split("|")
                      if not re.search(rf"\b{choice}\b", page)]
        if row[3] == "NONE" and not re.search(rf"^\.Cm.*\b{name}\b", page, re.M):
            wrong.append(f"dtrace.8: {name}, which has no effect, is missing")
        if row[3] == "NONE" and f"`{name}`" not in compat:
            wrong.append(f"compat.md: {name}, which has no effect, is missing")
    letters = re.search(r'#define SHORT ":([^"]*)"', main).group(1)
    for letter in letters.replace(":", "").replace("3", "").replace("6", ""):
        if f"\n.It Fl {letter}" not in page:
            wrong.append(f"dtrace.8: flag -{letter} is missing")
    return wrong


def lint_messages(root, files):
    """dtrace.8 has every kind of lost data, and every D library."""
    page = read(root, "doc/man/dtrace.8")
    diagnostics = page[page.index(".Sh DIAGNOSTICS"):]
    found = page[page.index(".Sh FILES"):page.index(".Sh EXIT STATUS")]
    tags = re.findall(r'\[DT_DROP_\w+\] = \{ "(\w+)"',
                      read(root, "src/consume/drops.c"))
    libraries = {re.sub(r"\.in$", "", os.path.basename(path))
                 for path in files if re.match(r"dlib/\w+\.d(\.in)?$", path)}
    return [f"dtrace.8: the diagnostic {tag} is missing" for tag in tags
            if f"[{tag}]" not in diagnostics] + \
        [f"dtrace.8: the library {name} is missing" for name in
         sorted(libraries) if not re.search(rf"\b{name}\b", found)]


def lint_packages(root, files):
    """The guide names the packages for a build that the spec of RPM names."""
    del files
    spec = read(root, "tools/opendtrace.spec")
    needed = re.findall(r"[a-z][\w-]+", re.sub(r">= [\d.]+", "", " ".join(
        re.findall(r"(?m)^BuildRequires: (.*)", spec))))
    row = re.search(r"(?m)^\| Fedora.*? \| `([^`]*)` \|",
                    read(root, "doc/guide/start.md"))
    told = re.findall(r"[a-z][\w-]+", row[1]) if row else []
    return [f"start.md: {name} is in one of the table and opendtrace.spec"
            for name in sorted(set(told) ^ set(needed))]


def language_names(root):
    """Yields every name of D that d.5 must document."""
    for table, macro, column in (
            ("src/dif/dif_vars.def", "DIF_VAR", 2),
            ("src/dif/dif_subrs.def", "DIF_SUBR", 2),
            ("src/lang/tokens.def", "KEYWORD", 1),
            ("src/lang/macros.def", "LEX_MACRO", 0)):
        for row in rows(root, table, macro):
            yield row[column]
    yield from names.action_names(root)


def lint_language(root, files):
    """d.5 has every name of the tables, and every conversion."""
    page = read(root, "doc/man/d.5")
    words = set(re.findall(r"\w+", page)) | {f"arg{n}" for n in range(10)}
    formats = page[page.index(".Sh FORMATS"):]
    letters = set(" ".join(re.findall(r'^\.It Cm "([^"]*)"', formats,
                                      re.M)).split())
    return [f"d.5: {name} is missing" for name in language_names(root)
            if name not in words and not name.startswith("$")] + \
        [f"d.5: conversion %{row[0]} is missing"
         for row in rows(root, "src/fmt/printf_convs.def", "PF_CONV")
         if row[0] not in letters]


def lint_providers(root, files):
    """doc/providers.md and d.5 have every provider; the probes of `derived`
    are those of the D libraries."""
    del files
    table = read(root, "doc/providers.md")
    page = read(root, "doc/man/d.5")
    names = [row[0] for row in
             rows(root, "src/provider/providers.def", "DT_PROVIDER")
             if row[0] != "derived"]
    return [f"doc/providers.md: no row for {name}" for name in names
            if f"\n| `{name}` |" not in table] + \
        [f"d.5: provider {name} is missing" for name in names
         if not re.search(rf"(?mi)^\.It Cm.*\b{name}\b|^{name}:", page)]


def lint_library(root, files):
    """libdtrace.3 has the prototypes of all functions that the library exports,
    all codes of errors, and all constants of the header, by name or as one of
    DTRACE_X_*."""
    del files
    exported = re.findall(r"^\t(_?dtrace_\w+);$",
                          read(root, "src/libdtrace/libdtrace.map"), re.M)
    page = libdtrace_page(root).decode()
    words = set(re.findall(r"\w+", page))
    header = read(root, "include/dtrace.h")
    codes = re.findall(r"^\t(EDT_\w+)", header, re.M)
    groups = tuple(re.findall(r"(DTRACE_\w+_)\*", page))
    constants = re.findall(r"^(?:#define |\t)(DTRACE_\w+)\b(?=[ ,]|$)", header,
                           re.M)
    return [f"libdtrace.3: no prototype of {name}" for name in exported
            if not (f"\n.Fo {name}\n" in page or
                    name.startswith("_") and name in words)] + \
        [f"libdtrace.3: {code} is missing" for code in codes
         if f"\n.It Dv {code}\n" not in page] + \
        [f"libdtrace.3: {name} is missing" for name in constants
         if name not in words and not name.startswith(groups) and
         name not in ("DTRACE_H", "DTRACE_API")]


# Messages of mandoc without cause: a manual that is not installed yet, a
# section that is not misspelt, the system's name (without it, groff prints
# "BSD").
MDOC_IDLE = ("referenced manual not found", "ACTIONS instead of AUTHORS",
             "operating system explicitly specified")


def run_tool(root, tool, *args):
    """The output of a generator of tools/."""
    return subprocess.run([sys.executable, os.path.join(root, "tools", tool),
                           *args], stdout=subprocess.PIPE, check=True).stdout


def libdtrace_page(root):
    return run_tool(root, "mangen.py", "--src", os.path.join(root, "src"),
                    os.path.join(root, "doc/man3/libdtrace.3.in"))


def library_tables(root):
    """The table of each generated D library, by its name."""
    return dict(re.findall(r"'(\w+\.d)': '(\w+\.def)'",
                           read(root, "dlib/meson.build")))


def generated_pages(root, files, folder):
    """Yield the manuals that the build makes."""
    page = os.path.join(folder, "libdtrace.3")
    with open(page, "wb") as f:
        f.write(libdtrace_page(root))
    yield page
    page = os.path.join(folder, "dtrace-tools.8")
    with open(page, "wb") as f:
        f.write(run_tool(root, "toolsman.py", *(
            os.path.join(root, path) for path in files
            if re.fullmatch(r"tools\.d/\w+\.d", path))))
    yield page
    libraries = [os.path.join(root, path) for path in files
                 if re.fullmatch(r"dlib/\w+\.d", path)]
    for name, table in library_tables(root).items():
        libraries.append(os.path.join(folder, name))
        with open(libraries[-1], "wb") as f:
            f.write(run_tool(root, "dlibgen.py",
                             os.path.join(root, "dlib", name + ".in"),
                             os.path.join(root, "dlib", table)))
    for path in files:
        if re.fullmatch(r"doc/man4/\w+\.4\.in", path):
            page = os.path.join(folder, os.path.basename(path)[:-3])
            with open(page, "wb") as f:
                f.write(run_tool(root, "mangen.py", "--src",
                                 os.path.join(root, "src"),
                                 os.path.join(root, path), *libraries))
            yield page


def lint_mdoc(root, files):
    """mandoc -Tlint prints no message."""
    with tempfile.TemporaryDirectory() as folder:
        pages = [os.path.join(root, path) for path in files
                 if path.startswith("doc/man/")]
        pages += generated_pages(root, files, folder)
        lint = subprocess.run(["mandoc", "-Tlint", *pages], text=True,
                              stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL)
    return [line for line in lint.stdout.splitlines()
            if not any(idle in line for idle in MDOC_IDLE)]


def lint_pages(root, files):
    """There is a manual for each provider, which dtrace(8) names."""
    pages = {os.path.basename(path)[:-len(".4.in")] for path in files
             if path.startswith("doc/man4/") and path.endswith(".in")}
    names = {row[0] for row in
             rows(root, "src/provider/providers.def", "DT_PROVIDER")}
    # one stands for all libraries; dtrace_sdt(4) has the other
    names -= {"derived", "rawtp"}
    for path in files:
        if path.startswith("dlib/") and path.endswith((".d", ".d.in")):
            names |= set(re.findall(r"^provider (\w+)", read(root, path),
                                    re.M))
    names -= {"mib", "fpuinfo"}     # Linux has none of their probes
    told = read(root, "doc/man/dtrace.8")
    build = read(root, "doc/man4/meson.build")
    return [f"doc/man4: no page for {name}" for name in sorted(names)
            if f"dtrace_{name}" not in pages] + \
        [f"dtrace.8: {page}(4) is missing" for page in sorted(pages)
         if f".Xr {page} 4" not in told] + \
        [f"doc/man4/meson.build: {page} is missing" for page in sorted(pages)
         if f"'{page}'" not in build]


def lint_sections(root, files):
    """References to our manuals name their section: dtrace(8), .Xr dtrace 8.

    doc/reference/ speaks of other systems' manuals, too."""
    pages = [re.fullmatch(r"doc/man\d?/(.+)\.(\d)(?:\.in)?", path)
             for path in files]
    sections = {page[1]: page[2] for page in pages if page}
    # d() is a function in many programs: only .Xr is looked at
    names = "|".join(sorted(sections.keys() - {"d"}))
    mention = re.compile(rf"(?<![\w-])({names})\((\d)\)|"
                         r"^\..*\bXr (\S+) (\d)|:man:(\S+)\((\d)\)", re.M)
    wrong = []
    for path in files:
        if not path.endswith(TEXTS) and not path.startswith("doc/man") or \
                path.startswith((*NOT_OURS, "doc/reference/")):
            continue
        for found in mention.finditer(read(root, path)):
            name, section = [text for text in found.groups() if text]
            if sections.get(name, section) != section:
                wrong.append(f"{path}: {found[0]} is in section "
                             f"{sections[name]}")
    return wrong


# -- text ------------------------------------------------------------------

def lint_text(root, files):
    wrong = []
    for path in files:
        if path.startswith(NOT_OURS) or not path.endswith(TEXTS):
            continue
        lines = read(root, path).split("\n")
        if len(lines) > MAX_LINES + 1:
            wrong.append(f"{path}: {len(lines)} lines")
        wrong += [f"{path}:{n}: trailing blank"
                  for n, line in enumerate(lines, 1)
                  if line != line.rstrip(" \t")]
        if path.endswith(SOURCES) and not any(
                "SPDX-License-Identifier:" in line for line in lines[:3]):
            wrong.append(f"{path}: no SPDX line")
    return wrong


def comment_lines(text):
    """The numbers of the lines of Python with a comment or a docstring."""
    found = {token.start[0] for token in
             tokenize.generate_tokens(io.StringIO(text).readline)
             if token.type == tokenize.COMMENT}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            found |= set(range(node.lineno, node.end_lineno + 1))
    return sorted(found)


COMMENTED = (".c", ".cc", ".h", ".S", ".def", ".d", ".d.in")
# A line of a comment that is prose: no drawing, table or directive of a test.
PROSE = re.compile(r"\s*(?:/\*| \*)(?! *@@)(?!.*\S(?:\t|   ))(?: \S.*?)[ \t\\]*$")


def prose_lines(text):
    """Numbers of the lines that are prose in comments of C and D."""
    return [n for n, line in enumerate(text.split("\n"), 1)
            if PROSE.match(line)]


def lint_columns(root, files):
    """Comments end at column 80; clang-format leaves those of C alone."""
    wrong = []
    for path in files:
        if path.startswith(NOT_OURS):
            continue
        if path.endswith(".py"):
            numbers = comment_lines
        elif path.endswith(COMMENTED):
            numbers = prose_lines
        else:
            continue
        text = read(root, path)
        lines = text.split("\n")
        wrong += [f"{path}:{n}: a comment beyond {MAX_COLUMNS} columns"
                  for n in numbers(text)
                  if len(lines[n - 1].rstrip("\\ \t").expandtabs(8)) >
                  MAX_COLUMNS]
    return wrong


def lint_widths(root, files):
    """The table of characters is what its generator makes."""
    ran = subprocess.run(
        [sys.executable, os.path.join(root, "tools/widthgen.py"), "--check",
         os.path.join(root, "src/consume/utf8_widths.def")],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return ran.stdout.splitlines() if ran.returncode != 0 else []


def lint_case_names(root, files):
    """A case's siblings belong to a case, and err.* names a known tag."""
    del root
    wrong = []
    have = set(files)
    for path in files:
        if not path.startswith("tests/cases/"):
            continue
        stem, suffix = os.path.splitext(path)
        if os.path.basename(path) == "default.filter":
            continue
        if suffix in (".out", ".err", ".dif", ".sh", ".filter"):
            if stem + ".d" not in have:
                wrong.append(f"{path} belongs to no case")
        elif suffix not in (".d", ".h"):
            wrong.append(f"{path}: the runner does not know this suffix")
        base = os.path.basename(path)
        if base.startswith("err.") and not re.fullmatch(
                r"err\.D_[A-Z_0-9]+\.[\w-]+\.(d|out|filter|sh)", base):
            wrong.append(f"{path}: not err.<TAG>.<claim>.d")
    return wrong


def lint_tags(root, files):
    """Tags that cases expect exist in errtags.def."""
    known = {"D_" + row[0] for macro in ("ERRTAG", "ERRTAG_NEVER")
             for row in rows(root, "src/lang/errtags.def", macro)}
    wrong = []
    for path in files:
        match = re.match(r"tests/cases/.*/err\.(D_\w+)\.", path)
        if match and match.group(1) not in known:
            wrong.append(f"{path}: errtags.def has no {match.group(1)}")
    return wrong


def lint_tags_tested(root, files):
    """Every tag has a case that provokes it, or a reason why nothing can."""
    never = {"D_" + row[0] for row in
             rows(root, "src/lang/errtags.def", "ERRTAG_NEVER")}
    tags = {"D_" + row[0] for row in
            rows(root, "src/lang/errtags.def", "ERRTAG")}
    given, cases = set(), set()
    for path in files:
        match = re.match(r"tests/cases/.*/err\.(D_\w+)\.", path)
        if match:
            cases.add(match.group(1))
        elif path.startswith("src/") and path.endswith(".c"):
            given |= set(re.findall(r"\bD_[A-Z_0-9]+\b",
                                    strip_comments(read(root, path))))
    return [f"errtags.def: no case err.{name}.*"
            for name in sorted(tags - cases - NO_CASE)] + \
        [f"errtags.def: {name} is given after all"
         for name in sorted(never & given)]


def lint_tags_explained(root, files):
    """Every tag has an explanation; the order is that of the tags."""
    tags = [row[0] for row in rows(root, "src/lang/errtags.def", "ERRTAG")]
    helps = re.findall(r"(?m)^ERRHELP\((\w+),",
                       read(root, "src/lang/errhelp.def"))
    wrong = [f"errhelp.def: no row for {tag}"
             for tag in tags if tag not in helps]
    wrong += [f"errhelp.def: {tag} is no ERRTAG of errtags.def"
              for tag in helps if tag not in tags]
    if not wrong and helps != tags:
        wrong.append("errhelp.def: the order is not that of errtags.def")
    return wrong


TAGGED = re.compile(r"(?m)^[\t ]*(?:(?:static|const|typedef|VEC\()[ ]?)*"
                    r"((?:struct|union|enum) \w+) \{")


def lint_structs(root, files):
    """No two structs, unions or enums have one name, for debuggers, ctags and
    BTF.

    The headers of include/ may repeat a struct of src/."""
    defined = {}
    for path in files:
        if path.startswith(("src/", "cmd/")) and path.endswith((".c", ".h")):
            for name in TAGGED.findall(strip_comments(read(root, path))):
                defined.setdefault(name, set()).add(path)
    return [f"{name} is defined in {', '.join(sorted(paths))}"
            for name, paths in sorted(defined.items()) if len(paths) > 1]


def lint_format(root, files):
    """The tree is as `make fmt` leaves it."""
    code = [path for path in files if path.endswith((".c", ".h"))]
    try:
        done = subprocess.run(
            ["clang-format-14", "--dry-run", "--Werror"] + code, cwd=root,
            capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return ["clang-format-14 is not installed: tools/deps.sh check"]
    return sorted({f"{line.split(':')[0]}: not formatted; make fmt does it"
                   for line in done.stderr.splitlines()
                   if "-Wclang-format-violations" in line})


def lint_types(root, files):
    """mypy finds no fault in the Python package."""
    del files
    try:
        done = subprocess.run(
            ["mypy", "--strict", "--python-version", "3.10",
             "--no-error-summary", "--cache-dir", os.devnull,
             "python/dtrace"], cwd=root, capture_output=True, text=True,
            check=False)
    except FileNotFoundError:
        return ["mypy is not installed: tools/deps.sh check"]
    return (done.stdout + done.stderr).splitlines()


LINTS = [
    (lint_layers, "includes follow tools/layers.txt"),
    (lint_headers, "headers compile alone and guard by path"),
    (lint_tables, "every row of the tables occurs in a case"),
    (lint_structs, "a struct, union or enum is defined once"),
    (lint_text, "files are short, clean and licensed"),
    (lint_columns, "comments end at column 80"),
    (lint_widths, "widths of characters are Unicode's"),
    (lint_case_names, "siblings of cases belong to a case"),
    (lint_letters, "options that take an argument are the same letters"),
    (lint_manual, "dtrace(8) has every option and flag"),
    (lint_language, "d(5) has every name and conversion"),
    (lint_providers, "every provider is documented"),
    (lint_library, "libdtrace(3) has every function"),
    (lint_mdoc, "manuals are well-formed"),
    (lint_pages, "each provider has a manual"),
    (lint_messages, "dtrace(8) has every drop and library"),
    (lint_sections, "references to manuals name the right section"),
    (lint_tags, "expected error tags exist"),
    (lint_tags_tested, "every error tag has a case, or a reason to have none"),
    (lint_tags_explained, "every error tag has an explanation"),
    (lint_format, "C is formatted as .clang-format says"),
    (lint_types, "the Python package has true types"),
    (lint_packages, "the guide has the spec's packages"),
    (quotes.lint_quotes, "messages that the guide quotes exist"),
    *names.LINTS,
]


def main():
    root = sys.argv[1]
    files = tree(root)
    tap = Tap()
    for lint, claim in LINTS:
        wrong = lint(root, files)
        tap.ok(not wrong, claim, *wrong)
    tap.done()


if __name__ == "__main__":
    main()
