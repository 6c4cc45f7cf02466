/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fields of a request as bytes, by the table request.def.
 *
 * Both directions walk the table and share check_item(), so what can be encoded
 * can be decoded.  A decoder that accepted two encodings of one request would
 * leave room for a copy with another look: numbers never decrease, each length
 * is right for its form, and nothing is skipped.  The bytes come from the
 * network, after their signature was verified: an author is not trusted either.
 */
#include "fleet/request_impl.h"

#include <endian.h>
#include <errno.h>
#include <string.h>

enum field_form { ID, U64, TEXT, TEXTS, PAIRS, PROGRAMS };

struct fl_field {
	uint16_t number;
	enum field_form form;
	size_t off; /* of the member in struct fl_request */
	size_t most;
	size_t max_size;
	const char *name;
};

static const struct fl_field fields[] = {
#define FL_FIELD(number, member, form, most, size, name)                       \
	{ number, form, offsetof(struct fl_request, member), most, size, name },
#include "fleet/request.def"
#undef FL_FIELD
};
#define NFIELDS (sizeof(fields) / sizeof(fields[0]))

#define FIELD_HEAD 6

/* ---- items -------------------------------------------------------------- */

static bool
has_nul(const void *bytes, size_t n)
{
	return memchr(bytes, '\0', n) != NULL;
}

/* NULL, or what is wrong with a program. */
static const char *
check_program(const uint8_t *bytes, size_t n)
{
	if (n < 2)
		return "is empty";
	if (bytes[0] < FL_PROGRAM_DOF || bytes[0] > FL_PROGRAM_NAME)
		return "has an unknown kind";
	if (bytes[0] != FL_PROGRAM_DOF && has_nul(bytes + 1, n - 1))
		return "has a zero byte in its text";
	return NULL;
}

/* The same for a text; only a macro argument may be empty. */
static const char *
check_text(const struct fl_field *f, const char *bytes, size_t n)
{
	if (has_nul(bytes, n))
		return "has a zero byte";
	if (n == 0 && f->off != offsetof(struct fl_request, args))
		return "is empty";
	if (f->form == PAIRS && *bytes == '=')
		return "has no name";
	return NULL;
}

static const char *
check_form(const struct fl_field *f, const void *bytes, size_t n)
{
	switch (f->form) {
	case ID:
	case U64:
		return n == f->max_size ? NULL : "has a wrong length";
	case TEXT:
	case TEXTS:
	case PAIRS:
		return check_text(f, bytes, n);
	case PROGRAMS:
		return check_program(bytes, n);
	}
	return "has an unknown form";
}

static int
check_item(
    const struct fl_field *f, const void *bytes, size_t n, struct err *err)
{
	const char *why;

	if (n > f->max_size)
		return err_set(err, -E2BIG,
		    "the request's %s has %zu bytes; at most %zu are permitted",
		    f->name, n, f->max_size);
	why = check_form(f, bytes, n);
	if (why != NULL)
		return err_set(
		    err, -EINVAL, "the request's %s %s", f->name, why);
	return 0;
}

static int
check_count(const struct fl_field *f, size_t n, struct err *err)
{
	if (n > f->most)
		return err_set(err, -E2BIG,
		    "the request has too many fields '%s': at most %zu are "
		    "permitted",
		    f->name, f->most);
	if (n == 0 && (f->form == ID || f->form == U64))
		return err_set(err, -EINVAL, "the request has no %s", f->name);
	return 0;
}

/* A request to stop names its run, and nothing that runs. */
static int
check_stop(const struct fl_request *rq, struct err *err)
{
	bool stops = (rq->flags & FL_WANTS_STOP) != 0;

	if (!stops && rq->programs.n == 0)
		return err_set(err, -EINVAL, "the request has no program");
	if (stops != (rq->stops != NULL) ||
	    (stops &&
		(rq->programs.n != 0 || rq->detached == NULL ||
		    rq->flags != FL_WANTS_STOP)))
		return err_set(err, -EINVAL,
		    "the request to stop a run names none, or does more");
	if (rq->mergers.n != 0 &&
	    (rq->detached != NULL ||
		(rq->flags & (FL_WANTS_LIST | FL_WANTS_STOP)) != 0))
		return err_set(err, -EINVAL,
		    "the request has mergers, and is detached, lists probes or "
		    "stops a run");
	if (rq->detached != NULL && (rq->flags & FL_WANTS_LIST) != 0)
		return err_set(
		    err, -EINVAL, "the request lists probes, detached");
	return 0;
}

