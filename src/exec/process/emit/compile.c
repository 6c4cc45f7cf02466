/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * All clauses of a plan -> the code of a region.
 *
 *	runtime | struct pr_conf | string tables of objects | descriptions of
 *	variables, aggregations, probes | names | bodies
 *
 * Probes that run the same clauses share a *body*.  The body's arguments say
 * which probe fired (inproc/inproc.h):
 *
 *	%eax	its struct pr_probe, as an offset in the region
 *	8(%rsp)	the registers: struct inproc_frame
 *
 * Operands in the data behind the code are relative to %rip, so they depend on
 * the size of the code: the code is made twice, first to measure it.
 */
#include "exec/process/emit/compile.h"

#include <errno.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "exec/process/inside/fire.h"

#define PAGE 4096U
#define CODE_MAX (1U << 28)
#define ROOM (8U << 20) /* for probes that come while tracing */

void
pr_note(struct pr_tr *t, struct diag_span span, const char *text)
{
	VEC_PUSH(&t->x->notes,
	    ((struct pr_note){ .off = t->a->at + x_here(t->a),
		.span = span,
		.text = mem_strdup(text) }));
}

void
pr_note_object(struct pr_tr *t, const struct dif_obj *dp)
{
	VEC_PUSH(&t->x->notes,
	    ((struct pr_note){ .off = t->a->at + x_here(t->a), .difo = dp }));
}

void
pr_changes(struct pr_tr *t, uint32_t regs)
{
	t->used |= regs;
	if ((regs & PR_ARG_REGS) != 0)
		t->args_intact = false;
}

void
pr_call(struct pr_tr *t, const char *func)
{
	pr_changes(t, PR_CALL_CHANGES);
	x_call(t->a, jit_blob_func(func));
}

void
pr_call_vm(struct pr_tr *t, const char *func)
{
	x_mov(t->a, X_RDI, PR_VM);
	pr_call(t, func);
}

static void
emit_all(struct pr_tr *t)
{
	pr_names_begin(t);
	pr_names_runtime(t);
	pr_depth_emit(t);
	pr_error_emit(t);
	if (t->x->may_grow)
		pr_load_barrier_emit(t);
	pr_sys_emit(t);
	VEC_FOREACH(&t->x->bodies, b) {
		pr_body_emit(t, b);
		pr_own_emit(t, b);
	}
	pr_names_end(t);
	x_finish(t->a);
}

static void
notes_free(struct pr_exec *x)
{
	VEC_FOREACH(&x->notes, n)
		free(n->text);
	x->notes.n = 0;
}

CHECKED static int
emit_pass(struct pr_exec *x, struct err *err)
{
	struct pr_tr t = { .x = x, .a = &x->a, .names = &x->names };
	bool ok = true;

	notes_free(x);
	strbuf_reset(&x->a.code);
	x->a.labels.n = x->a.fixups.n = 0;
	x->a.at = x->text_off;
	VEC_FOREACH(&x->pl->clauses, pc) {
		if (plan_clause_is_live(pc))
			ok = ok && pr_clause_check(&t, pc);
	}
	if (ok)
		emit_all(&t);
	if (t.refused != NULL)
		err_take(err, -ENOTSUP, pr_refusal(x, &t));
	free(t.refused);
	VEC_FREE(&t.exits);
	VEC_FREE(&t.slow);
	return !err_is_set(err) ? 0 : -ENOTSUP;
}

int
pr_compile(struct pr_exec *x, struct err *err)
{
	int rc = pr_bodies_make(x, err);
	size_t end;

	if (rc != 0)
		return rc;
	pr_sys_describe(x);
	x->text_off = pr_const(x, "", 0);
	rc = emit_pass(x, err);
	if (rc != 0)
		return rc;
	end = x->text_off + x_here(&x->a) + x->names.len;
	if (end >= CODE_MAX)
		return err_set(
		    err, -E2BIG, "the script is too large for one process");
	x->room = ((uint32_t)end + PAGE - 1) & ~(PAGE - 1);
	x->code_size = x->room + (x->may_grow ? ROOM : 0);
	pr_place(x);
	rc = emit_pass(x, err);
	pr_sys_fill(x);
	return rc;
}
