#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Make a manual page of a template and of the sources that it describes.

    mangen.py --src SRC PAGE.4.in LIBRARY.d ... >PAGE.4
    mangen.py --src SRC libdtrace.3.in >libdtrace.3

The template is mdoc, and these lines, which begin with `@`:

    @probes PROVIDER        the probes that the libraries declare
    @probe NAME ...         one of them, or several that have the same
                            arguments; patterns are allowed, and the text for
                            them follows
    @end                    the end of the probes
    @type NAME ...          members of types that the libraries declare, or of
                            cpuinfo_t
    @stability PROVIDER     the attributes that the libraries set
    @stability FILE.c       those of a provider of src/provider
    @syscalls               the system calls of src/provider/syscalls_*.def
    @events TYPE            the events of src/provider/cpc_events.def

and for libdtrace(3), of include/dtrace.h and its implementation:

    @declarations SECTION   types and constants of a section of the header
    @functions SECTION      its functions; for each without a text of its own,
                            the header's comment is the text
    @function NAME ...      the text for some of them follows
    @end                    the end of the functions
    @errors                 the codes of dtrace_errno() with their texts
    @file PATH              a file of the source, as it is

A probe without a text is an error, and so is a text without a probe: a page
cannot fall behind the libraries.  The arguments stand before the list if all
probes have the same, else with each probe.  Probes that no rule of a library
fires are named behind the list.
"""

import argparse
import fnmatch
import os
import re
import sys
import textwrap


class Wrong(Exception):
    pass


# ---- the libraries ----------------------------------------------------------

def without_comments(text):
    return re.sub(r"/\*.*?\*/", " ", text, flags=re.S)


def split_commas(text):
    return [" ".join(part.split()) for part in text.split(",")
            if part.strip() != ""]


def type_of(declaration):
    """The type of "struct foo *name", as dtrace -lv writes it."""
    match = re.fullmatch(r"(.*?)(\*?)\s*(\w+)((?:\[\d+\])*)", declaration)
    base, star, _, arrays = match.groups()
    return (base.strip() + (" " + star if star else "") +
            (" " + arrays if arrays else ""))


class Libraries:
    """The declarations of the D libraries."""

    def __init__(self, paths):
        self.probes = {}    # provider: {probe: types of args[]}
        self.fired = set()  # "provider:::probe"
        self.types = {}     # name: [(member, type, comment)]
        self.missing = {}   # (type, member): why
        self.attributes = {}    # provider: {part: attributes}
        for path in paths:
            with open(path, encoding="utf-8") as f:
                self.read(f.read())

    def read(self, text):
        for body, name in re.findall(
                r"^typedef struct \w+ \{\n(.*?)^\} (\w+);", text, re.M | re.S):
            self.types[name] = list(self.members(body))
        for line in re.findall(r"^#pragma D (.*)", text, re.M):
            self.pragma(line)
        text = without_comments(text)
        for provider, body in re.findall(
                r"^provider ([\w$]+) \{(.*?)^\};", text, re.M | re.S):
            self.probes[provider] = dict(self.declared(body))
        self.fired |= set(re.findall(r'\bfire(?:_in)?\("(\S+?)"', text))

    @staticmethod
    def members(body):
        for declaration, comment in re.findall(
                r"^\t([^;]*);(?:\s*/\*(.*?)\*/)?", body, re.M | re.S):
            name = re.search(r"(\w+)(?:\[\d+\])*$", declaration).group(1)
            yield name, type_of(declaration), " ".join(comment.split())

    @staticmethod
    def declared(body):
        for name, native, translated in re.findall(
                r"\bprobe\s+(\w+)\(([^)]*)\)\s*(?::\s*\(([^)]*)\))?\s*;", body):
            yield (name.replace("__", "-"),
                   [type_of(arg) for arg in split_commas(translated or native)])

    def pragma(self, line):
        words = line.split(None, 3)
        if words[0] == "unavailable":
            self.missing[words[1], words[2]] = words[3]
        if words[0] == "attributes" and words[2] == "provider":
            name, part = words[3].split()
            self.attributes.setdefault(name, {})[part] = words[1]


# ---- the tables of src ------------------------------------------------------

def table_rows(src, name, macro):
    with open(os.path.join(src, "provider", name), encoding="utf-8") as f:
        text = without_comments(f.read())
    return [split_commas(row) for row in
            re.findall(rf"^{macro}\(([^()]*)", text, re.M)]


def attributes_in(src, name):
    """The array that the provider's .attrs names."""
    with open(os.path.join(src, "provider", name), encoding="utf-8") as f:
        text = f.read()
    array = re.search(r"const char \*const (\w*attrs)\[\w*\] = \{(.*?)\};",
                      text, re.S)
    if array is None:
        raise Wrong(f"{name} has no attributes")
    found = re.findall(r'"(\w+/\w+/\w+)"', array.group(2))
    return dict(zip(("provider", "module", "function", "name", "args"), found))


