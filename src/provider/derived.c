/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Derived probes: the stable providers (proc, sched, io, ...), which D
 * libraries define over tracepoints and functions of the kernel.
 *
 *	derived probe          rule         origin
 *	proc:::create      <-- 1 --  sdt:sched::sched_process_fork
 *	proc:::lwp-create  <-- 2 --
 *	proc:::exec        <-- 3 --  sdt:sched::sched_prepare_exec
 *	                   <-- 4 --  syscall::execve:return
 *
 * A derived probe is listed: it has a number, names and arguments.  Substrates
 * arm its origins, each origin once.  An origin is a copy of another provider's
 * probe; it fires as that does, and has one step for each of its rules.
 * Origins that are in one group of their provider and have the same steps are a
 * group here.
 */
#include "provider/provider.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/vec.h"
#include "provider/provider_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The data of a derived probe; NULL while only its name is known. */
struct derived {
	struct dt_argdesc args[DT_NARGS_MAX];
	size_t nargs;
};

/* The groups, numbered as they come. */
struct groups {
	VEC(struct group {
		const struct dt_step *steps;
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
group_number(struct dt_registry *r, const struct dt_step *steps, uint32_t group)
{
	static const struct dt_keep keep = { groups_create, groups_destroy };
	struct groups *gs = dt_registry_keep(r, &keep);

	VEC_FOREACH(&gs->v, g) {
		if (g->steps == steps && g->group == group)
			return (uint32_t)(g - gs->v.v);
	}
	VEC_PUSH(&gs->v, (struct group){ steps, group });
	return (uint32_t)gs->v.n - 1;
}

/* ---- which rules --------------------------------------------------------- */

#define NRULES_MAX 256

/* Some of a library's rules. */
struct ruleset {
	uint64_t words[NRULES_MAX / 64];
};

static void
rules_add(struct ruleset *set, size_t i)
{
	set->words[i / 64] |= UINT64_C(1) << i % 64;
}

static bool
rules_has(const struct ruleset *set, size_t i)
{
	return set->words[i / 64] >> i % 64 & 1;
}

static bool
rules_same(const struct ruleset *a, const struct ruleset *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

static bool
rules_meet(const struct ruleset *a, const struct ruleset *b)
{
	uint64_t both = 0;

	for (size_t i = 0; i < NRULES_MAX / 64; i++)
		both |= a->words[i] & b->words[i];
	return both != 0;
}

static void
rules_join(struct ruleset *to, const struct ruleset *from)
{
	for (size_t i = 0; i < NRULES_MAX / 64; i++)
		to->words[i] |= from->words[i];
}

/* ---- one library --------------------------------------------------------- */

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

/* ---- origins ------------------------------------------------------------- */

/*
 * The work on one library.  `origins` has each origin with the set of its
 * rules. Once the derived probes are known, each set becomes a list of steps;
 * origins with the same set share the list.
 */
struct deriving {
	struct dt_registry *r;
	const char *prov;
	const struct dt_rule *rules;
	size_t nrules;
	const struct dt_probe **listed; /* each rule: the probe it fires */
	char **whys;	       /* each rule: why it has no origin; malloced */
	struct ruleset *needs; /* of each rule: the rules that set variables
			       * which it reads */
	size_t rule;	       /* the rule that is being matched */
	bool has_32;
	VEC(struct origin {
		uint32_t id; /* of the probe of which it is a copy */
		struct dt_probe *probe;
		struct ruleset rules;
	})
	origins;
	VEC(struct steps {
		struct ruleset rules;
		const struct dt_step *first;
	})
	lists;
};

static int
add_origin(const struct dt_probe *from, void *arg)
{
	struct deriving *dg = arg;
	struct origin origin = { .id = from->id };

	if (from->up != NULL && from->up->is_32) {
		dg->has_32 = true;
		return 0;
	}
	VEC_FOREACH(&dg->origins, old) {
		if (old->id == from->id) {
			rules_add(&old->rules, dg->rule);
			return 0;
		}
	}
	origin.probe = ARENA_NEW(dt_registry_arena(dg->r), struct dt_probe);
	*origin.probe = *from;
	origin.probe->id = dt_registry_hidden_id(dg->r);
	rules_add(&origin.rules, dg->rule);
	VEC_PUSH(&dg->origins, origin);
	return 0;
}

/* A program's functions may be missing for several reasons: give them all. */
static char *
match_rule(struct deriving *dg, const struct dif_pdesc *desc)
{
	struct err err = { 0 };
	int rc = dt_registry_match(dg->r, desc, add_origin, dg, &err);
	enum dt_refusal refusal = dt_registry_refusal(dg->r);

	if (!err_is_set(&err))
		return NULL;
	if (rc != 0 || (refusal != DT_REFUSE_LIB && refusal != DT_REFUSE_FUNC))
		return err_steal(&err);
	err_clear(&err);
	return mem_strdup(
	    "the process has none of the functions that the probe is "
	    "made of: the process uses no locks, or its symbols are gone, or "
	    "it brings a library of its own");
}

static void
note_why(struct deriving *dg, size_t rule, char *why)
{
	if (dg->whys[rule] == NULL)
		dg->whys[rule] = why;
	else
		free(why);
}

static void
find_origins(struct deriving *dg)
{
	for (dg->rule = 0; dg->rule < dg->nrules; dg->rule++) {
		const struct dt_rule *rule = &dg->rules[dg->rule];

		for (size_t i = 0; i < rule->ndescs; i++)
			note_why(dg, dg->rule, match_rule(dg, &rule->descs[i]));
	}
	for (size_t i = 0; dg->has_32 && i < dg->nrules; i++) {
		free(dg->whys[i]);
		dg->whys[i] = mem_strdup("the process is a program of 32 bits, "
					 "which the library does not know");
	}
}

static bool
is_rule_of(const struct deriving *dg, size_t rule, const char *name)
{
	const char *fires = dg->rules[rule].name;

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

/* Does an object of the step have the instruction, on that thread-local
 * variable?  dif_obj.uses cannot tell: of variables it has only the built-in
 * ones. */
static bool
has_instr(const struct dt_step *step, enum dif_op op, uint32_t var)
{
	for (size_t i = 0; i <= step->nargs; i++) {
		const struct dif_obj *dp =
		    i < step->nargs ? step->args[i] : step->pred;

		for (uint32_t k = 0; dp != NULL && k < dp->ntext; k++) {
			if (dif_instr_op(dp->text[k]) == op &&
			    dif_instr_idx(dp->text[k]) == var)
				return true;
		}
	}
	return false;
}

/* Does the step set a variable that the other step reads? */
static bool
keeps_for(const struct dt_step *step, const struct dt_step *other)
{
	for (size_t i = 0; i < step->nargs; i++) {
		const struct dif_obj *dp = step->args[i];

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
find_needs(struct deriving *dg)
{
	for (size_t k = 0; k < dg->nrules; k++) {
		if (dg->rules[k].name != NULL)
			continue;
		for (size_t i = 0; i < dg->nrules; i++) {
			if (keeps_for(&dg->rules[k].step, &dg->rules[i].step))
				rules_add(&dg->needs[i], k);
		}
	}
}

/* The rules that fire the probe, and all rules that they need. */
static struct ruleset
rules_for(const struct deriving *dg, const char *name)
{
	struct ruleset all = { { 0 } }, before;

	for (size_t i = 0; i < dg->nrules; i++) {
		if (is_rule_of(dg, i, name))
			rules_add(&all, i);
	}
	do {
		before = all;
		for (size_t i = 0; i < dg->nrules; i++) {
			if (rules_has(&all, i))
				rules_join(&all, &dg->needs[i]);
		}
	} while (!rules_same(&all, &before));
	return all;
}

static bool
fires_any(
    const struct deriving *dg, const struct ruleset *set, const char *name)
{
	for (size_t i = 0; i < dg->nrules; i++) {
		if (rules_has(set, i) && is_rule_of(dg, i, name))
			return true;
	}
	return false;
}

/* Is a rule in both sets that fires no probe (a keeper)?  A probe whose rules
 * have a keeper needs an origin for it: without functions that lock, no thread
 * waits for a lock. */
static bool
has_keeper(
    const struct deriving *dg, const struct ruleset *a, const struct ruleset *b)
{
	for (size_t i = 0; i < dg->nrules; i++) {
		if (rules_has(a, i) && rules_has(b, i) &&
		    dg->rules[i].name == NULL)
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
		p->attrs = tmpl->attrs;
		p->data = tmpl->data;
	}
	return p;
}

static const struct dt_probe *
list_derived(struct deriving *dg, const struct dt_derived *want)
{
	struct arena *a = dt_registry_arena(dg->r);
	const struct dt_probe **v = arena_alloc(
	    a, (dg->origins.n + 1) * sizeof(const struct dt_probe *));
	struct dt_probe tmpl = { .ops = &dt_provider_derived,
		.prov = dg->prov,
		.mod = "",
		.func = "",
		.name = want->name,
		.origins = v,
		.lacks = want->lacks,
		.attrs = want->attrs,
		.data = copy_args(a, want->args, want->nargs) };
	struct ruleset rules = rules_for(dg, want->name);
	bool fires = false, keeps = !has_keeper(dg, &rules, &rules);

	VEC_FOREACH(&dg->origins, origin) {
		if (!rules_meet(&origin->rules, &rules))
			continue;
		v[tmpl.norigins++] = origin->probe;
		fires |= fires_any(dg, &origin->rules, want->name);
		keeps |= has_keeper(dg, &origin->rules, &rules);
	}
	if (!fires || !keeps)
		return NULL;
	tmpl.kind = v[0]->kind;
	return add_derived(dg->r, &tmpl);
}

/* The first reason why one of its rules has no origin; malloced. */
static char *
why_missing(const struct deriving *dg, const char *name)
{
	struct ruleset rules = rules_for(dg, name);

	for (size_t i = 0; i < dg->nrules; i++) {
		if (rules_has(&rules, i) && dg->whys[i] != NULL)
			return mem_strdup(dg->whys[i]);
	}
	for (size_t i = 0; i < dg->nrules; i++) {
		const struct dif_pdesc *d = dg->rules[i].descs;

		if (rules_has(&rules, i) && d != NULL)
			return mem_printf("this kernel has no %s:%s:%s:%s, "
					  "or the module that has it is "
					  "not loaded",
			    d->prov, d->mod, d->func, d->name);
	}
	return mem_strdup("");
}

static bool
is_served(const struct dt_step *step, const struct dt_probe *p)
{
	for (size_t i = 0; i < step->nserves; i++) {
		if (step->serves[i] == p)
			return true;
	}
	return false;
}

/* List the probes that need a variable which rule k sets. */
static void
find_served(const struct deriving *dg, size_t k, struct dt_step *step)
{
	const struct dt_probe **v = arena_alloc(dt_registry_arena(dg->r),
	    dg->nrules * sizeof(const struct dt_probe *));

	step->serves = v;
	for (size_t i = 0; i < dg->nrules; i++) {
		const struct dt_probe *p = dg->listed[i];
		struct ruleset needed;

		if (p == NULL || is_served(step, p))
			continue;
		needed = rules_for(dg, dg->rules[i].name);
		if (rules_has(&needed, k))
			v[step->nserves++] = p;
	}
}

static const struct dt_step *
make_steps(struct deriving *dg, const struct ruleset *rules)
{
	struct dt_step *first = NULL, **next = &first;

	for (size_t i = 0; i < dg->nrules; i++) {
		if (!rules_has(rules, i))
			continue;
		*next = ARENA_NEW(dt_registry_arena(dg->r), struct dt_step);
		**next = dg->rules[i].step;
		(*next)->fires = dg->listed[i];
		if (dg->rules[i].name == NULL)
			find_served(dg, i, *next);
		next = (struct dt_step **)(uintptr_t) & (*next)->next;
	}
	return first;
}

static const struct dt_step *
steps_of(struct deriving *dg, const struct ruleset *rules)
{
	VEC_FOREACH(&dg->lists, l) {
		if (rules_same(&l->rules, rules))
			return l->first;
	}
	VEC_PUSH(&dg->lists, (struct steps){ *rules, make_steps(dg, rules) });
	return dg->lists.v[dg->lists.n - 1].first;
}

/* A program takes probeprov and probename from `shown`.  Each step overrides
 * them, so any listed probe will do here. */
static const struct dt_probe *
any_listed(const struct deriving *dg)
{
	for (size_t i = 0; i < dg->nrules; i++) {
		if (dg->listed[i] != NULL)
			return dg->listed[i];
	}
	return NULL;
}

static void
link_origins(struct deriving *dg)
{
	VEC_FOREACH(&dg->origins, origin) {
		struct dt_probe *o = origin->probe;

		o->steps = steps_of(dg, &origin->rules);
		o->group =
		    DT_GROUP(DERIVED, group_number(dg->r, o->steps, o->group));
		o->shown = any_listed(dg);
	}
}

static void
list_probes(struct deriving *dg, struct dt_derived *probes, size_t nprobes)
{
	for (size_t k = 0; k < nprobes; k++) {
		const struct dt_probe *p = list_derived(dg, &probes[k]);

		if (p == NULL)
			probes[k].missing = why_missing(dg, probes[k].name);
		for (size_t i = 0; p != NULL && i < dg->nrules; i++) {
			if (is_rule_of(dg, i, probes[k].name))
				dg->listed[i] = p;
		}
	}
}

static void
deriving_fini(struct deriving *dg)
{
	for (size_t i = 0; i < dg->nrules; i++)
		free(dg->whys[i]);
	free(dg->whys);
	free(dg->needs);
	free(dg->listed);
	VEC_FREE(&dg->origins);
	VEC_FREE(&dg->lists);
}

int
dt_registry_derive(struct dt_registry *r, const char *prov,
    const struct dt_rule *rules, size_t nrules, struct dt_derived *probes,
    size_t nprobes)
{
	struct deriving dg = {
		.r = r, .prov = prov, .rules = rules, .nrules = nrules
	};

	if (nrules > NRULES_MAX)
		return -E2BIG;
	dt_registry_note_derived(r, prov);
	dg.listed = mem_alloc((nrules + 1) * sizeof(const struct dt_probe *));
	dg.needs = mem_alloc((nrules + 1) * sizeof(*dg.needs));
	dg.whys = mem_alloc((nrules + 1) * sizeof(char *));
	find_needs(&dg);
	find_origins(&dg);
	list_probes(&dg, probes, nprobes);
	link_origins(&dg);
	deriving_fini(&dg);
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

/* Of probes of which only the names are known. */
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
