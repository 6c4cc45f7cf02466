/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef FLEET_KEY_H
#define FLEET_KEY_H

/*
 * Keys of the fleet's authors: ed25519.  An author keeps a file with the
 * private key, which only the owner may read.  Policies have the public key.
 */
#include <stdint.h>

#include "base/err.h"

#define FL_PUBLIC_SIZE 32
#define FL_SECRET_SIZE 64
/* Bytes of a public key as text, with the NUL. */
#define FL_PUBLIC_TEXT 45

struct fl_key {
	uint8_t public[FL_PUBLIC_SIZE];
	uint8_t secret[FL_SECRET_SIZE]; /* libsodium's form: seed, public key */
};

/*
 * Create a key and write it into a new file of mode 0600.  A file that exists
 * is never replaced (-EEXIST).  A file that could not be written whole is
 * removed.
 */
CHECKED int fl_key_create(
    const char *path, struct fl_key *out, struct err *err);
/*
 * Read a private key.  Refused with -EACCES: a file that belongs to another
 * user than this one or root, or is open to others by its mode.
 */
CHECKED int fl_key_read(const char *path, struct fl_key *out, struct err *err);
/* Overwrite the key in memory. */
void fl_key_fini(struct fl_key *key);

/* The public key as base64, as in policies. */
CHECKED int fl_public_format(const uint8_t public[FL_PUBLIC_SIZE],
    char text[FL_PUBLIC_TEXT], struct err *err);
/* Only what fl_public_format() writes is accepted. */
CHECKED int fl_public_parse(
    const char *text, uint8_t public[FL_PUBLIC_SIZE], struct err *err);

#endif
