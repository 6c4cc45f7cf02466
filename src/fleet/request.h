/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef FLEET_REQUEST_H
#define FLEET_REQUEST_H

/*
 * Requests: what an author asks hosts to run, signed.
 *
 * The signature covers everything, also which hosts are meant: whoever carries
 * a request can change nothing in it, and cannot send it to others.  There is
 * one encoding of each request, and fl_request_open() accepts no other.
 *
 * The console:
 *
 *	struct fl_program prog = { FL_PROGRAM_NAME, text, strlen(text) };
 *	struct fl_pair opts[] = { { "quiet", NULL }, { "aggsize", "1m" } };
 *	const char *hosts[] = { "web*" };
 *	struct fl_request rq = { .hosts = { hosts, 1 },
 *		.programs = { &prog, 1 }, .options = { opts, 2 } };
 *
 *	if (fl_key_read(path, &key, &err) != 0 ||
 *	    fl_request_begin(&rq, now, now + FL_LIFE_NS, &err) != 0 ||
 *	    fl_request_seal(&rq, &key, &bytes, &n, &err) != 0)
 *		... err_text(&err)
 *	... send bytes, n ...
 *	free(bytes);
 *
 * The agent:
 *
 *	struct fl_host me = { .name = "web1", .labels = { labels, nlabels },
 *		.seen = seen };
 *
 *	rq = fl_request_open(bytes, n, policy, &me, now, &err);
 *	if (rq == NULL && err.code == -EHOSTUNREACH)
 *		... it is for other hosts: say nothing ...
 *	else if (rq == NULL)
 *		... answer and log err_text(&err) ...
 *	... fl_permit_begin(), compile, fl_permit_program() (permit/permit.h), run ...
 *	fl_request_destroy(rq);
 *
 * Times are CLOCK_REALTIME's in ns: hosts must have clocks that agree within
 * FL_SKEW_NS.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"
#include "fleet/key.h"

struct fl_author;
struct fl_policy;
struct fl_seen;

#define FL_ID_SIZE 16
#define FL_MERGERS_MAX 16 /* of a request */
/* Bytes of a request: below the payload that NATS takes by default, 1 MiB. */
#define FL_REQUEST_MAX (960U << 10)
#define FL_SECOND_NS 1000000000ULL
#define FL_SKEW_NS (30 * FL_SECOND_NS)
/*
 * The life of a request: hosts begin it within that time.  A detached run's is
 * the time until which hosts keep it running, at most a year.
 */
#define FL_LIFE_NS (300 * FL_SECOND_NS)
#define FL_DETACHED_LIFE_NS (366 * 86400 * FL_SECOND_NS)

/* Of flags.  A request with others is refused. */
#define FL_WANTS_DESTRUCTIVE 1U /* -w */
#define FL_WANTS_LIST 2U	/* -l: the probes are listed, nothing runs */
#define FL_WANTS_STOP 4U	/* --stop: a detached run ends; no programs */
#define FL_FLAGS (FL_WANTS_DESTRUCTIVE | FL_WANTS_LIST | FL_WANTS_STOP)

/* The part that a description with fewer than four parts begins with. */
enum fl_program_kind {
	FL_PROGRAM_DOF = 1,
	FL_PROGRAM_PROVIDER = 2, /* -P */
	FL_PROGRAM_MODULE = 3,	 /* -m */
	FL_PROGRAM_FUNCTION = 4, /* -f */
	FL_PROGRAM_NAME = 5,	 /* -n, -s */
};

struct fl_program {
	enum fl_program_kind kind;
	const char *bytes; /* D text without NUL, or DOF */
	size_t size;	   /* not 0 */
};

/*
 * A label or an option.  The name is not empty and has no '='.  The value NULL
 * is none, as dtrace_setopt() takes it.
 */
struct fl_pair {
	const char *name, *value;
};

/* Lists; fl_request_open() ends each with a NUL that n does not count. */
struct fl_texts {
	const char **v;
	size_t n;
};
struct fl_pairs {
	struct fl_pair *v;
	size_t n;
};
struct fl_programs {
	struct fl_program *v;
	size_t n;
};

/*
 * The caller owns all texts and lists that a request points to, except in a
 * request that fl_request_open() has returned.
 */
