# SPDX-License-Identifier: BSD-2-Clause
"""Things that comments and documents name must exist.

* A citation `doc/X.md section N` names a document with that section.
* Tables of doc/reference have the numbers of the .def files.
* The tables of prefixes in doc/glossary.md are true, and its files exist.
* A function that a header of src or cmd declares has a prefix of its folder.
* A comment that names a function as `foo()` or a file as `dir/FILE.c` names
  one that exists.

A function exists if code of the tree calls, defines or declares it; if a table
of ours lists it (subroutines, actions and keywords of D, system calls); if a
library that we link or load exports it; or if a header of the system that the
tree includes declares it.  tools/foreign_names.txt lists functions of kernels
and of other programs, which no file here has, one to a line.
"""

import ast
import glob
import io
import os
import re
import subprocess
import tokenize

C_LIKE = (".c", ".h", ".def", ".S", ".d")
HASHED = (".sh", ".build")
PLACES = ("src/", "cmd/", "include/", "tests/", "tools/", "fuzz/", "bench/",
          "dlib/", "examples/")
NOT_READ = ("fuzz/corpus/",)
# Libraries that the tree links or loads: comments name their functions.
LIBRARIES = ("libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2", "libelf.so.1",
             "libdw.so.1", "libbpf.so.1", "libz.so.1", "libzstd.so.1",
             "libstdc++.so.6",
             "libpfm.so.4", "libZydis.so.4.0", "libcmocka.so.0")
FOREIGN = "tools/foreign_names.txt"
TOKEN = re.compile(r"""/\*.*?\*/|//[^\n]*
    |"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'""", re.S | re.X)


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8",
              errors="replace") as f:
        return f.read()


# -- comments and code -----------------------------------------------------

def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


def c_comments(text):
    """[(line, text)] of all comments, and the code without them."""
    found = []

    def take(match):
        token = match.group(0)
        if token[0] == "/":
            found.append((line_of(text, match.start()), token))
            return re.sub(r"[^\n]", " ", token)
        return '""' if token[0] == '"' else "0"
    return found, TOKEN.sub(take, text)


def python_comments(text):
    found, code = [], []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            found.append((token.start[0], token.string))
        elif token.type != tokenize.STRING:
            code.append(token.string)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) \
                and isinstance(node.value.value, str):
            found.append((node.lineno, node.value.value))
    return found, " ".join(code)


def hash_comments(text):
    found = [(number, line) for number, line in
             enumerate(text.splitlines(), 1) if line.lstrip().startswith("#")]
    return found, re.sub(r"(?m)^\s*#.*$", "", text)


def split(root, path):
    """The comments of a file, and its code."""
    text = read(root, path)
    if path.endswith(".py"):
        return python_comments(text)
    if path.endswith(HASHED) or os.path.basename(path) == "Makefile":
        return hash_comments(text)
    return c_comments(text)


def is_read(path):
    return path.startswith(PLACES) and not path.startswith(NOT_READ) and \
        path.endswith(C_LIKE + HASHED + (".py",))


def flat(comment):
    """A comment's words in one line."""
    return re.sub(r"\s*\n\s*(?:\*(?=\s)|//|#)?\s*", " ", comment)


# -- citations -------------------------------------------------------------

CITED = re.compile(r"doc/[\w/]+\.md")
# doc/reference/dif.md sections 8 and 9; ... , section 3; ... section 5, 7 and 8
SECTIONS = re.compile(r"(doc/[\w/]+\.md)`?[,:]? (?:column \S+ )?sections? "
                      r"(\d+(?:(?:, | and |, and )\d+\b(?! ?[a-z]*\.md))*)")
SECTION_OF = re.compile(r"[Ss]ection (\d+) of `?(doc/[\w/]+\.md)")
BARE = re.compile(r"(?<![\w/])(?:reference/)?"
                  r"(?:dif|dof|ctf|records|language|DESIGN)\.md|"
                  r"(?<![\w/])reference/providers\.md|\bDESIGN section")


def sections(text):
    """Numbers of a document's sections; "9 to 16" stands for all of them."""
    found = set()
    for line in re.findall(r"(?m)^#+ (\d.*)", text):
        numbers = [int(n) for n in re.findall(r"(?:^|to )(\d+)\.", line)]
        first = re.match(r"(\d+)\. .* to (\d+)\.", line)
        found |= set(range(int(first.group(1)), int(first.group(2)) + 1)) \
            if first else set(numbers)
    return found


def citations(text):
    """Yields (document, section or None) of every citation in a comment's
    text."""
    for document in CITED.findall(text):
        yield document, None
    for document, numbers in SECTIONS.findall(text):
        for number in re.findall(r"\d+", numbers):
            yield document, int(number)
    for number, document in SECTION_OF.findall(text):
        yield document, int(number)


