/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Choose a part for each clause.
 *
 *	1. A clause that needs the kernel runs there: by a probe of the kernel's,
 *	   by what it does, or because its process cannot be entered.
 *	2. So does each clause that is tied to one which runs there.
 *	3. Of the others, those with probes of processes run in processes, and
 *	   the clauses that are tied to them.
 *	4. The rest, which dtrace fires itself, runs in the kernel.
 *	5. If all probes of processes fire once in each, all runs in the kernel.
 *
 * A variable that can be in memory of both parts does not tie clauses to the
 * kernel (exec/shared.h).  If clauses of both parts have it, it is put there.
 *
 * ERROR's clauses run where the fault is, so in both parts.  If they have state
 * or need the kernel, everything that may fault runs there.
 */
#include "exec/both/split.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/idmap.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "exec/source_place.h"
#include "provider/usites.h"

struct splitting {
	struct both_split *s;
	const struct both_asks *asks;
	struct both_ties ties;
	struct both_addresses addresses;
	struct idmap entered; /* by pid: a number of `refusals` + 1, or 0 */
	VEC(char *) refusals;
};

/* ---- names ----------------------------------------------------------- */

static char *
place_of(const struct both_split *s, size_t clause)
{
	return exec_place(s->diags, s->pl->clauses.v[clause].clause->span);
}

/* "self->x" */
static char *
variable_name(const struct both_tie *t)
{
	return mem_printf("%s%s%s",
	    t->key[0] == DIFV_SCOPE_THREAD ? "self->" : "", t->name,
	    t->key[1] == DIFV_KIND_ARRAY ? "[]" : "");
}

/* The reason for a clause that is tied to one in the kernel. */
static char *
reason_of(const struct both_split *s, const struct both_tie *t,
    const struct both_tie *other)
{
	char *place = place_of(s, other->clause), *what = NULL, *why = NULL;

	switch (t->kind) {
	case BOTH_TIE_PROBE:
		why = mem_printf("it has a probe in common with %s", place);
		break;
	case BOTH_TIE_PLACE:
		why = mem_printf(
		    "it has a place in a program in common with %s", place);
		break;
	case BOTH_TIE_GROWTH:
		why = mem_printf(
		    "it may find a place in common with %s while tracing",
		    place);
		break;
	case BOTH_TIE_VARIABLE:
		what = variable_name(t);
		why = mem_printf("it shares %s with %s (%s)", what, place,
		    t->key[0] == DIFV_SCOPE_THREAD && s->self_why != NULL ?
			s->self_why :
			"only integers can be in both parts");
		break;
	case BOTH_TIE_CALLS:
		why = mem_printf(
		    "%s would see the system calls that it makes in the process",
		    place);
		break;
	case BOTH_TIE_SPECULATION:
		why = mem_printf("it shares speculations with %s", place);
		break;
	}
	free(what);
	free(place);
	return why;
}

/* ---- what needs the kernel ------------------------------------------- */

static bool
may_fire(const struct plan_clause *pc)
{
	return plan_clause_is_live(pc) || both_grows(pc);
}

/* Why no probe can run in the process; NULL: probes can. */
static const char *
refusal_of(struct splitting *sp, pid_t pid)
{
	const uint32_t *known = idmap_get(&sp->entered, (uint32_t)pid);
	struct err err = { 0 };
	uint32_t n = 0;

	if (known == NULL) {
		if (sp->asks->may_enter(pid, &err) != 0) {
			VEC_PUSH(&sp->refusals, mem_strdup(err_text(&err)));
			n = (uint32_t)sp->refusals.n;
		}
		err_clear(&err);
		idmap_put(&sp->entered, (uint32_t)pid, n);
		known = idmap_get(&sp->entered, (uint32_t)pid);
	}
	return *known != 0 ? sp->refusals.v[*known - 1] : NULL;
}

/*
 * Do helpers of the program name the stack's frames?  Only the kernel runs
 * them.
 */
static bool
names_frames(const struct plan_rec *rec)
{
	return rec->store == PLAN_USTACK && PLAN_STRINGS(rec) != 0;
}

static bool
stores_names(const struct plan_clause *pc)
{
	VEC_FOREACH(&pc->steps, s) {
		if (s->rec != NULL && names_frames(s->rec))
			return true;
		if (s->agg == NULL)
			continue;
		VEC_FOREACH(&s->agg->keys, key) {
			if (names_frames(key))
				return true;
		}
	}
	return false;
}

static char *
probe_needs(struct splitting *sp, const struct dt_probe *p)
{
	char *why = sp->asks->refuses(NULL, p);
	const char *refusal;

	if (why != NULL || p->up == NULL)
		return why;
	refusal = refusal_of(sp, p->up->pid);
	return refusal != NULL ? mem_strdup(refusal) : NULL;
}

