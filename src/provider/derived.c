/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Probes that are made of others: the stable providers (proc, sched, io, ...),
 * which D libraries define over tracepoints and functions of the kernel.
 *
 *	proc:::create  <-- adaption 1 --  sdt:sched::sched_process_fork
 *	proc:::exec    <-- adaption 2 --  syscall::execve:entry
 *	               <-- adaption 3 --  syscall::execveat:entry
 *
 * The probe that is listed has a number, names and arguments.  What is armed are
 * its origins: copies of the other providers' probes, with their way of firing.
 * Origins of one program (of one group of their provider) that are adapted alike
 * are a group here.
 */
#include "provider/provider.h"
#include "provider/provider_impl.h"

#include <stdlib.h>
#include <string.h>

/* What the listed probe's data is. */
struct derived {
	struct dt_argdesc args[DT_NARGS_MAX];
	size_t nargs;
};

/* The groups, numbered as they come. */
struct groups {
	VEC(struct group {
		const struct dt_adapt *adapt;
		uint32_t group;
	}) v;
};

static void *
groups_create(struct dt_registry *r)
{
	(void)r;
	return mem_alloc(sizeof(struct groups));
}

static void
groups_destroy(void *arg)
{
	struct groups *gs = arg;

	VEC_FREE(&gs->v);
	free(gs);
}

static uint32_t
group_number(struct dt_registry *r, const struct dt_adapt *adapt,
    uint32_t group)
{
	static const struct dt_keep keep = { groups_create, groups_destroy };
	struct groups *gs = dt_registry_keep(r, &keep);

	VEC_FOREACH(&gs->v, g) {
		if (g->adapt == adapt && g->group == group)
			return (uint32_t)(g - gs->v.v);
	}
	VEC_PUSH(&gs->v, (struct group){ adapt, group });
	return (uint32_t)gs->v.n - 1;
}

/* ---- making one ---------------------------------------------------------- */

struct making {
	struct dt_registry *r;
	const struct dt_adapt *adapt;
	VEC(struct dt_probe *) origins;
};

static int
take_origin(const struct dt_probe *from, void *arg)
{
	struct making *m = arg;
	struct dt_probe *o = ARENA_NEW(dt_registry_arena(m->r),
	    struct dt_probe);

	*o = *from;
	o->id = dt_registry_hidden_id(m->r);
	o->group = DT_GROUP(DERIVED, group_number(m->r, m->adapt, from->group));
	o->adapt = m->adapt;
	VEC_PUSH(&m->origins, o);
	return 0;
}

static struct derived *
copy_args(struct arena *a, const struct dt_argdesc *args, size_t n)
{
	struct derived *d = ARENA_NEW(a, struct derived);

	d->nargs = n < DT_NARGS_MAX ? n : DT_NARGS_MAX;
	for (size_t i = 0; i < d->nargs; i++) {
		d->args[i] = args[i];
		d->args[i].native = arena_strdup(a, args[i].native);
		if (args[i].xlate != NULL)
			d->args[i].xlate = arena_strdup(a, args[i].xlate);
	}
	return d;
}

/* The first reason why there are none. */
static void
find_origins(struct making *m, const struct dt_origin *origins, size_t n,
    char **msg)
{
	for (size_t i = 0; i < n; i++) {
		char *why = NULL;

		m->adapt = origins[i].adapt;
		dt_registry_match(m->r, origins[i].desc, take_origin, m, &why);
		if (*msg == NULL)
			*msg = why;
		else
			free(why);
	}
}

static const struct dt_probe *
list_probe(struct making *m, struct dt_probe *tmpl)
{
	size_t size = m->origins.n * sizeof(*m->origins.v);
	struct dt_probe **v = arena_alloc(dt_registry_arena(m->r), size);
	const struct dt_probe *p;

	memcpy(v, m->origins.v, size);
	tmpl->origins = (const struct dt_probe *const *)v;
	tmpl->norigins = m->origins.n;
	tmpl->ctx = v[0]->ctx;
	tmpl->group = v[0]->group;
	p = dt_registry_add(m->r, tmpl);
	for (size_t i = 0; i < m->origins.n; i++)
		v[i]->shown = p;
	return p;
}

const struct dt_probe *
dt_registry_derive(struct dt_registry *r, const char *prov, const char *name,
    const struct dt_origin *origins, size_t n, const struct dt_argdesc *args,
    size_t nargs, char **msg)
{
	struct dt_probe tmpl = { .ops = &dt_provider_derived, .prov = prov,
		.mod = "", .func = "", .name = name };
	struct making m = { .r = r };
	const struct dt_probe *p = NULL;

	*msg = NULL;
	find_origins(&m, origins, n, msg);
	if (m.origins.n != 0) {
		free(*msg);
		*msg = NULL;
		tmpl.data = copy_args(dt_registry_arena(r), args, nargs);
		p = list_probe(&m, &tmpl);
	}
	VEC_FREE(&m.origins);
	return p;
}

/* ---- the provider -------------------------------------------------------- */

/* Its probes are all on demand, and the registry lists them. */
static bool
derived_answers(const char *pattern)
{
	(void)pattern;
	return false;
}

static uint32_t
derived_nids(struct dt_registry *r)
{
	(void)r;
	return 0;
}

static int
derived_match(struct dt_registry *r, const struct dif_pdesc *desc,
    uint32_t id_base)
{
	(void)r;
	(void)desc;
	(void)id_base;
	return 0;
}

static size_t
derived_args(const struct dt_probe *p, struct dt_argdesc args[DT_NARGS_MAX])
{
	const struct derived *d = p->data;

	memcpy(args, d->args, sizeof(d->args));
	return d->nargs;
}

static const char *const derived_attrs[] = {
	"Evolving/Evolving/Common",
	"Private/Private/Unknown",
	"Private/Private/Unknown",
	"Evolving/Evolving/Common",
	"Evolving/Evolving/Common",
};

const struct dt_provider_ops dt_provider_derived = {
	.name = "",
	.answers = derived_answers,
	.nids = derived_nids,
	.match = derived_match,
	.args = derived_args,
	.attrs = derived_attrs,
};
