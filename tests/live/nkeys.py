# SPDX-License-Identifier: BSD-2-Clause
"""Credentials of NATS, made by openssl(1): certificates, NKeys, and
files of credentials, which are tokens (JWT) that an operator and an account
have signed.

An NKey is a prefix, the bytes of an ed25519 key and a CRC, in base 32.
"""

import base64
import binascii
import json
import os
import subprocess
import time

OPERATOR, ACCOUNT, USER, SEED = 14 << 3, 0, 20 << 3, 18 << 3
CREDS = """-----BEGIN NATS USER JWT-----
%s
------END NATS USER JWT------

-----BEGIN USER NKEY SEED-----
%s
------END USER NKEY SEED------
"""


def openssl(*args, **kwargs):
    return subprocess.run(["openssl", *args], check=True, **kwargs,
                          stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL).stdout


def encode(raw):
    crc = binascii.crc_hqx(raw, 0).to_bytes(2, "little")
    return base64.b32encode(raw + crc).decode().rstrip("=")


def url64(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


class Key:
    """An NKey of this kind; files of its seed and of openssl's form."""

    def __init__(self, folder, name, kind=USER):
        self.pem = os.path.join(folder, name + ".pem")
        self.file = os.path.join(folder, name + ".nk")
        openssl("genpkey", "-algorithm", "ed25519", "-out", self.pem)
        # the DER forms end with the key
        seed = openssl("pkey", "-in", self.pem, "-outform", "DER")[-32:]
        public = openssl("pkey", "-in", self.pem, "-pubout", "-outform",
                         "DER")[-32:]
        self.public = encode(bytes([kind]) + public)
        self.seed = encode(
            bytes([SEED | kind >> 5, (kind & 31) << 3]) + seed)
        with open(self.file, "w", encoding="ascii") as f:
            f.write(self.seed + "\n")

    def claim(self, subject, kind, **what):
        """A token by which this key says something of another."""
        now = int(time.time())
        parts = [{"typ": "JWT", "alg": "ed25519-nkey"},
                 {"jti": f"{kind}-{now}", "iat": now, "iss": self.public,
                  "name": kind, "sub": subject.public,
                  "nats": {"type": kind, "version": 2, **what}}]
        text = ".".join(url64(json.dumps(p).encode()) for p in parts)
        path = self.pem + ".text"
        with open(path, "w", encoding="ascii") as f:
            f.write(text)
        return text + "." + url64(openssl("pkeyutl", "-sign", "-rawin",
                                          "-inkey", self.pem, "-in", path))


class Operator:
    """An operator with one account; conf is the server's configuration."""

    def __init__(self, folder, name):
        self.folder = folder
        operator = Key(folder, name + "-operator", OPERATOR)
        self.account = Key(folder, name + "-account", ACCOUNT)
        none = dict.fromkeys(("subs", "data", "payload", "imports", "exports",
                              "conn", "leaf"), -1) | {"wildcards": True}
        claim = operator.claim(self.account, "account", limits=none)
        self.conf = (f"operator: {operator.claim(operator, 'operator')}\n"
                     "resolver: MEMORY\nresolver_preload: {\n"
                     f"  {self.account.public}: {claim}\n}}\n")

    def creds(self, name):
        """The path of a user's file of credentials."""
        user = Key(self.folder, name)
        limits = {"subs": -1, "data": -1, "payload": -1}
        path = os.path.join(self.folder, name + ".creds")
        with open(path, "w", encoding="ascii") as f:
            f.write(CREDS % (self.account.claim(user, "user", **limits),
                             user.seed))
        return path


class Authority:
    """Somebody who signs certificates; pem is its own."""

    def __init__(self, folder, name):
        self.folder = folder
        self.pem, self.key = (os.path.join(folder, name + end)
                              for end in (".crt", ".key"))
        openssl("req", "-x509", "-newkey", "ed25519", "-nodes", "-days", "2",
                "-subj", "/CN=" + name, "-keyout", self.key, "-out", self.pem)

    def sign(self, name, where):
        """The paths of a certificate for these names, and of its key."""
        pem, key, asked = (os.path.join(self.folder, name + end)
                           for end in (".crt", ".key", ".csr"))
        openssl("req", "-newkey", "ed25519", "-nodes", "-subj", "/CN=" + name,
                "-addext", "subjectAltName=" + where, "-keyout", key, "-out",
                asked)
        openssl("x509", "-req", "-in", asked, "-CA", self.pem, "-CAkey",
                self.key, "-days", "2", "-copy_extensions", "copy", "-out",
                pem)
        return pem, key
