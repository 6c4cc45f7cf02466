/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A clause on a system call that programs have stopped making: every book about
 * DTrace has syscall::open:entry, which never fires where open() is openat.
 * Programs without glibc may still make the call, so it is no error.
 */
#include <string.h>

#include "base/vec.h"
#include "libdtrace/dt_impl.h"

static const struct legacy {
	const char *call, *now, *more;
} legacies[] = {
#define LEGACY(call, now, more) { call, now, more },
#include "libdtrace/legacy.def"
#undef LEGACY
};

static const struct legacy *
find_legacy(const struct dt_probe *p)
{
	if (strcmp(p->prov, "syscall") != 0)
		return NULL;
	for (size_t i = 0; i < sizeof(legacies) / sizeof(legacies[0]); i++) {
		if (strcmp(legacies[i].call, p->func) == 0)
			return &legacies[i];
	}
	return NULL;
}

/* Of a clause with one description that names the call. */
static const struct legacy *
only_legacy(const struct dif_clause *cl, const struct dt_match *m)
{
	const struct legacy *l =
	    m->probes.n != 0 ? find_legacy(m->probes.v[0]) : NULL;

	if (l == NULL || cl->pdescs.n != 1 ||
	    strcmp(cl->pdescs.v[0].func, l->call) != 0)
		return NULL;
	VEC_FOREACH(&m->probes, p) {
		if (find_legacy(*p) != l)
			return NULL;
	}
	return l;
}

/* Does a clause of the program have the call that is made instead? */
static bool
has_call(const struct dt_prog *p, const char *call)
{
	for (size_t i = 0; i < p->dif->clauses.n; i++) {
		VEC_FOREACH(&p->matches[i].probes, probe) {
			if (strcmp((*probe)->prov, "syscall") == 0 &&
			    strcmp((*probe)->func, call) == 0)
				return true;
		}
	}
	return false;
}

void
dt_notice_legacy(struct dt_hdl *h, const struct dt_prog *p)
{
	if (dt_opt_flag(h, DT_OPT_QUIET))
		return;
	for (size_t i = 0;
	     i < p->dif->clauses.n && !h->messages.has_told_legacy; i++) {
		const struct dif_clause *cl = &p->dif->clauses.v[i];
		const struct legacy *l = only_legacy(cl, &p->matches[i]);
		const char *name;

		if (l == NULL || has_call(p, l->now))
			continue;
		name = cl->pdescs.v[0].name;
		dt_notice(h,
		    "syscall::%s:%s may never fire: programs make the "
		    "call %s instead (syscall::%s:%s%s)",
		    l->call, name, l->now, l->now, name, l->more);
		h->messages.has_told_legacy = true;
	}
}
