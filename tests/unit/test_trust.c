/* SPDX-License-Identifier: BSD-2-Clause */
/* A host runs what its policy permits an author, once, and nothing else. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "fleet/policy.h"
#include "fleet/request.h"
#include "fleet/request_impl.h"
#include "fleet/seen.h"
#include "fleet/sodium_lib.h"

#define NOW (1800000000 * FL_SECOND_NS) /* 2027-01-15 */

/* ---- what the tests have in common -------------------------------------- */

struct world {
	char dir[64];
	struct fl_key alice, mallory;
	struct fl_policy *policy;
	struct fl_seen *seen;
};

static char *
path_of(const struct world *w, const char *name)
{
	return mem_printf("%s/%s", w->dir, name);
}

static void
make_key(const struct world *w, const char *name, struct fl_key *key)
{
	struct err err = { 0 };
	char *path = path_of(w, name);

	assert_int_equal(fl_key_create(path, key, &err), 0);
	free(path);
}

/* A policy that permits Alice everything but what `more` says. */
static struct fl_policy *
policy_of(const struct world *w, const char *more)
{
	struct err err = { 0 };
	char key[FL_PUBLIC_TEXT], *text;
	struct fl_policy *p;

	assert_int_equal(fl_public_format(w->alice.public, key, &err), 0);
	text = mem_printf("author alice\nkey %s\n%s", key, more);
	p = fl_policy_parse("policy", text, strlen(text), &err);
	assert_string_equal(err_text(&err), "");
	free(text);
	return p;
}

#define PERMITTED                                                              \
	"hosts web*\nproviders syscall\nsubstrates both\nduration 10m\n"       \
	"memory 64m\ncpu 2\n"

static int
set_up(void **state)
{
	struct world *w = mem_alloc(sizeof(*w));
	struct err err = { 0 };

	snprintf(w->dir, sizeof(w->dir), "/tmp/dtrace-trust-XXXXXX");
	assert_non_null(mkdtemp(w->dir));
	make_key(w, "alice", &w->alice);
	make_key(w, "mallory", &w->mallory);
	w->policy = policy_of(w, PERMITTED);
	w->seen = fl_seen_open(NULL, NOW, &err);
	*state = w;
	return 0;
}

static int
tear_down(void **state)
{
	static const char *const names[] = { "alice", "mallory",
		"accepted-requests", "file" };
	struct world *w = *state;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char *path = path_of(w, names[i]);

		unlink(path);
		free(path);
	}
	assert_int_equal(rmdir(w->dir), 0);
	fl_policy_destroy(w->policy);
	fl_seen_close(w->seen);
	free(w);
	return 0;
}

static const char text[] = "syscall:::entry { @[execname] = count(); }";
static struct fl_program programs[] = { { FL_PROGRAM_NAME, text,
					    sizeof(text) - 1 },
	{ FL_PROGRAM_DOF, "\177DOF\0\0", 6 } };
static const char *hosts[] = { "db1", "web*" };
static struct fl_pair labels[] = { { "role", "front*" } };
static struct fl_pair host_labels[] = { { "rack", "7" },
	{ "role", "frontend" } };
static struct fl_pair options[] = { { "quiet", NULL }, { "aggsize", "1m" },
	{ "units", "" } };
static const char *args[] = { "", "2" };

static struct fl_request
full_request(void)
{
	struct err err = { 0 };
	struct fl_request rq = { .hosts = { hosts, 2 },
		.labels = { labels, 1 },
		.programs = { programs, 2 },
		.options = { options, 3 },
		.args = { args, 2 },
		.detached = "night" };

	assert_int_equal(fl_request_begin(&rq, NOW, NOW + FL_LIFE_NS, &err), 0);
	return rq;
}

static struct fl_host
web1(struct world *w)
{
	return (struct fl_host){
		.name = "web1", .labels = { host_labels, 2 }, .seen = w->seen
	};
}

struct sealed {
	void *bytes;
	size_t n;
};

static struct sealed
seal(const struct fl_request *rq, const struct fl_key *key)
{
	struct err err = { 0 };
	struct sealed s = { 0 };

	assert_int_equal(fl_request_seal(rq, key, &s.bytes, &s.n, &err), 0);
	return s;
}

/* Open by a host; what is refused has this code and this text. */
static void
refused_by(struct world *w, struct fl_host me, struct sealed s, uint64_t now,
    int code, const char *why)
{
	struct err err = { 0 };
	struct fl_request *rq =
	    fl_request_open(s.bytes, s.n, w->policy, &me, now, &err);

	assert_null(rq);
	assert_int_equal(err.code, code);
	if (strstr(err_text(&err), why) == NULL)
		fail_msg("'%s' has no '%s'", err_text(&err), why);
	err_clear(&err);
}

static void
refused(
    struct world *w, struct sealed s, uint64_t now, int code, const char *why)
{
	refused_by(w, web1(w), s, now, code, why);
}

/* Seal what Alice asks for; web1 refuses it. */
static void
request_refused(struct world *w, const struct fl_request *rq, uint64_t now,
    int code, const char *why)
{
	struct sealed s = seal(rq, &w->alice);

	refused(w, s, now, code, why);
	free(s.bytes);
}

