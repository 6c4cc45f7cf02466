#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Does what a case expects depend on each row of each table?

    mutation.py [--every N] SOURCE_ROOT MUTANTS PROGS [TABLE[:ROW]...]

For every row of every .def file, the cases that use it run with commands for
which that row means something else (tests/mutant/): a variable reads as
another of its type, an option is accepted and ignored, an operator is another.
A case that fails notices the change.  A row that none of its cases notices is
a finding; the remedy is a case whose expected output depends on it.

A row's cases are found by its name: first those named after it, then the
shortest.  A new row needs nothing here, a new table a line in TABLES, or a
reason in NO_MUTATION why none of its rows can be mutated.

With --every N, one row of N, always the same: as many as `make check` has time
for.
"""

import argparse
import concurrent.futures
import os
import re
import subprocess
import sys
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import run_cases
from lint import read, rows, strip_comments, tree
from names import action_names
from tap import Tap, default_signals, first_missing

MAX_TRIES = 40
SECONDS = 8		# a mutant that runs longer is noticed
NO_ROW = 99		# MUT_NO_ROW of tests/mutant/mutant.h

NO_MUTATION = {
    "src/ctf/dwarf_fns.def": "names of libdw's functions: one that is missing "
                             "or misspelt is an error when DWARF is read",
    "src/exec/runtime/drops.def": "kinds of drops: src/libdtrace/api_consume.c "
                                  "compares each with <dtrace.h>",
    "src/exec/runtime/rt_calls.def": "how the subroutines of dif_subrs.def "
                                     "are called, which has the same rows",
    "src/x86/zydis_fns.def": "names of Zydis's functions, in the same way",
    "cmd/dtrace/curses_fns.def": "names of ncurses' functions, in the same "
    "way",
    "src/provider/pfm_fns.def": "names of libpfm's functions, in the same way",
    "src/libdtrace/mhd_fns.def": "names of libmicrohttpd's functions, in the "
                                 "same way",
    "src/fleet/nats_fns.def": "names of libnats's functions, in the same way",
    "src/fleet/sodium_fns.def": "names of libsodium's functions, in the same "
                                "way",
    "src/fleet/permit/options.def": "options that authors may set: "
                                    "tests/unit/test_permit.c",
    "src/fleet/request.def": "fields of signed requests: "
                             "tests/unit/test_trust.c",
    "src/fleet/policy.def": "settings of policies, in the same test",
    "src/provider/providers.def": "a provider that is left out has no probe, "
                                  "which every case of its probes shows",
    "src/provider/cpc_events.def": "events that most machines cannot count: "
                                   "tests/unit/test_provider.c",
    "src/usdt/usdt_regs.def": "operands of probe sites: tests/unit/test_usdt.c",
    "src/provider/syscalls_64.def": "held against the kernel, row by row, by "
                                    "tests/live/test_syscalls.py",
    "src/provider/syscalls_32.def": "the same",
    "src/exec/process/inside/pr_vars.def": "how variables of dif_vars.def, which has "
                                    "the same rows, are found in processes: "
                                    "the cases with -x substrate=process",
    "src/base/privileges.def": "what each user lacks for each provider: "
                               "tests/live/test_privileges.py",
    "src/libdtrace/alias.def": "names of other systems for probes that others "
                               "name, too: tests/cases/libraries/aliases.d",
    "src/lang/errhelp.def": "texts of --explain: tests/live/test_explain.py "
                            "compiles each example, and the lint sees that "
                            "no tag misses",
    "src/lang/habits.def": "hints below errors: tests/cases/messages/habits "
                           "prints them",
    "cmd/dtrace/tool_names.def": "names of others' tools: "
                                 "tests/live/test_tools.py asks for each",
    "src/libdtrace/legacy.def": "calls that the C library no longer makes: "
                                "tests/cases/messages/legacy-calls makes each",
    "src/consume/oformats.def": "forms of the output: tests/cases/formats and "
                                "tests/cases/json have cases of each",
    "src/consume/utf8_widths.def": "made of Unicode's database by "
                                   "tools/widthgen.py; the lint compares",
    "src/inproc/tactics.def": "which jump serves which probe: "
                              "tests/unit/test_inproc.c",
}

# Rows that no command can show, and why.
NO_CASE = {
    ("dif_acts.def", "none"): "a record's header has no action",
    ("dif_acts.def", "tracemem_dynsize"): "in other systems' DOF only: "
                                          "test_consume",
    ("dif_vars.def", "$cpuaddr"): "what `percpu_variable compiles to",
    ("pragmas.def", "ident"): "it does nothing",
    ("dif_ops.def", "xlate"): "it does not run, but is linked: test_link",
    ("dif_ops.def", "xlarg"): "it does not run, but is linked: test_link",
    ("errtags.def", "ARGS_XLATOR"): "no provider has such arguments yet",
    ("errtags.def", "ARGS_TYPE"): "no provider has such arguments yet",
}

# Replacements where the next row reads the same on most machines: all of these
# are 0.
PLACES = {
    ("dif_vars.def", "args"): "no_such_variable",	# never loaded as such
    ("dif_vars.def", "chip"): "timestamp",
    ("dif_cpuinfo.def", "cpu_chip"): "no_such_member",
}


# Flags of dif_vars.def, dif_subrs.def and dif_acts.def, and the case that
# shows which rows have them.
CASES_OF_FLAGS = {
    "RUNNING": "sched/running",
    "HELPER": "stacks/helpers-names",
    "NUMBERS": "subroutines/numbers",
    "KERNEL": "subroutines/need-kernel",
}


class Row:
    """A row: its name for the mutant, its replacement, and patterns of use.

    Cases that use the row are found by the patterns, the best first."""

    def __init__(self, table, name, to, *uses):
        self.table, self.name = table, name
        self.to = PLACES.get((table, name), to)
        self.uses = [re.compile(pattern) for pattern in uses]

    def __str__(self):
        return f"{self.table} {self.name}"


# -- partners ----------------------------------------------------------------

def next_of(items, i, fits):
    """The next item, cyclically, that fits item i; None if none does."""
    for k in range(1, len(items)):
        other = items[(i + k) % len(items)]
        if fits(items[i], other):
            return other
    return None


def word(name):
    return rf"(?<![\w]){re.escape(name)}(?!\w)"


def partners(root, path, macro, *fits):
    """Yields (columns of a row, columns of its partner or None)."""
    table = list(rows(root, path, macro))
    for i, columns in enumerate(table):
        to = None
        for fit in fits:
            to = to or next_of(table, i, fit)
        yield columns, to


def same(*indices):
    return lambda a, b: all(a[i] == b[i] for i in indices)


def anyone(a, b):
    return a != b


def by_word(path, macro, column, *fits):
    """A table whose rows D programs name."""
    def generate(root):
        table = os.path.basename(path)
        for row, to in partners(root, path, macro, *fits):
            yield Row(table, row[column], to[column] if to else "",
                      word(row[column]))
    return path, generate


# -- tables --------------------------------------------------------------------

def nargs(proto):
    inner = proto[proto.index("(") + 1:-1]
    return len(inner.split(",")) if inner else 0


RANDOM = {"rand", "random"}


def shape(row):
    """A subroutine's flags about how to call it, without those about who
    may."""
    return {flag for flag in row[4].split(" | ")
            if flag.rpartition("_")[2] not in CASES_OF_FLAGS}


def subr_fits(a, b):
    return nargs(a[3]) == nargs(b[3]) and b[2] not in RANDOM and \
        shape(a) == shape(b)


def subr_nargs(a, b):
    return nargs(a[3]) == nargs(b[3]) and b[2] not in RANDOM


def var_kind(a, b):
    return (a[3] == "string") == (b[3] == "string") and \
        (a[0] < "0x0100") == (b[0] < "0x0100")


ONE_VALUE = ("min", "max", "avg", "sum", "stddev", "quantize")


# Size and sign of the bases of typedefs.def; a base not listed has no sign.
LAYOUTS = {
    "signed char": (1, True), "short": (2, True), "int": (4, True),
    "long": (8, True), "long long": (8, True), "unsigned char": (1, False),
    "unsigned short": (2, False), "unsigned int": (4, False),
    "unsigned long": (8, False), "unsigned long long": (8, False),
    "char *": (8, False), "float": (4, None), "double": (8, None),
    "long double": (16, None), "struct cpuinfo": (16, None),
    "struct in6_addr": (16, None), "__int128": (16, None),
    "unsigned __int128": (16, None),
}


def other_layout(a, b):
    """The size differs, so that sizeof shows it; a cast is valid for both."""
    return LAYOUTS[a[1]][0] != LAYOUTS[b[1]][0] and \
        (LAYOUTS[a[1]][1] is None) == (LAYOUTS[b[1]][1] is None)


def acts(root):
    names = [row[2] for row in rows(root, "src/dif/dif_acts.def", "DT_ACT")]
    for name in names:
        to = ONE_VALUE[(ONE_VALUE.index(name) + 1) % len(ONE_VALUE)] \
            if name in ONE_VALUE else ""
        uses = word(name)
        if name == "libact":
            uses = r"\b(clear|trunc|normalize|denormalize|setopt)\b"
        yield Row("dif_acts.def", name, to, uses)


def flags(table, macro):
    """The flags of a table's rows; a mutant lacks one of them."""
    def generate(root):
        for row in rows(root, f"src/dif/{table}.def", macro):
            for flag in row[-1].split(" | "):
                name = flag.rpartition("_")[2]
                if name in CASES_OF_FLAGS:
                    yield Row(f"{table}.flags", f"{row[2]}:{name}", "",
                              rf"^{CASES_OF_FLAGS[name]}\n")
    return f"src/dif/{table}.def", generate


