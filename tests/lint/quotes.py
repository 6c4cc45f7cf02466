# SPDX-License-Identifier: BSD-2-Clause
"""Messages that tables of the guide quote are messages of the source.

A table quotes messages if its first column is headed "You see" or "Message".
A cell that begins with a backquote holds quotes, of which each part must be
found in a string of the source.  Parts end at "...", at a colon, and at N and
C, which stand for numbers.  A conversion of the string, such as %s, may stand
for what is no common word: for a name with capitals or digits, or for another
whole string.
"""

import re

from names import read

HEADED = re.compile(r"^\| (?:You see|Message) \|.*\n\|[-|]+\|\n((?:\|.*\n)+)",
                    re.M)
STRING = r'"((?:[^"\\\n]|\\.)*)"'
# A name between two strings is a macro's.
STRINGS = re.compile(rf'{STRING}(?:\s+(?:\w+\s+)?{STRING})*')
CONVERSION = re.compile(r"%[-+#0-9.* ]*[hlzj]*[a-zA-Z]")
MACRO = "%s"
STOP = "[,:;]$"


def strings(text):
    """The strings of a C file, each as its compiler joins it."""
    for found in STRINGS.finditer(text):
        parts = re.split(rf'(?<!\\)"\s*(\w*)\s*"', found.group()[1:-1])
        for i in range(1, len(parts), 2):
            parts[i] = MACRO if parts[i] else ""
        yield re.sub(r"\\n", " ", "".join(parts)).replace('\\"', '"')


def drops(text):
    """The messages of drops.c, whose table has their pieces: the plural of the
    second string, and the third; or the first, and a CPU."""
    for row in re.findall(r"\[DT_DROP_\w+\] = \{ (\"[^}]*)", text):
        _, what, rest = [*strings(row.replace('",', '"\n,'))][:3]
        yield from (f"{what}s{rest}", f"{what}s on CPU %d")


def quotes(page):
    """The messages that the tables of a page quote."""
    for table in HEADED.findall(page):
        for row in table.splitlines():
            cell = row.split(" | ")[0].removeprefix("| ")
            if cell.startswith("`") and not cell.startswith("``"):
                yield from re.findall(r"`([^`]+)`", cell)


def parts(quote):
    """The parts of a quote, as lists of words."""
    for part in re.split(r"\.\.\.|\b[NC]\b|(?<=:) ", quote):
        if re.search(r"[a-z]", part) and not may_name(part.strip()):
            yield part.split()


def may_name(text):
    """Is the text no common word, or none?"""
    return " " not in text and re.search(r"[A-Z0-9_/]", text) is not None


class Source:
    """The strings of the source."""

    def __init__(self, texts):
        texts = list(texts)
        self.whole = {text.strip() for text in texts}
        self.lists = [text.split() for text in texts if len(text) > 3]

    def may_fill(self, text):
        """May a conversion stand for the text?"""
        return text in self.whole or text in ("", "s") or may_name(text)

    def is_word(self, word, pattern):
        regex = "(.*)".join(map(re.escape, CONVERSION.split(pattern)))
        if not re.search(STOP, word):
            regex = re.sub(STOP, "", regex)
        found = re.fullmatch(regex, word)
        return found is not None and all(map(self.may_fill, found.groups()))

    def begins(self, words, patterns):
        """Do the patterns begin with all the words?  One that is a conversion
        stands for any number of them."""
        if not words or not patterns:
            return not words
        if CONVERSION.fullmatch(patterns[0].rstrip(",:;")) and (
                self.begins(words, patterns[1:]) or
                (self.may_fill(words[0].rstrip(",:;")) and
                 self.begins(words[1:], patterns))):
            return True
        return self.is_word(words[0], patterns[0]) and \
            self.begins(words[1:], patterns[1:])

    def has(self, words):
        return any(self.begins(words, patterns[i:]) for patterns in self.lists
                   if any(word in patterns for word in words)
                   for i in range(len(patterns)))


def wrong_quotes(page, source):
    return [f"no message says '{' '.join(words)}'" for quote in quotes(page)
            for words in parts(quote) if not source.has(words)]


def lint_quotes(root, files):
    """Messages that the guide quotes exist."""
    source = Source([*(string for path in files
                       if re.match(r"(src|cmd)/.*\.(c|h|def)$", path)
                       for string in strings(read(root, path))),
                     *drops(read(root, "src/consume/drops.c"))])
    return [f"{path}: {wrong}" for path in files
            if re.match(r"doc/guide/.*\.md$", path)
            for wrong in wrong_quotes(read(root, path), source)]
