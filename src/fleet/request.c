/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Seal and open requests.
 *
 * Any client of the server can send bytes.  So fl_request_open() looks the
 * author up first, which costs nothing; then it verifies the signature; and it
 * decodes only bytes that an author of the policy has signed.
 */
#include "fleet/request.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/glob.h"
#include "fleet/policy.h"
#include "fleet/request_impl.h"
#include "fleet/seen.h"
#include "fleet/sodium_lib.h"

_Static_assert(sizeof(FL_MAGIC) - 1 == FL_MAGIC_SIZE, "magic");
_Static_assert(crypto_sign_ed25519_BYTES == FL_SIGNATURE_SIZE, "signature");

/* ---- sealing ------------------------------------------------------------ */

int
fl_request_begin(struct fl_request *rq, uint64_t now_ns, uint64_t expires_ns,
    struct err *err)
{
	const struct na_lib *na = na_lib(err);

	if (na == NULL)
		return err->code;
	na->randombytes_buf(rq->id, sizeof(rq->id));
	rq->issued_ns = now_ns;
	rq->expires_ns = expires_ns;
	return 0;
}

static int
check_size(size_t n, struct err *err)
{
	if (n <= FL_REQUEST_MAX)
		return 0;
	return err_set(err, -E2BIG,
	    "the request has %zu bytes; at most %u are permitted: shorten the "
	    "script, or name fewer hosts",
	    n, FL_REQUEST_MAX);
}

static int
seal(const struct fl_request *rq, const struct fl_key *key, struct strbuf *out,
    const struct na_lib *na, struct err *err)
{
	uint8_t signature[FL_SIGNATURE_SIZE];
	int rc;

	strbuf_add(out, FL_MAGIC, FL_MAGIC_SIZE);
	strbuf_add(out, key->public, FL_PUBLIC_SIZE);
	rc = fl_request_encode(rq, out, err);
	if (rc == 0)
		rc = check_size(out->len + sizeof(signature), err);
	if (rc != 0)
		return rc;
	na->crypto_sign_ed25519_detached(
	    signature, NULL, (const uint8_t *)out->s, out->len, key->secret);
	strbuf_add(out, signature, sizeof(signature));
	return 0;
}

int
fl_request_seal(const struct fl_request *rq, const struct fl_key *key,
    void **bytes, size_t *n, struct err *err)
{
	const struct na_lib *na = na_lib(err);
	struct strbuf out = { 0 };
	int rc;

	if (na == NULL)
		return err->code;
	rc = seal(rq, key, &out, na, err);
	if (rc == 0) {
		*n = out.len;
		*bytes = strbuf_steal(&out);
	}
	strbuf_fini(&out);
	return rc;
}

/* ---- opening ------------------------------------------------------------ */

/* Is the signature that of this key? */
static bool
is_signed(const struct na_lib *na, const uint8_t *p, size_t n,
    const uint8_t key[FL_PUBLIC_SIZE])
{
	size_t signed_size = n - FL_SIGNATURE_SIZE;

	return na->crypto_sign_ed25519_verify_detached(
		   p + signed_size, p, signed_size, key) == 0;
}

/* Find the author of a request and verify the signature. */
static const struct fl_author *
verify(
    const uint8_t *p, size_t n, const struct fl_policy *policy, struct err *err)
{
	const struct na_lib *na = na_lib(err);
	const struct fl_author *author;

	if (na == NULL)
		return NULL;
	author = fl_policy_find(policy, p + FL_MAGIC_SIZE);
	if (author == NULL) {
		char text[FL_PUBLIC_TEXT];

		if (fl_public_format(p + FL_MAGIC_SIZE, text, err) == 0)
			err_set(err, -ENOKEY,
			    "the policy has no author with the key %s", text);
		return NULL;
	}
	if (is_signed(na, p, n, author->key))
		return author;
	err_set(err, -EBADMSG,
	    "the signature is not of %s: the request was changed or forged",
	    author->name);
	return NULL;
}

static int
check_frame(const uint8_t *p, size_t n, struct err *err)
{
	int rc = check_size(n, err);

	if (rc != 0)
		return rc;
	if (n < FL_HEAD_SIZE + FL_SIGNATURE_SIZE ||
	    memcmp(p, FL_MAGIC, FL_MAGIC_SIZE) != 0)
		return err_set(err, -EINVAL, "this is no request of dtrace");
	return 0;
}

