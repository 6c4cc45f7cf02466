#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Run a command under another kernel: one of Debian's, in QEMU without KVM.

    vm.py BUILD COMMAND...

The guest sees this machine's files (changes stay in its memory), so the
command can be a test suite in place.  $KERNEL selects the kernel: 6.1 (of
Debian 12, the default), 6.12 (Debian 13), newest (unstable), or any other name
that kernels.py knows.  It is downloaded once into BUILD/vm, and never
installed.  $CPUS is the number of processors, in the form of QEMU's -smp: 2, or
2,maxcpus=64; $KERNEL_ARGS are additional arguments for the kernel.  Prints the
command's output, and ends with its status; or with 125 and the kernel's last
words if the guest did not run the command.  If the guest stands still, what its
tasks wait for is printed, too.
"""

import glob
import lzma
import os
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

from kernels import BUSYBOX, fetch_kernel, image, modules

HERE = os.path.dirname(os.path.abspath(__file__))
# In the order of their dependencies; built-in modules are skipped.
MODULES = """virtio_ring virtio virtio_pci_legacy_dev virtio_pci_modern_dev
    virtio_pci netfs fscache 9pnet 9pnet_virtio 9p overlay""".split()
MEMORY_MB = 2048
PANIC_LINES = 40
# The emulator loses a timer at times; a guest that writes nothing for so long
# is given a key press, which is an interrupt.
NUDGE_SECONDS = 10
NUDGE = "info cpus", "sendkey shift"
# A guest that writes nothing for so long may stand still; its kernel is asked
# why.  After so many questions without an answer from its tests it is ended.
STILL_SECONDS = 120
QUESTIONS = 10
ASKED = ("info cpus", "info pic", *(f"sendkey alt-sysrq-{c}" for c in "8twl"))
TOLD_LINES = 3000


def copy_module(path, folder):
    """Decompress a module, as the kernel may not be able to do so yet."""
    out = os.path.join(folder, os.path.basename(path).removesuffix(".xz"))
    with (lzma.open if path.endswith(".xz") else open)(path, "rb") as module, \
            open(out, "wb") as f:
        shutil.copyfileobj(module, f)


def make_initramfs(where, root):
    """Pack busybox, the modules that reach the shares, and init."""
    out = os.path.join(where, "initramfs-" + os.path.basename(root))
    # Another guest may still be reading the previous one.
    made = f"{out}.{threading.get_ident()}"
    with tempfile.TemporaryDirectory(dir=where) as tmp:
        for name in "bin", "proc", "sys", "dev", "modules":
            os.mkdir(f"{tmp}/{name}")
        shutil.copy(BUSYBOX, tmp + "/bin/busybox")
        shutil.copy(os.path.join(HERE, "init"), tmp + "/init")
        os.chmod(tmp + "/init", 0o755)
        with open(tmp + "/modules.order", "w") as order:
            for name in MODULES:
                for path in glob.glob(f"{root}/lib/modules/**/{name}.ko*",
                                      recursive=True):
                    copy_module(path, tmp + "/modules")
                    order.write(f"/modules/{name}.ko\n")
        names = "\n".join(
            os.path.relpath(os.path.join(d, n), tmp)
            for d, dirs, files in os.walk(tmp) for n in dirs + files)
        with open(made, "wb") as f:
            subprocess.run([BUSYBOX, "cpio", "-o", "-H", "newc"], cwd=tmp,
                           input=names.encode(), stdout=f, check=True,
                           stderr=subprocess.DEVNULL)
    os.rename(made, out)
    return out


def ask(where, lines, pause=5.0):
    """Type lines into QEMU's monitor; returns what it answers within the pauses
    after each."""
    with socket.socket(socket.AF_UNIX) as monitor:
        monitor.settimeout(20)
        told = b""
        try:
            monitor.connect(where)
            for line in lines:
                monitor.sendall(line.encode() + b"\n")
                time.sleep(pause)
                told += monitor.recv(1 << 20)
        except OSError as e:
            told += str(e).encode()
    # The monitor repeats what is typed, with escapes.
    return "\n".join(line for line in
                     told.decode(errors="replace").splitlines()
                     if "\033" not in line)


def watch(qemu, timeout, monitor, output):
    """Wait for QEMU's end; returns what a guest told that stood still.

    The questions interrupt its CPUs.  If that makes it go on, the emulator had
    lost a timer; if not, it is ended."""
    begin = last = nudged = time.monotonic()
    length, told, asked = None, "", 0
    while True:
        try:
            qemu.wait(2)
            return told
        except subprocess.TimeoutExpired:
            now = time.monotonic()
        written = os.path.exists(output) and os.path.getsize(output)
        if written != length:
            length, last, asked = written, now, 0
        is_late = now - begin > timeout
        if is_late or now - last > STILL_SECONDS:
            told += f"after {now - begin:.0f} s the guest " + \
                ("runs" if is_late else f"stood still for {STILL_SECONDS} s") \
                + f"\n{ask(monitor, ASKED)}\n"
            last, asked = time.monotonic(), asked + 1
        elif now - max(last, nudged) > NUDGE_SECONDS:
            ask(monitor, NUDGE, 0.1)
            nudged = now
        if is_late or asked == QUESTIONS:
            qemu.kill()


def boot(kernel, initramfs, share, timeout, cpus, args):
    """Run QEMU; returns the console's text, and what watch() was told."""
    def plan9(tag, path, mode):
        return ["-virtfs", f"local,path={path},mount_tag={tag},"
                f"security_model=none,multidevs=remap{mode}"]
    monitor, said = share + ".monitor", share + ".console"
    cmd = ["qemu-system-x86_64", "-accel", "tcg,thread=single", "-smp",
           str(cpus), "-m", str(MEMORY_MB), "-nodefaults", "-no-reboot", "-display",
           "none", "-serial", "stdio", "-kernel", kernel, "-initrd",
           initramfs, "-monitor", f"unix:{monitor},server,nowait",
           "-append", "console=ttyS0 quiet panic=-1 no_timer_check "
           "sysrq_always_enabled " + args,
           *plan9("host", "/", ",readonly=on"), *plan9("share", share, "")]
    with open(said, "wb") as console, subprocess.Popen(
            cmd, stdin=subprocess.DEVNULL, stdout=console,
            stderr=subprocess.STDOUT) as qemu:
        try:
            told = watch(qemu, timeout, monitor, share + "/output")
        finally:
            qemu.kill()
    with open(said, encoding="utf-8", errors="replace") as console:
        return console.read(), told