def called_actions(root):
    for name in action_names(root):
        yield Row("action.c", name, "", word(name))


def ops(root):
    path = "src/dif/dif_ops.def"
    for row, to in partners(root, path, "DIF_OP", same(3), anyone):
        yield Row("dif_ops.def", row[2], to[2],
                  rf"(?m)^[^!\n]*\b{row[2]}\b", r"^operators/")


def tokens(root):
    path = "src/lang/tokens.def"
    for macro, column, *fits in (("TOK", 0, anyone), ("KEYWORD", 1, same(2)),
                                 ("PUNCT", 1, anyone)):
        for row, to in partners(root, path, macro, *fits):
            uses = {"TOK": [word(row[0]), re.escape(row[1])],
                    "KEYWORD": [word(row[1])],
                    "PUNCT": [re.escape(row[1])]}[macro]
            yield Row("tokens.def", row[column], to[column], *uses)


def tags(root):
    for row in rows(root, "src/lang/errtags.def", "ERRTAG"):
        yield Row("errtags.def", row[0], "", rf"D_{row[0]}\b")


def convs(root):
    path = "src/fmt/printf_convs.def"
    for row, to in partners(root, path, "PF_CONV", same(2, 3), same(2),
                            anyone):
        yield Row("printf_convs.def", row[0], to[0],
                  rf"%[-+ #0'@*.\d]*(?:hh|h|ll|l|L)?{row[0]}")


