#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Work of known size over NFS from this host to itself.

    nfs_loopback.py 3|4|recall

Exports a file system in memory, mounts it by that version, and lets a file
server's operations happen so many times as the cases say.  The kernel's server
asks user space which hosts and paths are exported: told in advance, by /proc.
What else it needs is here: a port mapper that agrees to everything, and for
version 3 a mount daemon that knows one file handle.
"""

import ctypes
import os
import socket
import struct
import subprocess
import sys
import threading
import time

EXPORT, MOUNT = "/tmp/nfs.export", "/tmp/nfs.mount"
FOREVER = 2 ** 31 - 1
# linux/nfsd/export.h: insecure port, no subtree check, fsid=
FLAGS = 0x2 | 0x400 | 0x2000
NFSD, CACHES = "/proc/fs/nfsd", "/proc/net/rpc"
PORTMAP, MOUNTD = 111, 20048
MNT_DETACH = 2


def write(path, text):
    with open(path, "w", encoding="ascii") as f:
        f.write(text)


# ---- the daemons: RFC 5531 (RPC), RFC 1833, RFC 1813 appendix I -------------

def answer(call, handle):
    xid, _, _, program, _, procedure = struct.unpack(">6I", call[:24])
    accepted = struct.pack(">6I", xid, 1, 0, 0, 0, 0)
    if program == 100000 and procedure != 0:
        return accepted + struct.pack(">I", 1)
    if program == 100005 and procedure == 1:
        return accepted + struct.pack(">2I", 0, len(handle)) + handle + \
            struct.pack(">2I", 1, 1)
    return accepted


def converse(conn, handle):
    with conn:
        while len(mark := conn.recv(4, socket.MSG_WAITALL)) == 4:
            size = struct.unpack(">I", mark)[0] & 0x7fffffff
            reply = answer(conn.recv(size, socket.MSG_WAITALL), handle)
            conn.sendall(struct.pack(">I", 1 << 31 | len(reply)) + reply)


def accept(listener, handle):
    while True:
        conn, _ = listener.accept()
        threading.Thread(target=converse, args=(conn, handle),
                         daemon=True).start()


def listen(port, handle):
    listener = socket.create_server(("127.0.0.1", port))
    threading.Thread(target=accept, args=(listener, handle),
                     daemon=True).start()


# ---- the server -------------------------------------------------------------

def file_handle():
    fd = os.open(NFSD + "/filehandle", os.O_RDWR)
    os.write(fd, f"host {EXPORT} 64\n".encode())
    text = os.read(fd, 256).decode()
    os.close(fd)
    return bytes.fromhex(text.strip().removeprefix("\\x"))


def serve(versions):
    write(CACHES + "/auth.unix.ip/channel",
          f"nfsd 127.0.0.1 {FOREVER} host\n")
    write(CACHES + "/nfsd.export/channel",
          f"host {EXPORT} {FOREVER} {FLAGS} 65534 65534 0\n")
    write(CACHES + "/nfsd.fh/channel",
          f"host 1 \\x00000000 {FOREVER} {EXPORT}\n")
    handle = file_handle()
    for port in PORTMAP, MOUNTD:
        listen(port, handle)
    write(NFSD + "/versions", versions + "\n")
    write(NFSD + "/nfsv4leasetime", "10\n")
    write(NFSD + "/nfsv4gracetime", "10\n")
    write(NFSD + "/portlist", "tcp 2049\n")
    write(NFSD + "/threads", "1\n")
    write(NFSD + "/v4_end_grace", "Y\n")


def mount(kind, source, target, options):
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mount(source.encode(), target.encode(), kind.encode(), 0,
                  options.encode()) != 0:
        raise OSError(ctypes.get_errno(), "mount " + kind)


def umount(target, flags=0):
    if ctypes.CDLL(None).umount2(target.encode(), flags) != 0:
        raise OSError("umount " + target)


def mount_export(version, more):
    options = "addr=127.0.0.1,proto=tcp,sec=sys,noac,lookupcache=none," \
        "rsize=4096,wsize=4096" + more
    if version == "3":
        mount("nfs", "127.0.0.1:" + EXPORT, MOUNT, options +
              ",vers=3,nolock,port=2049,mountaddr=127.0.0.1,mountproto=tcp,"
              f"mountport={MOUNTD}")
    else:
        mount("nfs4", "127.0.0.1:/", MOUNT, options +
              ",vers=4.0,clientaddr=127.0.0.1")


# ---- the work ---------------------------------------------------------------

def work():
    os.mkdir("dir")
    os.mkdir("other")
    os.rmdir("other")
    fd = os.open("file", os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o644)
    os.write(fd, b"hello")
    os.fsync(fd)
    os.pwrite(fd, bytes(8192), 0)
    os.fsync(fd)
    os.close(fd)
    os.chmod("file", 0o600)
    os.symlink("file", "link")
    os.readlink("there")
    os.link("file", "hard")
    os.mkfifo("fifo")
    os.rename("hard", "dir/hard")
    os.remove("fifo")
    os.remove("link")
    os.listdir("dir")
    os.statvfs(".")
    with open("ready", "rb", buffering=0) as f:
        f.read(100)
    os.access("ready", os.R_OK)


# ---- what Linux's client does not ask for: RFC 7530 -------------------------

def words(*values):
    return struct.pack(f">{len(values)}I", *values)


PUTROOTFH = words(24)
NOBODY = bytes(7) + b"\1"              # a client that the server does not know
OWNER = NOBODY + words(4) + b"me42"
STATE = words(1) + 12 * b"Z"           # of no open file
DIRECTORY = words(1, 1 << 1, 4, 2)     # attributes: the type is 2
ALL = bytes(8) + 8 * b"\xff"
RARE = {
    "delegreturn": words(8) + STATE,
    "lock": words(12, 1, 0) + ALL + words(0) + STATE + words(1),
    "lockt": words(13, 1) + ALL + OWNER,
    "locku": words(14, 1, 1) + STATE + ALL,
    "lookupp": words(16),
    "nverify": words(17) + DIRECTORY,
    "open_downgrade": words(21) + STATE + words(1, 1, 0),
    "renew": words(30) + NOBODY,
    "secinfo": words(33, 5) + b"ready\0\0\0",
    "verify": words(37) + DIRECTORY,
    "release_lockowner": words(39) + OWNER,
}


def ask_rarely():
    """Each once, in a COMPOUND of its own: behind what fails nothing runs."""
    with socket.create_connection(("127.0.0.1", 2049)) as conn:
        for xid, operation in enumerate(RARE.values(), 1):
            call = words(xid, 0, 2, 100003, 4, 1, 1, 20, 0, 0, 0, 0, 0, 0, 0,
                         0, 0, 2) + PUTROOTFH + operation
            conn.sendall(words(1 << 31 | len(call)) + call)
            mark, = struct.unpack(">I", conn.recv(4, socket.MSG_WAITALL))
            conn.recv(mark & 0x7fffffff, socket.MSG_WAITALL)


def recall():
    """A delegation to read, which the server wants back when the file is to be
    written.  An owner's first opening is for nothing but to be known."""
    with open("ready", "rb"):
        pass
    with open("ready", "rb"):
        with open(EXPORT + "/ready", "r+b"):
            pass


def main():
    version = sys.argv[1].replace("recall", "4")
    for folder in EXPORT, MOUNT, "/var/lib/nfs/v4recovery":
        os.makedirs(folder, exist_ok=True)
    mount("nfsd", "nfsd", NFSD, "")
    mount("tmpfs", "none", EXPORT, "")
    write(EXPORT + "/ready", "what was there before\n")
    os.symlink("ready", EXPORT + "/there")
    # without version 3 there is no lockd, in whose first 50 seconds nobody gets
    # a delegation
    serve("-2 -3 +4" if sys.argv[1] == "recall" else "+3 +4")
    mount_export(version, "")
    os.chdir(MOUNT)
    if sys.argv[1] == "recall":
        recall()
    else:
        work()
    os.chdir("/")
    umount(MOUNT)
    mount_export(version, ",nordirplus")
    os.listdir(MOUNT)
    umount(MOUNT)
    if sys.argv[1] == "4":
        ask_rarely()
    time.sleep(0.2)
    write(NFSD + "/threads", "0\n")
    umount(EXPORT, MNT_DETACH)  # the server's caches know it yet
    umount(NFSD)


main()