def run_in_guest(build, command, timeout=2100, cpus=2, args=""):
    """The status (None: the guest did not run it) and output of a shell
    command."""
    where = os.path.join(os.path.abspath(build), "vm")
    root = fetch_kernel(where)
    initramfs = make_initramfs(where, root)
    with tempfile.TemporaryDirectory(dir=where) as top:
        share = top + "/share"
        os.mkdir(share)
        with open(share + "/command", "w") as f:
            f.write(f"cd {shlex.quote(os.getcwd())}\n{command}\n")
        with open(share + "/modules", "w") as f:
            f.write(os.path.abspath(modules(root)))
        console, told = boot(image(root), initramfs, share, timeout, cpus, args)
        output, status = "", None
        if os.path.exists(share + "/output"):
            with open(share + "/output", errors="backslashreplace") as f:
                output = f.read()
        if os.path.exists(share + "/status"):
            with open(share + "/status") as f:
                status = int(f.read())
    if status is None or told:
        lines = console.splitlines()[-TOLD_LINES if told else -PANIC_LINES:]
        output += "".join(f"# {line}\n" for line in
                          [*lines, *told.splitlines()])
    return status, output


def main():
    if len(sys.argv) < 3:
        print("usage: vm.py BUILD COMMAND...", file=sys.stderr)
        sys.exit(2)
    status, output = run_in_guest(
        sys.argv[1], " ".join(sys.argv[2:]), cpus=os.environ.get("CPUS", 2),
        args=os.environ.get("KERNEL_ARGS", ""))
    print(output, end="")
    sys.exit(125 if status is None else status)


if __name__ == "__main__":
    main()