/* Check the rules that concern several fields. */
static int
check_whole(const struct fl_request *rq, struct err *err)
{
	if ((rq->flags & ~(uint64_t)FL_FLAGS) != 0)
		return err_set(err, -EINVAL,
		    "the request has unknown flags 0x%llx",
		    (unsigned long long)(rq->flags & ~(uint64_t)FL_FLAGS));
	if (rq->hosts.n == 0 && rq->labels.n == 0)
		return err_set(
		    err, -EINVAL, "the request is for no host: name some");
	if (rq->expires_ns <= rq->issued_ns ||
	    rq->expires_ns - rq->issued_ns >
		(rq->detached != NULL ? FL_DETACHED_LIFE_NS : FL_LIFE_NS))
		return err_set(err, -EINVAL,
		    "the request's life ends before it begins, or is too long");
	return check_stop(rq, err);
}

/* ---- encoding ----------------------------------------------------------- */

static size_t
count(const struct fl_field *f, const void *member)
{
	switch (f->form) {
	case ID:
	case U64:
		return 1;
	case TEXT:
		return *(const char *const *)member != NULL;
	case TEXTS:
		return ((const struct fl_texts *)member)->n;
	case PAIRS:
		return ((const struct fl_pairs *)member)->n;
	case PROGRAMS:
		return ((const struct fl_programs *)member)->n;
	}
	return 0;
}

static void
add_u64(struct strbuf *out, uint64_t v)
{
	v = htole64(v);
	strbuf_add(out, &v, sizeof(v));
}

static int
add_pair(struct strbuf *out, const struct fl_field *f, const struct fl_pair *p,
    struct err *err)
{
	if (strchr(p->name, '=') != NULL)
		return err_set(err, -EINVAL, "the request's %s '%s' has a '='",
		    f->name, p->name);
	strbuf_adds(out, p->name);
	if (p->value != NULL) {
		strbuf_addc(out, '=');
		strbuf_adds(out, p->value);
	}
	return 0;
}

static void
add_program(struct strbuf *out, const struct fl_program *p)
{
	strbuf_addc(out, (char)p->kind);
	strbuf_add(out, p->bytes, p->size);
}

/* Append the bytes of item i. */
static int
add_item(struct strbuf *out, const struct fl_field *f, const void *member,
    size_t i, struct err *err)
{
	switch (f->form) {
	case ID:
		strbuf_add(out, member, FL_ID_SIZE);
		return 0;
	case U64:
		add_u64(out, *(const uint64_t *)member);
		return 0;
	case TEXT:
		strbuf_adds(out, *(const char *const *)member);
		return 0;
	case TEXTS:
		strbuf_adds(out, ((const struct fl_texts *)member)->v[i]);
		return 0;
	case PAIRS:
		return add_pair(
		    out, f, &((const struct fl_pairs *)member)->v[i], err);
	case PROGRAMS:
		add_program(out, &((const struct fl_programs *)member)->v[i]);
		return 0;
	}
	return err_set(err, -EINVAL, "a field has an unknown form");
}

static void
add_head(struct strbuf *out, const struct fl_field *f, size_t n)
{
	uint16_t number = htole16(f->number);
	uint32_t len = htole32((uint32_t)n);

	strbuf_add(out, &number, sizeof(number));
	strbuf_add(out, &len, sizeof(len));
}

static int
encode_item(struct strbuf *out, const struct fl_field *f, const void *member,
    size_t i, struct err *err)
{
	struct strbuf item = { 0 };
	int rc = add_item(&item, f, member, i, err);

	if (rc == 0)
		rc = check_item(f, item.s != NULL ? item.s : "", item.len, err);
	if (rc == 0) {
		add_head(out, f, item.len);
		strbuf_add(out, item.s, item.len);
	}
	strbuf_fini(&item);
	return rc;
}

int
fl_request_encode(
    const struct fl_request *rq, struct strbuf *out, struct err *err)
{
	int rc = check_whole(rq, err);

	for (size_t k = 0; rc == 0 && k < NFIELDS; k++) {
		const struct fl_field *f = &fields[k];
		const void *member = (const char *)rq + f->off;
		size_t n = count(f, member);

		rc = check_count(f, n, err);
		for (size_t i = 0; rc == 0 && i < n; i++)
			rc = encode_item(out, f, member, i, err);
	}
	return rc;
}

/* ---- decoding ----------------------------------------------------------- */

struct fl_walk {
	const uint8_t *p;
	size_t left;
	size_t k; /* index of the field */
	size_t n; /* bytes of the item, which ends at p */
};