struct fl_request {
	uint8_t id[FL_ID_SIZE];
	uint64_t issued_ns, expires_ns;
	uint64_t flags;
	/*
	 * The request is for a host whose name one of the patterns matches and
	 * that has all of the labels (values are patterns, too).  Without
	 * patterns and labels it is for nobody: "*" is for all.
	 */
	struct fl_texts hosts;
	struct fl_pairs labels;
	struct fl_programs programs; /* at least one, without FL_WANTS_STOP */
	struct fl_pairs options;     /* of -x, without destructive */
	struct fl_texts args;	     /* $1, ... */
	const char *detached;	     /* --detach NAME, or NULL */
	/* FL_WANTS_STOP: the id of the detached run, 32 hex digits; or NULL */
	const char *stops;
	/* Names of mergers: hosts send their aggregations to no others.  A run
	 * that is detached, lists probes or stops another one has none. */
	struct fl_texts mergers;

	/* By fl_request_open() alone. */
	uint8_t author_key[FL_PUBLIC_SIZE];
	const struct fl_author *author; /* the policy has it */
	struct arena memory;
};

/* This host, as its agent knows it. */
struct fl_host {
	const char *name;
	struct fl_pairs labels;
	/* Requests that were accepted; NULL: replays are not noticed. */
	struct fl_seen *seen;
};

/* A new id and both times. */
CHECKED int fl_request_begin(struct fl_request *rq, uint64_t now_ns,
    uint64_t expires_ns, struct err *err);
/*
 * Encode and sign.  *bytes is malloced.  -EINVAL, -E2BIG: fl_request_open()
 * would refuse it; the text says why.
 */
CHECKED int fl_request_seal(const struct fl_request *rq,
    const struct fl_key *key, void **bytes, size_t *n, struct err *err);
/*
 * Decode, verify, and remember a request.  The bytes are hostile.  NULL with
 *
 *	-E2BIG		larger than FL_REQUEST_MAX
 *	-ENOKEY		the policy has no such author
 *	-EBADMSG	the signature is not the author's: bytes were changed
 *	-EINVAL		malformed
 *	-EKEYEXPIRED	the author's key, by the policy
 *	-ETIME		expired
 *	-ETIMEDOUT	from the future: a clock is wrong
 *	-EHOSTUNREACH	for other hosts
 *	-EACCES		the policy does not permit the author this host, or what
 *			the flags want
 *	-EALREADY	replayed
 *	-EBUSY, -EIO	the id cannot be remembered
 *
 * The checks are made in this order; an id is remembered after all others.  The
 * policy must outlive the request.
 */
CHECKED struct fl_request *fl_request_open(const void *bytes, size_t n,
    const struct fl_policy *policy, const struct fl_host *me, uint64_t now_ns,
    struct err *err);
/*
 * The same for a detached run that this host had accepted before its agent was
 * restarted: -EALREADY if it has not, or if fl_seen_end() was called.
 */
CHECKED struct fl_request *fl_request_resume(const void *bytes, size_t n,
    const struct fl_policy *policy, const struct fl_host *me, uint64_t now_ns,
    struct err *err);
/*
 * Verify and decode a request for a reader that runs nothing and has no policy:
 * who signed it is author_key, and author is NULL.  NULL with *err: it is none.
 */
CHECKED struct fl_request *fl_request_peek(
    const void *bytes, size_t n, struct err *err);
/*
 * Verify, decode and check a request for the merger of this name, as
 * fl_request_open() does for a host: -EHOSTUNREACH if the request does not name
 * the merger, -EACCES if the policy does not permit the author this merger,
 * which is one of its hosts.  No id is remembered: a merger runs nothing.
 */
CHECKED struct fl_request *fl_request_open_merger(const void *bytes, size_t n,
    const struct fl_policy *policy, const char *name, uint64_t now_ns,
    struct err *err);
/* A request of one of these, or NULL. */
void fl_request_destroy(struct fl_request *rq);

/* Is the host one of those that patterns and labels mean? */
bool fl_host_is_meant(const struct fl_host *host, const struct fl_texts *hosts,
    const struct fl_pairs *labels);

/* The name of a script in journals: the hash of its programs, 32 hex digits. */
#define FL_HASH_TEXT 33
CHECKED int fl_request_hash(
    const struct fl_request *rq, char text[FL_HASH_TEXT], struct err *err);

#endif