def cpuinfo(src):
    """Members of cpuinfo_t, which is no type of a library."""
    with open(os.path.join(src, "dif", "dif_cpuinfo.def"),
              encoding="utf-8") as f:
        text = without_comments(f.read())
    return [(name, text, "") for name, text in
            re.findall(r'^DIF_CPUINFO\((\w+),\s*"(\w+)"\)', text, re.M)]


# ---- the header -------------------------------------------------------------

class Header:
    """Sections of include/dtrace.h."""

    def __init__(self, src):
        with open(os.path.join(src, "../include/dtrace.h"),
                  encoding="utf-8") as f:
            text = f.read()
        # C++ and guards
        text = text[:text.rindex("#ifdef __cplusplus")]
        parts = re.split(r"^/\* ---- (.*?) -+ \*/\n", text, flags=re.M)
        self.sections = dict(zip(parts[1::2], parts[2::2]))
        self.typedefs = {
            name: (result.strip(), params) for result, name, params in
            re.findall(r"^typedef ([^;{}()]*?)(\w+)\(([^;]*?)\);", text,
                       re.M | re.S)}
        self.left = {name for section in self.sections.values()
                     for name, *_ in self.functions(section)}

    def section(self, where, name):
        if name not in self.sections:
            raise Wrong(f"{where}: dtrace.h has no section '{name}'")
        return self.sections[name]

    def functions(self, section):
        """Yields name, result, parameters and comment."""
        for comment, declaration in re.findall(
                r"((?:^/\*(?:(?!\*/).)*\*/\n)?)^DTRACE_API (.*?);", section,
                re.M | re.S):
            declaration = " ".join(declaration.split())
            comment = " ".join(re.sub(r"^/\*| ?\*/$|^ \*", "", comment.strip(),
                                      flags=re.M).split())
            match = re.fullmatch(r"(.*?)(\w+)\((.*)\)", declaration)
            if match is not None:
                result, name, params = match.groups()
            else:
                kind, name = declaration.rsplit(" ", 1)
                if kind not in self.typedefs:
                    continue    # a variable
                result, params = self.typedefs[kind]
            yield name, result.strip(), split_commas(params), comment

    @staticmethod
    def declarations(section):
        """The section without functions, and without their comments; without
        the codes of errors, which @errors lists."""
        text = re.sub(r"(?:^/\*(?:(?!\*/).)*\*/\n)?^DTRACE_API "
                      r"(?:[^;]*\)|\w+ dtrace_\w+);\n", "", section,
                      flags=re.M | re.S)
        text = re.sub(r"/\*[^/]*\*/\n#define EDT_BASE.*?^enum \{.*?^\};\n", "",
                      text, flags=re.M | re.S)
        return re.sub(r"\n{3,}", "\n\n", text.replace("DTRACE_API ", "")).strip()


def error_texts(src):
    with open(os.path.join(src, "libdtrace/api.c"), encoding="utf-8") as f:
        return [(code, "".join(re.findall(r'"([^"]*)"', text)))
                for code, text in re.findall(
                    r'\bTEXT\((\w+),\s*((?:"[^"]*"\s*)+)\)', f.read())]


# ---- mdoc -------------------------------------------------------------------

def quoted(text):
    text = text.replace("\\", "\\e").replace('"', '""')
    # else mandoc takes "f()" for a function without markup
    return '"' + re.sub(r"(\w)\(\)", r"\1\\&()", text) + '"'


def width(texts):
    return quoted("m" * max(len(text) for text in texts))