static void
accepted_by(struct world *w, struct fl_host me, const struct fl_request *rq)
{
	struct err err = { 0 };
	struct sealed s = seal(rq, &w->alice);
	struct fl_request *got =
	    fl_request_open(s.bytes, s.n, w->policy, &me, NOW, &err);

	if (got == NULL)
		fail_msg("refused: %s", err_text(&err));
	fl_request_destroy(got);
	free(s.bytes);
}

/* ---- requests ----------------------------------------------------------- */

static void
equal_pair(const struct fl_pair *a, const struct fl_pair *b)
{
	assert_string_equal(a->name, b->name);
	assert_int_equal(a->value == NULL, b->value == NULL);
	if (a->value != NULL)
		assert_string_equal(a->value, b->value);
}

static void
equal_lists(const struct fl_request *a, const struct fl_request *b)
{
	assert_int_equal(a->hosts.n, 2);
	assert_string_equal(a->hosts.v[1], b->hosts.v[1]);
	assert_null(a->hosts.v[2]);
	assert_int_equal(a->labels.n, 1);
	equal_pair(&a->labels.v[0], &b->labels.v[0]);
	assert_int_equal(a->options.n, 3);
	for (size_t i = 0; i < 3; i++)
		equal_pair(&a->options.v[i], &b->options.v[i]);
	assert_int_equal(a->args.n, 2);
	assert_string_equal(a->args.v[0], "");
	assert_string_equal(a->args.v[1], "2");
}

static void
equal_programs(const struct fl_request *a, const struct fl_request *b)
{
	assert_int_equal(a->programs.n, b->programs.n);
	for (size_t i = 0; i < a->programs.n; i++) {
		const struct fl_program *p = &a->programs.v[i];
		const struct fl_program *q = &b->programs.v[i];

		assert_int_equal(p->kind, q->kind);
		assert_int_equal(p->size, q->size);
		assert_memory_equal(p->bytes, q->bytes, p->size);
		assert_int_equal(p->bytes[p->size], 0);
	}
}

static void
opened_is_what_was_sealed(void **state)
{
	struct world *w = *state;
	struct err err = { 0 };
	struct fl_request rq = full_request(), *got;
	struct sealed s = seal(&rq, &w->alice);
	struct fl_host me = web1(w);

	got = fl_request_open(s.bytes, s.n, w->policy, &me, NOW, &err);
	assert_string_equal(err_text(&err), "");
	assert_non_null(got);
	assert_memory_equal(got->id, rq.id, FL_ID_SIZE);
	assert_int_equal(got->issued_ns, rq.issued_ns);
	assert_int_equal(got->expires_ns, rq.expires_ns);
	assert_int_equal(got->flags, 0);
	assert_string_equal(got->detached, "night");
	assert_string_equal(got->author->name, "alice");
	equal_lists(got, &rq);
	equal_programs(got, &rq);
	fl_request_destroy(got);
	free(s.bytes);
}

static void
no_bit_can_be_changed(void **state)
{
	struct world *w = *state;
	struct fl_request rq = full_request();
	struct sealed s = seal(&rq, &w->alice);
	struct fl_host me = web1(w);

	for (size_t bit = 0; bit < 8 * s.n; bit++) {
		struct err err = { 0 };
		uint8_t *byte = (uint8_t *)s.bytes + bit / 8;

		*byte ^= (uint8_t)(1 << bit % 8);
		if (fl_request_open(s.bytes, s.n, w->policy, &me, NOW, &err) !=
		    NULL)
			fail_msg("bit %zu can be changed", bit);
		assert_true(err.code == -EINVAL || err.code == -ENOKEY ||
		    err.code == -EBADMSG);
		err_clear(&err);
		*byte ^= (uint8_t)(1 << bit % 8);
	}
	/* None of these attempts has used up the id. */
	accepted_by(w, me, &rq);
	free(s.bytes);
}

static void
no_byte_can_be_cut_or_added(void **state)
{
	struct world *w = *state;
	struct fl_request rq = full_request();
	struct sealed s = seal(&rq, &w->alice), longer = s;

	for (size_t n = 0; n < s.n; n++) {
		struct err err = { 0 };
		struct fl_host me = web1(w);

		assert_null(
		    fl_request_open(s.bytes, n, w->policy, &me, NOW, &err));
		err_clear(&err);
	}
	longer.bytes = mem_alloc(s.n + 1);
	longer.n = s.n + 1;
	memcpy(longer.bytes, s.bytes, s.n);
	refused(w, longer, NOW, -EBADMSG, "changed or forged");
	free(longer.bytes);
	free(s.bytes);
}

static void
others_cannot_sign(void **state)
{
	struct world *w = *state;
	struct fl_request rq = full_request();
	struct sealed s = seal(&rq, &w->mallory);

	refused(w, s, NOW, -ENOKEY, "no author with the key ");
	/* Mallory claims to be Alice. */
	memcpy(
	    (char *)s.bytes + FL_MAGIC_SIZE, w->alice.public, FL_PUBLIC_SIZE);
	refused(w, s, NOW, -EBADMSG, "the signature is not of alice");
	free(s.bytes);
}

