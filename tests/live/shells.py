# SPDX-License-Identifier: BSD-2-Clause
"""Shells with dtrace's completions, at a pseudo-terminal.

A shell gets keys as from a person.  One more key makes it write the line as it
then is to a pipe, and empties the line.  Nothing is timed: a shell handles keys
one after the other.
"""

import contextlib
import os
import pty
import select
import subprocess
import time
import tty

SHOW = b"\x18p"  # Control-X p
# $PIPE is the pipe, $COMPLETION the shell's file of completions.
SETUP = {
    "bash": r"""
PS1='> '
__show() {
    printf '%s\0' "$READLINE_LINE" >"$PIPE"
    READLINE_LINE= READLINE_POINT=0
}
bind 'set bell-style none'
bind -x '"\C-xp": __show'
cd "${COMPLETION%/*}" && source "./${COMPLETION##*/}"
cd "$HOME"
printf 'ready\0' >"$PIPE"
""",
    "zsh": r"""
fpath=("${COMPLETION:h}" $fpath)
autoload -U compinit && compinit -u -D
unsetopt beep
__show() { printf '%s\0' "$BUFFER" >"$PIPE"; BUFFER=; }
zle -N __show
bindkey '^Xp' __show
printf 'ready\0' >"$PIPE"
""",
    "fish": r"""
source "$COMPLETION"
function fish_prompt; echo '> '; end
function __show
    printf '%s\0' (commandline | string collect) >$PIPE
    commandline ''
end
bind \cxp __show
printf 'ready\0' >$PIPE
"""}
COMMANDS = {
    "bash": ["bash", "--noprofile", "--rcfile", "SETUP", "-i"],
    "zsh": ["zsh", "-d", "-i"],
    "fish": ["fish", "--no-config", "-i", "-C", "source SETUP"]}


class Shell:
    """A shell that runs in a folder of its own, with `path` as its $PATH.

    Its completions are in the file `completion`."""

    def __init__(self, name, completion, home, path, seconds):
        self.seconds = seconds
        pipe = os.path.join(home, "pipe")
        os.mkfifo(pipe)
        # both ends are held: the pipe has no end of file between two lines
        self.lines = os.open(pipe, os.O_RDWR)
        setup = os.path.join(home, ".zshrc" if name == "zsh" else "setup")
        with open(setup, "w", encoding="utf-8") as f:
            f.write(SETUP[name])
        self.terminal, theirs = pty.openpty()
        tty.setraw(theirs)
        self.proc = subprocess.Popen(
            [word.replace("SETUP", setup) for word in COMMANDS[name]],
            stdin=theirs, stdout=theirs, stderr=theirs, cwd=home,
            start_new_session=True,
            preexec_fn=lambda: os.close(os.open(os.ttyname(0), os.O_RDWR)),
            env={"PATH": path, "TERM": "vt100",
                 "HOME": home, "ZDOTDIR": home, "PIPE": pipe,
                 "COMPLETION": completion,
                 "LC_ALL": "C.UTF-8"})
        os.close(theirs)
        self.said = b""
        self.read_line()

    def read_line(self):
        """The next line from the pipe; the terminal's output is kept."""
        line, deadline = b"", time.monotonic() + self.seconds
        while not line.endswith(b"\0"):
            ready, _, _ = select.select(
                [self.lines, self.terminal], [], [],
                max(0, deadline - time.monotonic()))
            if self.terminal in ready:
                self.said += os.read(self.terminal, 4096)
            if self.lines in ready:
                line += os.read(self.lines, 4096)
            if not ready:
                raise TimeoutError(f"no line; the shell said: {self.said!r}")
        return line[:-1].decode()

    def press_tab(self, text):
        """The line after `text` and a tab."""
        os.write(self.terminal, text.encode() + b"\t" + SHOW)
        return self.read_line()

    def end(self):
        """All that the shell has written to its terminal."""
        self.proc.kill()
        self.proc.wait()
        with contextlib.suppress(OSError):  # EIO: the terminal has no writer
            # what the shell has started may keep the terminal
            while select.select([self.terminal], [], [], 2)[0]:
                text = os.read(self.terminal, 4096)
                if not text:
                    break
                self.said += text
        os.close(self.terminal)
        os.close(self.lines)
        return self.said.decode(errors="replace")