static uint64_t
read_number(const uint8_t *p, size_t size)
{
	uint64_t v = 0;

	memcpy(&v, p, size);
	return le64toh(v);
}

static int
find_field(struct fl_walk *w, uint64_t number, struct err *err)
{
	for (size_t k = w->k; k < NFIELDS; k++) {
		if (fields[k].number == number) {
			w->k = k;
			return 0;
		}
	}
	return err_set(err, -EINVAL,
	    "the request has an unknown field %llu, or fields in a wrong order: "
	    "console and agent may be of different versions",
	    (unsigned long long)number);
}

/* 1: there is an item, w->k and w->n say which; 0: the end. */
static int
next_item(struct fl_walk *w, struct err *err)
{
	uint64_t len;
	int rc;

	if (w->left == 0)
		return 0;
	if (w->left < FIELD_HEAD)
		return err_set(err, -EINVAL, "the request is cut off");
	len = read_number(w->p + 2, 4);
	if (len > w->left - FIELD_HEAD)
		return err_set(err, -EINVAL, "the request is cut off");
	rc = find_field(w, read_number(w->p, 2), err);
	if (rc == 0)
		rc = check_item(
		    &fields[w->k], w->p + FIELD_HEAD, (size_t)len, err);
	if (rc != 0)
		return rc;
	w->n = (size_t)len;
	w->p += FIELD_HEAD + w->n;
	w->left -= FIELD_HEAD + w->n;
	return 1;
}

/* Count the items of each field, and check each. */
static int
count_items(struct fl_walk w, size_t counts[NFIELDS], struct err *err)
{
	int rc;

	while ((rc = next_item(&w, err)) == 1)
		counts[w.k]++;
	for (size_t k = 0; rc == 0 && k < NFIELDS; k++)
		rc = check_count(&fields[k], counts[k], err);
	return rc;
}

/* An array for a field's items, and a last one that is zero. */
static void *
make_room(struct fl_request *rq, size_t n, size_t size)
{
	return arena_alloc(&rq->memory, (n + 1) * size);
}

static void
allocate(
    struct fl_request *rq, const struct fl_field *f, void *member, size_t n)
{
	struct fl_texts *texts = member;
	struct fl_pairs *pairs = member;
	struct fl_programs *programs = member;

	switch (f->form) {
	case ID:
	case U64:
	case TEXT:
		return;
	case TEXTS:
		texts->v = make_room(rq, n, sizeof(*texts->v));
		return;
	case PAIRS:
		pairs->v = make_room(rq, n, sizeof(*pairs->v));
		return;
	case PROGRAMS:
		programs->v = make_room(rq, n, sizeof(*programs->v));
		return;
	}
}

static void
take_pair(struct fl_pair *to, char *text)
{
	char *value = strchr(text, '=');

	if (value != NULL)
		*value++ = '\0';
	*to = (struct fl_pair){ text, value };
}

static void
take_item(struct fl_request *rq, const struct fl_field *f, const uint8_t *bytes,
    size_t n)
{
	void *member = (char *)rq + f->off;
	struct fl_texts *texts = member;
	struct fl_pairs *pairs = member;
	struct fl_programs *programs = member;
	char *copy = arena_alloc(&rq->memory, n + 1);

	memcpy(copy, bytes, n);
	switch (f->form) {
	case ID:
		memcpy(member, bytes, n);
		return;
	case U64:
		*(uint64_t *)member = read_number(bytes, n);
		return;
	case TEXT:
		*(const char **)member = copy;
		return;
	case TEXTS:
		texts->v[texts->n++] = copy;
		return;
	case PAIRS:
		take_pair(&pairs->v[pairs->n++], copy);
		return;
	case PROGRAMS:
		programs->v[programs->n++] =
		    (struct fl_program){ (enum fl_program_kind)copy[0],
			    copy + 1, n - 1 };
		return;
	}
}

int
fl_request_decode(
    const uint8_t *bytes, size_t n, struct fl_request *rq, struct err *err)
{
	size_t counts[NFIELDS] = { 0 };
	struct fl_walk w = { .p = bytes, .left = n };
	int rc = count_items(w, counts, err);

	if (rc != 0)
		return rc;
	for (size_t k = 0; k < NFIELDS; k++)
		allocate(rq, &fields[k], (char *)rq + fields[k].off, counts[k]);
	while ((rc = next_item(&w, err)) == 1)
		take_item(rq, &fields[w.k], w.p - w.n, w.n);
	return rc == 0 ? check_whole(rq, err) : rc;
}
