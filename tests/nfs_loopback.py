#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Work of known size over NFS from this host to itself.

    nfs_loopback.py 3|4|recall|raw3|raw4|ipv6

Exports a file system in memory, mounts it by that version, and causes each
operation of the file server as often as the cases say; or calls the server
itself, without the kernel's client.  The kernel's server asks user space which
hosts and paths are exported; the script tells it in advance, through /proc.
The script also has the daemons that the server needs: a port mapper that
agrees to everything, and for version 3 a mount daemon that knows one file
handle.
"""

import ctypes
import errno
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


def end_grace():
    """End the grace period; newer kernels refuse if it has ended."""
    try:
        write(NFSD + "/v4_end_grace", "Y\n")
    except OSError as e:
        if e.errno != errno.EBUSY:
            raise


def serve(versions):
    for address in "127.0.0.1", "::1":
        write(CACHES + "/auth.unix.ip/channel",
              f"nfsd {address} {FOREVER} host\n")
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
    end_grace()
    return handle


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


# ---- calls by hand: RFC 1813, RFC 7530 --------------------------------------

def words(*values):
    return struct.pack(f">{len(values)}I", *values)


def opaque(data):
    return words(len(data)) + data + bytes(-len(data) % 4)


def found(answer, at):
    """The opaque data at an offset."""
    size, = struct.unpack_from(">I", answer, at)
    return answer[at:at + 4 + size]


class Caller:
    """Makes calls one after the other, each with its own number."""

    def __init__(self, address="127.0.0.1"):
        self.conn = socket.create_connection((address, 2049))
        self.xid = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.conn.close()

    def call(self, version, procedure, arguments=b"", flavor=1):
        """The answer behind its header, if it was accepted.

        Flavor 1: the user is root, of a host without a name."""
        self.xid += 1
        message = words(self.xid, 0, 2, 100003, version, procedure, flavor,
                        20, 0, 0, 0, 0, 0, 0, 0) + arguments
        self.conn.sendall(words(1 << 31 | len(message)) + message)
        mark, = struct.unpack(">I", self.conn.recv(4, socket.MSG_WAITALL))
        return self.conn.recv(mark & 0x7fffffff, socket.MSG_WAITALL)[24:]

    def again(self, *args):
        self.xid -= 1
        return self.call(*args)

    def compound(self, *operations):
        return self.call(4, 1, words(0, 0, len(operations)) +
                         b"".join(operations))


PUTROOTFH = words(24)
NOBODY = bytes(7) + b"\1"              # an unknown client id
OWNER = NOBODY + words(4) + b"me42"
STATE = words(1) + 12 * b"Z"           # the state id of no open file
DIRECTORY = words(1, 1 << 1, 4, 2)     # attributes: of type 2
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
    """Call operations that Linux's client never calls.

    Each has a COMPOUND of its own: after a failure, no operation runs."""
    with Caller() as server:
        for operation in RARE.values():
            server.compound(PUTROOTFH, operation)


def ask3(handle):
    """Call operations of version 3.

    The server answers the last two calls, but does not start them: it
    accepts no handle of 99 bytes and no unknown flavor."""
    root = opaque(handle)
    new = opaque(b"new") + words(0, 1, 0o644, 0, 0, 0, 0, 0)
    with Caller() as server:
        server.call(3, 0)
        server.call(3, 1, root)
        ready = found(server.call(3, 3, root + opaque(b"ready")), 4)
        server.call(3, 3, root + opaque(b"absent"))
        server.call(3, 4, ready + words(0x15))
        server.call(3, 6, ready + words(0, 5, 100))
        server.call(3, 8, root + new)
        made = found(server.again(3, 8, root + new), 8)
        server.call(3, 7, made + words(0, 3, 6, 2) + opaque(b"abcdef"))
        server.call(3, 21, made + words(0, 2, 7))
        server.call(3, 17, root + bytes(16) + words(512, 4096))
        for procedure in 18, 19, 20:
            server.call(3, procedure, root)
        server.call(3, 1, words(99))
        server.call(3, 1, root, flavor=99)


def ask4():
    """Call operations of version 4.

    The server refuses some before they run: one that needs a file handle
    and has none, one that it does not implement, an unknown one.  It
    repeats its answer to the confirmation of an opened file.  It starts
    neither a truncated COMPOUND nor one with an unknown flavor."""
    lookup = words(15) + opaque(b"ready")
    read = words(25) + bytes(16) + words(0, 5, 100)
    with Caller() as server:
        server.call(4, 0)
        root = found(server.compound(PUTROOTFH, words(10),
                                     words(9, 1, 1 << 1)), 28)
        server.compound(words(22) + root, words(10))
        server.compound(PUTROOTFH, lookup, words(3, 0x15), words(32),
                        words(31), words(10), read)
        server.compound(PUTROOTFH, lookup, words(38) + bytes(16) +
                        words(0, 3, 2) + opaque(b"abcdef"), words(5, 0, 2, 7))
        server.compound(words(23), words(9, 1, 1 << 1))
        server.compound(read, words(10))
        server.compound(PUTROOTFH, words(15) + opaque(b"absent"))
        server.compound(PUTROOTFH, words(15, 99))
        server.compound(PUTROOTFH, words(19, 1))
        server.compound(words(7) + NOBODY)
        server.compound(words(30) + NOBODY)

        known = server.compound(words(35) + bytes(8) + opaque(b"me") +
                                words(0x40000000) + opaque(b"tcp") +
                                opaque(b"0.0.0.0.0.0") + words(0))[20:36]
        server.compound(words(36) + known)
        server.compound(words(30) + known[:8])
        opened = server.compound(PUTROOTFH, words(18, 1, 1, 0) + known[:8] +
                                 opaque(b"owner") + words(0, 0) +
                                 opaque(b"ready"))[28:44]
        confirm = words(20) + opened + words(2)
        confirmed = server.compound(PUTROOTFH, lookup, confirm)[36:52]
        server.compound(PUTROOTFH, lookup, confirm)
        server.compound(PUTROOTFH, lookup, words(4, 3) + confirmed)

        server.call(4, 1, b"\0\0")
        server.call(4, 1, words(0, 0, 0), flavor=99)


def ask_ipv6(handle):
    with Caller("::1") as server:
        server.call(3, 1, opaque(handle))
        server.compound(PUTROOTFH)


def recall():
    """Get a read delegation, which the server recalls when the file is to be
    written.

    The first opening only makes the owner known."""
    with open("ready", "rb"):
        pass
    with open("ready", "rb"):
        with open(EXPORT + "/ready", "r+b"):
            pass


def mount_and_work(what):
    version = what.replace("recall", "4")
    mount_export(version, "")
    os.chdir(MOUNT)
    if what == "recall":
        recall()
    else:
        work()
    os.chdir("/")
    umount(MOUNT)
    mount_export(version, ",nordirplus")
    os.listdir(MOUNT)
    umount(MOUNT)
    if what == "4":
        ask_rarely()


def main():
    what = sys.argv[1]
    for folder in EXPORT, MOUNT, "/var/lib/nfs/v4recovery":
        os.makedirs(folder, exist_ok=True)
    mount("nfsd", "nfsd", NFSD, "")
    mount("tmpfs", "none", EXPORT, "")
    write(EXPORT + "/ready", "what was there before\n")
    os.symlink("ready", EXPORT + "/there")
    # without version 3 there is no lockd, whose first 50 seconds forbid
    # delegations
    handle = serve("-2 -3 +4" if what == "recall" else "+3 +4")
    if what == "raw3":
        ask3(handle)
    elif what == "raw4":
        ask4()
    elif what == "ipv6":
        ask_ipv6(handle)
    else:
        mount_and_work(what)
    time.sleep(0.2)
    write(NFSD + "/threads", "0\n")
    umount(EXPORT, MNT_DETACH)  # the server's caches still have the export
    umount(NFSD)


main()