def args_table(types):
    names = [f"args[{n}]" for n in range(len(types))]
    yield f".Bl -column {width(names)} {width(types)} -compact"
    for name, text in zip(names, types):
        yield f".It Va {name} Ta Vt {quoted(text)}"
    yield ".El"


class Probes:
    """The part of a page from @probes to @end."""

    def __init__(self, libraries, where, provider):
        self.where, self.provider = where, provider
        self.left = dict(libraries.probes.get(provider, {}))
        if not self.left:
            raise Wrong(f"{where}: no library declares {provider}")
        self.absent = [name for name in self.left
                       if f"{provider}:::{name}" not in libraries.fired]
        for name in self.absent:
            del self.left[name]
        args = list(self.left.values())
        self.is_same = all(types == args[0] for types in args)

    def begin(self):
        types = next(iter(self.left.values()))
        if self.is_same and types:
            yield "All probes have these arguments:"
            yield ".Pp"
            yield from args_table(types)
        yield ".Bl -tag -width Ds"

    def item(self, patterns):
        names = [name for pattern in patterns
                 for name in fnmatch.filter(self.left, pattern)]
        if not names:
            raise Wrong(f"{self.where}: {self.provider} has no probe "
                        f"{' '.join(patterns)}, or it was described before")
        types = [self.left.pop(name) for name in names]
        if any(one != types[0] for one in types):
            raise Wrong(f"{self.where}: arguments differ: {' '.join(names)}")
        yield ".It Xo"
        for name in names[:-1]:
            yield f".Cm {name} ,"
        yield f".Cm {names[-1]}"
        yield ".Xc"
        if not self.is_same and types[0]:
            yield from args_table(types[0])
            yield ".Pp"

    def end(self):
        if self.left:
            raise Wrong(f"{self.where}: no text for {' '.join(self.left)}")
        yield ".El"
        if self.absent:
            yield ".Pp"
            yield "Linux has no event for these probes of other systems, so they"
            yield "are refused by name:"
            for name in self.absent[:-1]:
                yield f".Cm {name} ,"
            yield f".Cm {self.absent[-1]} ."


def literal(text):
    """Lines of a literal block."""
    for line in text.expandtabs(8).replace("\\", "\\e").split("\n"):
        yield "\\&" + line if line[:1] in (".", "'") else line


def sentences(text):
    """Text of a comment as lines that mdoc does not take for macros."""
    for line in re.split(r"(?<=[.:]) +(?=[A-Z])", text):
        for out in literal(textwrap.fill(line, 78)):
            yield re.sub(r"(\w)\(\)", r"\1\\&()", out)


class Functions:
    """The part of a page from @functions to @end."""

    def __init__(self, header, where, name):
        self.header, self.where, self.name = header, where, name
        self.left = {function[0]: function for function in
                     header.functions(header.section(where, name))}

    def begin(self):
        yield ".Bl -tag -width Ds"

    def heading(self, function):
        name, result, params, _ = function
        yield ".It Xo"
        yield f".Ft {quoted(result)}"
        yield f".Fo {name}"
        for param in params:
            yield f".Fa {quoted(param)}"
        yield ".Fc"
        yield ".Xc"

    def item(self, names):
        for name in names:
            if name not in self.left:
                raise Wrong(f"{self.where}: '{self.name}' has no function "
                            f"{name}, or it was described before")
            yield from self.heading(self.left.pop(name))
            self.header.left.discard(name)

    def end(self):
        for name, function in self.left.items():
            if function[3] == "":
                raise Wrong(f"{self.where}: no text for {name}")
            yield from self.heading(function)
            yield from sentences(function[3])
            self.header.left.discard(name)
        yield ".El"


