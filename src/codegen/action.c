/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Actions: prototypes, and the sequence of dif_actions that each one becomes
 * (the contract is the comment at struct dif_action).
 */
#include "codegen/cg_impl.h"

#include <string.h>

#include "base/mem.h"
#include "base/vec.h"
#include "codegen/action_impl.h"

struct dif_action *
cg_action(struct cg *cg, uint16_t kind, struct diag_span span)
{
	struct dif_action act = {
		.kind = kind, .group = cg->group, .span = span
	};

	VEC_PUSH(&cg->cl->actions, act);
	return &cg->cl->actions.v[cg->cl->actions.n - 1];
}

void
cg_action_type(struct cg *cg, struct dif_action *act, struct ctf_type *t)
{
	act->type_name = mem_strdup(cg_tn(cg, t));
	act->type = t;
	act->is_signed = ctf_is_signed(t);
}

/* ---- arguments ----------------------------------------------------------- */

bool
cg_check_count(struct cg *cg, const char *tag, const struct ast_expr *e,
    size_t least, size_t most)
{
	if (e->args.n >= least && e->args.n <= most)
		return true;
	if (least == most)
		diag_error(cg->ds, tag, e->span,
		    "%s() takes %zu argument%s, "
		    "not %zu",
		    e->u.ident.name, least, least == 1 ? "" : "s", e->args.n);
	else
		diag_error(cg->ds, tag, e->span,
		    "%s() takes %zu to %zu "
		    "arguments, not %zu",
		    e->u.ident.name, least, most, e->args.n);
	return false;
}

/* A name that can be called as an action. */
struct act {
	const char *name;
	bool (*compile)(struct cg *cg, struct ast_expr *e);
	uint16_t datum; /* enum dt_act of a stack or symbol, else NONE */
};

static const struct act *find_act(const char *name);

uint16_t
cg_datum_kind(const struct ast_expr *e)
{
	const struct act *act =
	    e->kind == AST_CALL ? find_act(e->u.ident.name) : NULL;

	return act != NULL ? act->datum : DT_ACT_NONE;
}

/* The kind of a call of stack(), ustack() or jstack(); else DT_ACT_NONE. */
static uint16_t
stack_kind(const struct ast_expr *e)
{
	uint16_t kind = cg_datum_kind(e);

	return dif_act_is_stack(kind) ? kind : DT_ACT_NONE;
}

static bool
is_stack_call(const struct ast_expr *e)
{
	return stack_kind(e) != DT_ACT_NONE;
}

/* Check that e is a constant in [least, most]; `what` names it in the error. */
static bool
check_const(struct cg *cg, const char *tag, struct ast_expr *arg,
    const char *what, uint64_t least, uint64_t most)
{
	if (!ck_expr(cg, arg))
		return false;
	if (arg->is_const && arg->const_value >= least &&
	    arg->const_value <= most)
		return true;
	diag_error(cg->ds, tag, arg->span,
	    "the %s must be %s integer constant up to %llu", what,
	    least > 0 ? "a positive" : "an", (unsigned long long)most);
	return false;
}

/*
 * Refuse frames named by helper programs, whose names would follow the frames
 * in strsize bytes.
 */
static bool
check_strsize(struct cg *cg, const struct ast_expr *e, uint64_t *arg)
{
	struct ast_expr *size = e->args.v[1];

	if (!check_const(cg, D_USTACK_STRSIZE, size, "size of the strings", 0,
		UINT32_MAX))
		return false;
	*arg |= size->const_value << 32;
	return true;
}

/*
 * Check stack([n]), ustack([n[, strsize]]) or jstack() as an argument or key,
 * set e->type, and give the action's arg.
 */
static bool
check_stack(struct cg *cg, struct ast_expr *e, uint64_t *frames)
{
	bool is_user = dif_act_is_ustack(stack_kind(e));

	if (!cg_check_count(cg, is_user ? D_USTACK_PROTO : D_STACK_PROTO, e, 0,
		is_user ? 2 : 1))
		return false;
	*frames = 0;
	e->type = is_user ? cg->g->t_ustack : cg->g->t_stack;
	if (e->args.n == 0)
		return true;
	if (!check_const(cg, is_user ? D_USTACK_FRAMES : D_STACK_SIZE,
		e->args.v[0], "number of frames", 1, UINT16_MAX))
		return false;
	*frames = e->args.v[0]->const_value;
	return e->args.n == 1 || check_strsize(cg, e, frames);
}

bool
cg_check_integer(
    struct cg *cg, const struct ast_expr *call, struct ast_expr *arg, size_t no)
{
	if (!ck_expr(cg, arg))
		return false;
	if (ctf_is_integer(arg->type))
		return true;
	diag_error(cg->ds, D_PROTO_ARG, arg->span,
	    "argument %zu of %s() must be an integer, not %s", no,
	    call->u.ident.name, cg_tn(cg, arg->type));
	return false;
}