static void
times_are_kept(void **state)
{
	struct world *w = *state;
	struct fl_request rq = full_request();

	rq.detached = NULL;
	request_refused(w, &rq, NOW + FL_LIFE_NS, -ETIME, "expired 0 s ago");
	request_refused(w, &rq, NOW + FL_LIFE_NS + 7 * FL_SECOND_NS, -ETIME,
	    "expired 7 s ago");
	request_refused(w, &rq, NOW - FL_SKEW_NS - 1, -ETIMEDOUT,
	    "from the future by 30 s");
	accepted_by(w, web1(w), &rq);
}

static void
lives_are_bounded(void **state)
{
	struct world *w = *state;
	struct err err = { 0 };
	struct fl_request rq = full_request();
	void *bytes;
	size_t n;

	rq.expires_ns = NOW + FL_LIFE_NS + 1;
	rq.detached = NULL;
	assert_int_equal(
	    fl_request_seal(&rq, &w->alice, &bytes, &n, &err), -EINVAL);
	rq.detached = "night";
	accepted_by(w, web1(w), &rq);
	rq.expires_ns = rq.issued_ns;
	assert_int_equal(
	    fl_request_seal(&rq, &w->alice, &bytes, &n, &err), -EINVAL);
	err_clear(&err);
}

static void
keys_expire(void **state)
{
	struct world *w = *state;
	struct fl_request rq = full_request();

	fl_policy_destroy(w->policy);
	w->policy = policy_of(w, PERMITTED "until 2027-01-14\n");
	request_refused(w, &rq, NOW, -EKEYEXPIRED, "the key of alice has");
	fl_policy_destroy(w->policy);
	w->policy = policy_of(w, PERMITTED "until 2027-01-15\n");
	accepted_by(w, web1(w), &rq);
}

static void
other_hosts_refuse(void **state)
{
	struct world *w = *state;
	struct fl_request rq = full_request();
	struct sealed s = seal(&rq, &w->alice);
	struct fl_host me = web1(w);

	me.name = "db2";
	refused_by(w, me, s, NOW, -EHOSTUNREACH, "other hosts than db2");
	me = web1(w);
	me.labels.n = 1;
	refused_by(w, me, s, NOW, -EHOSTUNREACH, "other hosts than web1");
	/* Meant, but the policy permits Alice only web*. */
	me = web1(w);
	me.name = "db1";
	refused_by(
	    w, me, s, NOW, -EACCES, "does not permit alice to trace on db1");
	free(s.bytes);
}

static void
labels_alone_name_hosts(void **state)
{
	struct world *w = *state;
	struct fl_pair bare = { "rack", NULL };
	struct fl_request rq = full_request();

	rq.hosts.n = 0;
	accepted_by(w, web1(w), &rq);
	rq = full_request();
	rq.labels = (struct fl_pairs){ &bare, 1 };
	accepted_by(w, web1(w), &rq);
	rq = full_request();
	bare.name = "rac";
	rq.labels = (struct fl_pairs){ &bare, 1 };
	request_refused(w, &rq, NOW, -EHOSTUNREACH, "other hosts");
}

static void
destructive_must_be_permitted(void **state)
{
	struct world *w = *state;
	struct fl_request rq = full_request();

	rq.flags = FL_WANTS_DESTRUCTIVE;
	request_refused(w, &rq, NOW, -EACCES, "destructive");
	fl_policy_destroy(w->policy);
	w->policy = policy_of(w, PERMITTED "destructive yes\n");
	accepted_by(w, web1(w), &rq);
}

static void
replays_are_refused(void **state)
{
	struct world *w = *state;
	struct fl_request rq = full_request();

	accepted_by(w, web1(w), &rq);
	request_refused(w, &rq, NOW, -EALREADY, "replay");
	request_refused(w, &rq, NOW + FL_LIFE_NS - 1, -EALREADY, "replay");
}

/* The bytes that an author signs need not be well formed. */
static struct sealed
seal_bytes(const struct world *w, const void *fields, size_t n)
{
	struct strbuf sb = { 0 };
	struct err err = { 0 };
	uint8_t signature[FL_SIGNATURE_SIZE];

	strbuf_add(&sb, FL_MAGIC, FL_MAGIC_SIZE);
	strbuf_add(&sb, w->alice.public, FL_PUBLIC_SIZE);
	strbuf_add(&sb, fields, n);
	na_lib(&err)->crypto_sign_ed25519_detached(
	    signature, NULL, (const uint8_t *)sb.s, sb.len, w->alice.secret);
	strbuf_add(&sb, signature, sizeof(signature));
	return (struct sealed){ sb.s, sb.len };
}

struct bad_field {
	uint16_t number;
	uint32_t len; /* that the field claims */
	const char *bytes;
	size_t n;
	int code;
	const char *why;
};

static const struct bad_field bad_fields[] = {
	{ 13, 1, "x", 1, -EINVAL, "unknown field 13" },
	{ 12, 1, "x", 1, -EINVAL, "has mergers, and is detached" },
	{ 11, 1, "x", 1, -EINVAL, "names none, or does more" },
	{ 0, 1, "x", 1, -EINVAL, "unknown field 0" },
	{ 9, 1, "x", 1, -EINVAL, "wrong order" },
	{ 10, 5, "again", 5, -E2BIG, "too many fields 'name of the detached" },
	{ 10, 2, "x", 1, -EINVAL, "cut off" },
	{ 10, UINT32_MAX, "x", 1, -EINVAL, "cut off" },
	{ 10, 0, "", 0, -EINVAL, "is empty" },
	{ 10, 3, "a\0b", 3, -EINVAL, "zero byte" },
};