def dumps(root):
    path = "src/libdtrace/dumps.def"
    for row, to in partners(root, path, "DT_DUMP", anyone):
        yield Row("dumps.def", row[1], to[1], rf"dump=\S*\b{row[1]}\b")


def later(root):
    path = "src/codegen/names_later.def"
    for macro in ("LATER_FUNC", "LATER_VAR"):
        for row in rows(root, path, macro):
            yield Row("names_later.def", row[0], row[0] + "x", word(row[0]))


def since(root):
    text = strip_comments(read(root, "src/codegen/since.def"))
    for name in re.findall(r'SINCE\("(\w+)"', text):
        yield Row("since.def", name, "", word(name))


def koffs(root):
    for row in rows(root, "src/exec/runtime/rt_koffs.def", "RT_KOFF"):
        names = re.findall(r"\w+\*?(?=\(\))|\b(?:ppid|cwd|root|execargs|zonename)\b",
                           row[3])
        uses = "|".join(r"\b" + name.replace("*", r"\w+") + r"\b"
                        for name in names)
        yield Row("rt_koffs.def", row[0], "", uses)


def dof_fields(root):
    text = strip_comments(read(root, "src/dof/dof_structs.def"))
    elem = None
    for macro, first, second in re.findall(
            r"^DOF_(ELEM|FIELD)\(([^,]+), ([^,]+),", text, re.M):
        if macro == "ELEM":
            elem = first
        elif f"DOF_FIELD({first}, {second}, PAD" not in text:
            yield Row("dof_structs.def", f"{elem}:{second}", "",
                      r"dump=\S*dof|\bdof\b")