static bool
check_address(struct cg *cg, const struct ast_expr *call, struct ast_expr *arg)
{
	if (!ck_expr(cg, arg))
		return false;
	if (ctf_is_integer(arg->type) || cg_decay(cg, arg) != NULL)
		return true;
	diag_error(cg->ds, D_PROTO_ARG, arg->span,
	    "argument 1 of %s() must be an address, not %s", call->u.ident.name,
	    cg_tn(cg, arg->type));
	return false;
}

bool
ck_datum(struct cg *cg, struct ast_expr *e, uint64_t *arg)
{
	if (is_stack_call(e))
		return check_stack(cg, e, arg);
	*arg = 0;
	e->type = dif_act_is_usym(cg_datum_kind(e)) ? cg->g->t_usymaddr :
						      cg->g->t_symaddr;
	return cg_check_count(cg, D_PROTO_LEN, e, 1, 1) &&
	    check_address(cg, e, e->args.v[0]);
}

bool
cg_datum_obj(struct cg *cg, struct ast_expr *e, struct dif_action *act)
{
	struct dif_type rtype = { .ckind = CTF_K_INTEGER, .size = 8 };

	if (dif_act_is_stack(act->kind))
		return true;
	act->difo = cg_typed_obj(
	    cg, dif_act_is_sym(cg_datum_kind(e)) ? e->args.v[0] : e, rtype);
	return act->difo != NULL;
}

bool
cg_add_value(struct cg *cg, uint16_t kind, struct ast_expr *e, uint64_t arg,
    const char *fmt)
{
	uint16_t own = cg_datum_kind(e);
	struct dif_action *act =
	    cg_action(cg, own != DT_ACT_NONE ? own : kind, e->span);

	act->arg = arg;
	cg_action_type(cg, act, e->type);
	if (fmt != NULL)
		act->fmt = mem_strdup(fmt);
	if (dif_act_is_datum(act->kind))
		return cg_datum_obj(cg, e, act);
	act->difo = cg_value_obj(cg, e);
	return act->difo != NULL;
}

/* ---- trace, exit, raise, stack ------------------------------------------- */

static bool
do_trace(struct cg *cg, struct ast_expr *e)
{
	struct ast_expr *arg;
	uint64_t frames = 0;

	if (!cg_check_count(cg, D_PROTO_LEN, e, 1, 1)) {
		if (e->args.n > 1)
			diag_hint(cg->ds,
			    "give each value its own trace(), or print all "
			    "with printf(\"...\", ...)");
		return false;
	}
	arg = e->args.v[0];
	if (arg->kind == AST_AGG) {
		diag_error(cg->ds, D_TRACE_AGG, arg->span,
		    "an aggregation cannot be traced");
		diag_hint(cg->ds, "print it with printa(@%s)",
		    ast_agg_name(arg->u.ident.name));
		return false;
	}
	if (cg_datum_kind(arg) != DT_ACT_NONE ? !ck_datum(cg, arg, &frames) :
						!ck_expr(cg, arg))
		return false;
	if (ctf_is_void(arg->type) ||
	    ctf_resolve(arg->type)->kind == CTF_K_FUNCTION) {
		diag_error(cg->ds, D_TRACE_VOID, arg->span,
		    "an expression of type %s cannot be traced",
		    cg_tn(cg, arg->type));
		return false;
	}
	return cg_add_value(cg, DT_ACT_DIFEXPR, arg, frames, NULL);
}

/*
 * The action takes the graph's node of the type, and the type's name, which DOF
 * can carry.
 */
static bool
add_print(struct cg *cg, struct ast_expr *arg)
{
	struct dif_action *act = cg_action(cg, DT_ACT_DIFEXPR, arg->span);

	cg_action_type(cg, act, arg->type);
	act->fmt = mem_strdup(act->type_name);
	act->difo = cg_value_obj(cg, arg);
	return act->difo != NULL;
}

/* bpftrace's print(@x), and print(@x, 5) of the largest five */
static bool
refuse_print_agg(struct cg *cg, const struct ast_expr *e)
{
	const char *name = ast_agg_name(e->args.v[0]->u.ident.name);

	diag_error(cg->ds, D_PRINT_AGG, e->args.v[0]->span,
	    "print() is for values, not for an aggregation");
	if (e->args.n == 1)
		diag_hint(cg->ds, "print it with printa(@%s)", name);
	else
		diag_hint(cg->ds,
		    "trunc(@%s, N) keeps its N largest keys, and printa(@%s) "
		    "prints it",
		    name, name);
	return false;
}

static bool
do_print(struct cg *cg, struct ast_expr *e)
{
	struct ast_expr *arg;

	if (e->args.n > 0 && e->args.v[0]->kind == AST_AGG)
		return refuse_print_agg(cg, e);
	if (!cg_check_count(cg, D_PROTO_LEN, e, 1, 1))
		return false;
	arg = e->args.v[0];
	if (cg_datum_kind(arg) != DT_ACT_NONE) {
		diag_error(cg->ds, D_PRINT_DYN, arg->span,
		    "a %s has no type that print() could follow",
		    is_stack_call(arg) ? "stack" : "symbol");
		diag_hint(cg->ds, "%s() alone prints it", arg->u.ident.name);
		return false;
	}
	if (!ck_expr(cg, arg))
		return false;
	if (!ctf_is_void(arg->type) &&
	    ctf_resolve(arg->type)->kind != CTF_K_FUNCTION)
		return add_print(cg, arg);
	diag_error(cg->ds, D_PRINT_VOID, arg->span,
	    "an expression of type %s cannot be printed", cg_tn(cg, arg->type));
	return false;
}