static void
append_field(struct strbuf *sb, const struct bad_field *f)
{
	strbuf_add(sb, &f->number, sizeof(f->number));
	strbuf_add(sb, &f->len, sizeof(f->len));
	strbuf_add(sb, f->bytes, f->n);
}

static void
malformed_fields_are_refused(void **state)
{
	struct world *w = *state;
	struct err err = { 0 };
	struct fl_request rq = full_request();

	for (size_t i = 0; i < sizeof(bad_fields) / sizeof(bad_fields[0]);
	     i++) {
		struct strbuf sb = { 0 };
		struct sealed s;

		assert_int_equal(fl_request_encode(&rq, &sb, &err), 0);
		append_field(&sb, &bad_fields[i]);
		s = seal_bytes(w, sb.s, sb.len);
		refused(w, s, NOW, bad_fields[i].code, bad_fields[i].why);
		free(s.bytes);
		strbuf_fini(&sb);
	}
}

/* The forms of a request that none can seal. */
static void
cannot_seal(const struct fl_request *rq, const char *why)
{
	struct err err = { 0 };
	struct strbuf sb = { 0 };

	assert_int_not_equal(fl_request_encode(rq, &sb, &err), 0);
	if (strstr(err_text(&err), why) == NULL)
		fail_msg("'%s' has no '%s'", err_text(&err), why);
	err_clear(&err);
	strbuf_fini(&sb);
}

static void
bad_lists_are_not_sealed(void **state)
{
	struct fl_request rq = full_request();
	struct fl_pair pair = { "a=b", "c" };
	const char *nothing = "";

	(void)state;
	rq.options = (struct fl_pairs){ &pair, 1 };
	cannot_seal(&rq, "option 'a=b' has a '='");
	pair.name = "";
	cannot_seal(&rq, "option has no name");
	rq = full_request();
	rq.hosts = (struct fl_texts){ &nothing, 1 };
	cannot_seal(&rq, "host pattern is empty");
	rq.hosts.n = rq.labels.n = 0;
	cannot_seal(&rq, "for no host");
	rq = full_request();
	rq.flags = 8;
	cannot_seal(&rq, "unknown flags 0x8");
}

static void
bad_programs_are_not_sealed(void **state)
{
	struct fl_request rq = full_request();
	struct fl_program bad = { FL_PROGRAM_NAME, "BEGIN\0", 6 };

	(void)state;
	rq.programs.n = 0;
	cannot_seal(&rq, "no program");
	rq.programs = (struct fl_programs){ &bad, 1 };
	cannot_seal(&rq, "zero byte in its text");
	bad = (struct fl_program){ (enum fl_program_kind)6, "x", 1 };
	cannot_seal(&rq, "unknown kind");
	bad = (struct fl_program){ FL_PROGRAM_DOF, "", 0 };
	cannot_seal(&rq, "is empty");
}

static struct fl_request
stop_request(void)
{
	struct fl_request rq = full_request();

	rq.programs.n = 0;
	rq.flags = FL_WANTS_STOP;
	rq.stops = "00112233445566778899aabbccddeeff";
	return rq;
}

static void
stops_name_a_run_and_run_nothing(void **state)
{
	struct world *w = *state;
	struct fl_request rq = stop_request();
	struct sealed s = seal(&rq, &w->alice);
	struct fl_host me = web1(w);
	struct err err = { 0 };
	struct fl_request *got =
	    fl_request_open(s.bytes, s.n, w->policy, &me, NOW, &err);

	assert_non_null(got);
	assert_string_equal(got->stops, rq.stops);
	assert_int_equal(got->programs.n, 0);
	fl_request_destroy(got);
	free(s.bytes);
	rq.stops = NULL;
	cannot_seal(&rq, "names none, or does more");
	rq = stop_request();
	rq.detached = NULL;
	cannot_seal(&rq, "names none, or does more");
	rq = stop_request();
	rq.flags |= FL_WANTS_DESTRUCTIVE;
	cannot_seal(&rq, "names none, or does more");
	rq = stop_request();
	rq.programs.n = 1;
	cannot_seal(&rq, "names none, or does more");
	rq = full_request();
	rq.stops = "00112233445566778899aabbccddeeff";
	cannot_seal(&rq, "names none, or does more");
	rq = full_request();
	rq.flags = FL_WANTS_LIST;
	cannot_seal(&rq, "lists probes, detached");
}

/* NULL, or why the merger does not take the request; static. */
static const char *
merger_refuses(struct world *w, struct sealed s, const char *name, int code)
{
	static char why[256];
	struct err err = { 0 };
	struct fl_request *rq =
	    fl_request_open_merger(s.bytes, s.n, w->policy, name, NOW, &err);

	snprintf(why, sizeof(why), "%s", rq == NULL ? err_text(&err) : "");
	assert_int_equal(rq == NULL ? err.code : 0, code);
	err_clear(&err);
	if (rq == NULL)
		return why;
	assert_int_equal(rq->mergers.n, 2);
	assert_string_equal(rq->mergers.v[1], "web-m2");
	assert_string_equal(rq->author->name, "alice");
	fl_request_destroy(rq);
	return NULL;
}