def wrong_citations(text, documents):
    """Yields the errors in the citations of a text; documents: text by
    path."""
    for document, number in citations(text):
        if document not in documents and not STANDS_FOR_ANY.search(document):
            yield f"there is no {document}"
        elif number is not None and document in documents and \
                number not in sections(documents[document]):
            yield f"{document} has no section {number}"
    for bare in BARE.findall(text):
        yield f"{bare}: the path is doc/reference/..."


def lint_citations(root, files):
    """Citations name existing sections."""
    documents = {path: read(root, path) for path in files
                 if path.endswith(".md")}
    wrong = []
    for path in files:
        if is_read(path):
            pieces = split(root, path)[0]
        elif path in documents and path != "doc/README.md":
            pieces = [(1, documents[path])]
        else:
            continue
        wrong += [f"{path}:{line}: {what}" for line, comment in pieces
                  for what in wrong_citations(flat(comment), documents)]
    return wrong


# -- tables ----------------------------------------------------------------

# .def file, macro, columns of number and name; document, pattern of a row.
TABLES = (
    ("src/dif/dif_ops.def", "DIF_OP", (0, 1), "dif", "| {} | {} |"),
    ("src/dif/dif_vars.def", "DIF_VAR", (0, 2), "dif", "| {} | `{}` |"),
    ("src/dif/dif_subrs.def", "DIF_SUBR", (0, 3), "dif", "| {} | `{}` |"),
    ("src/dif/dif_acts.def", "DT_ACT", (0, 1), "records", "| {} | {} |"),
    ("src/dof/dof_secs.def", "DOF_SEC", (0, 1), "dof", "| {} | {} |"),
    ("src/ctf/ctf_kinds.def", "CTF_KIND", (0, 1), "ctf", "| {} | {} |"),
    ("src/libdtrace/options.def", "DT_OPTION", (2, 1), "records",
     "| {} | `{}` |"),
)
# Own numbers, which the page need not have.
OURS = re.compile(r"0x400\d$|-1$")


def table_rows(root, path, macro):
    """The arguments of each row of a .def file, quotes removed."""
    text = re.sub(r"/\*.*?\*/", " ", read(root, path), flags=re.S)
    for match in re.finditer(rf"^{macro}\((.*)\)\s*$", text, re.M):
        columns = re.findall(r'\s*(?:"((?:[^"\\]|\\.)*)"|([^,]*))\s*(?:,|$)',
                             match.group(1))
        yield [quoted or bare.strip() for quoted, bare in columns][:-1]


def action_names(root):
    """The names of D's actions in the table of codegen/action.c."""
    text = read(root, "src/codegen/action.c")
    table = re.search(r"struct act acts\[\] = \{\n(.*?)\n\};", text, re.S)
    return re.findall(r'^\t\{ "(\w+)", ', table.group(1), re.M)


def lint_reference(root, files):
    """Pages of doc/reference have the numbers of the tables."""
    del files
    wrong = []
    for path, macro, (number, name), page, form in TABLES:
        text = read(root, f"doc/reference/{page}.md")
        for row in table_rows(root, path, macro):
            line = form.format(row[number], row[name])
            if line not in text and not OURS.match(row[number]):
                wrong.append(f"doc/reference/{page}.md: no row `{line}`, which "
                             f"{path} has")
    return wrong


# -- names that exist ------------------------------------------------------

CALLED = re.compile(r"([A-Za-z_]\w*)(?:\s*\)|\s*\[\w*\])?\s*\(")
DEFINED = re.compile(r"(?m)^\s*#\s*define\s+(\w+)")
PASTED = re.compile(r"(\w+)\s*##|##\s*(\w+)")


def code_names(root, files):
    """Names that the tree's code calls, defines or declares."""
    names, prefixes = set(), set()
    for path in files:
        if not is_read(path):
            continue
        code = split(root, path)[1]
        names |= set(CALLED.findall(code)) | set(DEFINED.findall(code))
        names |= set(re.findall(r"(?m)^\s*(?:async )?(?:def|class) (\w+)",
                                code))
        if path.endswith(".S"):
            names |= set(re.findall(r"(?m)^(\w+):", code))
        prefixes |= {left for left, _ in PASTED.findall(code) if left}
    return names, prefixes


def pasted(name, prefixes, words):
    """May a macro make the name of a prefix and a word of the code?"""
    return any(name.startswith(prefix) and name[len(prefix):] in words
               for prefix in prefixes)


