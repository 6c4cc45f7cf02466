/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The answer of the child that reads a file's probes: numbers of 64 bits, and
 * strings preceded by their lengths, in the order of the functions below.  The
 * contents are as hostile as the file, and are not relied on; counts and
 * indices are checked.
 */
#include "usdt/read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/vec.h"

CHECKED static int
read_here(
    int fd, struct usdt_notes *notes, struct usdt_types *types, struct err *err)
{
	int rc = usdt_notes_read(fd, notes, err);

	if (rc == 0)
		rc = usdt_types_read(fd, types, err);
	if (rc != 0)
		return rc;
	return types->providers.n != 0 ?
	    usdt_sites_read(fd, types, notes, err) :
	    0;
}

/* ---- writing ------------------------------------------------------------- */

static void
put_number(struct confine_out *out, uint64_t v)
{
	confine_put(out, &v, sizeof(v));
}

static void
put_string(struct confine_out *out, const char *s)
{
	size_t len = strlen(s) + 1;

	put_number(out, len);
	confine_put(out, s, len);
}

static void
put_note(struct confine_out *out, const struct usdt_note *n)
{
	put_string(out, n->provider);
	put_string(out, n->name);
	put_string(out, n->args);
	put_number(out, n->addr);
	put_number(out, n->offset);
	put_number(out, n->semaphore);
	put_number(out, n->is_enabled);
}

static void
put_probe(struct confine_out *out, const struct dof_usdt_probe *p)
{
	put_string(out, p->func);
	put_string(out, p->name);
	put_number(out, p->addr);
	put_number(out, p->nargs.n);
	VEC_FOREACH(&p->nargs, n)
		put_string(out, *n);
	put_number(out, p->xargs.n);
	VEC_FOREACH(&p->xargs, x)
		put_string(out, *x);
	put_number(out, p->map.n);
	VEC_FOREACH(&p->map, m)
		put_number(out, *m);
	put_number(out, p->offs.n);
	VEC_FOREACH(&p->offs, o)
		put_number(out, *o);
	put_number(out, p->enoffs.n);
	VEC_FOREACH(&p->enoffs, e)
		put_number(out, *e);
}

/* The child's answer. */
static void
put_answer(const struct usdt_notes *notes, const struct usdt_types *types,
    struct confine_out *out)
{
	put_number(out, notes->cls);
	put_number(out, notes->nskipped);
	put_number(out, notes->v.n);
	VEC_FOREACH(&notes->v, n)
		put_note(out, n);
	put_number(out, types->providers.n);
	VEC_FOREACH(&types->providers, u) {
		put_string(out, u->name);
		for (size_t i = 0; i < 5; i++)
			put_number(out, u->attrs[i]);
		put_number(out, u->probes.n);
		VEC_FOREACH(&u->probes, p)
			put_probe(out, p);
	}
}

/* ---- checking ------------------------------------------------------------ */

/* Once the answer is bad, numbers are 0 and strings empty. */
static uint64_t
take_number(struct confine_in *in, uint64_t max)
{
	const void *p = in->is_bad ? NULL : confine_get(in, 1, 8);
	uint64_t v = 0;

	if (p != NULL)
		memcpy(&v, p, sizeof(v));
	if (v > max) {
		in->is_bad = true;
		v = 0;
	}
	return v;
}

/* A count of elements that take at least 8 bytes each. */
static uint64_t
take_count(struct confine_in *in)
{
	return take_number(in, in->left / 8);
}

static char *
take_string(struct confine_in *in)
{
	uint64_t len = take_number(in, in->left);
	const char *s = in->is_bad ? NULL : confine_get(in, len, 1);

	if (s != NULL && len != 0 && s[len - 1] == '\0')
		return mem_strdup(s);
	in->is_bad = true;
	return mem_strdup("");
}

static struct usdt_note
take_note(struct confine_in *in)
{
	struct usdt_note n = { .provider = take_string(in) };

	n.name = take_string(in);
	n.args = take_string(in);
	n.addr = take_number(in, UINT64_MAX);
	n.offset = take_number(in, INT64_MAX);
	n.semaphore = take_number(in, INT64_MAX);
	n.is_enabled = take_number(in, 1) != 0;
	return n;
}