/* The policy permits Alice the hosts web*. */
static void
mergers_are_named_by_the_request(void **state)
{
	static const char *names[] = { "m1", "web-m2" };
	struct world *w = *state;
	struct fl_request rq = full_request();
	struct sealed s;

	rq.mergers = (struct fl_texts){ names, 2 };
	cannot_seal(&rq, "has mergers, and is detached");
	rq.detached = NULL;
	rq.flags = FL_WANTS_LIST;
	cannot_seal(&rq, "has mergers, and is detached");
	rq.flags = 0;
	s = seal(&rq, &w->alice);
	assert_null(merger_refuses(w, s, "web-m2", 0));
	assert_non_null(strstr(
	    merger_refuses(w, s, "m1", -EACCES), "alice to merge on m1"));
	assert_non_null(strstr(merger_refuses(w, s, "web1", -EHOSTUNREACH),
	    "does not name the merger web1"));
	((char *)s.bytes)[s.n - FL_SIGNATURE_SIZE - 1] ^= 1;
	assert_non_null(merger_refuses(w, s, "web-m2", -EBADMSG));
	free(s.bytes);
	s = seal(&rq, &w->mallory);
	assert_non_null(merger_refuses(w, s, "web-m2", -ENOKEY));
	free(s.bytes);
	rq.issued_ns = NOW - FL_SECOND_NS;
	rq.expires_ns = NOW;
	s = seal(&rq, &w->alice);
	assert_non_null(merger_refuses(w, s, "web-m2", -ETIME));
	free(s.bytes);
}

/* A reader without a policy learns only the signer. */
static void
readers_verify_the_signature(void **state)
{
	struct world *w = *state;
	struct fl_request rq = full_request();
	struct sealed s = seal(&rq, &w->alice);
	struct err err = { 0 };
	struct fl_request *got = fl_request_peek(s.bytes, s.n, &err);

	assert_non_null(got);
	assert_string_equal(got->detached, "night");
	assert_memory_equal(got->author_key, w->alice.public, FL_PUBLIC_SIZE);
	assert_null(got->author);
	fl_request_destroy(got);
	((char *)s.bytes)[s.n - FL_SIGNATURE_SIZE - 1] ^= 1;
	assert_null(fl_request_peek(s.bytes, s.n, &err));
	assert_int_equal(err.code, -EBADMSG);
	err_clear(&err);
	assert_null(fl_request_peek(s.bytes, 10, &err));
	assert_int_equal(err.code, -EINVAL);
	err_clear(&err);
	free(s.bytes);
}

static void
large_requests_are_refused(void **state)
{
	struct world *w = *state;
	struct err err = { 0 };
	size_t n = FL_REQUEST_MAX - 1;
	char *large = mem_alloc(n + 2);
	struct fl_program program = { FL_PROGRAM_DOF, large, n };
	struct fl_request rq = full_request();
	struct sealed s = { large, FL_REQUEST_MAX + 1 };

	rq.programs = (struct fl_programs){ &program, 1 };
	assert_int_equal(
	    fl_request_seal(&rq, &w->alice, &s.bytes, &s.n, &err), -E2BIG);
	err_clear(&err);
	refused(w, s, NOW, -E2BIG, "983041 bytes; at most 983040");
	program.size = n - 4096;
	accepted_by(w, web1(w), &rq);
	free(large);
}

static void
hashes_name_programs(void **state)
{
	struct fl_request rq = full_request(), other = full_request();
	struct err err = { 0 };
	char a[FL_HASH_TEXT], b[FL_HASH_TEXT];

	(void)state;
	assert_int_equal(fl_request_hash(&rq, a, &err), 0);
	assert_int_equal(fl_request_hash(&other, b, &err), 0);
	assert_string_equal(a, b);
	assert_int_equal(strlen(a), FL_HASH_TEXT - 1);
	other.programs.n = 1;
	assert_int_equal(fl_request_hash(&other, b, &err), 0);
	assert_string_not_equal(a, b);
}

/* ---- accepted requests --------------------------------------------------- */

static void
number_id(uint8_t id[FL_ID_SIZE], uint32_t i)
{
	memset(id, 0, FL_ID_SIZE);
	memcpy(id, &i, sizeof(i));
}

static void
ids_are_never_forgotten_early(void **state)
{
	struct world *w = *state;
	struct err err = { 0 };
	uint8_t id[FL_ID_SIZE];

	for (uint32_t i = 0; i < FL_SEEN_MAX; i++) {
		number_id(id, i);
		assert_int_equal(
		    fl_seen_add(w->seen, id, NOW + 10 + i % 2, NOW, &err), 0);
	}
	number_id(id, FL_SEEN_MAX);
	assert_int_equal(
	    fl_seen_add(w->seen, id, NOW + 20, NOW + 9, &err), -EBUSY);
	/* Half of them expire. */
	assert_int_equal(fl_seen_add(w->seen, id, NOW + 20, NOW + 10, &err), 0);
	number_id(id, 1);
	assert_int_equal(
	    fl_seen_add(w->seen, id, NOW + 20, NOW + 10, &err), -EALREADY);
	number_id(id, 0);
	assert_int_equal(fl_seen_add(w->seen, id, NOW + 20, NOW + 10, &err), 0);
	err_clear(&err);
}

/* Restart the agent whose state is in the folder. */
static void
restart(struct world *w, uint64_t now)
{
	struct err err = { 0 };

	fl_seen_close(w->seen);
	w->seen = fl_seen_open(w->dir, now, &err);
	assert_string_equal(err_text(&err), "");
}

