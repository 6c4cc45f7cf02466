/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Derived probes: the stable providers (proc, sched, io, ...), which D
 * libraries define over tracepoints and functions of the kernel.
 *
 *	proc:::create      <-- clause 1 --  sdt:sched::sched_process_fork
 *	proc:::lwp-create  <-- clause 2 --
 *	proc:::exec        <-- clause 3 --  sdt:sched::sched_prepare_exec
 *	                   <-- clause 4 --  syscall::execve:return
 *
 * The listed probes have a number, names and arguments.  Substrates arm their
 * origins, once each: copies of the other providers' probes, which fire in the
 * same way, with a step for each clause.  Origins of one program (of one group
 * of their provider) with the same steps are a group here.
 */
#include "provider/provider.h"
#include "base/err.h"
#include "provider/provider_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The data of a listed probe; NULL while only its name is known. */
struct derived {
	struct dt_argdesc args[DT_NARGS_MAX];
	size_t nargs;
};

/* The groups, numbered as they come. */
struct groups {
	VEC(struct group {
		const struct dt_adapt *adapt;
		uint32_t group;
	})
	v;
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
group_number(
    struct dt_registry *r, const struct dt_adapt *adapt, uint32_t group)
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

/* ---- which stages ----------------------------------------------------------
 */

#define NSTAGES_MAX 256

/* Some of a library's clauses. */
struct stages {
	uint64_t words[NSTAGES_MAX / 64];
};

static void
stages_add(struct stages *st, size_t i)
{
	st->words[i / 64] |= UINT64_C(1) << i % 64;
}

static bool
stages_has(const struct stages *st, size_t i)
{
	return st->words[i / 64] >> i % 64 & 1;
}

static bool
stages_same(const struct stages *a, const struct stages *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

static bool
stages_meet(const struct stages *a, const struct stages *b)
{
	uint64_t both = 0;

	for (size_t i = 0; i < NSTAGES_MAX / 64; i++)
		both |= a->words[i] & b->words[i];
	return both != 0;
}

static void
stages_join(struct stages *to, const struct stages *from)
{
	for (size_t i = 0; i < NSTAGES_MAX / 64; i++)
		to->words[i] |= from->words[i];
}

/* ---- one library ------------------------------------------------------------
 */

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

/* ---- origins ----------------------------------------------------------------
 */

/*
 * One of the origins, and which clauses it has: their steps, once it is known
 * which probes there are.  Origins with the same clauses share a list.
 */
struct staging {
	struct dt_registry *r;
	const char *prov;
	const struct dt_stage *stages;
	size_t nstages;
	const struct dt_probe **listed; /* what each stage fires */
	char **whys;	      /* each stage: why it has no origin; malloced */
	struct stages *needs; /* of each stage: others, that keep what it
			       * reads */
	size_t stage;	      /* that is being matched */
	bool has_32;
	VEC(struct staged_origin {
		uint32_t id; /* of what it is a copy of */
		struct dt_probe *probe;
		struct stages stages;
	})
	origins;
	VEC(struct steps {
		struct stages stages;
		const struct dt_adapt *first;
	})
	lists;
};

static int
stage_origin(const struct dt_probe *from, void *arg)
{
	struct staging *sg = arg;
	struct staged_origin so = { .id = from->id };

	if (from->up != NULL && from->up->is_32) {
		sg->has_32 = true;
		return 0;
	}
	VEC_FOREACH(&sg->origins, old) {
		if (old->id == from->id) {
			stages_add(&old->stages, sg->stage);
			return 0;
		}
	}
	so.probe = ARENA_NEW(dt_registry_arena(sg->r), struct dt_probe);
	*so.probe = *from;
	so.probe->id = dt_registry_hidden_id(sg->r);
	stages_add(&so.stages, sg->stage);
	VEC_PUSH(&sg->origins, so);
	return 0;
}

/* A program's functions may be missing for several reasons: give them all. */
static char *
match_staged(struct staging *sg, const struct dif_pdesc *desc)
{
	struct err err = { 0 };
	int rc = dt_registry_match(sg->r, desc, stage_origin, sg, &err);
	enum dt_refusal refusal = dt_registry_refusal(sg->r);

	if (!err_is_set(&err))
		return NULL;
	if (rc != 0 || (refusal != DT_REFUSE_LIB && refusal != DT_REFUSE_FUNC))
		return err_steal(&err);
	err_clear(&err);
	return mem_strdup(
	    "the process has none of the functions that it is "
	    "made of: it uses no locks, or its symbols are gone, or it brings "
	    "a library of its own");
}

static void
note_why(struct staging *sg, size_t stage, char *why)
{
	if (sg->whys[stage] == NULL)
		sg->whys[stage] = why;
	else
		free(why);
}

static void
find_staged(struct staging *sg)
{
	for (sg->stage = 0; sg->stage < sg->nstages; sg->stage++) {
		const struct dt_stage *st = &sg->stages[sg->stage];

		for (size_t i = 0; i < st->ndescs; i++)
			note_why(
			    sg, sg->stage, match_staged(sg, &st->descs[i]));
	}
	for (size_t i = 0; sg->has_32 && i < sg->nstages; i++) {
		free(sg->whys[i]);
		sg->whys[i] = mem_strdup("the process is a program of 32 bits, "
					 "which the library does not know");
	}
}

static bool
is_stage_of(const struct staging *sg, size_t stage, const char *name)
{
	const char *fires = sg->stages[stage].name;

	return fires != NULL && strcmp(fires, name) == 0;
}

/* The instruction that reads what one sets for the thread, or 0. */
static enum dif_op
reader_of(enum dif_op op)
{
	return op == DIF_OP_STTS ? DIF_OP_LDTS :
	    op == DIF_OP_STTAA	 ? DIF_OP_LDTAA :
				   0;
}

/* Does a stage's object do that to a variable of threads? */
static bool
has_instr(const struct dt_adapt *ad, enum dif_op op, uint32_t var)
{
	for (size_t i = 0; i <= ad->nargs; i++) {
		const struct dif_obj *dp =
		    i < ad->nargs ? ad->args[i] : ad->pred;

		for (uint32_t k = 0; dp != NULL && k < dp->ntext; k++) {
			if (dif_instr_op(dp->text[k]) == op &&
			    dif_instr_idx(dp->text[k]) == var)
				return true;
		}
	}
	return false;
}

/* Does the stage set a variable that the other one reads? */
static bool
keeps_for(const struct dt_adapt *ad, const struct dt_adapt *other)
{
	for (size_t i = 0; i < ad->nargs; i++) {
		const struct dif_obj *dp = ad->args[i];

		for (uint32_t k = 0; k < dp->ntext; k++) {
			enum dif_op reads =
			    reader_of(dif_instr_op(dp->text[k]));

			if (reads != 0 &&
			    has_instr(other, reads, dif_instr_idx(dp->text[k])))
				return true;
		}
	}
	return false;
}

static void
find_needs(struct staging *sg)
{
	for (size_t k = 0; k < sg->nstages; k++) {
		if (sg->stages[k].name != NULL)
			continue;
		for (size_t i = 0; i < sg->nstages; i++) {
			if (keeps_for(
				&sg->stages[k].adapt, &sg->stages[i].adapt))
				stages_add(&sg->needs[i], k);
		}
	}
}

/* The stages that fire the probe, and all stages that they need. */
static struct stages
stages_for(const struct staging *sg, const char *name)
{
	struct stages all = { { 0 } }, before;

	for (size_t i = 0; i < sg->nstages; i++) {
		if (is_stage_of(sg, i, name))
			stages_add(&all, i);
	}
	do {
		before = all;
		for (size_t i = 0; i < sg->nstages; i++) {
			if (stages_has(&all, i))
				stages_join(&all, &sg->needs[i]);
		}
	} while (!stages_same(&all, &before));
	return all;
}

static bool
fires_any(const struct staging *sg, const struct stages *st, const char *name)
{
	for (size_t i = 0; i < sg->nstages; i++) {
		if (stages_has(st, i) && is_stage_of(sg, i, name))
			return true;
	}
	return false;
}

/* Is one of both that only keeps something?  If a probe has one, it must have an
 * origin, too: nobody waits for locks where there are no functions that lock. */
static bool
has_keeper(
    const struct staging *sg, const struct stages *a, const struct stages *b)
{
	for (size_t i = 0; i < sg->nstages; i++) {
		if (stages_has(a, i) && stages_has(b, i) &&
		    sg->stages[i].name == NULL)
			return true;
	}
	return false;
}

/* The probe may be registered by name already. */
static const struct dt_probe *
add_derived(struct dt_registry *r, const struct dt_probe *tmpl)
{
	struct dt_probe *p = dt_registry_add(r, tmpl);

	if (p->data == NULL) {
		p->kind = tmpl->kind;
		p->origins = tmpl->origins;
		p->norigins = tmpl->norigins;
		p->lacks = tmpl->lacks;
		p->data = tmpl->data;
	}
	return p;
}

static const struct dt_probe *
list_staged(struct staging *sg, const struct dt_staged *want)
{
	struct arena *a = dt_registry_arena(sg->r);
	const struct dt_probe **v = arena_alloc(
	    a, (sg->origins.n + 1) * sizeof(const struct dt_probe *));
	struct dt_probe tmpl = { .ops = &dt_provider_derived,
		.prov = sg->prov,
		.mod = "",
		.func = "",
		.name = want->name,
		.origins = v,
		.lacks = want->lacks,
		.data = copy_args(a, want->args, want->nargs) };
	struct stages stages = stages_for(sg, want->name);
	bool fires = false, keeps = !has_keeper(sg, &stages, &stages);

	VEC_FOREACH(&sg->origins, so) {
		if (!stages_meet(&so->stages, &stages))
			continue;
		v[tmpl.norigins++] = so->probe;
		fires |= fires_any(sg, &so->stages, want->name);
		keeps |= has_keeper(sg, &so->stages, &stages);
	}
	if (!fires || !keeps)
		return NULL;
	tmpl.kind = v[0]->kind;
	return add_derived(sg->r, &tmpl);
}

/* The first reason why one of its stages has no origin; malloced. */
static char *
why_missing(const struct staging *sg, const char *name)
{
	struct stages stages = stages_for(sg, name);

	for (size_t i = 0; i < sg->nstages; i++) {
		if (stages_has(&stages, i) && sg->whys[i] != NULL)
			return mem_strdup(sg->whys[i]);
	}
	for (size_t i = 0; i < sg->nstages; i++) {
		const struct dif_pdesc *d = sg->stages[i].descs;

		if (stages_has(&stages, i) && d != NULL)
			return mem_printf("this kernel has no %s:%s:%s:%s, "
					  "or the module that has it is "
					  "not loaded",
			    d->prov, d->mod, d->func, d->name);
	}
	return mem_strdup("");
}

static bool
is_served(const struct dt_adapt *ad, const struct dt_probe *p)
{
	for (size_t i = 0; i < ad->nserves; i++) {
		if (ad->serves[i] == p)
			return true;
	}
	return false;
}

/* The probes that need what stage k keeps. */
static void
find_served(const struct staging *sg, size_t k, struct dt_adapt *ad)
{
	const struct dt_probe **v = arena_alloc(dt_registry_arena(sg->r),
	    sg->nstages * sizeof(const struct dt_probe *));

	ad->serves = v;
	for (size_t i = 0; i < sg->nstages; i++) {
		const struct dt_probe *p = sg->listed[i];
		struct stages needed;

		if (p == NULL || is_served(ad, p))
			continue;
		needed = stages_for(sg, sg->stages[i].name);
		if (stages_has(&needed, k))
			v[ad->nserves++] = p;
	}
}

static const struct dt_adapt *
make_steps(struct staging *sg, const struct stages *stages)
{
	struct dt_adapt *first = NULL, **next = &first;

	for (size_t i = 0; i < sg->nstages; i++) {
		if (!stages_has(stages, i))
			continue;
		*next = ARENA_NEW(dt_registry_arena(sg->r), struct dt_adapt);
		**next = sg->stages[i].adapt;
		(*next)->fires = sg->listed[i];
		if (sg->stages[i].name == NULL)
			find_served(sg, i, *next);
		next = (struct dt_adapt **)(uintptr_t) & (*next)->next;
	}
	return first;
}

static const struct dt_adapt *
steps_of(struct staging *sg, const struct stages *stages)
{
	VEC_FOREACH(&sg->lists, l) {
		if (stages_same(&l->stages, stages))
			return l->first;
	}
	VEC_PUSH(&sg->lists, (struct steps){ *stages, make_steps(sg, stages) });
	return sg->lists.v[sg->lists.n - 1].first;
}

/* BPF programs take probeprov and probename from `shown`.  Each step overrides
 * them, so any listed probe will do here. */
static const struct dt_probe *
any_listed(const struct staging *sg)
{
	for (size_t i = 0; i < sg->nstages; i++) {
		if (sg->listed[i] != NULL)
			return sg->listed[i];
	}
	return NULL;
}

static void
link_origins(struct staging *sg)
{
	VEC_FOREACH(&sg->origins, so) {
		struct dt_probe *o = so->probe;

		o->adapt = steps_of(sg, &so->stages);
		o->group =
		    DT_GROUP(DERIVED, group_number(sg->r, o->adapt, o->group));
		o->shown = any_listed(sg);
	}
}

static void
list_probes(struct staging *sg, struct dt_staged *probes, size_t nprobes)
{
	for (size_t k = 0; k < nprobes; k++) {
		const struct dt_probe *p = list_staged(sg, &probes[k]);

		if (p == NULL)
			probes[k].missing = why_missing(sg, probes[k].name);
		for (size_t i = 0; p != NULL && i < sg->nstages; i++) {
			if (is_stage_of(sg, i, probes[k].name))
				sg->listed[i] = p;
		}
	}
}

static void
staging_fini(struct staging *sg)
{
	for (size_t i = 0; i < sg->nstages; i++)
		free(sg->whys[i]);
	free(sg->whys);
	free(sg->needs);
	free(sg->listed);
	VEC_FREE(&sg->origins);
	VEC_FREE(&sg->lists);
}

int
dt_registry_derive(struct dt_registry *r, const char *prov,
    const struct dt_stage *stages, size_t nstages, struct dt_staged *probes,
    size_t nprobes)
{
	struct staging sg = {
		.r = r, .prov = prov, .stages = stages, .nstages = nstages
	};

	if (nstages > NSTAGES_MAX)
		return -E2BIG;
	dt_registry_note_derived(r, prov);
	sg.listed = mem_alloc((nstages + 1) * sizeof(const struct dt_probe *));
	sg.needs = mem_alloc((nstages + 1) * sizeof(*sg.needs));
	sg.whys = mem_alloc((nstages + 1) * sizeof(char *));
	find_needs(&sg);
	find_staged(&sg);
	list_probes(&sg, probes, nprobes);
	link_origins(&sg);
	staging_fini(&sg);
	return 0;
}

void
dt_registry_name(struct dt_registry *r, const char *prov, const char *name)
{
	const struct dt_probe tmpl = { .ops = &dt_provider_derived,
		.prov = prov,
		.mod = "",
		.func = "",
		.name = name };

	dt_registry_note_derived(r, prov);
	dt_registry_add(r, &tmpl);
}

/* ---- the provider -------------------------------------------------------- */

/* All derived probes are on demand, so the registry lists them. */
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
derived_match(
    struct dt_registry *r, const struct dif_pdesc *desc, uint32_t id_base)
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

	if (d == NULL)
		return 0;
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
	.privilege = DT_PRIV_KERNEL,
	.attrs = derived_attrs,
};
