/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/refusals.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/vec.h"

static int
compare(const void *a, const void *b)
{
	return strcmp(a, b);
}

static void
leave(void *what)
{
	(void)what; /* the list owns it */
}

void
refusals_fini(struct refusals *r)
{
	tdestroy(r->known, leave);
	VEC_FOREACH(&r->v, one) {
		free(one->what);
		free(one->why);
	}
	VEC_FREE(&r->v);
	memset(r, 0, sizeof(*r));
}

bool
refusals_add(struct refusals *r, char *what, char *why)
{
	char **known = tsearch(what, &r->known, compare);

	/* tsearch() fails without memory: the place may then be listed twice */
	if (known != NULL && *known != what) {
		free(what);
		free(why);
		return false;
	}
	VEC_PUSH(&r->v, ((struct refusal){ what, why }));
	return true;
}

/* ---- text --------------------------------------------------------------- */

#define REASONS_MAX 16 /* distinct reasons that are counted */

struct reasons {
	struct {
		const char *why;
		size_t n;
	} v[REASONS_MAX];
	size_t n, others;
};

static void
count(struct reasons *rs, const char *why)
{
	for (size_t i = 0; i < rs->n; i++) {
		if (strcmp(rs->v[i].why, why) == 0) {
			rs->v[i].n++;
			return;
		}
	}
	if (rs->n == REASONS_MAX) {
		rs->others++;
		return;
	}
	rs->v[rs->n].why = why;
	rs->v[rs->n++].n = 1;
}

static void
add_reasons(const struct reasons *rs, struct strbuf *out)
{
	if (rs->n == 1) {
		strbuf_adds(out, rs->v[0].why);
		return;
	}
	for (size_t i = 0; i < rs->n; i++)
		strbuf_printf(out, "%s%zu: %s", i != 0 ? "; " : "", rs->v[i].n,
		    rs->v[i].why);
	if (rs->others != 0)
		strbuf_printf(out, "; %zu: other reasons", rs->others);
}

char *
refusals_text(const struct refusals *r, size_t from, bool is_listed)
{
	size_t n = r->v.n - from;
	struct reasons rs = { 0 };
	struct strbuf out = { 0 };

	strbuf_printf(
	    &out, "%zu of %zu places cannot be probed: ", n, r->tried);
	if (n == 1) {
		strbuf_printf(
		    &out, "%s: %s", r->v.v[from].what, r->v.v[from].why);
		return strbuf_steal(&out);
	}
	for (size_t i = from; i < r->v.n; i++)
		count(&rs, r->v.v[i].why);
	add_reasons(&rs, &out);
	strbuf_printf(&out, "; the first is %s%s", r->v.v[from].what,
	    is_listed ? "" : " (-v lists them)");
	return strbuf_steal(&out);
}