struct strings {
	VEC(char *) v;
};

static struct strings
take_strings(struct confine_in *in)
{
	struct strings all = { 0 };

	for (uint64_t n = take_count(in); n > 0 && !in->is_bad; n--)
		VEC_PUSH(&all.v, take_string(in));
	return all;
}

#define TAKE_NUMBERS(vec, in, max)                                             \
	for (uint64_t n_ = take_count(in); n_ > 0 && !(in)->is_bad; n_--)      \
	VEC_PUSH((vec), (__typeof__(*(vec)->v))take_number(in, max))

static struct dof_usdt_probe
take_probe(struct confine_in *in)
{
	struct dof_usdt_probe p = { .func = take_string(in) };
	struct strings nargs, xargs;

	p.name = take_string(in);
	p.addr = take_number(in, UINT64_MAX);
	nargs = take_strings(in);
	xargs = take_strings(in);
	memcpy(&p.nargs, &nargs.v, sizeof(p.nargs));
	memcpy(&p.xargs, &xargs.v, sizeof(p.xargs));
	TAKE_NUMBERS(&p.map, in, UINT8_MAX);
	TAKE_NUMBERS(&p.offs, in, UINT32_MAX);
	TAKE_NUMBERS(&p.enoffs, in, UINT32_MAX);
	in->is_bad |= p.map.n != p.xargs.n;
	VEC_FOREACH(&p.map, m)
		in->is_bad |= *m >= p.nargs.n;
	return p;
}

static struct dof_usdt
take_provider(struct confine_in *in)
{
	struct dof_usdt u = { .name = take_string(in) };

	for (size_t i = 0; i < 5; i++)
		u.attrs[i] = (uint32_t)take_number(in, UINT32_MAX);
	for (uint64_t n = take_count(in); n > 0 && !in->is_bad; n--)
		VEC_PUSH(&u.probes, take_probe(in));
	return u;
}

bool
usdt_take(
    struct confine_in *in, struct usdt_notes *notes, struct usdt_types *types)
{
	notes->cls = (enum usdt_class)take_number(in, USDT_CLASS_64);
	notes->nskipped = take_number(in, SIZE_MAX);
	for (uint64_t n = take_count(in); n > 0 && !in->is_bad; n--)
		VEC_PUSH(&notes->v, take_note(in));
	for (uint64_t n = take_count(in); n > 0 && !in->is_bad; n--)
		VEC_PUSH(&types->providers, take_provider(in));
	return !in->is_bad && in->left == 0;
}

/* ---- the job ------------------------------------------------------------- */

/* The answer begins with the reason why something could not be read, or "". */
CHECKED static int
read_probes(int fd, const void *arg, size_t len, struct confine_out *out,
    struct err *err)
{
	struct usdt_notes notes = { 0 };
	struct usdt_types types = { 0 };
	struct err why = { 0 };

	(void)arg, (void)len, (void)err;
	if (read_here(fd, &notes, &types, &why) == 0)
		put_string(out, "");
	else
		put_string(out, err_text(&why));
	put_answer(&notes, &types, out);
	usdt_notes_fini(&notes);
	usdt_types_fini(&types);
	err_clear(&why);
	return 0;
}

CHECKED static int
take_answer(const struct confine_answer *a, struct usdt_notes *notes,
    struct usdt_types *types, struct err *err)
{
	struct confine_in in = { a->p, a->len, false };
	char *why = take_string(&in);

	if (!usdt_take(&in, notes, types)) {
		usdt_notes_fini(notes);
		usdt_types_fini(types);
		free(why);
		why = mem_strdup(CONFINE_BAD);
	}
	if (why[0] != '\0')
		return err_take(err, -EINVAL, why);
	free(why);
	return 0;
}

int
usdt_read(
    int fd, struct usdt_notes *notes, struct usdt_types *types, struct err *err)
{
	const struct confine_call c = {
		.run = read_probes, .arg = "", .fd = fd
	};
	struct confine_answer a;
	int rc = confine_run(&c, &a, err);

	if (rc == -ENOSYS)
		return read_here(fd, notes, types, err);
	if (rc != 0)
		return rc;
	rc = take_answer(&a, notes, types, err);
	confine_answer_fini(&a);
	return rc;
}
