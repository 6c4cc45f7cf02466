# SPDX-License-Identifier: BSD-2-Clause
"""The commands that documents show, and the output that they show below them.

A command stands in an indented block, behind its prompt: "#" is for root, "$"
for an ordinary user.  Its output follows in the same block, up to text.  "..."
stands for lines that are left out, and at the end of a line for the rest of
that line.

A comment before a command says what it needs, in the words of @@needs
(tests/tap.py), what the test gives it (GIVEN), why it may print nothing, or why
no test runs it.  In a manual, the comment is roff's:

    <!-- needs: cmd:python3 cpus2 -->
    <!-- given: client.py -->
    <!-- may be silent: a quiet machine drops nothing -->
    <!-- not run: it needs a server -->
    .\\" not run: it needs a server

"$ cat FILE" shows the text of a file that the commands below it use.
"""

import re
import shlex

# Drops are no complaint: a busy machine has some.
COMPLAINT = re.compile(r"^dtrace: .*(?:error|cannot|not available|failed).*",
                       re.M)
# The command ends by such a message, with status 1 or 2.
REFUSAL = re.compile(r"dtrace: (line \d+: error|failed to )")
PROMPT = re.compile(r"^    ([#$] )?((?:LC_ALL=C )?dtrace .*)$")
MARKS = "needs|given|may be silent|not run"
MARK = re.compile(rf"^<!-- ({MARKS}): (.*) -->$")
CAT = re.compile(r"^    \$ cat (\S+)$")
INLINE = re.compile(r"`(dtrace -[^`]+)`")
# Words that are the same in every output.
KEPT = re.compile(r"CPU|ID|FUNCTION(:NAME)?|PROVIDER|MODULE|NAME|value|count|"
                  r"Distribution|key|min|max|error")


# Sends of known size through the loopback device.
CLIENT = """
import socket, threading
server = socket.socket()
server.bind(("127.0.0.1", 0))
server.listen()
def serve():
    peer, _ = server.accept()
    peer.recv(100000)
    peer.close()
thread = threading.Thread(target=serve)
thread.start()
client = socket.create_connection(server.getsockname())
client.send(b"x" * 5000)
client.close()
thread.join()
host = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
host.bind(("127.0.0.1", 0))
guest = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
guest.sendto(b"y" * 100, host.getsockname())
host.recv(1000)
"""
LOOP = "for number in range(1000000):\n    str(number)\n"
# The programs that stand for the reader's: the text of a script, or None.
# "prog" is tests/prog/known, "process" a busy process for -p 1234.
GIVEN = {"client.py": CLIENT, "loop.py": LOOP, "prog": None, "process": None}


class Command:
    def __init__(self, prompt, text, marks=(), files=None):
        marks = dict(marks)
        self.is_root = prompt != "$ "
        self.text, self.shown = text, ""
        self.files = files or {}
        self.needs = marks.get("needs", "").split()
        self.given = marks.get("given", "").split()
        self.may_be_silent = "may be silent" in marks
        self.not_run = marks.get("not run")

    def name(self):
        return " ".join(self.text.split())[:90]

    def ends(self):
        """Does the command end by itself: with its -c, or by its text?"""
        return re.search(r"exit\(|-c |-o \S+ -n| -[A-Za-z]*[elTVhG] |-e$| --",
                         self.text) or self.is_refused()

    def prints(self):
        return not self.may_be_silent and \
            not re.search(r" -o \S| -[eGh] | -[eGh]$", self.text)

    def is_refused(self):
        """Does the document show that dtrace refuses the command?"""
        return any(REFUSAL.match(line) for line in self.shown_lines())

    def statuses(self):
        """The exit statuses of a command that does what the document says."""
        if self.is_refused():
            return {1, 2}
        return {0} | set(map(int, re.findall(r"exit\((\d+)\)", self.text)))

    def shown_lines(self):
        return [line.strip() for line in self.shown.splitlines()
                if line.strip() not in ("", "...")]


def is_whole(text):
    try:
        return shlex.split(text) and not text.endswith("\\")
    except ValueError:
        return False