def language_names(root):
    """Functions of D, and system calls."""
    names = set()
    for path, macro, column in (
            ("src/dif/dif_subrs.def", "DIF_SUBR", 2),
            ("src/dif/dif_acts.def", "DT_ACT", 2),
            ("src/codegen/names_later.def", "LATER_FUNC", 0),
            ("src/dof/dof_abi.def", "DOF_ABI_SUBR", 2),
            ("src/lang/tokens.def", "KEYWORD", 1)):
        names |= {row[column] for row in table_rows(root, path, macro)}
    names |= set(action_names(root))
    for path in ("src/provider/syscalls_64.def",
                 "src/provider/syscalls_32.def"):
        names |= set(re.findall(r"\b[a-z]\w+\b", read(root, path)))
    return names


def library_names():
    """Functions that the libraries export."""
    names = set()
    for library in LIBRARIES:
        path = subprocess.run(["gcc", "-print-file-name=" + library],
                              stdout=subprocess.PIPE, text=True,
                              check=True).stdout.strip()
        if not os.path.isabs(path):
            continue
        out = subprocess.run(["nm", "-D", "--defined-only", path],
                             stdout=subprocess.PIPE, text=True,
                             check=False).stdout
        names |= {line.split()[-1].split("@")[0]
                  for line in out.splitlines() if line}
    return names


def include_dirs():
    out = subprocess.run(["gcc", "-E", "-v", "-x", "c", "/dev/null"],
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                         text=True, check=True).stdout
    return re.findall(r"(?m)^ (/\S+)$", out)


def header_names(root, files):
    """Words of the system headers that the tree includes."""
    wanted = set()
    for path in files:
        if is_read(path) and path.endswith((".c", ".h", ".def")):
            wanted |= set(re.findall(r"(?m)^\s*#\s*include\s*<([^>]+)>",
                                     read(root, path)))
    wanted |= {"linux/bpf.h", "bpf/bpf_helper_defs.h"}
    names = set()
    for header in wanted:
        for folder in include_dirs():
            path = os.path.join(folder, header)
            if os.path.exists(path):
                with open(path, encoding="utf-8", errors="replace") as f:
                    code = c_comments(f.read())[1]
                names |= set(CALLED.findall(code)) | set(DEFINED.findall(code))
                break
    if os.path.exists("/usr/include/linux/bpf.h"):
        with open("/usr/include/linux/bpf.h", encoding="utf-8") as f:
            names |= {"bpf_" + word
                      for word in re.findall(r"FN\((\w+)", f.read())}
    return names


def foreign_names(root):
    lines = read(root, FOREIGN).splitlines()
    return [line.split("#")[0].split()[0] for line in lines
            if line.split("#")[0].strip()]


NAMED = re.compile(r"(?<![\w`$@%])((?:\w+(?:->|\.))*)([A-Za-z_]\w*)\(\)")
FILES = re.compile(r"(?<![\w*{}$%/.-])((?:[\w.+-]+/)*[\w+-][\w.+-]*"
                   r"\.(?:c|h|def|py|S|d|md|sh))(?![\w(/-])(?!\.\w)")


class Known:
    """All names that a comment may use."""

    def __init__(self, root, files):
        code, self.prefixes = code_names(root, files)
        self.words = set()
        for path in files:
            if is_read(path):
                self.words |= set(re.findall(r"\w+", split(root, path)[1]))
        self.functions = code | language_names(root) | library_names() | \
            header_names(root, files)
        self.foreign = foreign_names(root)
        self.functions |= set(self.foreign)
        self.paths = set(files) | set(self.foreign)
        for path in files:
            if os.path.basename(path) == "meson.build":
                self.paths |= set(re.findall(r"'([\w./-]+\.\w+)'",
                                             read(root, path)))
        self.ends = {"/".join(path.split("/")[-n:]) for path in self.paths
                     for n in range(1, path.count("/") + 2)}
        self.include = include_dirs()

    def has_function(self, name):
        return name in self.functions or \
            pasted(name, self.prefixes, self.words)

    def has_file(self, name):
        return name in self.ends or any(
            os.path.exists(os.path.join(folder, name))
            for folder in self.include)


# FILE.c stands for any file.
STANDS_FOR_ANY = re.compile(r"(?:^|[/_])[A-Z]+\.")


def stale_names(comment, known, own=""):
    """Names in a comment that do not exist.

    `own` is the file's text without comments: a test that writes a file
    names it there."""
    text = flat(comment)
    for _, name in NAMED.findall(text):
        if not known.has_function(name):
            yield f"there is no {name}()"
    for name in FILES.findall(text):
        if not known.has_file(name) and name not in own and \
                not STANDS_FOR_ANY.search(name):
            yield f"there is no {name}"


def lint_names(root, files):
    """Comments name functions and files that exist."""
    known = Known(root, files)
    wrong, said = [], set()
    for path in filter(is_read, files):
        comments = split(root, path)[0]
        said |= {word for _, comment in comments
                 for word in re.split(r"[^\w./-]+", flat(comment))}
        own = read(root, path)
        for _, comment in comments:
            own = own.replace(comment, " ")
        wrong += [f"{path}:{line}: {what}" for line, comment in comments
                  for what in stale_names(comment, known, own)]
    spoken = " ".join(said)
    return wrong + [f"{FOREIGN}: no comment names {name}"
                    for name in known.foreign if name not in spoken]