/* Why probes that the clause may get while tracing need the kernel, or NULL. */
static char *
growth_needs(struct splitting *sp, const struct plan_clause *pc)
{
	VEC_FOREACH(&pc->clause->pdescs, desc) {
		const char *refusal;

		if (!dt_registry_may_grow(desc))
			continue;
		if (dt_pid_named(desc) == 0)
			return mem_strdup("its probes are in all processes");
		refusal = refusal_of(sp, dt_pid_named(desc));
		if (refusal != NULL)
			return mem_strdup(refusal);
	}
	return NULL;
}

/* Why the clause must run in the kernel (malloced), or NULL. */
static char *
clause_needs(struct splitting *sp, const struct plan_clause *pc)
{
	char *why = sp->asks->refuses(pc, NULL);

	if (why == NULL && stores_names(pc))
		why = mem_strdup("helpers name frames in the kernel only");
	if (why == NULL && both_reads_other_memory(&sp->addresses, pc))
		why = mem_strdup(
		    "it reads at an address that may be the kernel's; memory "
		    "of the process is read by copyin() or copyinstr(), and "
		    "an address of theirs is kept in this->");
	if (why == NULL)
		why = growth_needs(sp, pc);
	VEC_FOREACH(&pc->probes, p) {
		if (why == NULL)
			why = probe_needs(sp, *p);
	}
	return why;
}

/* ---- choosing -------------------------------------------------------- */

static void
choose(struct both_split *s, size_t clause, enum both_where where, char *why)
{
	s->choices[clause] = (struct both_choice){ where, why };
}

static bool
is_error(const struct plan_clause *pc)
{
	VEC_FOREACH(&pc->probes, p) {
		if ((*p)->kind == DT_PROBE_ERROR)
			return true;
	}
	return false;
}

/* May the clause of ERROR be run in both parts? */
static bool
is_for_each(struct splitting *sp, const struct plan_clause *pc)
{
	char *why = clause_needs(sp, pc);
	bool is = why == NULL && !both_has_state(pc) && pc->probes.n == 1;

	free(why);
	return is;
}

/* Choose the kernel for clauses that need it without any tie.  is_tied[i]: the
 * clause takes part in ties. */
static void
choose_needy(struct splitting *sp, bool *is_tied)
{
	const struct plan *pl = sp->s->pl;

	for (size_t i = 0; i < pl->clauses.n; i++) {
		const struct plan_clause *pc = &pl->clauses.v[i];
		char *why;

		if (!may_fire(pc))
			continue;
		is_tied[i] = !is_error(pc) || !is_for_each(sp, pc);
		if (!is_tied[i]) {
			choose(sp->s, i, BOTH_EACH, NULL);
			continue;
		}
		why = clause_needs(sp, pc);
		if (why != NULL)
			choose(sp->s, i, BOTH_KERNEL, why);
	}
}

/* ERROR's clause, whose state every fault may change; or clauses.n. */
static size_t
find_stateful_error(const struct both_split *s)
{
	size_t i = 0;

	while (i < s->pl->clauses.n &&
	    (!is_error(&s->pl->clauses.v[i]) ||
		s->choices[i].where == BOTH_EACH))
		i++;
	return i;
}

/* If one clause of equal ties runs in `where`, choose that for those that are
 * undecided.  False: nothing changed. */
static bool
spread_among(
    struct splitting *sp, size_t first, size_t end, enum both_where where)
{
	const struct both_tie *v = sp->ties.v.v, *from = NULL;
	bool has_changed = false;

	for (size_t i = first; i < end && from == NULL; i++) {
		if (sp->s->choices[v[i].clause].where == where)
			from = &v[i];
	}
	for (size_t i = first; i < end && from != NULL; i++) {
		if (sp->s->choices[v[i].clause].where != BOTH_NOWHERE)
			continue;
		choose(sp->s, v[i].clause, where,
		    where == BOTH_KERNEL ? reason_of(sp->s, &v[i], from) :
					   NULL);
		has_changed = true;
	}
	return has_changed;
}

/* Each round decides at least one more clause. */
static void
spread(struct splitting *sp, enum both_where where)
{
	bool has_changed;

	do {
		has_changed = false;
		for (size_t i = 0, end; i < sp->ties.v.n; i = end) {
			end = both_ties_end(&sp->ties, i);
			if (where == BOTH_KERNEL &&
			    both_ties_are_soft(&sp->ties, i, end))
				continue;
			has_changed |= spread_among(sp, i, end, where);
		}
	} while (has_changed);
}

static bool
is_of_process(const struct plan_clause *pc)
{
	VEC_FOREACH(&pc->probes, p) {
		if ((*p)->up != NULL)
			return true;
	}
	return both_grows(pc);
}