def read_commands(text):
    """The commands in blocks of their own, and the output shown below each."""
    lines = iter(text.splitlines())
    found, marks, is_output, files, file = [], [], False, {}, None
    for line in lines:
        match, cat = PROMPT.match(line), CAT.match(line)
        if match or cat or not line.startswith("    "):
            file = cat and cat[1]
        if match:
            command = match[2]
            while not is_whole(command):
                command += "\n" + next(lines)
            found.append(Command(match[1], command, marks, files))
            marks, is_output = [], True
        elif cat:
            files[file], is_output = "", False
        elif file:
            files[file] += line[4:] + "\n"
        elif MARK.match(line):
            marks.append(MARK.match(line).groups())
        elif is_output and line.startswith("    "):
            found[-1].shown += line + "\n"
        elif line:
            is_output = False
    for match in INLINE.finditer(text):
        found.append(Command(None, match[1].replace("\n", " ")))
    return found


def manual_text(source):
    """A manual's displays as the blocks of a document, and its marks."""
    text, is_literal = "", False
    for line in source.splitlines():
        mark = re.match(rf'^\.\\" ({MARKS}): (.*)$', line)
        if mark:
            text += f"<!-- {mark[1]}: {mark[2]} -->\n"
        elif line.startswith(".Bd -literal"):
            is_literal = True
        elif line == ".Ed":
            is_literal = False
            text += "end\n"
        elif line.startswith(".Dl ") or is_literal:
            line = line.removeprefix(".Dl ")
            text += "    " + line.replace("\\e", "\\").replace("\\&", "") + "\n"
        else:
            text += "text\n"
    return text


def shape(line):
    """The part of a line of output that stays the same each time.

    Numbers are 9, and the words between them are one w.  A bar has no length,
    and an address in a program only its form.  Messages and headings are
    kept."""
    line = re.sub(r"(\d) days?\b", r"\1", line.strip())
    if line.startswith(("dtrace: ", "hint: ")):
        return re.sub(r"\b\d+[kmg]?\b", "9", line)
    line = re.sub(r"\|@*\s*", "| ", line)
    line = re.sub(r" : [_xX ]*: ", " : : ", line)
    words = []
    for word in line.split():
        bare = word.strip("\"'(),;:=")
        if re.fullmatch(r"-?(0x[0-9a-f]+|[0-9][0-9.,:]*)[a-zA-Z%]{0,2}", bare):
            kind = "9"
        elif "`" in word:
            kind = "w`w"
        elif KEPT.fullmatch(word) or not re.search(r"\w", word):
            kind = re.sub(r"-+", "-", word)
        else:
            kind = "w"
        if words[-1:] != [kind] or kind == "9":
            words.append(kind)
    return " ".join(words)


def cut_words(line):
    """JSON's words, apart; other text remains as it is."""
    return re.sub(r'([{}\[\]":,])', r" \1 ", line) if "{" in line else line


def is_alike(line, known):
    """Has a line of output the shape of the line that a document shows?"""
    if line.endswith("..."):
        return shape(cut_words(known)).startswith(shape(cut_words(line[:-3])))
    return shape(line) == shape(known)


def missing_lines(command, output):
    """Lines that the document shows and of which the output has none alike."""
    known = output.splitlines()
    return [f"not in the output: {line}" for line in command.shown_lines()
            if not any(is_alike(line, other) for other in known)]


def complaints(command, said):
    """The complaints of dtrace that the document does not show."""
    return [f"not in the document: {line}" for line in COMPLAINT.findall(said)
            if not any(is_alike(shown, line)
                       for shown in command.shown_lines())]


def faults(command, status, out, said):
    """The differences between what a document shows and what a command did.

    Its status is None if it was interrupted, as it does not end by itself."""
    wrong = missing_lines(command, out + "\n" + said)
    wrong += complaints(command, said)
    if status is not None and status not in command.statuses():
        wrong.append(f"status {status}")
    if not out.strip() and not command.shown_lines() and command.prints():
        wrong.append("no output")
    return wrong
