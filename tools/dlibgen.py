#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Make a D library of a template and a table.

    dlibgen.py LIBRARY.d.in TABLE.def >LIBRARY.d

The table is a list of rows, one a line, as the .def files of C are:

    NFS_OP(3, "op-access", OWN, "nfsd4_access")

A comment at its head names the columns of each kind of row, and the values
of a column whose values are limited:

     *	NFS_OP(number, probe, start=OWN|SHARED|NONE, function)

The template is the library's text.  The lines between `@each` and `@end`
are repeated for each row of a kind, in the table's order, or for each such
row with a certain value:

    @each NFS_OP(start=OWN)
    fbt:nfsd:@function@:entry
    ...
    @end

There, @probe@ is the row's value in the column `probe`, and
@probe.declared@ the same as a provider's declaration writes it: `__` for
each dash.
"""

import argparse
import re
import sys


class Wrong(Exception):
    pass


def split_args(text):
    args = [arg.strip() for arg in text.split(",")]
    return [arg[1:-1] if re.fullmatch(r'"[^"]*"', arg) else arg
            for arg in args]


def parse_columns(text):
    """Columns, and for each its allowed values; none: any value."""
    columns = {}
    for arg in split_args(text):
        name, _, values = arg.partition("=")
        columns[name] = values.split("|") if values else []
    return columns


class Table:
    """Rows by kind; each is a dictionary from columns to values."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as f:
            text = f.read()
        comments = re.findall(r"/\*.*?\*/", text, re.S)
        self.columns = {
            kind: parse_columns(args) for kind, args in
            re.findall(r"^ \*\t(\w+)\((.*)\)$", "\n".join(comments), re.M)}
        self.rows = {kind: [] for kind in self.columns}
        # keep the line ends of comments, so that lines keep their numbers
        text = re.sub(r"/\*.*?\*/", lambda m: re.sub(r"[^\n]", "", m.group()),
                      text, flags=re.S)
        for number, line in enumerate(text.split("\n"), 1):
            if line.strip() != "":
                self.add_row(f"{path}:{number}", line)

    def add_row(self, where, line):
        match = re.fullmatch(r"(\w+)\((.*)\)", line)
        if match is None:
            raise Wrong(f"{where}: not a row: {line}")
        kind, args = match.group(1), split_args(match.group(2))
        if kind not in self.columns:
            raise Wrong(f"{where}: no comment names the columns of {kind}")
        columns = self.columns[kind]
        if len(args) != len(columns):
            raise Wrong(f"{where}: {kind} has {len(columns)} columns, "
                        f"not {len(args)}")
        row = dict(zip(columns, args))
        for column, value in row.items():
            self.check_value(where, kind, column, value)
        self.rows[kind].append(row)

    def check_value(self, where, kind, column, value):
        values = self.columns[kind][column]
        if values and value not in values:
            raise Wrong(f"{where}: {column} of {kind} is {' or '.join(values)}, "
                        f"not {value}")

    def select(self, where, line):
        """The rows that an `@each` line names."""
        match = re.fullmatch(r"@each (\w+)(?:\((\w+)=([\w-]+)\))?", line)
        if match is None:
            raise Wrong(f"{where}: not @each KIND or @each KIND(COLUMN=VALUE)")
        kind, column, value = match.groups()
        if kind not in self.columns:
            raise Wrong(f"{where}: the table has no {kind}")
        if column is not None:
            if column not in self.columns[kind]:
                raise Wrong(f"{where}: {kind} has no column {column}")
            self.check_value(where, kind, column, value)
        rows = [row for row in self.rows[kind]
                if column is None or row[column] == value]
        if not rows:
            raise Wrong(f"{where}: the table has no such row")
        return rows


def fill(where, line, row):
    """Fill one row into a line of a block."""
    def value(match):
        column, is_declared = match.group(1), match.group(2) is not None
        if column not in row:
            raise Wrong(f"{where}: no column {column}")
        text = row[column]
        return text.replace("-", "__") if is_declared else text

    return re.sub(r"@(\w+)(\.declared)?@", value, line)


def expand(path, table):
    """The lines of the library."""
    with open(path, encoding="utf-8") as f:
        lines = f.read().split("\n")
    out, rows, block = [], None, []
    for number, line in enumerate(lines, 1):
        where = f"{path}:{number}"
        if line.startswith("@each"):
            if rows is not None:
                raise Wrong(f"{where}: @each inside @each")
            rows, block = table.select(where, line), []
        elif line == "@end":
            if rows is None:
                raise Wrong(f"{where}: @end without @each")
            out += [fill(at, text, row) for row in rows for at, text in block]
            rows = None
        elif rows is not None:
            block.append((where, line))
        elif line.startswith("@"):
            raise Wrong(f"{where}: neither @each nor @end: {line}")
        else:
            out.append(line)
    if rows is not None:
        raise Wrong(f"{path}: an @each has no @end")
    return out


def main():
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("template", metavar="LIBRARY.d.in")
    parser.add_argument("table", metavar="TABLE.def")
    args = parser.parse_args()
    try:
        text = "\n".join(expand(args.template, Table(args.table)))
    except (Wrong, OSError, UnicodeDecodeError) as e:
        sys.exit(f"dlibgen: {e}")
    sys.stdout.buffer.write(text.encode())


main()
