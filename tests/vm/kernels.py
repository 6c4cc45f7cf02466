# SPDX-License-Identifier: BSD-2-Clause
"""Kernels of Debian's, for vm.py: downloaded once, unpacked, never installed.

A kernel has a name: a row of SUITES, or a suite of Debian's archive
("forky"), or a directory that has lib/modules and the image of its kernel.

apt-get finds and checks the packages in the archive of that suite, with its
own list of sources and its own state: this system's sources stay as they are.
The dependencies of linux-image-amd64 are the kernel: one package in Debian 12
and 13; in newer suites, linux-binary-* has the image, linux-modules-* the
modules and linux-base-* their metadata.
"""

import glob
import os
import re
import shutil
import subprocess
import tempfile

MIRROR = "http://deb.debian.org/debian"
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
SECURITY = "http://deb.debian.org/debian-security"
# "newest" is the newest one on the day of the download.
SUITES = {"6.1": "bookworm", "6.12": "trixie", "newest": "sid"}
SECURED = {"bookworm", "trixie"}
DEFAULT = "6.1"
META = "linux-image-amd64"
PARTS = re.compile(r"\blinux-(?:image|binary|modules|base)-\d[^\s,]*")
IMAGES = "/boot/vmlinuz-*", "/lib/modules/*/vmlinuz"
BUSYBOX = "/bin/busybox"


def run(*cmd, **kwargs):
    return subprocess.run(cmd, check=True, stdin=subprocess.DEVNULL, **kwargs)


class Unavailable(Exception):
    """A kernel or a package cannot be downloaded: there is no network, say."""


class Archive:
    """One suite, as apt sees it with a directory of its own."""

    def __init__(self, suite, where):
        self.suite, self.where = suite, where
        for name in "state/lists/partial", "cache/archives/partial":
            os.makedirs(os.path.join(where, name))
        with open(where + "/sources.list", "w") as f:
            f.writelines(f"deb [signed-by={KEYRING}] {source} main\n"
                         for source in self.sources(suite))
        with open(where + "/apt.conf", "w") as f:
            f.write(f'Dir::State "{where}/state";\n'
                    f'Dir::State::status "/dev/null";\n'
                    f'Dir::Cache "{where}/cache";\n'
                    f'Dir::Etc::sourcelist "{where}/sources.list";\n'
                    f'Dir::Etc::sourceparts "-";\n'
                    f'APT::Sandbox::User "root";\n'
                    f'Acquire::Languages "none";\n')
        self.apt("apt-get", "update", "-qq", "--error-on=any")

    @staticmethod
    def sources(suite):
        yield f"{MIRROR} {suite}"
        if suite in SECURED:
            yield f"{SECURITY} {suite}-security"

    def apt(self, *cmd):
        ran = subprocess.run(
            cmd, cwd=self.where, capture_output=True, text=True, check=False,
            stdin=subprocess.DEVNULL,
            env={**os.environ, "APT_CONFIG": self.where + "/apt.conf"})
        if ran.returncode != 0:
            last = ran.stderr.strip().split("\n")[-1]
            raise Unavailable(f"{' '.join(cmd[:2])}: {last}")
        return ran.stdout

    def depends(self, package):
        text = self.apt("apt-cache", "show", "--no-all-versions", package)
        line = re.search(r"^Depends: (.*)", text, re.M)
        return PARTS.findall(line.group(1)) if line else []

    def kernel(self):
        """Yields the packages that make up the newest kernel."""
        found = self.depends(META)
        for package in found:
            found += [p for p in self.depends(package) if p not in found]
        return found

    def unpack(self, packages, root):
        if not packages:
            raise Unavailable(f"no package {META} in {self.suite}")
        self.apt("apt-get", "download", "-qq", *packages)
        for deb in glob.glob(self.where + "/*.deb"):
            run("dpkg-deb", "-x", deb, root)


def move_from_usr(root):
    """Move modules to /lib; newer packages have them in /usr/lib."""
    if os.path.isdir(root + "/usr/lib/modules"):
        os.makedirs(root + "/lib", exist_ok=True)
        os.rename(root + "/usr/lib/modules", root + "/lib/modules")


def image(root):
    """The path of the kernel itself, or None."""
    return next((path for pattern in IMAGES
                 for path in glob.glob(root + pattern)), None)


def modules(root):
    return glob.glob(root + "/lib/modules/*")[0]


def version(root):
    return os.path.basename(modules(root))


def kernel_name():
    return os.environ.get("KERNEL") or DEFAULT


def fetch_kernel(where, name=None):
    """Download and unpack a kernel; returns its directory, or raises
    Unavailable."""
    name = name or kernel_name()
    if os.path.isdir(name):
        return name
    root = os.path.join(where, "kernel-" + name)
    if image(root):
        return root
    shutil.rmtree(root, ignore_errors=True)
    os.makedirs(where, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=where) as tmp:
        archive = Archive(SUITES.get(name, name), os.path.abspath(tmp))
        archive.unpack(archive.kernel(), tmp + "/kernel")
        move_from_usr(tmp + "/kernel")
        run(BUSYBOX, "depmod", "-b", tmp + "/kernel", version(tmp + "/kernel"))
        os.rename(tmp + "/kernel", root)
    return root