static void
ids_survive_the_agent(void **state)
{
	struct world *w = *state;
	struct fl_request rq = full_request();
	struct err err = { 0 };

	restart(w, NOW);
	accepted_by(w, web1(w), &rq);
	restart(w, NOW);
	request_refused(w, &rq, NOW, -EALREADY, "replay");
	restart(w, NOW);
	request_refused(w, &rq, NOW, -EALREADY, "replay");
	assert_null(fl_seen_open(w->dir, NOW, &err));
	assert_int_equal(err.code, -EBUSY);
	err_clear(&err);
	restart(w, NOW + FL_LIFE_NS);
	assert_int_equal(
	    fl_seen_add(w->seen, rq.id, NOW + 2 * FL_LIFE_NS, NOW, &err), 0);
}

static struct fl_request *
resume(struct world *w, struct sealed s, struct err *err)
{
	struct fl_host me = web1(w);

	return fl_request_resume(s.bytes, s.n, w->policy, &me, NOW, err);
}

static void
only_interrupted_runs_resume(void **state)
{
	struct world *w = *state;
	struct fl_request rq = full_request(), *again;
	struct sealed s = seal(&rq, &w->alice);
	struct err err = { 0 };

	restart(w, NOW);
	assert_null(resume(w, s, &err));
	assert_string_equal(
	    err_text(&err), "the run was never accepted on this host");
	accepted_by(w, web1(w), &rq);
	restart(w, NOW);
	again = resume(w, s, &err);
	assert_non_null(again);
	fl_request_destroy(again);
	assert_int_equal(fl_seen_end(w->seen, rq.id, &err), 0);
	restart(w, NOW);
	assert_null(resume(w, s, &err));
	assert_string_equal(err_text(&err), "the run has ended");
	err_clear(&err);
	free(s.bytes);
}

/* Write the file of accepted requests by hand. */
static void
write_file(
    const struct world *w, const char *name, mode_t mode, const char *contents)
{
	char *path = path_of(w, name);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, mode);

	assert_true(fd >= 0);
	assert_int_equal(fchmod(fd, mode), 0);
	assert_int_equal(
	    write(fd, contents, strlen(contents)), strlen(contents));
	close(fd);
	free(path);
}

#define SOME_ID "000102030405060708090a0b0c0d0e0f"

static void
damaged_state_is_told(void **state)
{
	static const char *const bad[] = { "accepted\n",
		"accepted 0001 1800000001000000000\n", "accepted " SOME_ID "\n",
		"accepted " SOME_ID " 12x\n",
		"accepted 0001020304050607080 90a0b0c0d0e0f 1\n",
		"ended " SOME_ID "\n", "taken " SOME_ID " 1\n", "\n" };
	struct world *w = *state;
	struct err err = { 0 };

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		write_file(w, "accepted-requests", 0600, bad[i]);
		assert_null(fl_seen_open(w->dir, NOW, &err));
		assert_int_equal(err.code, -EINVAL);
		assert_non_null(strstr(err_text(&err), "line 1 of the file"));
		err_clear(&err);
	}
	/* A crash has cut off the last line. */
	write_file(w, "accepted-requests", 0600,
	    "accepted " SOME_ID " 1900000000000000000\nended 00010");
	restart(w, NOW);
}

/* ---- keys --------------------------------------------------------------- */

static int
read_key(const struct world *w, const char *name, struct fl_key *key,
    struct err *err)
{
	char *path = path_of(w, name);
	int rc = fl_key_read(path, key, err);

	free(path);
	return rc;
}

static void
keys_are_read_as_written(void **state)
{
	struct world *w = *state;
	struct err err = { 0 };
	struct fl_key key;
	char *path = path_of(w, "alice");
	struct stat st;

	assert_int_equal(read_key(w, "alice", &key, &err), 0);
	assert_memory_equal(&key, &w->alice, sizeof(key));
	assert_memory_not_equal(key.public, w->mallory.public, FL_PUBLIC_SIZE);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(fl_key_create(path, &key, &err), -EEXIST);
	err_clear(&err);
	free(path);
}

static void
keys_that_others_reach_are_refused(void **state)
{
	static const mode_t modes[] = { 0640, 0604, 0620, 0602, 0610, 0601 };
	struct world *w = *state;
	struct err err = { 0 };
	struct fl_key key;
	char *path = path_of(w, "alice");

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		assert_int_equal(chmod(path, modes[i]), 0);
		assert_int_equal(read_key(w, "alice", &key, &err), -EACCES);
		assert_non_null(strstr(err_text(&err), "chmod 600"));
	}
	assert_int_equal(chmod(path, 0400), 0);
	assert_int_equal(read_key(w, "alice", &key, &err), 0);
	err_clear(&err);
	free(path);
}

static void
who_has_no_key_learns_how_to_make_one(void **state)
{
	struct world *w = *state;
	struct err err = { 0 };
	struct fl_key key;

	assert_int_equal(read_key(w, "nobody", &key, &err), -ENOENT);
	assert_non_null(strstr(err_text(&err), "dtraced --new-key"));
	err_clear(&err);
}

#define SEED "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="

