#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Python's structures, enumerations and functions are those of dtrace.h.

pycparser reads the header, which needs no macro to be bound but the numbers of
NUMBERS."""

import ctypes
import os
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path[:0] = [os.path.join(ROOT, "tests"), os.path.join(ROOT, "python")]

from dtrace import _abi    # noqa: E402
from tap import Tap        # noqa: E402

# Extensions of gcc and glibc.
FLAGS = ["-D__attribute__(x)=", "-D__extension__=", "-D__inline=inline",
         "-D__restrict=", "-D__asm__(x)=", "-D__builtin_va_list=int",
         "-D__signed__=signed"]
PLAIN = {
    "int": "i4", "unsigned int": "u4", "char": "char", "long": "i8",
    "long int": "i8", "unsigned long": "u8", "double": "double",
    "unsigned char": "u1", "unsigned short": "u2", "short": "i2",
    "signed char": "i1", "unsigned long int": "u8", "long unsigned int": "u8", "signed int": "i4",
    "unsigned short int": "u2", "signed long int": "i8"}
CTYPES = {
    ctypes.c_int: "i4", ctypes.c_uint: "u4", ctypes.c_int64: "i8",
    ctypes.c_uint8: "u1", ctypes.c_uint16: "u2", ctypes.c_uint64: "u8",
    ctypes.c_double: "double", ctypes.c_char: "char", ctypes.c_char_p: "*char",
    ctypes.c_void_p: "*", None: "void"}


class Header:
    """Declarations of dtrace.h."""

    def __init__(self, c_ast, unit):
        self.c_ast = c_ast
        self.typedefs, self.structs, self.enums = {}, {}, {}
        self.functions = {}
        for item in unit.ext:
            if isinstance(item, c_ast.Typedef):
                self.typedefs[item.name] = item.type
            if isinstance(item, c_ast.Decl) and \
                    isinstance(item.type, c_ast.FuncDecl):
                self.functions[item.name] = item.type
            self.find(item)

    def find(self, node):
        c = self.c_ast
        if isinstance(node, c.Struct) and node.decls and node.name:
            self.structs[node.name] = node.decls
        if isinstance(node, c.Enum) and node.values:
            self.take_enum(node)
        for _, child in node.children():
            self.find(child)

    def take_enum(self, node):
        values, number = {}, -1
        for e in node.values.enumerators:
            number = number + 1 if e.value is None else self.number(e.value)
            values[e.name] = number
        self.enums.setdefault(node.name, {}).update(values)

    def number(self, node):
        c = self.c_ast
        if isinstance(node, c.Constant):
            return int(node.value.rstrip("uUlL"), 0)
        if isinstance(node, c.UnaryOp) and node.op == "-":
            return -self.number(node.expr)
        if isinstance(node, c.ID):
            return next(v[node.name] for v in self.enums.values()
                        if node.name in v)
        if isinstance(node, c.BinaryOp) and node.op == "+":
            return self.number(node.left) + self.number(node.right)
        raise ValueError(type(node))

    def text(self, node):
        """A type in a short notation."""
        c = self.c_ast
        if isinstance(node, (c.TypeDecl, c.Decl, c.Typename)):
            return self.text(node.type)
        if isinstance(node, c.PtrDecl):
            inner = self.text(node.type)
            return "*" + (inner if inner != "void" else "")
        if isinstance(node, c.ArrayDecl) and node.dim is None:
            return "*" + self.text(node.type)   # a parameter
        if isinstance(node, c.ArrayDecl):
            return f"{self.text(node.type)}[{self.size(node.dim)}]"
        if isinstance(node, c.Struct):
            return f"struct {node.name}"
        if isinstance(node, c.Enum):
            return "i4"
        if isinstance(node, c.FuncDecl):
            return self.function(node)
        name = " ".join(node.names)
        if name in self.typedefs:
            return self.text(self.typedefs[name])
        return PLAIN.get(name, name)

    def size(self, node):
        c = self.c_ast
        if isinstance(node, c.BinaryOp):
            return self.size(node.left) + self.size(node.right)
        return self.number(node)

    def function(self, node):
        params = [self.text(p) for p in node.args.params]
        return f"{self.text(node.type)}({', '.join(params)})"


def text_of(t):
    """The same notation of a type of ctypes."""
    if t in CTYPES:
        return CTYPES[t]
    if issubclass(t, ctypes.Structure):
        return f"struct {t.__name__}"
    if issubclass(t, ctypes.Array):
        return f"{text_of(t._type_)}[{t._length_}]"
    if hasattr(t, "_restype_"):
        params = [text_of(p) for p in t._argtypes_]
        return f"*{text_of(t._restype_)}({', '.join(params)})"
    return "*" + text_of(t._type_)


def parts(function):
    """The result of "i4(*, *i4(*))", and its parameters."""
    found, depth = [""], 0
    for c in function[:-1]:
        depth += (c == "(") - (c == ")")
        if (c == "(" and depth == 1) or (c == "," and depth == 1):
            found.append("")
        elif c != " " or found[-1] != "":
            found[-1] += c
    return found


def agrees(mine, theirs):
    """A pointer without a type stands for any."""
    if mine == theirs:
        return True
    if mine == "*":
        return theirs.startswith("*")
    if mine.endswith(")") and theirs.endswith(")"):
        ours, other = parts(mine), parts(theirs)
        return len(ours) == len(other) and all(map(agrees, ours, other))
    return mine.startswith("*") and theirs.startswith("*") and \
        agrees(mine[1:], theirs[1:])


def read_header():
    from pycparser import c_ast, c_parser
    text = "#include <dtrace.h>\n" + "".join(
        f"enum number_{name} {{ value_{name} = {name} }};\n"
        for name in _abi.NUMBERS)
    out = subprocess.run(
        ["cc", "-E", "-P", "-I", os.path.join(ROOT, "include"), *FLAGS, "-"],
        input=text, capture_output=True, text=True, check=True).stdout
    return Header(c_ast, c_parser.CParser().parse(out))


def main():
    tap = Tap()
    try:
        import pycparser    # noqa: F401
    except ImportError:
        tap.skip("abi", "python3-pycparser is not installed")
        tap.done()
    h = read_header()
    for t in _abi.STRUCTS:
        mine = [(f[0], text_of(f[1])) for f in t._fields_]
        theirs = [(d.name, h.text(d)) for d in h.structs[t.__name__]]
        tap.ok(len(mine) == len(theirs) and all(
            a[0] == b[0] and agrees(a[1], b[1])
            for a, b in zip(mine, theirs)), t.__name__, mine, theirs)
    for name, (enum, prefix) in _abi.ENUMS.items():
        mine = {prefix + e.name: e.value for e in enum}
        tap.ok(mine == h.enums[name], name, mine, h.enums[name])
    for name, (result, params) in _abi.FUNCTIONS.items():
        mine = f"{text_of(result)}({', '.join(map(text_of, params))})"
        theirs = h.text(h.functions[name])
        tap.ok(agrees(mine, theirs), name, mine, theirs)
    for name, value in _abi.NUMBERS.items():
        theirs = h.enums["number_" + name]["value_" + name]
        tap.ok(value == theirs, name, value, theirs)
    tap.done()


main()