/* Choose for the undecided clauses: those of processes, then the rest. */
static void
choose_processes(struct splitting *sp)
{
	const struct plan *pl = sp->s->pl;

	for (size_t i = 0; i < pl->clauses.n; i++) {
		if (sp->s->choices[i].where == BOTH_NOWHERE &&
		    is_of_process(&pl->clauses.v[i]))
			choose(sp->s, i, BOTH_PROCESS, NULL);
	}
	spread(sp, BOTH_PROCESS);
	for (size_t i = 0; i < pl->clauses.n; i++) {
		if (sp->s->choices[i].where == BOTH_NOWHERE &&
		    may_fire(&pl->clauses.v[i]))
			choose(sp->s, i, BOTH_KERNEL,
			    mem_strdup("dtrace fires it, and no clause in a "
				       "process depends on it"));
	}
}

/* Choose the kernel for undecided clauses.  `why` becomes the reason, with the
 * place of the clause to which they are tied. */
static void
follow(struct both_split *s, size_t clause, const char *why)
{
	char *place = place_of(s, clause);

	for (size_t i = 0; i < s->pl->clauses.n; i++) {
		if (s->choices[i].where == BOTH_NOWHERE &&
		    may_fire(&s->pl->clauses.v[i]))
			choose(s, i, BOTH_KERNEL,
			    mem_printf("%s (%s)", why, place));
	}
	free(place);
}

static bool
is_asked_about(const struct plan_clause *pc)
{
	VEC_FOREACH(&pc->probes, p) {
		if ((*p)->up == NULL)
			continue;
		VEC_FOREACH(&(*p)->up->sites, site) {
			if (site->is_enabled)
				return true;
		}
	}
	return false;
}

/*
 * Two sessions cannot be in one process (inproc/plant.c).  To answer a program
 * that asks whether a probe is enabled, the kernel substrate may have to enter
 * it.
 */
static void
keep_out(struct both_split *s)
{
	for (size_t i = 0; i < s->pl->clauses.n; i++) {
		if (s->choices[i].where == BOTH_KERNEL &&
		    is_asked_about(&s->pl->clauses.v[i]))
			follow(s, i,
			    "programs ask whether probes of a clause in the "
			    "kernel are enabled");
	}
}

static void
follow_error(struct both_split *s)
{
	size_t error = find_stateful_error(s);

	if (error != s->pl->clauses.n)
		follow(s, error,
		    "its faults fire a clause of ERROR that cannot run in both "
		    "parts");
}

static bool
any_runs(
    const struct splitting *sp, size_t first, size_t end, enum both_where where)
{
	for (size_t i = first; i < end; i++) {
		if (sp->s->choices[sp->ties.v.v[i].clause].where == where)
			return true;
	}
	return false;
}

/* Is a clause in a process that is worth entering it? */
static bool
any_is_frequent(const struct both_split *s)
{
	for (size_t i = 0; i < s->pl->clauses.n; i++) {
		if (s->choices[i].where == BOTH_PROCESS &&
		    !both_fires_once(&s->pl->clauses.v[i]))
			return true;
	}
	return false;
}

static void
share_variables(struct splitting *sp)
{
	const struct both_tie *v = sp->ties.v.v;

	for (size_t i = 0, end; i < sp->ties.v.n; i = end) {
		end = both_ties_end(&sp->ties, i);
		if (v[i].kind == BOTH_TIE_VARIABLE &&
		    any_runs(sp, i, end, BOTH_PROCESS) &&
		    any_runs(sp, i, end, BOTH_KERNEL))
			exec_shared_add(&sp->s->shared, (uint32_t)v[i].key[2],
			    (uint8_t)v[i].key[0], v[i].name);
	}
}

_Static_assert(EXEC_SHARED_PIDS == 1 + 15, "dtrace, and those of the message");

static void
add_process(struct splitting *sp, pid_t pid)
{
	struct both_split *s = sp->s;

	if (pid == 0)
		return;
	VEC_FOREACH(&s->shared.pids, known) {
		if (*known == pid)
			return;
	}
	if (s->shared.pids.n == EXEC_SHARED_PIDS)
		s->self_why = "self-> integers can be in both parts of "
			      "15 processes at most";
	else if (!sp->asks->has_same_ids(pid))
		s->self_why = "in a PID namespace, self-> integers cannot be "
			      "in both parts";
	else
		VEC_PUSH(&s->shared.pids, pid);
}

/* The processes that the clause's probes are in, unless it runs in the kernel:
 * then it brings no process to the memory. */
