/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Firings in threads that do not run (provider.h, dt_step.thread).
 *
 * When the scheduler changes threads, its tracepoint runs in the thread that
 * leaves, and names the one that comes.  A probe of the latter can fire there,
 * in the same program as those of the former: its clauses use the thread from
 * the tracepoint's argument instead of the current one.  For that the program's
 * arguments are typed: the verifier lets a program load from an argument that
 * it knows to be a task, and use its task storage (self->).
 *
 * This works for clauses, and ERROR clauses, that read no more than the
 * thread's struct task_struct.  A probe with any other clause fires where the
 * thread runs, for all of its clauses, since their order counts.
 */
#include "exec/bpf/bpf_impl.h"

#include <errno.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/vec.h"
#include "exec/source_place.h"

/* ---- what fits ----------------------------------------------------------- */

static const char *
builtin_unfit(const struct bx_layout *lo, uint32_t id)
{
	bool fits = !(dif_var_flags(id) & DIF_VARF_RUNNING);

	if (id == DIF_VAR_EXECNAME || id == DIF_VAR_THREADNAME)
		fits = lo->comm_off >= 0;
	return fits ? NULL : dif_var_name(id);
}

/*
 * Do the operations fit?  Loads of the process read the current one's memory.
 * A store through an address may go to a self-> variable, and the runtime only
 * knows the current thread's.
 */
static bool
ops_fit(const struct dif_uses *u)
{
	for (uint8_t op = DIF_OP_ULDSB; op <= DIF_OP_ULDX; op++) {
		if (dif_uses_op(u, op))
			return false;
	}
	for (uint8_t op = DIF_OP_STB; op <= DIF_OP_STX; op++) {
		if (dif_uses_op(u, op))
			return false;
	}
	return !dif_uses_op(u, DIF_OP_LDTA);
}

/* Name the first use that does not fit, in words of D; NULL: all fit. */
static const char *
uses_unfit(const struct bx_layout *lo, const struct dif_uses *u)
{
	uint64_t left;

	for (left = u->vars | u->arrays; left != 0; left &= left - 1) {
		const char *what =
		    builtin_unfit(lo, dif_var_of_row(DIF_ROW_OF(left)));

		if (what != NULL)
			return what;
	}
	for (left = u->subrs; left != 0; left &= left - 1) {
		uint32_t id = dif_subr_of_row(DIF_ROW_OF(left));

		if (dif_subr_flags(id) & DIF_SUBRF_RUNNING)
			return dif_subr_find(id)->name;
	}
	return ops_fit(u) ? NULL : "an address of its memory";
}

static const char *
clause_unfit(const struct bx_layout *lo, const struct plan_clause *pc)
{
	/* the kernel only tells the current thread's group */
	if (lo->opts->cgroup.id != 0)
		return "option cgroup";
	VEC_FOREACH(&pc->steps, s) {
		if (s->running != NULL)
			return s->running;
	}
	return uses_unfit(lo, &pc->uses);
}

static bool
step_fits(const struct bx_layout *lo, const struct dt_step *step)
{
	bool fits =
	    step->pred == NULL || uses_unfit(lo, step->pred->uses) == NULL;

	for (size_t i = 0; i < step->nargs; i++)
		fits &= uses_unfit(lo, step->args[i]->uses) == NULL;
	return fits;
}

/* ---- choosing ------------------------------------------------------------ */

/* Does the kernel's BTF have the tracepoint's types? */
static bool
has_types(const struct dt_probe *o)
{
	return o->kind == DT_PROBE_TRACEPOINT &&
	    bx_attach(o->kind)->target(o) != 0;
}

/* The ways in which the probe can fire: in threads that do not run, and where
 * they run. */
struct ways {
	bool other, own;
};

static struct ways
find_ways(const struct bx_layout *lo, const struct dt_probe *p)
{
	struct ways w = { 0 };

	for (size_t i = 0; i < p->norigins; i++) {
		const struct dt_probe *o = p->origins[i];

		for (const struct dt_step *s = o->steps; s != NULL;
		     s = s->next) {
			if (s->fires != p)
				continue;
			if (s->thread == 0)
				w.own = true;
			else if (has_types(o) && step_fits(lo, s))
				w.other = true;
		}
	}
	return w;
}

/* The first clause that would run in a firing of the probe and does not fit. */
static const struct plan_clause *
first_unfit(
    const struct bx_layout *lo, const struct dt_probe *p, const char **what)
{
	VEC_FOREACH(&lo->pl->clauses, pc) {
		if (!bx_clause_is_error(pc) && !bx_clause_is_for(pc, p))
			continue;
		*what = clause_unfit(lo, pc);
		if (*what != NULL)
			return pc;
	}
	return NULL;
}

static char *
no_way(const struct dt_probe *p, const struct plan_clause *pc, const char *what,
    struct diags *diags)
{
	char *place = exec_place(diags, pc->clause->span);
	char *msg = mem_printf(
	    "%s: %s is not available in %s:::%s, which fires "
	    "here in a thread that does not run: of that only its struct "
	    "task_struct is known",
	    place, what, p->prov, p->name);

	free(place);
	return msg;
}

static bool
find_offset(struct bx_layout *lo, const char *member, int *off)
{
	uint64_t v;

	if (bx_kernel_offset(lo, "task_struct", member, &v) != 0 ||
	    v > INT16_MAX)
		return false;
	*off = (int)v;
	return true;
}

CHECKED static int
choose(struct bx_layout *lo, const struct dt_probe *p, struct diags *diags,
    struct err *err)
{
	struct ways w = find_ways(lo, p);
	const struct plan_clause *unfit = NULL;
	const char *what = NULL;