static void
damaged_keys_are_refused(void **state)
{
	static const char *const bad[] = { "", "dtrace-fleet-private\n",
		"dtrace-fleet-private " SEED, "dtrace-fleet-public " SEED "\n",
		"dtrace-fleet-private " SEED "\n\n",
		/* The last digit has bits that no byte has. */
		"dtrace-fleet-private "
		"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh9=\n" };
	struct world *w = *state;
	struct err err = { 0 };
	struct fl_key key;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		write_file(w, "file", 0600, bad[i]);
		assert_int_equal(read_key(w, "file", &key, &err), -EINVAL);
	}
	write_file(w, "file", 0600, "dtrace-fleet-private " SEED "\n");
	assert_int_equal(read_key(w, "file", &key, &err), 0);
	err_clear(&err);
}

/*
 * RFC 8032, 7.1, test 1: seed 9d61b19d..., public key d75a9801...
 */
static void
keys_are_ed25519(void **state)
{
	struct world *w = *state;
	struct err err = { 0 };
	struct fl_key key;
	char public[FL_PUBLIC_TEXT];

	write_file(w, "file", 0600,
	    "dtrace-fleet-private "
	    "nWGxne/9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A=\n");
	assert_int_equal(read_key(w, "file", &key, &err), 0);
	assert_int_equal(fl_public_format(key.public, public, &err), 0);
	assert_string_equal(
	    public, "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=");
}

/* ---- policies ----------------------------------------------------------- */

#define KEY_LINE "key 11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n"

static void
policies_are_read(void **state)
{
	static const char contents[] =
	    "# who may trace here\n\n"
	    "author bob # of operations\n"
	    "\t" KEY_LINE " hosts web* db1\n providers syscall "
	    "pid*\n substrates process\n"
	    "destructive yes\nduration 90s\ndetach 8h\nstop yes\n"
	    "memory 512k\ncpu 0.5\nuntil 2027-06-30";
	struct err err = { 0 };
	struct fl_policy *p =
	    fl_policy_parse("p", contents, sizeof(contents) - 1, &err);
	const struct fl_author *a;

	(void)state;
	assert_string_equal(err_text(&err), "");
	assert_int_equal(fl_policy_nauthors(p), 1);
	a = fl_policy_author(p, 0);
	assert_string_equal(a->name, "bob");
	assert_ptr_equal(fl_policy_find(p, a->key), a);
	assert_true(fl_policy_matches(a->hosts, "web17"));
	assert_false(fl_policy_matches(a->hosts, "db17"));
	assert_string_equal(a->providers[1], "pid*");
	assert_null(a->providers[2]);
	assert_int_equal(a->substrates, FL_PROCESS);
	assert_true(a->is_destructive);
	assert_int_equal(a->duration_ns, 90 * FL_SECOND_NS);
	assert_int_equal(a->detach_ns, 8 * 3600 * FL_SECOND_NS);
	assert_true(a->stops_others);
	assert_int_equal(a->memory, 512 << 10);
	assert_int_equal(a->cpu_permille, 5);
	/* The day is the last one; 1814400000 is 2027-07-01. */
	assert_int_equal(a->until_ns, 1814400000 * FL_SECOND_NS);
	fl_policy_destroy(p);
}

static void
nothing_is_permitted_by_default(void **state)
{
	struct world *w = *state;
	struct fl_policy *p = policy_of(w, "");
	const struct fl_author *a = fl_policy_author(p, 0);

	assert_null(a->hosts[0]);
	assert_null(a->providers[0]);
	assert_int_equal(a->substrates, 0);
	assert_false(a->is_destructive);
	assert_int_equal(a->duration_ns, 0);
	assert_int_equal(a->detach_ns, 0);
	assert_false(a->stops_others);
	assert_int_equal(a->memory, 0);
	assert_int_equal(a->cpu_permille, 0);
	fl_policy_destroy(p);
}

struct bad_policy {
	const char *text;
	const char *why; /* the beginning of the message */
};

