#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""plan_check.py finds what is wrong with broken plans.

    test_mutants.py PLAN_DUMP SOURCE

Each rule is broken once, by a window that is right but for its place, or by a
change of a real plan; the checker must say which.  Without a change, it must
say nothing.
"""

import copy
import os
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import decode
import elf as elflib
import plan_check
import tap

TRAMPOLINE = 0x10000000


def build(source, folder):
    path = os.path.join(folder, "mutants.so")
    subprocess.run([os.environ.get("CC", "cc").split()[-1], "-shared",
                    "-nostdlib", "-o", path, source], check=True)
    return path


class Subject:
    def __init__(self, program, path, decoder):
        self.elf = elflib.Elf(path)
        self.decoder = decoder
        self.symbols = {s.name: s.value for s in self.elf.symbols()}
        names = ("branched", "continued", "case1")
        offsets = struct.unpack("<3Q", self.elf.bytes_of(
            self.elf.section(".places")))
        self.places = {n: self.symbols["work"] + o
                       for n, o in zip(names, offsets)}
        out = subprocess.run([program, path], capture_output=True, text=True,
                             check=True).stdout
        self.bias, self.plans = plan_check.read_dump(out)
        self.path = path

    def knowledge(self):
        return plan_check.Knowledge(self.elf, self.decoder)


# ---- windows over a place ----------------------------------------------------

def window_over(known, place):
    """A plan of one window, that begins at the instruction before a place and
    goes on behind it."""
    t = known.text_of(place)
    begin = t.vaddr + plan_check.Checker._last_before(t, place - t.vaddr)
    end = place + (t.info[place - t.vaddr] & decode.LENGTH)
    code = t.data[begin - t.vaddr:end - t.vaddr]
    plan = plan_check.Plan("mutant")
    plan.moves = [(begin, TRAMPOLINE, True),
                  (place, TRAMPOLINE + place - begin, False)]
    plan.writes = [(begin, code[:5], jump(begin, TRAMPOLINE))]
    plan.texts = [(TRAMPOLINE,
                   code + jump(TRAMPOLINE + len(code), end))]
    return plan


def jump(source, target):
    return b"\xe9" + struct.pack("<i", target - source - 5)


def check_place(t, subject, place, word):
    """The checker must say that a word leads there; None: nothing at all."""
    known = subject.knowledge()
    found = plan_check.Checker(known, 0, window_over(known, place)).run()
    if word is None:
        return t.ok(not found, f"a window over 0x{place:x} is right", *found)
    return t.ok(any(f"{word} leads to 0x{place:x}, inside" in f
                    for f in found),
                f"a window over a place to which {word} leads is found",
                *found)


def check_places(t, subject):
    symbols, places = subject.symbols, subject.places
    check_place(t, subject, symbols["fallen"], None)
    check_place(t, subject, symbols["seeming"], None)
    check_place(t, subject, symbols["used"], "a used label")
    check_place(t, subject, places["branched"], "a branch")
    check_place(t, subject, symbols["returned"], "a return")
    check_place(t, subject, places["continued"], "an FDE")
    check_place(t, subject, places["case1"], "a switch table")
    for name, bit in (("a landing pad", plan_check.T_PAD),
                      ("a relocation", plan_check.T_DATA),
                      ("a symbol", plan_check.T_SYMBOL)):
        known = subject.knowledge()
        known.mark(symbols["fallen"], bit)
        found = plan_check.Checker(
            known, 0, window_over(known, symbols["fallen"])).run()
        t.ok(any(name in f for f in found),
             f"a window over {name} is found", *found)


# ---- changes of a real plan --------------------------------------------------

def shift_moves(plan):
    a, to, first = plan.moves[0]
    plan.moves[0] = (a + 1, to, first)


def shift_write(plan):
    at, old, new = plan.writes[0]
    plan.writes[0] = (at + 1, old, new)


def drop_write(plan):
    del plan.writes[0]


def drop_trampoline(plan):
    del plan.texts[0]


def drop_window(plan):
    while True:
        del plan.moves[0]
        if not plan.moves or plan.moves[0][2]:
            return


def double_window(plan):
    stop = next((i for i, m in enumerate(plan.moves) if i and m[2]),
                len(plan.moves))
    plan.moves += plan.moves[:stop]


def drop_instruction(plan):
    i = next(i for i, m in enumerate(plan.moves) if not m[2])
    del plan.moves[i]


def move_point(plan):
    ident, at = plan.points[0]
    plan.points[0] = (ident, at + 1)


def add_write(plan):
    at = max(w[0] for w in plan.writes)
    plan.writes.append((at, b"", b"\xcc"))


CHANGES = (shift_moves, shift_write, drop_write, drop_trampoline, drop_window,
           double_window, drop_instruction, move_point, add_write)


def run(subject, known, plan):
    return plan_check.Checker(known, subject.bias, plan).run()


def check_changes(t, subject, known):
    for plan in subject.plans:
        if not plan.moves:
            continue
        t.ok(not run(subject, known, plan),
             f"the plan of {plan.name} is right")
        for change in CHANGES:
            if change == drop_instruction and all(m[2] for m in plan.moves):
                continue
            broken = copy.deepcopy(plan)
            change(broken)
            t.ok(run(subject, known, broken),
                 f"{plan.name}: {change.__name__} is found")


def is_verbatim(known, subject, plan, at):
    """Are a trampoline's instructions all unchanged copies?"""
    i = next(i for i, m in enumerate(plan.moves) if m[1] == at)
    while True:
        text = known.text_of(plan.moves[i][0] - subject.bias)
        info = text.info[plan.moves[i][0] - subject.bias - text.vaddr]
        if info & (decode.RIP | decode.BRANCH | decode.CALL):
            return False
        i += 1
        if i == len(plan.moves) or plan.moves[i][2]:
            return True


