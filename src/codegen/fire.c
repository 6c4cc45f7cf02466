/* SPDX-License-Identifier: BSD-2-Clause */
/* fire() and fire_in(): the statements of rules, which make derived probes. */
#include "codegen/cg_impl.h"

#include <string.h>

#include "base/mem.h"
#include "codegen/action_impl.h"

static bool
is_fire_in(const struct ast_expr *e)
{
	return strcmp(e->u.ident.name, "fire_in") == 0;
}

bool
cg_is_fire(const struct ast_expr *e)
{
	return e->kind == AST_CALL &&
	    (strcmp(e->u.ident.name, "fire") == 0 || is_fire_in(e)) &&
	    e->args.n >= 1 && e->args.v[0]->kind == AST_STR;
}

/* An argument of the derived probe: one of ten integers or addresses. */
static bool
add_fired(struct cg *cg, struct ast_expr *arg)
{
	struct dif_type rtype = { .ckind = CTF_K_INTEGER, .size = 8 };
	struct dif_action *act;

	if (!ck_expr(cg, arg))
		return false;
	if (!cg_is_scalar(arg->type)) {
		diag_error(cg->ds, D_FIRE_PROTO, arg->span,
		    "an argument of a "
		    "probe is an integer or a pointer, not %s",
		    cg_tn(cg, arg->type));
		return false;
	}
	act = cg_action(cg, DT_ACT_DIFEXPR, arg->span);
	act->difo = cg_typed_obj(cg, arg, rtype);
	return act->difo != NULL;
}

/*
 * As add_fired(); an argument that this kernel does not know becomes 0, and
 * cl->lacks[i] keeps the reason.
 */
static bool
add_fired_or_why(struct cg *cg, struct ast_expr *arg, size_t i)
{
	size_t ndiags = cg->ds->list.n;
	struct ast_expr *none;
	const char *why;

	if (add_fired(cg, arg))
		return true;
	why = cg_take_lack(cg, ndiags, false);
	if (why == NULL)
		return false;
	if (cg->cl->lacks == NULL)
		cg->cl->lacks = mem_alloc(DIF_NFIRED * sizeof(char *));
	cg->cl->lacks[i] = mem_strdup(why);
	none = cg_node(cg, AST_INT, NULL, arg->span);
	return add_fired(cg, none);
}

/* The thread of a fire_in(): an argument of the origin, unchanged. */
static bool
set_thread(struct cg *cg, struct ast_expr *arg)
{
	const struct dif_action *act;
	uint32_t var = 0;

	if (!add_fired(cg, arg))
		return false;
	act = &cg->cl->actions.v[cg->cl->actions.n - 1];
	if (act->difo->ntext == 2 &&
	    dif_instr_op(act->difo->text[0]) == DIF_OP_LDGS)
		var = dif_instr_idx(act->difo->text[0]);
	if (var < DIF_VAR_ARG0 || var > DIF_VAR_ARG9 ||
	    strcmp(cg_tn(cg, arg->type), "struct task_struct *") != 0) {
		diag_error(cg->ds, D_FIRE_PROTO, arg->span,
		    "fire_in() needs a "
		    "thread: an argument of the probe, args[0] to args[9], "
		    "that is a struct task_struct *");
		return false;
	}
	dif_action_fini(&cg->cl->actions.v[--cg->cl->actions.n]);
	cg->cl->fires_in = (uint8_t)(1 + var - DIF_VAR_ARG0);
	return true;
}

bool
cg_do_fire(struct cg *cg, struct ast_expr *e)
{
	size_t first = is_fire_in(e) ? 2 : 1;

	if (!cg->s->in_library || !cg_is_fire(e) || e->args.n < first ||
	    e->args.n > first + DIF_NFIRED) {
		diag_error(cg->ds, D_FIRE_PROTO, e->span,
		    "%s() is for the "
		    "clauses of D libraries, and takes the name of a probe%s "
		    "and up to %d arguments",
		    e->u.ident.name, first == 2 ? ", a thread" : "",
		    DIF_NFIRED);
		return false;
	}
	cg->cl->fires = mem_strdup(e->args.v[0]->u.str.s);
	if (first == 2 && !set_thread(cg, e->args.v[1]))
		return false;
	for (size_t i = first; i < e->args.n; i++) {
		if (!add_fired_or_why(cg, e->args.v[i], i - first))
			return false;
	}
	return true;
}