#define BOB "author bob\n" KEY_LINE
static const struct bad_policy bad_policies[] = {
	{ "author", "p:1:1: an author has one name" },
	{ "author bob jones\n", "p:1:1: an author has one name" },
	{ "\nauthor bob\n\n", "p:2:1: author bob has no key" },
	{ "author bob\nauthor eve\n", "p:1:1: author bob has no key" },
	{ BOB "author bob\n", "p:3:8: author bob is there twice" },
	{ BOB "author eve\n" KEY_LINE, "p:4:5: the key is that of bob" },
	{ "cpu 2\n", "p:1:1: cpu belongs below" },
	{ BOB "cpu 2\ncpu 3\n", "p:4:1: cpu is set twice for bob" },
	{ BOB KEY_LINE, "p:3:1: key is set twice" },
	{ BOB "cpu\n", "p:3:1: cpu has no value: expected percent" },
	{ BOB "cpu 2 3\n", "p:3:7: cpu takes one value" },
	{ BOB "cpus 2\n",
	    "p:3:1: unknown setting 'cpus'; did you mean 'cpu'?" },
	{ BOB "frobnicate 2\n", "p:3:1: unknown setting 'frobnicate'" },
	{ BOB "cpu 0\n", "p:3:5: '0' is no value of cpu" },
	{ BOB "cpu 2%\n", "p:3:5: '2%' is no" },
	{ BOB "cpu 0.55\n", "p:3:5: '0.55' is no" },
	{ BOB "cpu 2.\n", "p:3:5: '2.' is no" },
	{ BOB "cpu 100001\n", "p:3:5: '100001' is no" },
	{ BOB "cpu -1\n", "p:3:5: '-1' is no" },
	{ BOB "cpu 99999999999999999999\n", "p:3:5: '9999" },
	{ BOB "memory 64\n", "p:3:8: '64' is no value of memory" },
	{ BOB "memory 64mb\n", "p:3:8: '64mb' is no" },
	{ BOB "memory 0m\n", "p:3:8: '0m' is no" },
	{ BOB "memory 18446744073709551615g\n", "p:3:8: '1844" },
	{ BOB "duration 10\n", "p:3:10: '10' is no value of duration" },
	{ BOB "duration 10w\n", "p:3:10: '10w' is no" },
	{ BOB "destructive true\n", "p:3:13: 'true' is no" },
	{ BOB "substrates kernel user\n", "p:3:19: 'user' is no" },
	{ BOB "until 2027-02-30\n", "p:3:7: '2027-02-30' is no" },
	{ BOB "until 2027-2-3\n", "p:3:7: '2027-2-3' is no" },
	{ BOB "until tomorrow\n", "p:3:7: 'tomorrow' is no" },
	{ "author bob\nkey abc\n", "p:2:5: 'abc' is no value of key" },
	{ "author bob\x01\n", "p:1:11: character 0x01" },
	{ "author b\xc3\xb6"
	  "b\n",
	    "p:1:9: character 0xc3" },
};

static void
mistakes_have_a_place(void **state)
{
	struct err err = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(bad_policies) / sizeof(bad_policies[0]);
	     i++) {
		const struct bad_policy *b = &bad_policies[i];

		assert_null(
		    fl_policy_parse("p", b->text, strlen(b->text), &err));
		assert_int_equal(err.code, -EINVAL);
		if (strncmp(err_text(&err), b->why, strlen(b->why)) != 0)
			fail_msg("'%s' does not begin with '%s'",
			    err_text(&err), b->why);
	}
	err_clear(&err);
}

static void
policies_have_limits(void **state)
{
	struct err err = { 0 };
	struct strbuf sb = { 0 };

	(void)state;
	strbuf_adds(&sb, BOB "hosts");
	for (int i = 0; i < 256; i++)
		strbuf_adds(&sb, " x");
	assert_null(fl_policy_parse("p", sb.s, sb.len, &err));
	assert_non_null(strstr(err_text(&err), "p:3:517: a line has more"));
	strbuf_reset(&sb);
	strbuf_printf(&sb, "author %0256d\n", 0);
	assert_null(fl_policy_parse("p", sb.s, sb.len, &err));
	assert_non_null(strstr(err_text(&err), "p:1:8: a word is longer"));
	assert_null(fl_policy_parse("p", sb.s, FL_POLICY_MAX + 1, &err));
	assert_non_null(strstr(err_text(&err), "at most 1048576 bytes"));
	err_clear(&err);
	strbuf_fini(&sb);
}

static void
policies_that_others_write_are_refused(void **state)
{
	struct world *w = *state;
	struct err err = { 0 };
	char *path = path_of(w, "file");
	struct fl_policy *p;

	write_file(w, "file", 0644, BOB);
	p = fl_policy_read(path, &err);
	assert_non_null(p);
	fl_policy_destroy(p);
	assert_int_equal(chmod(path, 0664), 0);
	assert_null(fl_policy_read(path, &err));
	assert_int_equal(err.code, -EACCES);
	assert_int_equal(chmod(path, 0646), 0);
	assert_null(fl_policy_read(path, &err));
	assert_int_equal(err.code, -EACCES);
	assert_null(fl_policy_read(w->dir, &err));
	assert_int_equal(err.code, -EINVAL);
	err_clear(&err);
	free(path);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(opened_is_what_was_sealed),
		TEST(no_bit_can_be_changed),
		TEST(no_byte_can_be_cut_or_added),
		TEST(others_cannot_sign),
		TEST(times_are_kept),
		TEST(lives_are_bounded),
		TEST(keys_expire),
		TEST(other_hosts_refuse),
		TEST(labels_alone_name_hosts),
		TEST(destructive_must_be_permitted),
		TEST(replays_are_refused),
		TEST(malformed_fields_are_refused),
		TEST(bad_lists_are_not_sealed),
		TEST(bad_programs_are_not_sealed),
		TEST(stops_name_a_run_and_run_nothing),
		TEST(mergers_are_named_by_the_request),
		TEST(readers_verify_the_signature),
		TEST(large_requests_are_refused),
		TEST(hashes_name_programs),
		TEST(ids_are_never_forgotten_early),
		TEST(ids_survive_the_agent),
		TEST(only_interrupted_runs_resume),
		TEST(damaged_state_is_told),
		TEST(keys_are_read_as_written),
		TEST(keys_that_others_reach_are_refused),
		TEST(who_has_no_key_learns_how_to_make_one),
		TEST(damaged_keys_are_refused),
		TEST(keys_are_ed25519),
		TEST(policies_are_read),
		TEST(nothing_is_permitted_by_default),
		TEST(mistakes_have_a_place),
		TEST(policies_have_limits),
		TEST(policies_that_others_write_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