def flipped(data, k):
    return data[:k] + bytes([data[k] ^ 0x10]) + data[k + 1:]


def check_bytes(t, subject, known):
    """A change of any byte of a jump, or of a trampoline, is found."""
    missed, tried = [], 0
    for plan in subject.plans:
        for n, (at, old, new) in enumerate(plan.writes):
            for k in range(len(new)):
                broken = copy.deepcopy(plan)
                broken.writes[n] = (at, old, flipped(new, k))
                tried += 1
                if not run(subject, known, broken):
                    missed.append(f"{plan.name}: byte {k} at 0x{at:x}")
        for n, (at, code) in enumerate(plan.texts):
            if not is_verbatim(known, subject, plan, at):
                continue
            for k in range(len(code)):
                broken = copy.deepcopy(plan)
                broken.texts[n] = (at, flipped(code, k))
                tried += 1
                if not run(subject, known, broken):
                    missed.append(f"{plan.name}: byte {k} of the trampoline "
                                  f"at 0x{at:x}")
    t.ok(tried > 100 and not missed,
         f"{tried} changed bytes, each of them found", *missed)


def check_pinned(t, subject):
    known = subject.knowledge()
    plan = next(p for p in subject.plans if p.moves)
    at = plan.moves[0][0] - subject.bias
    known.pinned.append((at, at + 1))
    t.ok(any("must stay" in f for f in run(subject, known, plan)),
         "a window in code that must stay is found")


def main():
    t = tap.Tap()
    program, source = (os.path.abspath(p) for p in sys.argv[1:3])
    try:
        decoder = decode.Decoder(plan_check.sweeper_of(program))
    except decode.Missing as e:
        t.skip("mutants", str(e))
        t.done()
    with tempfile.TemporaryDirectory(prefix="plan.") as folder:
        subject = Subject(program, build(source, folder), decoder)
        known = subject.knowledge()
        check_places(t, subject)
        check_changes(t, subject, known)
        check_bytes(t, subject, known)
        check_pinned(t, subject)
    t.done()


if __name__ == "__main__":
    main()
