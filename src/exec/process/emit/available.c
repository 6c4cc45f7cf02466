/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The process substrate refuses scripts that need the kernel.  The messages
 * name what a process does not have.
 */
#include "exec/process/emit/compile.h"

#include <errno.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "exec/source_place.h"
#include "provider/usites.h"

void
pr_refuse(struct pr_tr *t, struct diag_span at, char *why)
{
	if (t->refused != NULL) {
		free(why);
		return;
	}
	t->refused = why;
	t->refused_span = at;
}

#define NEEDS_KERNEL                                                           \
	" needs the kernel, and is not available with -x substrate=process"

static void
check_subrs(struct pr_tr *t, const struct dif_uses *u)
{
	for (uint64_t left = u->subrs; left != 0; left &= left - 1) {
		uint32_t id = dif_subr_of_row(DIF_ROW_OF(left));

		if (dif_subr_flags(id) & DIF_SUBRF_KERNEL)
			pr_refuse(t, t->pc->clause->span,
			    mem_printf(
				"%s()" NEEDS_KERNEL, dif_subr_find(id)->name));
	}
}

static void
check_vars(struct pr_tr *t, const struct dif_uses *u)
{
	for (uint64_t left = u->vars; left != 0; left &= left - 1) {
		uint32_t id = dif_var_of_row(DIF_ROW_OF(left));

		if (pr_var_is_of_kernel(id))
			pr_refuse_var(t, id);
	}
}

static void
check_arrays(struct pr_tr *t, const struct dif_uses *u)
{
	for (uint64_t left = u->arrays; left != 0; left &= left - 1) {
		uint32_t id = dif_var_of_row(DIF_ROW_OF(left));

		if (id != DIF_VAR_ARGS && pr_var_call(id) == NULL)
			pr_refuse(t, t->pc->clause->span,
			    mem_printf("%s[] is not available with -x "
				       "substrate=process",
				dif_var_name(id)));
	}
}

static void
check_object(const struct dif_obj *dp, void *arg)
{
	struct pr_tr *t = arg;

	if (dp->nkrel != 0)
		pr_refuse(t, t->pc->clause->span,
		    mem_printf("a symbol of the kernel" NEEDS_KERNEL));
}

static void
check_datum(struct pr_tr *t, const struct plan_rec *rec, struct diag_span span)
{
	if (rec->store == PLAN_STACK)
		pr_refuse(t, span, mem_printf("stack()" NEEDS_KERNEL));
}

static void
check_step(struct pr_tr *t, const struct plan_step *s)
{
	for (size_t i = 0; i < s->keys.n; i++)
		check_datum(t, &s->agg->keys.v[i], s->keys.v[i].span);
	if (s->rec != NULL)
		check_datum(t, s->rec, s->span);
}

bool
pr_clause_check(struct pr_tr *t, const struct plan_clause *pc)
{
	t->pc = pc;
	VEC_FOREACH(&pc->steps, s)
		check_step(t, s);
	plan_clause_each_obj(pc, check_object, t);
	check_subrs(t, &pc->uses);
	check_vars(t, &pc->uses);
	check_arrays(t, &pc->uses);
	return t->refused == NULL;
}

int
pr_probe_check(
    const struct pr_exec *x, const struct dt_probe *p, struct err *err)
{
	bool is_local = p->kind == DT_PROBE_RUN || p->kind == DT_PROBE_ERROR;
	bool is_anywhere =
	    dt_probe_is_wide_function(p) && dt_probe_family(p) == 0;
	bool is_entered = p->up != NULL && !p->up->is_32 &&
	    (p->up->pid != 0 || x->plant.targets.n != 0) && !is_anywhere;
	bool is_call = pr_is_syscall(p) && x->plant.targets.n != 0;
	bool is_clock = p->kind == DT_PROBE_CLOCK && p->period_ns != 0;
	bool is_sampled = is_clock && x->plant.targets.n != 0;
	bool is_wide =
	    is_clock || pr_is_syscall(p) || (p->up != NULL && p->up->pid == 0);
	struct strbuf name = { 0 };

	if ((is_local || is_entered || is_call || is_sampled) &&
	    p->norigins == 0)
		return 0;
	dt_probe_format(p, &name);
	err_set(err, -EPERM,
	    "%s needs the kernel: it is not available with -x substrate=process; %srun dtrace with sudo, without this option",
	    name.s,
	    is_anywhere ? "name a process as in pid1234 or pid$target, or " :
		is_wide ? "name processes with -c or -p, or " :
			  "");
	strbuf_fini(&name);
	return -EPERM;
}

/* Is the probe one of a process's own, or dtrace's? */
static bool
is_inside(const struct dt_probe *p)
{
	if (p->norigins != 0)
		return false;
	return p->kind == DT_PROBE_RUN || p->kind == DT_PROBE_ERROR ||
	    (p->up != NULL && p->up->pid != 0 && !p->up->is_32);
}

char *
pr_refuses(const struct plan_clause *pc, const struct dt_probe *p)
{
	struct pr_tr t = { 0 };
	struct strbuf name = { 0 };

	if (p != NULL && !is_inside(p)) {
		dt_probe_format(p, &name);
		strbuf_adds(&name, " is the kernel's");
		return strbuf_steal(&name);
	}
	if (pc != NULL)
		pr_clause_check(&t, pc);
	return t.refused;
}

int
pr_growth_check(
    const struct pr_exec *x, const struct plan_clause *pc, struct err *err)
{
	VEC_FOREACH(&pc->clause->pdescs, desc) {
		if (!dt_registry_may_grow(desc) || dt_pid_named(desc) != 0 ||
		    (x->plant.targets.n != 0 && !dt_pid_is_wide(desc)))
			continue;
		return err_set(err, -ENOTSUP,
		    "a probe that comes in another process while tracing" NEEDS_KERNEL);
	}
	return 0;
}

char *
pr_refusal(const struct pr_exec *x, const struct pr_tr *t)
{
	char *place = exec_place(x->diags, t->refused_span);
	char *msg = mem_printf("%s: %s", place, t->refused);

	free(place);
	return msg;
}