class Page:
    def __init__(self, path, src, libraries):
        self.path, self.src, self.libraries = path, src, libraries
        self.header = Header(src)
        self.probes = None  # or functions
        self.where = path

    def types(self, names):
        for name in names:
            members = self.libraries.types.get(name)
            if members is None:
                raise Wrong(f"{self.where}: no library declares {name}")
            yield f".Ss {name}"
            yield (f".Bl -column {width(m[0] for m in members)} "
                   f"{width([m[1] for m in members])} -compact")
            for member, text, comment in members:
                why = self.libraries.missing.get((name, member))
                if why is not None:
                    comment = f"not available: {why}"
                yield (f".It Va {member} Ta Vt {quoted(text)}" +
                       (f" Ta {quoted(comment)}" if comment else " Ta"))
            yield ".El"

    def stability(self, names):
        name = names[0]
        attributes = attributes_in(self.src, name) if name.endswith(".c") \
            else self.libraries.attributes.get(name)
        if attributes is None:
            raise Wrong(f"{self.where}: no library gives {name} attributes")
        yield '.Bl -column "arguments" "Evolving" "Evolving" "Common"'
        yield ".It Sy Part Ta Sy Name Ta Sy Data Ta Sy Class"
        for part, text in attributes.items():
            yield f".It {part} Ta " + " Ta ".join(text.split("/"))
        yield ".El"

    def syscalls(self, _):
        both = [row[2].strip('"') for row in
                table_rows(self.src, "syscalls_64.def", r"SYSCALL(?:_NEW)?")]
        only = [row[1].strip('"') for row in
                table_rows(self.src, "syscalls_32.def", "SYSCALL32")]
        yield from self.names(both)
        yield ".Pp"
        yield "Only 32-bit processes can make these:"
        yield ".Pp"
        yield from self.names(only)

    def events(self, kinds):
        names = [row[0] for row in
                 table_rows(self.src, "cpc_events.def", "CPC_EVENT")
                 if row[1] in kinds]
        if not names:
            raise Wrong(f"{self.where}: no event is of type {kinds}")
        yield from self.names(names)

    @staticmethod
    def names(names):
        for name in sorted(names)[:-1]:
            yield f".Cm {name} ,"
        yield f".Cm {sorted(names)[-1]} ."

    def declarations(self, names):
        yield ".Bd -literal"
        yield from literal(Header.declarations(
            self.header.section(self.where, " ".join(names))))
        yield ".Ed"

    def errors(self, _):
        yield ".Bl -tag -width Ds -compact"
        for code, text in error_texts(self.src):
            yield f".It Dv EDT_{code}"
            yield from sentences(text)
        yield ".El"

    def file(self, names):
        with open(os.path.join(self.src, "..", names[0]),
                  encoding="utf-8") as f:
            yield ".Bd -literal"
            yield from literal(f.read().rstrip())
            yield ".Ed"

    def directive(self, line):
        word, *names = line[1:].split()
        if word == "functions":
            self.probes = Functions(self.header, self.where, " ".join(names))
            return self.probes.begin()
        if word == "probes":
            self.probes = Probes(self.libraries, self.where, names[0])
            return self.probes.begin()
        if word in ("probe", "function", "end") and self.probes is None:
            raise Wrong(f"{self.where}: @{word} outside of a list")
        if word in ("probe", "function"):
            return self.probes.item(names)
        if word == "end":
            probes, self.probes = self.probes, None
            return probes.end()
        make = {"type": self.types, "stability": self.stability,
                "syscalls": self.syscalls, "events": self.events,
                "declarations": self.declarations,
                "errors": self.errors,
                "file": self.file}.get(word)
        if make is None:
            raise Wrong(f"{self.where}: there is no @{word}")
        return make(names)

    def lines(self):
        with open(self.path, encoding="utf-8") as f:
            lines = f.read().split("\n")
        for number, line in enumerate(lines, 1):
            self.where = f"{self.path}:{number}"
            if line.startswith("@"):
                yield from self.directive(line)
            else:
                yield line
        if self.probes is not None:
            raise Wrong(f"{self.path}: a list has no @end")
        if "@functions" in "\n".join(lines) and self.header.left:
            raise Wrong(f"{self.path}: functions of dtrace.h are missing: " +
                        " ".join(sorted(self.header.left)))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--src", required=True)
    parser.add_argument("template", metavar="PAGE.4.in")
    parser.add_argument("libraries", metavar="LIBRARY.d", nargs="*")
    args = parser.parse_args()
    try:
        libraries = Libraries(args.libraries)
        libraries.types["cpuinfo_t"] = cpuinfo(args.src)
        page = Page(args.template, args.src, libraries)
        text = "\n".join(page.lines())
    except (Wrong, OSError, UnicodeDecodeError) as e:
        sys.exit(f"mangen: {e}")
    sys.stdout.buffer.write(text.encode())


if __name__ == "__main__":
    main()
