/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A file with a private key is one line:
 *
 *	dtrace-fleet-private BASE64-OF-THE-SEED
 *
 * The seed is what ed25519 derives both keys from.
 */
#include "fleet/key.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/regular.h"
#include "fleet/sodium_lib.h"

#define WORD "dtrace-fleet-private "
#define SEED_TEXT FL_PUBLIC_TEXT /* as many bytes as a public key */
#define FILE_SIZE (sizeof(WORD) - 1 + SEED_TEXT) /* '\n' for the NUL */

_Static_assert(crypto_sign_ed25519_SEEDBYTES == FL_PUBLIC_SIZE, "one form");
_Static_assert(crypto_sign_ed25519_PUBLICKEYBYTES == FL_PUBLIC_SIZE, "public");
_Static_assert(crypto_sign_ed25519_SECRETKEYBYTES == FL_SECRET_SIZE, "secret");
_Static_assert(sodium_base64_ENCODED_LEN(FL_PUBLIC_SIZE,
		   sodium_base64_VARIANT_ORIGINAL) == FL_PUBLIC_TEXT,
    "base64");

/* ---- text --------------------------------------------------------------- */

static void
format(const struct na_lib *na, const uint8_t *bytes, char *text)
{
	na->sodium_bin2base64(text, FL_PUBLIC_TEXT, bytes, FL_PUBLIC_SIZE,
	    sodium_base64_VARIANT_ORIGINAL);
}

/* False: not the base64 of 32 bytes. */
static bool
parse(const struct na_lib *na, const char *text, size_t len, uint8_t *bytes)
{
	char again[FL_PUBLIC_TEXT];
	size_t n;

	if (len != FL_PUBLIC_TEXT - 1 ||
	    na->sodium_base642bin(bytes, FL_PUBLIC_SIZE, text, len, NULL, &n,
		NULL, sodium_base64_VARIANT_ORIGINAL) != 0 ||
	    n != FL_PUBLIC_SIZE)
		return false;
	format(na, bytes, again);
	return memcmp(again, text, len) == 0;
}

int
fl_public_format(const uint8_t public[FL_PUBLIC_SIZE],
    char text[FL_PUBLIC_TEXT], struct err *err)
{
	const struct na_lib *na = na_lib(err);

	if (na == NULL)
		return err->code;
	format(na, public, text);
	return 0;
}

int
fl_public_parse(
    const char *text, uint8_t public[FL_PUBLIC_SIZE], struct err *err)
{
	const struct na_lib *na = na_lib(err);

	if (na == NULL)
		return err->code;
	if (!parse(na, text, strlen(text), public))
		return err_set(err, -EINVAL,
		    "a public key is 44 characters of base64, as "
		    "dtraced --new-key prints it");
	return 0;
}

/* ---- files -------------------------------------------------------------- */

static int
write_seed(const char *path, const char *line, struct err *err)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	int rc = 0;

	if (fd < 0)
		return err_set(err, -errno, "%s: %s", path, strerror(errno));
	if (write(fd, line, FILE_SIZE) != (ssize_t)FILE_SIZE || fsync(fd) != 0)
		rc = err_set(err, -EIO, "%s: the key cannot be written", path);
	close(fd);
	if (rc != 0)
		unlink(path);
	return rc;
}

int
fl_key_create(const char *path, struct fl_key *out, struct err *err)
{
	const struct na_lib *na = na_lib(err);
	uint8_t seed[FL_PUBLIC_SIZE];
	char line[FILE_SIZE + 1] = WORD;
	int rc;

	if (na == NULL)
		return err->code;
	na->randombytes_buf(seed, sizeof(seed));
	na->crypto_sign_ed25519_seed_keypair(out->public, out->secret, seed);
	format(na, seed, line + sizeof(WORD) - 1);
	line[FILE_SIZE - 1] = '\n';
	rc = write_seed(path, line, err);
	na->sodium_memzero(seed, sizeof(seed));
	na->sodium_memzero(line, sizeof(line));
	return rc;
}

static int
check_file(int fd, const char *path, struct err *err)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return err_set(err, -errno, "%s: %s", path, strerror(errno));
	if (st.st_uid != geteuid() && st.st_uid != 0)
		return err_set(err, -EACCES,
		    "%s: the private key belongs to another user: make a key "
		    "of your own with dtraced --new-key",
		    path);
	if ((st.st_mode & 077) != 0)
		return err_set(err, -EACCES,
		    "%s: others may read or write the private key (mode "
		    "%03o): chmod 600 it, or make a new one if they have",
		    path, (unsigned)(st.st_mode & 0777));
	return 0;
}

static int
read_seed(int fd, const char *path, const struct na_lib *na, struct fl_key *out,
    struct err *err)
{
	char line[FILE_SIZE + 1];
	uint8_t seed[FL_PUBLIC_SIZE];
	ssize_t n = read(fd, line, sizeof(line));
	int rc = 0;

	if (n == (ssize_t)FILE_SIZE && line[FILE_SIZE - 1] == '\n' &&
	    memcmp(line, WORD, sizeof(WORD) - 1) == 0 &&
	    parse(na, line + sizeof(WORD) - 1, SEED_TEXT - 1, seed))
		na->crypto_sign_ed25519_seed_keypair(
		    out->public, out->secret, seed);
	else
		rc = err_set(err, -EINVAL,
		    "%s is not a private key of dtraced --new-key", path);
	na->sodium_memzero(seed, sizeof(seed));
	na->sodium_memzero(line, sizeof(line));
	return rc;
}

int
fl_key_read(const char *path, struct fl_key *out, struct err *err)
{
	const struct na_lib *na = na_lib(err);
	int fd, rc;

	if (na == NULL)
		return err->code;
	fd = regular_open(path);
	if (fd == -ENOENT)
		return err_set(err, fd,
		    "there is no key %s: dtraced --new-key makes one", path);
	if (fd < 0)
		return err_set(err, fd, "%s: %s", path,
		    fd == -EINVAL ? "not a regular file" : strerror(-fd));
	rc = check_file(fd, path, err);
	if (rc == 0)
		rc = read_seed(fd, path, na, out, err);
	close(fd);
	return rc;
}

void
fl_key_fini(struct fl_key *key)
{
	explicit_bzero(key, sizeof(*key));
}