/* stack(), usym() and related actions. */
static bool
do_datum(struct cg *cg, struct ast_expr *e)
{
	uint64_t arg;

	return ck_datum(cg, e, &arg) &&
	    cg_add_value(cg, cg_datum_kind(e), e, arg, NULL);
}

static bool
do_integer(struct cg *cg, struct ast_expr *e, uint16_t kind, uint32_t size)
{
	struct dif_type rtype = { .ckind = CTF_K_INTEGER, .size = size };
	struct dif_action *act;

	if (!cg_check_count(cg, D_PROTO_LEN, e, 1, 1) ||
	    !cg_check_integer(cg, e, e->args.v[0], 1))
		return false;
	act = cg_action(cg, kind, e->span);
	cg_action_type(cg, act, cg->g->t_int);
	act->difo = cg_typed_obj(cg, e->args.v[0], rtype);
	return act->difo != NULL;
}

static bool
do_exit(struct cg *cg, struct ast_expr *e)
{
	bool ok = do_integer(cg, e, DT_ACT_EXIT, sizeof(int32_t));

	if (e->args.n == 0)
		diag_hint(cg->ds, "its argument is dtrace's status: exit(0)");
	return ok;
}

/* The object's result is the signal; nothing is recorded. */
static bool
do_raise(struct cg *cg, struct ast_expr *e)
{
	return do_integer(cg, e, DT_ACT_RAISE, 0);
}

/* The object's result is in nanoseconds; nothing is recorded. */
static bool
do_chill(struct cg *cg, struct ast_expr *e)
{
	return do_integer(cg, e, DT_ACT_CHILL, 0);
}

static bool
do_stop(struct cg *cg, struct ast_expr *e)
{
	if (!cg_check_count(cg, D_PROTO_LEN, e, 0, 0))
		return false;
	cg_action(cg, DT_ACT_STOP, e->span);
	return true;
}

/* ---- the table ----------------------------------------------------------- */

static const struct act acts[] = {
	{ "trace", do_trace, DT_ACT_NONE },
	{ "print", do_print, DT_ACT_NONE },
	{ "printf", cg_do_printf, DT_ACT_NONE },
	{ "printa", cg_do_printa, DT_ACT_NONE },
	{ "exit", do_exit, DT_ACT_NONE },
	{ "stack", do_datum, DT_ACT_STACK },
	{ "sym", do_datum, DT_ACT_SYM },
	{ "func", do_datum, DT_ACT_SYM },
	{ "mod", do_datum, DT_ACT_MOD },
	{ "usym", do_datum, DT_ACT_USYM },
	{ "ufunc", do_datum, DT_ACT_USYM },
	{ "umod", do_datum, DT_ACT_UMOD },
	{ "uaddr", do_datum, DT_ACT_UADDR },
	{ "ustack", do_datum, DT_ACT_USTACK },
	{ "jstack", do_datum, DT_ACT_JSTACK },
	{ "tracemem", cg_do_tracemem, DT_ACT_NONE },
	{ "printm", cg_do_printm, DT_ACT_NONE },
	{ "pcap", cg_do_pcap, DT_ACT_NONE },
	{ "clear", cg_do_clear, DT_ACT_NONE },
	{ "trunc", cg_do_trunc, DT_ACT_NONE },
	{ "normalize", cg_do_normalize, DT_ACT_NONE },
	{ "denormalize", cg_do_denormalize, DT_ACT_NONE },
	{ "system", cg_do_system, DT_ACT_NONE },
	{ "raise", do_raise, DT_ACT_NONE },
	{ "stop", do_stop, DT_ACT_NONE },
	{ "chill", do_chill, DT_ACT_NONE },
	{ "freopen", cg_do_freopen, DT_ACT_NONE },
	{ "ftruncate", cg_do_ftruncate, DT_ACT_NONE },
	{ "setopt", cg_do_setopt, DT_ACT_NONE },
	{ "speculate", cg_do_speculate, DT_ACT_NONE },
	{ "commit", cg_do_commit, DT_ACT_NONE },
	{ "discard", cg_do_discard, DT_ACT_NONE },
	{ "fire", cg_do_fire, DT_ACT_NONE },
	{ "fire_in", cg_do_fire, DT_ACT_NONE },
};

static const struct act *
find_act(const char *name)
{
	for (size_t i = 0; i < sizeof(acts) / sizeof(acts[0]); i++) {
		if (strcmp(acts[i].name, name) == 0)
			return &acts[i];
	}
	return NULL;
}

bool
cg_is_action(const char *name)
{
	return find_act(name) != NULL;
}

const char *
cg_action_name(size_t i)
{
	return i < sizeof(acts) / sizeof(acts[0]) ? acts[i].name : NULL;
}

bool
cg_compile_action(struct cg *cg, struct ast_expr *e)
{
	return find_act(e->u.ident.name)->compile(cg, e);
}
