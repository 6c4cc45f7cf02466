/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Requests of a fleet: any bytes are refused with a message, or are a request
 * that seals to the same bytes again, since there is one encoding.
 *
 * If the first byte of the input is not 0, the rest are the fields of a request
 * that an author signs: variations reach the decoder.  Else the rest is the
 * whole request.  A reader without a policy takes what a host takes, and more.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "fleet/policy.h"
#include "fleet/request.h"
#include "fleet/request_impl.h"
#include "fleet/sodium_lib.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct fl_key key;
static struct fl_policy *policy;
static const struct na_lib *na;

static void
set_up(void)
{
	static const uint8_t seed[32] = { 1 };
	struct err err = { 0 };
	char public[FL_PUBLIC_TEXT];
	struct strbuf sb = { 0 };

	na = na_lib(&err);
	if (na == NULL)
		abort();
	na->crypto_sign_ed25519_seed_keypair(key.public, key.secret, seed);
	if (fl_public_format(key.public, public, &err) != 0)
		abort();
	strbuf_printf(&sb,
	    "author a\nkey %s\nhosts *\nproviders *\ndestructive yes\n",
	    public);
	policy = fl_policy_parse("policy", sb.s, sb.len, &err);
	if (policy == NULL)
		abort();
	strbuf_fini(&sb);
}

static void
make(const uint8_t *fields, size_t n, struct strbuf *out)
{
	uint8_t signature[FL_SIGNATURE_SIZE];

	strbuf_add(out, FL_MAGIC, FL_MAGIC_SIZE);
	strbuf_add(out, key.public, FL_PUBLIC_SIZE);
	strbuf_add(out, fields, n);
	na->crypto_sign_ed25519_detached(
	    signature, NULL, (const uint8_t *)out->s, out->len, key.secret);
	strbuf_add(out, signature, sizeof(signature));
}

/* The fields of an accepted request encode to what was decoded. */
static void
check_again(const struct fl_request *rq, const struct strbuf *bytes)
{
	struct strbuf again = { 0 };
	struct err err = { 0 };
	size_t n = bytes->len - FL_HEAD_SIZE - FL_SIGNATURE_SIZE;
	char hash[FL_HASH_TEXT];

	if (fl_request_encode(rq, &again, &err) != 0 || again.len != n ||
	    memcmp(again.s, bytes->s + FL_HEAD_SIZE, n) != 0 ||
	    fl_request_hash(rq, hash, &err) != 0)
		abort();
	strbuf_fini(&again);
}

/* A reader that knows no author. */
static bool
peek(const struct strbuf *bytes)
{
	struct err err = { 0 };
	struct fl_request *rq = fl_request_peek(bytes->s, bytes->len, &err);
	bool is_request = rq != NULL;

	if (is_request == err_is_set(&err))
		abort();
	if (rq != NULL)
		check_again(rq, bytes);
	fl_request_destroy(rq);
	err_clear(&err);
	return is_request;
}

static void
open_at(const struct strbuf *bytes, uint64_t now_ns)
{
	struct fl_pair label = { "role", "db" };
	struct fl_host me = { .name = "db1", .labels = { &label, 1 } };
	struct err err = { 0 };
	struct fl_request *rq =
	    fl_request_open(bytes->s, bytes->len, policy, &me, now_ns, &err);

	if ((rq == NULL) != err_is_set(&err) ||
	    (rq == NULL && *err_text(&err) == '\0'))
		abort();
	if (rq != NULL)
		check_again(rq, bytes);
	if (!peek(bytes) && rq != NULL)
		abort();
	fl_request_destroy(rq);
	err_clear(&err);
}

/* The request's own time of issue, where the decoder expects it. */
static uint64_t
issue_time(const uint8_t *data, size_t size)
{
	size_t at = 1 + 6 + FL_ID_SIZE + 6;
	uint64_t t = 0;

	if (size >= at + sizeof(t))
		memcpy(&t, data + at, sizeof(t));
	return t;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct strbuf bytes = { 0 };

	if (policy == NULL)
		set_up();
	if (size == 0)
		return 0;
	if (data[0] != 0)
		make(data + 1, size - 1, &bytes);
	else
		strbuf_add(&bytes, data + 1, size - 1);
	strbuf_room(&bytes, 1);
	open_at(&bytes, issue_time(data, size));
	strbuf_fini(&bytes);
	return 0;
}