def dof_abi(root):
    path = "src/dof/dof_abi.def"
    names = {}
    for row in rows(root, path, "DOF_ABI_SYS"):
        names[row[0]] = row[1]
        yield Row("dof_abi.def", row[1], "", r"dofabi|\bdof\b")
    for macro, what in (("DOF_ABI_SUBR", "subr"), ("DOF_ABI_VAR", "var")):
        for row in rows(root, path, macro):
            number = int(row[1], 0)
            yield Row("dof_abi.def", f"{names[row[0]]} {what} {number}", "",
                      r"dofabi|\bdof\b")


def by_topic(path, macro, column, uses, to=anyone):
    """A table of a format: cases that print the format show its rows."""
    def generate(root):
        table = os.path.basename(path)
        for row, other in partners(root, path, macro, to):
            yield Row(table, row[column], other[column], uses)
    return path, generate


TABLES = [
    by_word("src/dif/dif_vars.def", "DIF_VAR", 2, same(3), var_kind, anyone),
    by_word("src/dif/dif_subrs.def", "DIF_SUBR", 2, subr_fits, subr_nargs,
            anyone),
    ("src/dif/dif_acts.def", acts),
    flags("dif_vars", "DIF_VAR"),
    flags("dif_subrs", "DIF_SUBR"),
    flags("dif_acts", "DT_ACT"),
    ("src/codegen/action.c", called_actions),
    ("src/dif/dif_ops.def", ops),
    by_word("src/dif/dif_cpuinfo.def", "DIF_CPUINFO", 0, anyone),
    by_word("src/dif/dif_locks.def", "DIF_LOCK", 3, anyone),
    ("src/lang/tokens.def", tokens),
    by_word("src/lang/macros.def", "LEX_MACRO", 0),
    by_word("src/lang/pragmas.def", "LEX_PRAGMA", 0),
    ("src/lang/errtags.def", tags),
    by_word("src/libdtrace/options.def", "DT_OPTION", 1),
    ("src/libdtrace/dumps.def", dumps),
    ("src/fmt/printf_convs.def", convs),
    ("src/codegen/names_later.def", later),
    ("src/codegen/since.def", since),
    by_word("src/ctf/typedefs.def", "CTF_TYPEDEF", 0, other_layout),
    ("src/exec/runtime/rt_koffs.def", koffs),
    by_topic("src/ctf/ctf_kinds.def", "CTF_KIND", 1, "ctfdump"),
    by_topic("src/ctf/ctf_sects.def", "CTF_SECT", 1, "ctfdump"),
    by_topic("src/dof/dof_secs.def", "DOF_SEC", 1, r"dump=\S*dof|\bdof\b"),
    ("src/dof/dof_structs.def", dof_fields),
    by_topic("src/dof/dof_acts.def", "DOF_ACT", 1, r"\bdof\b"),
    ("src/dof/dof_abi.def", dof_abi),
]


def all_rows(root, wanted, every):
    for path, generate in TABLES:
        table = os.path.basename(path)
        for row in generate(root):
            name = f"{table}:{row.name}"
            if (table, row.name) in NO_CASE:
                continue
            if table in wanted or name in wanted or \
                    not wanted and zlib.crc32(name.encode()) % every == 0:
                yield row


# -- cases ---------------------------------------------------------------------

class Source:
    """A case, and the text in which uses of rows are searched."""

    def __init__(self, path):
        self.case = run_cases.Case(path)
        self.text = self.case.name
        for suffix in (".d", ".sh", ".dif", ".out", ".err"):
            if self.case.has(suffix):
                self.text += "\n" + self.case.expected(suffix).decode(
                    "utf-8", "replace")
        self.cost = len(self.text) + 4000 * self.case.has(".sh") + \
            2000 * ("run" in self.case.directives)

    def rank(self, row):
        """Smaller is better; None: the case does not use the row."""
        name = os.path.basename(self.case.name)
        for i, pattern in enumerate(row.uses):
            if pattern.search(self.text):
                return i, not pattern.search(name), self.cost
        return None