	w.other = w.other && find_offset(lo, "pid", &lo->pid_off) &&
	    find_offset(lo, "tgid", &lo->tgid_off);
	if (w.other)
		unfit = first_unfit(lo, p, &what);
	idmap_put(&lo->others, p->id, w.other && unfit == NULL);
	if (w.own || (w.other && unfit == NULL))
		return 0;
	return err_take(err, -ENOTSUP,
	    unfit != NULL ?
		no_way(p, unfit, what, diags) :
		mem_printf(
		    "%s:::%s is not available: this kernel's BTF does not "
		    "tell the types of its tracepoint",
		    p->prov, p->name));
}

static bool
has_thread_steps(const struct dt_probe *p)
{
	for (size_t i = 0; i < p->norigins; i++) {
		const struct dt_step *s = p->origins[i]->steps;

		for (; s != NULL; s = s->next) {
			if (s->fires == p && s->thread != 0)
				return true;
		}
	}
	return false;
}

int
bx_threads_choose(struct bx_layout *lo, struct diags *diags, struct err *err)
{
	int rc = 0;

	VEC_FOREACH(&lo->pl->clauses, pc) {
		for (size_t i = 0; rc == 0 && i < pc->probes.n; i++) {
			const struct dt_probe *p = pc->probes.v[i];

			if (has_thread_steps(p) &&
			    idmap_get(&lo->others, p->id) == NULL)
				rc = choose(lo, p, diags, err);
		}
	}
	return rc;
}

bool
bx_step_serves(const struct bx_layout *lo, const struct dt_step *step,
    const struct dt_probe *p)
{
	const uint32_t *other = idmap_get(&lo->others, p->id);

	if (step->fires != p)
		return false;
	return (step->thread != 0) == (other != NULL && *other != 0);
}

/* ---- in the program ------------------------------------------------------ */

bool
bx_tr_has_threads(const struct bx_tr *t)
{
	const struct dt_step *step = bx_step_first(t);

	while (step != NULL && step->thread == 0)
		step = bx_step_next(t, step);
	return step != NULL;
}

int
bx_threads_place(struct bx_tr *t, int off)
{
	const struct dt_step *step = bx_step_first(t);

	for (; step != NULL; step = bx_step_next(t, step)) {
		if (step->thread != 0 &&
		    t->frame.threads[step->thread - 1] == 0)
			t->frame.threads[step->thread - 1] = off -= 8;
	}
	return off;
}

void
bx_threads_save(struct bx_tr *t)
{
	for (unsigned n = 0; n < 10; n++) {
		if (t->frame.threads[n] == 0)
			continue;
		bx_ldx(&t->a, 8, R1, R6, 8 * (int)n);
		bx_stx(&t->a, 8, R10, t->frame.threads[n], R1);
	}
}

/* Turn a typed pointer into a number: copy it from its memory. */
void
bx_task_number(struct bx_tr *t, int rd)
{
	struct bx_asm *a = &t->a;

	if (t->frame.other == 0) {
		bx_helper(a, H_CURRENT_TASK);
		bx_mov(a, rd, R0);
		return;
	}
	bx_mov(a, R3, R10);
	bx_alui(a, BPF_ADD, R3, t->frame.other);
	bx_read_kernel(a, FP_TMP, 8);
	bx_ldx(a, 8, rd, R10, FP_TMP);
}

/* ---- numbers of processes and threads ------------------------------------ */

void
bx_task_process(struct bx_tr *t, int rs)
{
	struct bx_asm *a = &t->a;

	if (t->lo->pidns.ino != 0) {
		if (rs != R1)
			bx_mov(a, R1, rs);
		bx_call(a, "rt_task_tgid");
		return;
	}
	bx_const(a, R3, "rtc_task_tgid");
	bx_alu(a, BPF_ADD, R3, rs);
	bx_read_kernel(a, FP_TMP, 4);
	bx_ldx(a, 4, R0, R10, FP_TMP);
}

/* Numbers of dtrace's PID namespace: kern/pidns.bpf.c. */
static void
number_in_namespace(struct bx_tr *t, const char *func)
{
	bx_task_number(t, R1);
	bx_call(&t->a, func);
}

static void
read_other(struct bx_tr *t, int off)
{
	bx_task(t, R1);
	bx_ldx(&t->a, 4, R0, R1, off);
}

void
bx_current_pid(struct bx_tr *t)
{
	if (t->lo->pidns.ino != 0) {
		bx_helper(&t->a, H_CURRENT_TASK);
		bx_mov(&t->a, R1, R0);
		bx_call(&t->a, "rt_task_tgid");
		return;
	}
	bx_helper(&t->a, H_CURRENT_PID_TGID);
	bx_alui(&t->a, BPF_RSH, R0, 32);
}

void
bx_pid(struct bx_tr *t)
{
	if (t->lo->pidns.ino != 0)
		number_in_namespace(t, "rt_task_tgid");
	else if (t->frame.other != 0)
		read_other(t, t->lo->tgid_off);
	else
		bx_current_pid(t);
}

void
bx_tid(struct bx_tr *t)
{
	if (t->lo->pidns.ino != 0) {
		number_in_namespace(t, "rt_task_tid");
		return;
	}
	if (t->frame.other != 0) {
		read_other(t, t->lo->pid_off);
		return;
	}
	bx_helper(&t->a, H_CURRENT_PID_TGID);
	bx_alui(&t->a, BPF_LSH, R0, 32);
	bx_alui(&t->a, BPF_RSH, R0, 32);
}
