/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Enabling: programs become clauses of the plan, with the probes that they
 * match.
 */
#include <assert.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/vec.h"
#include "libdtrace/dt_impl.h"

/* The caller frees it. */
static char *
destructive_action(const struct dif_clause *c, struct diag_span *span)
{
	VEC_FOREACH(&c->actions, a) {
		*span = a->span;
		if (DT_ACT_IS_DESTRUCTIVE(a->kind))
			return mem_printf("%s()", dif_act(a->kind)->name);
		if (a->difo != NULL && a->difo->is_destructive)
			return mem_strdup("a subroutine");
	}
	return NULL;
}

static int
check_destructive(struct dt_hdl *h, const struct dt_prog *p)
{
	struct diag_span span;
	const char *file;

	if (dt_opt_flag(h, DT_OPT_DESTRUCTIVE))
		return 0;
	VEC_FOREACH(&p->dif->clauses, c) {
		char *what = destructive_action(c, &span);
		uint32_t line;
		int rc;

		if (what == NULL)
			continue;
		line = diag_line(&h->compiled.diags, span, &file);
		if (line == 0) /* the program came without its source */
			rc = dt_fail(h,
			    "destructive actions not allowed: %s "
			    "in clause %zu changes the system; -w permits it",
			    what, (size_t)(c - p->dif->clauses.v) + 1);
		else
			rc = dt_fail(h,
			    "destructive actions not allowed: %s "
			    "in line %u changes the system; -w permits it",
			    what, line);
		free(what);
		return rc;
	}
	return 0;
}

void
dt_need_plan(struct dt_hdl *h)
{
	struct plan_opts opts = {
		.strsize = (uint32_t)dt_opt(h, DT_OPT_STRSIZE),
		.stackframes = (uint32_t)dt_opt(h, DT_OPT_STACKFRAMES),
		.maxframes = h->opts.vals[DT_OPT_MAXFRAMES].is_set ?
		    (uint32_t)dt_opt(h, DT_OPT_MAXFRAMES) :
		    0,
		.ustackframes = (uint32_t)dt_opt(h, DT_OPT_USTACKFRAMES),
		.jstackframes = (uint32_t)dt_opt(h, DT_OPT_JSTACKFRAMES),
		.jstackstrsize = (uint32_t)dt_opt(h, DT_OPT_JSTACKSTRSIZE),
		.printsize = (uint32_t)dt_opt(h, DT_OPT_PRINTSIZE),
		.pcapsize = (uint32_t)dt_opt(h, DT_OPT_PCAPSIZE),
	};

	if (h->plan == NULL)
		h->plan = plan_create(&opts);
}

/* Append a string to the object's; returns its place. */
static uint32_t
add_string(struct dif_obj *dp, const char *s)
{
	uint32_t at = dp->strlen, len = (uint32_t)strlen(s) + 1;

	dp->strtab = mem_realloc(dp->strtab, (size_t)at + len);
	memcpy(dp->strtab + at, s, len);
	dp->strlen += len;
	return at;
}

static bool
loads_host(const struct dif_obj *dp)
{
	for (uint32_t i = 0; dp != NULL && i < dp->ntext; i++) {
		if (dif_instr_op(dp->text[i]) == DIF_OP_LDGS &&
		    dif_instr_idx(dp->text[i]) == DIF_VAR_HOST)
			return true;
	}
	return false;
}

/*
 * Built-in host is known before anything runs: the name that option fleethost
 * gives, or "": one machine needs no name.
 */
static int
name_host(struct dt_hdl *h, struct dif_obj *dp)
{
	const struct dt_optval *v = &h->opts.vals[DT_OPT_FLEETHOST];
	struct err err = { 0 };
	uint32_t at;

	if (!loads_host(dp))
		return 0;
	at = add_string(dp, v->is_set ? v->strs.v[0] : "");
	if (at > UINT16_MAX)
		return dt_fail(h,
		    "a statement with built-in host has too many strings: "
		    "assign host to a variable of its own");
	for (uint32_t i = 0; i < dp->ntext; i++) {
		uint32_t ins = dp->text[i];

		if (dif_instr_op(ins) == DIF_OP_LDGS &&
		    dif_instr_idx(ins) == DIF_VAR_HOST)
			dp->text[i] =
			    dif_instr_w(DIF_OP_SETS, at, dif_instr_rd(ins));
	}
	return dif_verify(dp, &err) != 0 ? dt_fail_err(h, &err) : 0;
}

static int
name_hosts(struct dt_hdl *h, struct dif_prog *p)
{
	VEC_FOREACH(&p->clauses, c) {
		if (name_host(h, c->pred) != 0)
			return -1;
		VEC_FOREACH(&c->actions, act) {
			if (name_host(h, act->difo) != 0)
				return -1;
		}
	}
	return 0;
}

int
dt_prog_exec(struct dt_hdl *h, struct dt_prog *p, struct dt_proginfo *info)
{
	size_t base;

	assert(!h->probes.lists_names);
	if (dt_link(h, p->dif) != 0 || check_destructive(h, p) != 0)
		return -1;
	if (!dt_is_query(h) && name_hosts(h, p->dif) != 0)
		return -1;
	if (dt_firing_add(h, p) != 0 || dt_whose_add(h, p->dif) != 0)
		return -1;
	dt_need_plan(h);
	base = h->plan->clauses.n;
	if (plan_add_program(h->plan, p->dif, &h->compiled.diags) != 0)
		return dt_fail(h, "the program cannot be enabled");
	dt_log(h, "enabled a program of %zu clauses", p->dif->clauses.n);
	info->matches = 0;
	p->first_clause = base;
	p->is_enabled = true;
	for (size_t i = 0; i < p->dif->clauses.n; i++) {
		struct plan_clause *pc = &h->plan->clauses.v[base + i];

		pc->may_grow =
		    dt_match_may_grow(p, i) && !dif_clause_is_aside(pc->clause);
		VEC_FOREACH(&p->matches[i].probes, probe)
			plan_clause_add_probe(pc, *probe);
		if (!dt_match_is_repeated(p, i) &&
		    !dif_clause_is_aside(pc->clause))
			info->matches += (uint32_t)p->matches[i].probes.n;
	}
	VEC_PUSH(&h->output.sources,
	    ((struct consume_source){ p->name, p->text, info->matches }));
	dt_note_remarks(h, p->dif);
	dt_notice_legacy(h, p);
	return 0;
}