static void
find_processes_of(struct splitting *sp, size_t clause)
{
	const struct plan_clause *pc = &sp->s->pl->clauses.v[clause];

	if (sp->s->choices[clause].where == BOTH_KERNEL)
		return;
	VEC_FOREACH(&pc->probes, p) {
		if ((*p)->up != NULL)
			add_process(sp, (*p)->up->pid);
	}
	VEC_FOREACH(&pc->clause->pdescs, desc) {
		if (dt_registry_may_grow(desc))
			add_process(sp, dt_pid_named(desc));
	}
}

/* The processes with threads whose self-> variables can be in both parts:
 * dtrace, which fires BEGIN, END and ticks, and those with probes. */
static void
find_processes(struct splitting *sp)
{
	add_process(sp, getpid());
	for (size_t i = 0; i < sp->s->pl->clauses.n; i++)
		find_processes_of(sp, i);
}

static void
note_parts(struct both_split *s)
{
	for (size_t i = 0; i < s->pl->clauses.n; i++) {
		s->has_process |= s->choices[i].where == BOTH_PROCESS;
		s->has_kernel |= s->choices[i].where == BOTH_KERNEL;
	}
	if (!s->has_process)
		s->has_kernel = true;
}

void
both_split_init(struct both_split *s, const struct plan *pl,
    const struct diags *diags, const struct both_asks *asks)
{
	struct splitting sp = { .s = s, .asks = asks };
	bool *is_tied = mem_alloc((pl->clauses.n + 1) * sizeof(*is_tied));

	*s = (struct both_split){ .pl = pl, .diags = diags };
	s->choices = mem_alloc((pl->clauses.n + 1) * sizeof(*s->choices));
	both_addresses_init(&sp.addresses, pl);
	choose_needy(&sp, is_tied);
	find_processes(&sp);
	sp.ties.self_is_soft = s->self_why == NULL;
	both_ties_find(&sp.ties, pl, is_tied);
	spread(&sp, BOTH_KERNEL);
	follow_error(s);
	keep_out(s);
	choose_processes(&sp);
	if (!any_is_frequent(s))
		both_split_undo(s,
		    mem_strdup("all probes of processes fire once in each, "
			       "and to enter a process costs more than that"));
	share_variables(&sp);
	note_parts(s);
	both_ties_fini(&sp.ties);
	both_addresses_fini(&sp.addresses);
	idmap_fini(&sp.entered);
	VEC_FOREACH(&sp.refusals, text)
		free(*text);
	VEC_FREE(&sp.refusals);
	free(is_tied);
}

void
both_split_undo(struct both_split *s, char *why)
{
	for (size_t i = 0; i < s->pl->clauses.n; i++) {
		if (s->choices[i].where == BOTH_PROCESS)
			choose(s, i, BOTH_KERNEL, mem_strdup(why));
	}
	s->has_process = false;
	s->has_kernel = true;
	free(why);
}

void
both_split_fini(struct both_split *s)
{
	for (size_t i = 0; s->choices != NULL && i < s->pl->clauses.n; i++)
		free(s->choices[i].why);
	free(s->choices);
	exec_shared_fini(&s->shared);
}

/* ---- telling --------------------------------------------------------- */

static const char *
where_text(const struct both_split *s, const struct both_choice *c)
{
	if (c->where == BOTH_PROCESS)
		return "runs in the process";
	if (c->where == BOTH_EACH && s->has_process)
		return s->has_kernel ? "runs where the fault is" :
				       "runs in the process";
	return "runs in the kernel";
}

char *
both_split_text(const struct both_split *s, size_t clause)
{
	const struct both_choice *c = &s->choices[clause];
	const struct dif_clause *cl = s->pl->clauses.v[clause].clause;
	struct strbuf sb = { 0 };
	char *place;

	if (c->where == BOTH_NOWHERE || dif_clause_is_aside(cl))
		return NULL;
	place = place_of(s, clause);
	strbuf_printf(&sb, "%s, ", place);
	if (cl->pdescs.n != 0)
		dif_pdesc_format(&cl->pdescs.v[0], &sb);
	strbuf_printf(
	    &sb, "%s: %s", cl->pdescs.n > 1 ? ", ..." : "", where_text(s, c));
	if (c->why != NULL)
		strbuf_printf(&sb, ": %s", c->why);
	free(place);
	return strbuf_steal(&sb);
}

char *
both_split_shared_text(const struct both_split *s)
{
	struct strbuf sb = { 0 };

	if (s->shared.v.n == 0 || !s->has_process)
		return NULL;
	strbuf_adds(&sb, "in memory of both parts");
	VEC_FOREACH(&s->shared.v, v)
		strbuf_printf(&sb, "%s %s%s", v == s->shared.v.v ? ":" : ",",
		    v->scope == DIFV_SCOPE_THREAD ? "self->" : "", v->name);
	return strbuf_steal(&sb);
}