static int
check_times(const struct fl_request *rq, uint64_t now_ns, struct err *err)
{
	uint64_t until_ns = rq->author->until_ns;

	if (until_ns != 0 && now_ns >= until_ns)
		return err_set(err, -EKEYEXPIRED,
		    "the key of %s has expired, by the policy",
		    rq->author->name);
	if (now_ns >= rq->expires_ns)
		return err_set(err, -ETIME,
		    "the request expired %llu s ago: send it again",
		    (unsigned long long)((now_ns - rq->expires_ns) /
			FL_SECOND_NS));
	if (rq->issued_ns > now_ns && rq->issued_ns - now_ns > FL_SKEW_NS)
		return err_set(err, -ETIMEDOUT,
		    "the request is from the future by %llu s: compare the "
		    "clocks of both machines",
		    (unsigned long long)((rq->issued_ns - now_ns) /
			FL_SECOND_NS));
	return 0;
}

static bool
has_label(const struct fl_host *host, const struct fl_pair *want)
{
	for (size_t i = 0; i < host->labels.n; i++) {
		const struct fl_pair *l = &host->labels.v[i];

		if (strcmp(l->name, want->name) == 0 &&
		    (want->value == NULL ||
			glob_match(
			    want->value, l->value != NULL ? l->value : "")))
			return true;
	}
	return false;
}

bool
fl_host_is_meant(const struct fl_host *host, const struct fl_texts *hosts,
    const struct fl_pairs *labels)
{
	bool is_named = hosts->n == 0 && labels->n != 0;

	for (size_t i = 0; i < hosts->n && !is_named; i++)
		is_named = glob_match(hosts->v[i], host->name);
	for (size_t i = 0; i < labels->n && is_named; i++)
		is_named = has_label(host, &labels->v[i]);
	return is_named;
}

/* Does the policy permit the author this host, and what the flags want? */
static int
check_author(
    const struct fl_request *rq, const struct fl_host *me, struct err *err)
{
	const struct fl_author *a = rq->author;

	if (!fl_policy_matches(a->hosts, me->name))
		return err_set(err, -EACCES,
		    "the policy does not permit %s to trace on %s", a->name,
		    me->name);
	if ((rq->flags & FL_WANTS_DESTRUCTIVE) != 0 && !a->is_destructive)
		return err_set(err, -EACCES,
		    "the policy does not permit %s destructive actions (-w)",
		    a->name);
	return 0;
}

static int
check(const struct fl_request *rq, const struct fl_host *me, uint64_t now_ns,
    struct err *err)
{
	int rc = check_times(rq, now_ns, err);

	if (rc == 0 && !fl_host_is_meant(me, &rq->hosts, &rq->labels))
		rc = err_set(err, -EHOSTUNREACH,
		    "the request is for other hosts than %s", me->name);
	return rc == 0 ? check_author(rq, me, err) : rc;
}

/* The fields of a request whose signature is right; NULL with *err. */
static struct fl_request *
decode(const uint8_t *bytes, size_t n, struct err *err)
{
	struct fl_request *rq = mem_alloc(sizeof(*rq));

	arena_init(&rq->memory);
	memcpy(rq->author_key, bytes + FL_MAGIC_SIZE, FL_PUBLIC_SIZE);
	if (fl_request_decode(bytes + FL_HEAD_SIZE,
		n - FL_HEAD_SIZE - FL_SIGNATURE_SIZE, rq, err) == 0)
		return rq;
	fl_request_destroy(rq);
	return NULL;
}

/* Verify and decode. */
static struct fl_request *
open_signed(const void *bytes, size_t n, const struct fl_policy *policy,
    struct err *err)
{
	const struct fl_author *author;
	struct fl_request *rq;

	if (check_frame(bytes, n, err) != 0)
		return NULL;
	author = verify(bytes, n, policy, err);
	if (author == NULL)
		return NULL;
	rq = decode(bytes, n, err);
	if (rq != NULL)
		rq->author = author;
	return rq;
}