def run_mutant(row, case, mutants, progs):
    """Why the case fails with the mutant; empty if it does not notice."""
    env = run_cases.environment(os.path.join(mutants, "dtrace"), progs, case)
    env.update(MUTANT_TABLE=row.table, MUTANT_ROW=row.name,
               MUTANT_TO=row.to)
    result = run_cases.run_in_folder(case, env)
    if result[0] == NO_ROW:
        raise ValueError(result[2].decode("utf-8", "replace").strip())
    return run_cases.judge(case, result)


def live_tests(row, root):
    """Yields live tests that use a row: they are slow, so they come last."""
    folder = os.path.join(root, "tests", "live")
    for name in sorted(os.listdir(folder)):
        path = os.path.join("tests", "live", name)
        if name.startswith("test_") and name.endswith(".py") and \
                row.uses[0].search(read(root, path)):
            yield os.path.join(root, path)


def live_notices(row, script, mutants, progs):
    env = dict(os.environ, PROGS=progs, MUTANT_TABLE=row.table,
               MUTANT_ROW=row.name, MUTANT_TO=row.to)
    return subprocess.run(
        [sys.executable, script, os.path.join(mutants, "dtrace")], env=env,
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, check=False).returncode != 0


class Mutants:
    """The mutants, and the tests that may notice them."""

    def __init__(self, root, mutants, progs, tap):
        self.root, self.mutants, self.progs = root, mutants, progs
        self.tap = tap
        self.runnable, self.missing = [], []
        for path in run_cases.find_cases([]):
            source = Source(path)
            why = first_missing(source.case.needs())
            if why is None:
                self.runnable.append(source)
            else:
                self.missing.append((source, why))

    def cases(self, row):
        """The cases that use the row, the likeliest and cheapest first."""
        ranked = [(source.rank(row), source) for source in self.runnable]
        return [source.case for _, source in
                sorted((pair for pair in ranked if pair[0] is not None),
                       key=lambda pair: pair[0])][:MAX_TRIES]

    def noticed_by(self, row):
        """(the test that notices the row, the number of tests tried)."""
        cases = self.cases(row)
        for i, case in enumerate(cases):
            if run_mutant(row, case, self.mutants, self.progs):
                return case.name, i + 1
        for script in live_tests(row, self.root):
            if live_notices(row, script, self.mutants, self.progs):
                return os.path.basename(script), len(cases) + 1
        return None, len(cases)

    def unmet(self, row):
        """Why a case that is named after the row cannot run here, or None."""
        for source, why in self.missing:
            if row.uses[0].search(os.path.basename(source.case.name)):
                return why
        return None

    def judge(self, row):
        try:
            name, tries = self.noticed_by(row)
        except ValueError as e:
            self.tap.ok(False, str(row), e)
            return
        if os.environ.get("MUTATION_VERBOSE"):
            print(f"# {row}: {name} ({tries})", flush=True)
        why = None if name else self.unmet(row)
        if why:
            self.tap.skip(str(row), why)
        else:
            self.tap.ok(name, str(row), f"{tries} cases use it, and none "
                        "fails when it is " +
                        (f"'{row.to}'" if row.to else "ignored"))


def check_tables(root, tap):
    """Every table is mutated, or there is a reason why not."""
    known = {path for path, _ in TABLES} | set(NO_MUTATION)
    for path in tree(root):
        if path.startswith("src/") and path.endswith(".def"):
            tap.ok(path in known, f"{path} is mutated",
                   "add it to TABLES, or to NO_MUTATION with a reason")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--every", metavar="N", type=int, default=1)
    parser.add_argument("root", type=os.path.abspath)
    parser.add_argument("mutants", type=os.path.abspath)
    parser.add_argument("progs", type=os.path.abspath)
    parser.add_argument("wanted", metavar="TABLE[:ROW]", nargs="*")
    args = parser.parse_args()
    default_signals()
    os.environ["PROGS"] = args.progs
    run_cases.TIMEOUT = SECONDS
    tap = Tap()
    check_tables(args.root, tap)
    all_mutants = Mutants(args.root, args.mutants, args.progs, tap)
    # more threads than CPUs: a case mostly waits
    with concurrent.futures.ThreadPoolExecutor(6) as pool:
        list(pool.map(all_mutants.judge,
                      all_rows(args.root, set(args.wanted), args.every)))
    tap.done()


if __name__ == "__main__":
    main()