# -- the glossary ----------------------------------------------------------

FUNCTION = re.compile(r"(?m)^([a-z]\w*)\(")
# This part of the functions with a prefix must be in the folders of the table.
AT_HOME = 0.75


def functions_by_folder(root, files):
    """(folder, name) of functions that C files define, with the name in column
    0."""
    return [(os.path.dirname(path), name) for path in files
            if path.startswith(("src/", "cmd/")) and path.endswith(".c")
            for name in FUNCTION.findall(read(root, path))]


def prefix_rows(page):
    """Yields (prefixes, folders) of each row of the table of prefixes."""
    for line in page[page.index("## Prefixes"):].splitlines():
        cells = [re.findall(r"`([^`]+)`", cell) for cell in line.split("|")]
        if len(cells) == 5 and cells[1]:
            yield cells[1], cells[2]


def is_below(path, folder):
    return path == folder or path.startswith(folder + "/")


def wrong_prefixes(page, functions):
    for prefixes, folders in prefix_rows(page):
        for prefix in prefixes:
            homes = [folder for folder, name in functions
                     if name.startswith(prefix)]
            home = [home for home in homes
                    if any(is_below(home, folder) for folder in folders)]
            if len(homes) < 3 or len(home) < AT_HOME * len(homes):
                yield f"{prefix}: {len(home)} of {len(homes)} functions are " \
                      f"in {', '.join(folders)}"
            for folder in folders:
                if not any(is_below(home, folder) for home in homes):
                    yield f"{prefix}: no function of {folder} has it"


PROTOTYPE = re.compile(r"(?ms)^([A-Za-z_][^;{}#=]*\));")
ATTRIBUTE = re.compile(r"__attribute__\s*\(\(.*?\)\)", re.S)
DIRECTIVE = re.compile(r"(?m)^\s*#(?:[^\n]*\\\n)*[^\n]*$")
# The compiler calls them by these names.
OF_C = {"memcmp", "memcpy", "memmove", "memset", "strnlen"}


def prototypes(code):
    """Names of the functions that a header's code declares for other files."""
    for text in PROTOTYPE.findall(DIRECTIVE.sub("", code)):
        name = re.search(r"(\w+)\s*\(", ATTRIBUTE.sub("", text))
        if name and not re.match(r"static|typedef|RT_INLINE", text):
            yield name.group(1)


def extern_functions(root, files):
    """(folder, name) of functions that headers of src and cmd declare."""
    return [(os.path.dirname(path), name) for path in files
            if path.startswith(("src/", "cmd/")) and path.endswith(".h")
            for name in prototypes(split(root, path)[1])]


def header_rows(page):
    """Yields (folder, prefixes) of each row of the table of other prefixes."""
    for line in page[page.index("## Other prefixes"):].splitlines():
        cells = [re.findall(r"`([^`]+)`", cell) for cell in line.split("|")]
        if len(cells) == 4 and cells[1]:
            yield cells[1][0], cells[2]


def unlisted_prefixes(page, externs):
    """Yields the extern functions without a listed prefix of their folder, and
    the other prefixes that no function has."""
    others = [(prefix, folder) for folder, prefixes in header_rows(page)
              for prefix in prefixes]
    listed = others + [(prefix, folder) for prefixes, folders in
                       prefix_rows(page) for prefix in prefixes
                       for folder in folders]
    for home, name in externs:
        if name not in OF_C and not any(
                name.startswith(prefix) and is_below(home, folder)
                for prefix, folder in listed):
            yield f"{name}(): {home} has no such prefix"
    for prefix, folder in others:
        if not any(name.startswith(prefix) and is_below(home, folder)
                   for home, name in externs):
            yield f"{prefix}: no header of {folder} declares it"


def lint_glossary(root, files):
    """The prefixes in doc/glossary.md are in their folders, all functions of
    headers have one, and its files exist."""
    page = read(root, "doc/glossary.md")
    known = set(files)
    return [f"doc/glossary.md: {what}" for what in
            [*wrong_prefixes(page, functions_by_folder(root, files)),
             *unlisted_prefixes(page, extern_functions(root, files))]] + \
        [f"doc/glossary.md: there is no {name}"
         for name in re.findall(r"`([\w/]+\.(?:c|h|def))`", page)
         if "src/" + name not in known]


LINTS = [
    (lint_glossary, "the glossary's prefixes and files are those of the code"),
    (lint_citations, "citations lead to a document and a section"),
    (lint_reference, "doc/reference has the numbers of the tables"),
    (lint_names, "comments name functions and files that exist"),
]
