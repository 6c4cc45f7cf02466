#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Run a command under another kernel: Debian's, in QEMU without KVM.

    vm.py BUILD COMMAND...

The guest sees this machine's files (changes stay in its memory), so the command
can be a test suite in place.  The kernel package is downloaded once into
BUILD/vm and never installed.  Prints the command's output; ends with its
status, or with 125 and the kernel's last words when the guest did not get
there.
"""

import glob
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
# In the order of their dependencies; what is built in is not looked for.
MODULES = """virtio_ring virtio virtio_pci_legacy_dev virtio_pci_modern_dev
    virtio_pci netfs fscache 9pnet 9pnet_virtio 9p overlay""".split()
BUSYBOX = "/bin/busybox"
MEMORY_MB = 2048
PANIC_LINES = 40


def run(*cmd, **kwargs):
    return subprocess.run(cmd, check=True, stdin=subprocess.DEVNULL, **kwargs)


def kernel_package():
    text = run("apt-cache", "depends", "linux-image-amd64",
               stdout=subprocess.PIPE, text=True).stdout
    return re.search(r"Depends: (linux-image-\S+)", text).group(1)


def fetch_kernel(where):
    """Download and unpack the kernel; returns its directory."""
    root = os.path.join(where, "kernel")
    if glob.glob(root + "/boot/vmlinuz-*"):
        return root
    shutil.rmtree(root, ignore_errors=True)
    os.makedirs(where, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=where) as tmp:
        run("apt-get", "download", "-qq", "-o", "APT::Sandbox::User=root",
            kernel_package(), cwd=tmp)
        deb = glob.glob(tmp + "/*.deb")[0]
        run("dpkg-deb", "-x", deb, tmp + "/kernel")
        version = os.listdir(tmp + "/kernel/lib/modules")[0]
        run(BUSYBOX, "depmod", "-b", tmp + "/kernel", version)
        os.rename(tmp + "/kernel", root)
    return root


def make_initramfs(where, root):
    """busybox, the modules that reach the shares, and init."""
    out = os.path.join(where, "initramfs")
    # Another guest may be reading the last one.
    made = f"{out}.{threading.get_ident()}"
    with tempfile.TemporaryDirectory(dir=where) as tmp:
        for name in "bin", "proc", "sys", "dev", "modules":
            os.mkdir(f"{tmp}/{name}")
        shutil.copy(BUSYBOX, tmp + "/bin/busybox")
        shutil.copy(os.path.join(HERE, "init"), tmp + "/init")
        os.chmod(tmp + "/init", 0o755)
        with open(tmp + "/modules.order", "w") as order:
            for name in MODULES:
                for path in glob.glob(f"{root}/lib/modules/**/{name}.ko",
                                      recursive=True):
                    shutil.copy(path, tmp + "/modules")
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


def boot(kernel, initramfs, share, timeout, cpus):
    """Returns the console's text."""
    def plan9(tag, path, mode):
        return ["-virtfs", f"local,path={path},mount_tag={tag},"
                f"security_model=none,multidevs=remap{mode}"]
    cmd = ["qemu-system-x86_64", "-accel", "tcg,thread=single", "-smp",
           str(cpus), "-m", str(MEMORY_MB), "-nodefaults", "-no-reboot", "-display",
           "none", "-serial", "stdio", "-kernel", kernel, "-initrd",
           initramfs, "-append", "console=ttyS0 quiet panic=-1",
           *plan9("host", "/", ",readonly=on"), *plan9("share", share, "")]
    try:
        done = subprocess.run(cmd, stdin=subprocess.DEVNULL, timeout=timeout,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.stdout.decode(errors="replace")
    except subprocess.TimeoutExpired as late:
        return (late.stdout or b"").decode(errors="replace") + \
            f"\nstopped after {timeout} s"


def run_in_guest(build, command, timeout=2100, cpus=2):
    """Status (None: it did not get there) and output of a shell command."""
    where = os.path.join(os.path.abspath(build), "vm")
    root = fetch_kernel(where)
    initramfs = make_initramfs(where, root)
    kernel = glob.glob(root + "/boot/vmlinuz-*")[0]
    with tempfile.TemporaryDirectory(dir=where) as share:
        with open(share + "/command", "w") as f:
            f.write(f"cd {shlex.quote(os.getcwd())}\n{command}\n")
        with open(share + "/modules", "w") as f:
            f.write(glob.glob(root + "/lib/modules/*")[0])
        console = boot(kernel, initramfs, share, timeout, cpus)
        output, status = "", None
        if os.path.exists(share + "/output"):
            with open(share + "/output", errors="backslashreplace") as f:
                output = f.read()
        if os.path.exists(share + "/status"):
            with open(share + "/status") as f:
                status = int(f.read())
    if status is None:
        output += "\n".join(console.splitlines()[-PANIC_LINES:]) + "\n"
    return status, output


def main():
    if len(sys.argv) < 3:
        print("usage: vm.py BUILD COMMAND...", file=sys.stderr)
        sys.exit(2)
    status, output = run_in_guest(sys.argv[1], " ".join(sys.argv[2:]))
    print(output, end="")
    sys.exit(125 if status is None else status)


if __name__ == "__main__":
    main()