/* Verify, decode and check; the id is the caller's. */
static struct fl_request *
open_checked(const void *bytes, size_t n, const struct fl_policy *policy,
    const struct fl_host *me, uint64_t now_ns, struct err *err)
{
	struct fl_request *rq = open_signed(bytes, n, policy, err);

	if (rq == NULL || check(rq, me, now_ns, err) == 0)
		return rq;
	fl_request_destroy(rq);
	return NULL;
}

struct fl_request *
fl_request_open(const void *bytes, size_t n, const struct fl_policy *policy,
    const struct fl_host *me, uint64_t now_ns, struct err *err)
{
	struct fl_request *rq = open_checked(bytes, n, policy, me, now_ns, err);

	if (rq == NULL || me->seen == NULL ||
	    fl_seen_add(me->seen, rq->id, rq->expires_ns, now_ns, err) == 0)
		return rq;
	fl_request_destroy(rq);
	return NULL;
}

struct fl_request *
fl_request_resume(const void *bytes, size_t n, const struct fl_policy *policy,
    const struct fl_host *me, uint64_t now_ns, struct err *err)
{
	struct fl_request *rq = open_checked(bytes, n, policy, me, now_ns, err);

	if (rq == NULL)
		return NULL;
	if (rq->detached == NULL || me->seen == NULL)
		err_set(err, -EALREADY, "only detached runs can be resumed");
	else if (fl_seen_resume(me->seen, rq->id, err) == 0)
		return rq;
	fl_request_destroy(rq);
	return NULL;
}

CHECKED static int
check_merger(const struct fl_request *rq, const char *name, uint64_t now_ns,
    struct err *err)
{
	bool is_named = false;
	int rc;

	for (size_t i = 0; i < rq->mergers.n; i++)
		is_named |= strcmp(rq->mergers.v[i], name) == 0;
	if (!is_named)
		return err_set(err, -EHOSTUNREACH,
		    "the request does not name the merger %s", name);
	rc = check_times(rq, now_ns, err);
	if (rc == 0 && !fl_policy_matches(rq->author->hosts, name))
		return err_set(err, -EACCES,
		    "the policy does not permit %s to merge on %s",
		    rq->author->name, name);
	return rc;
}

struct fl_request *
fl_request_open_merger(const void *bytes, size_t n,
    const struct fl_policy *policy, const char *name, uint64_t now_ns,
    struct err *err)
{
	struct fl_request *rq = open_signed(bytes, n, policy, err);

	if (rq == NULL || check_merger(rq, name, now_ns, err) == 0)
		return rq;
	fl_request_destroy(rq);
	return NULL;
}

struct fl_request *
fl_request_peek(const void *bytes, size_t n, struct err *err)
{
	const struct na_lib *na = na_lib(err);
	const uint8_t *p = bytes;

	if (na == NULL || check_frame(bytes, n, err) != 0)
		return NULL;
	if (is_signed(na, p, n, p + FL_MAGIC_SIZE))
		return decode(p, n, err);
	err_set(err, -EBADMSG, "the request is not signed by its author");
	return NULL;
}

void
fl_request_destroy(struct fl_request *rq)
{
	if (rq == NULL)
		return;
	arena_fini(&rq->memory);
	free(rq);
}

/* ---- names -------------------------------------------------------------- */

int
fl_request_hash(
    const struct fl_request *rq, char text[FL_HASH_TEXT], struct err *err)
{
	const struct na_lib *na = na_lib(err);
	uint8_t hash[FL_HASH_TEXT / 2];
	struct strbuf sb = { 0 };

	if (na == NULL)
		return err->code;
	for (size_t i = 0; i < rq->programs.n; i++) {
		const struct fl_program *p = &rq->programs.v[i];

		strbuf_addc(&sb, (char)p->kind);
		strbuf_add(&sb, &p->size, sizeof(p->size));
		strbuf_add(&sb, p->bytes, p->size);
	}
	na->crypto_generichash(
	    hash, sizeof(hash), (const uint8_t *)sb.s, sb.len, NULL, 0);
	for (size_t i = 0; i < sizeof(hash); i++)
		snprintf(text + 2 * i, 3, "%02x", hash[i]);
	strbuf_fini(&sb);
	return 0;
}
