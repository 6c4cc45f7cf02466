/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Actions: prototypes, and the sequence of dif_actions that each one becomes
 * (the contract is the comment at struct dif_action).
 */
#include "codegen/cg_impl.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/vec.h"
#include "fmt/fmt.h"

/* dtrd_arg of TRACEMEM records: doc/reference/records.md section 5 */
enum {
	TRACEMEM_STATIC = 1,
	TRACEMEM_DYNAMIC = 2,
	TRACEMEM_SIZE = 3,
	TRACEMEM_SSIZE = 4
};

#define TRACEMEM_MAX (1 << 16)

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

static enum pf_argkind
argkind_of(struct ctf_type *t)
{
	struct ctf_type *r = ctf_resolve(t);

	switch (r->kind) {
	case CTF_K_D_STRING:
		return PF_ARG_STRING;
	case CTF_K_D_STACK:
		return PF_ARG_STACK;
	case CTF_K_D_SYM:
		return PF_ARG_SYM;
	case CTF_K_POINTER:
		return PF_ARG_POINTER;
	case CTF_K_FLOAT:
		return PF_ARG_FLOAT;
	case CTF_K_INTEGER:
		return PF_ARG_INT;
	case CTF_K_ENUM:
		return PF_ARG_ENUM;
	default:
		return PF_ARG_BYTES;
	}
}

/* ---- arguments ----------------------------------------------------------- */

static bool
check_count(struct cg *cg, const char *tag, const struct ast_expr *e,
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

	return DT_ACT_IS_STACK(kind) ? kind : DT_ACT_NONE;
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
	bool is_user = DT_ACT_IS_USTACK(stack_kind(e));

	if (!check_count(cg, is_user ? D_USTACK_PROTO : D_STACK_PROTO, e, 0,
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

static bool
check_integer(
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
	e->type = DT_ACT_IS_USYM(cg_datum_kind(e)) ? cg->g->t_usymaddr :
						     cg->g->t_symaddr;
	return check_count(cg, D_PROTO_LEN, e, 1, 1) &&
	    check_address(cg, e, e->args.v[0]);
}

bool
cg_datum_obj(struct cg *cg, struct ast_expr *e, struct dif_action *act)
{
	struct dif_type rtype = { .ckind = CTF_K_INTEGER, .size = 8 };

	if (DT_ACT_IS_STACK(act->kind))
		return true;
	act->difo = cg_typed_obj(
	    cg, DT_ACT_IS_SYM(cg_datum_kind(e)) ? e->args.v[0] : e, rtype);
	return act->difo != NULL;
}

/* `kind` is the action of a value that has no kind of datum of its own. */
static bool
add_value(struct cg *cg, uint16_t kind, struct ast_expr *e, uint64_t arg,
    const char *fmt)
{
	uint16_t own = cg_datum_kind(e);
	struct dif_action *act =
	    cg_action(cg, own != DT_ACT_NONE ? own : kind, e->span);

	act->arg = arg;
	cg_action_type(cg, act, e->type);
	if (fmt != NULL)
		act->fmt = mem_strdup(fmt);
	if (DT_ACT_IS_DATUM(act->kind))
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

	if (!check_count(cg, D_PROTO_LEN, e, 1, 1))
		return false;
	arg = e->args.v[0];
	if (arg->kind == AST_AGG) {
		diag_error(cg->ds, D_TRACE_AGG, arg->span,
		    "an aggregation cannot be traced");
		diag_hint(
		    cg->ds, "print it with printa(@%s)", arg->u.ident.name);
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
	return add_value(cg, DT_ACT_DIFEXPR, arg, frames, NULL);
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

static bool
do_print(struct cg *cg, struct ast_expr *e)
{
	struct ast_expr *arg;

	if (!check_count(cg, D_PROTO_LEN, e, 1, 1))
		return false;
	arg = e->args.v[0];
	if (arg->kind == AST_AGG) {
		diag_error(cg->ds, D_PRINT_AGG, arg->span,
		    "print() is for values, not for an aggregation");
		diag_hint(
		    cg->ds, "print it with printa(@%s)", arg->u.ident.name);
		return false;
	}
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
	    add_value(cg, cg_datum_kind(e), e, arg, NULL);
}

static bool
do_integer(struct cg *cg, struct ast_expr *e, uint16_t kind, uint32_t size)
{
	struct dif_type rtype = { .ckind = CTF_K_INTEGER, .size = size };
	struct dif_action *act;

	if (!check_count(cg, D_PROTO_LEN, e, 1, 1) ||
	    !check_integer(cg, e, e->args.v[0], 1))
		return false;
	act = cg_action(cg, kind, e->span);
	cg_action_type(cg, act, cg->g->t_int);
	act->difo = cg_typed_obj(cg, e->args.v[0], rtype);
	return act->difo != NULL;
}

static bool
do_exit(struct cg *cg, struct ast_expr *e)
{
	return do_integer(cg, e, DT_ACT_EXIT, sizeof(int32_t));
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
	if (!check_count(cg, D_PROTO_LEN, e, 0, 0))
		return false;
	cg_action(cg, DT_ACT_STOP, e->span);
	return true;
}

/* ---- tracemem ------------------------------------------------------------ */

static bool
check_tracemem(struct cg *cg, struct ast_expr *e)
{
	struct ast_expr *addr, *size;

	if (!check_count(cg, D_TRACEMEM_ARGS, e, 2, 3))
		return false;
	addr = e->args.v[0];
	size = e->args.v[1];
	if (!ck_expr(cg, addr) || !ck_expr(cg, size))
		return false;
	if (!ctf_is_integer(addr->type) && cg_decay(cg, addr) == NULL &&
	    !cg_is_string(addr->type)) {
		diag_error(cg->ds, D_TRACEMEM_ADDR, addr->span,
		    "argument 1 of "
		    "tracemem() must be an address, not %s",
		    cg_tn(cg, addr->type));
		return false;
	}
	if (!size->is_const || (int64_t)size->const_value <= 0 ||
	    size->const_value > TRACEMEM_MAX) {
		diag_error(cg->ds, D_TRACEMEM_SIZE, size->span,
		    "argument 2 of "
		    "tracemem() must be a positive integer constant up to %d",
		    TRACEMEM_MAX);
		return false;
	}
	if (e->args.n < 3)
		return true;
	if (!ck_expr(cg, e->args.v[2]))
		return false;
	if (ctf_is_integer(e->args.v[2]->type))
		return true;
	diag_error(cg->ds, D_TRACEMEM_DYNSIZE, e->args.v[2]->span,
	    "argument 3 of tracemem() must be an integer, not %s",
	    cg_tn(cg, e->args.v[2]->type));
	return false;
}

/* Bytes at an address of a process are copied in first. */
static struct ast_expr *
local_bytes(struct cg *cg, struct ast_expr *addr, struct ast_expr *size)
{
	struct ctf_type *p = cg_decay(cg, addr);
	struct ast_expr *call;

	if (p == NULL || !p->is_userland)
		return addr;
	call = ARENA_NEW(cg->lc->arena, struct ast_expr);
	call->kind = AST_CALL;
	call->span = addr->span;
	call->u.ident.name = arena_strdup(cg->lc->arena, "copyin");
	AST_PUSH(cg->lc->arena, &call->args, addr);
	AST_PUSH(cg->lc->arena, &call->args, size);
	return ck_expr(cg, call) ? call : NULL;
}

static bool
do_tracemem(struct cg *cg, struct ast_expr *e)
{
	struct dif_type rtype = { .ckind = CTF_K_ARRAY, .flags = DIF_TF_BYREF };
	struct dif_action *act;
	struct ast_expr *addr, *dyn;

	if (!check_tracemem(cg, e))
		return false;
	rtype.size = (uint32_t)e->args.v[1]->const_value;
	addr = local_bytes(cg, e->args.v[0], e->args.v[1]);
	if (addr == NULL)
		return false;
	act = cg_action(cg, DT_ACT_TRACEMEM, e->span);
	act->arg = e->args.n < 3 ? TRACEMEM_STATIC : TRACEMEM_DYNAMIC;
	act->difo = cg_typed_obj(cg, addr, rtype);
	if (act->difo == NULL || e->args.n < 3)
		return act->difo != NULL;
	dyn = e->args.v[2];
	act = cg_action(cg, DT_ACT_TRACEMEM, e->span);
	act->arg = ctf_is_signed(dyn->type) ? TRACEMEM_SSIZE : TRACEMEM_SIZE;
	cg_action_type(cg, act, dyn->type);
	act->difo = cg_value_obj(cg, dyn);
	return act->difo != NULL;
}

/* ---- printm, pcap -------------------------------------------------------- */

/* A reference is two words in memory. */
static bool
is_ref(struct ctf_type *t)
{
	struct ctf_type *r = ctf_resolve(t);

	if (r->kind == CTF_K_ARRAY || r->kind == CTF_K_POINTER)
		r = ctf_resolve(r->ref);
	else
		return false;
	return r->kind == CTF_K_INTEGER && r->size == sizeof(uint64_t);
}

static bool
do_printm(struct cg *cg, struct ast_expr *e)
{
	struct dif_type rtype = { .ckind = CTF_K_INTEGER, .size = 8 };
	struct ast_expr *size, *ref;
	struct dif_action *act;

	if (!check_count(cg, D_PROTO_LEN, e, 2, 2))
		return false;
	size = e->args.v[0];
	ref = e->args.v[1];
	if (!ck_expr(cg, size) || !ck_expr(cg, ref))
		return false;
	if (!size->is_const || (int64_t)size->const_value <= 0 ||
	    size->const_value > TRACEMEM_MAX) {
		diag_error(cg->ds, D_PRINTM_SIZE, size->span,
		    "argument 1 of "
		    "printm() must be a positive integer constant up to %d",
		    TRACEMEM_MAX);
		return false;
	}
	if (is_ref(ref->type)) {
		act = cg_action(cg, DT_ACT_PRINTM, e->span);
		act->arg = size->const_value;
		act->difo = cg_typed_obj(cg, ref, rtype);
		return act->difo != NULL;
	}
	diag_error(cg->ds, D_PRINTM_ADDR, ref->span,
	    "argument 2 of printm() "
	    "must be a reference to memory, not %s",
	    cg_tn(cg, ref->type));
	diag_hint(cg->ds, "printm(%llu, memref(address, length))",
	    (unsigned long long)size->const_value);
	return false;
}

static bool
do_pcap(struct cg *cg, struct ast_expr *e)
{
	struct dif_action *act;
	struct ast_expr *addr;

	if (!check_count(cg, D_PROTO_LEN, e, 2, 2) ||
	    !ck_expr(cg, e->args.v[0]) ||
	    !check_integer(cg, e, e->args.v[1], 2))
		return false;
	addr = e->args.v[0];
	if (cg_decay(cg, addr) == NULL && !ctf_is_integer(addr->type)) {
		diag_error(cg->ds, D_PROTO_ARG, addr->span,
		    "argument 1 of "
		    "pcap() must be an address, not %s",
		    cg_tn(cg, addr->type));
		return false;
	}
	addr = local_bytes(cg, addr, e->args.v[1]);
	if (addr == NULL)
		return false;
	act = cg_action(cg, DT_ACT_PCAP, e->span);
	act->difo = cg_ref_obj(cg, addr, e->args.v[1]);
	return act->difo != NULL;
}

/* ---- printf, system ------------------------------------------------------ */

static bool
check_format_arg(struct cg *cg, const struct ast_expr *e)
{
	if (e->args.n == 0) {
		diag_error(cg->ds, D_PROTO_LEN, e->span, "%s() needs a format",
		    e->u.ident.name);
		return false;
	}
	if (e->args.v[0]->kind == AST_STR)
		return true;
	diag_error(cg->ds, D_PRINTF_ARG_FMT, e->args.v[0]->span,
	    "the format of %s() must be a string constant", e->u.ident.name);
	diag_hint(cg->ds, "%s(\"%%s\", ...) prints a string", e->u.ident.name);
	return false;
}

static bool
check_format(struct cg *cg, const struct ast_expr *fmt, bool is_printa,
    struct ctf_type *const *types, size_t n)
{
	enum pf_argkind *kinds =
	    arena_alloc(cg->lc->arena, n * sizeof(*kinds) + 1);
	const char **names = arena_alloc(cg->lc->arena, n * sizeof(*names) + 1);
	const char *tag;
	struct err err = { 0 };

	for (size_t i = 0; i < n; i++) {
		kinds[i] = argkind_of(types[i]);
		names[i] = cg_tn(cg, types[i]);
	}
	tag = printf_check(fmt->u.str.s, is_printa, kinds, names, n, &err);
	if (tag == NULL)
		return true;
	diag_error(cg->ds, tag, fmt->span, "%s", err_text(&err));
	err_clear(&err);
	return false;
}

static bool
check_printf_arg(struct cg *cg, struct ast_expr *arg, uint64_t *frames)
{
	if (arg->kind == AST_AGG) {
		diag_error(cg->ds, D_PRINTF_ARG_TYPE, arg->span,
		    "printf() prints values, not an aggregation");
		diag_hint(
		    cg->ds, "print it with printa(@%s)", arg->u.ident.name);
		return false;
	}
	if (cg_datum_kind(arg) != DT_ACT_NONE)
		return ck_datum(cg, arg, frames);
	if (!ck_expr(cg, arg))
		return false;
	if (!ctf_is_void(arg->type) &&
	    ctf_resolve(arg->type)->kind != CTF_K_FUNCTION)
		return true;
	diag_error(cg->ds, D_PRINTF_ARG_TYPE, arg->span,
	    "an expression of type %s cannot be printed", cg_tn(cg, arg->type));
	return false;
}

/* Does %A print argument i of the format, which is well-formed? */
static bool
is_uaddr(const char *fmt, size_t i)
{
	const char *tag;
	struct err err = { 0 };
	struct pf_format *pf = pf_parse(fmt, &tag, &err);
	bool is_it = false;
	size_t arg = 0;

	VEC_FOREACH(&pf->convs, pc) {
		arg += (size_t)pc->width_star + pc->prec_star;
		if (pc->info != NULL && arg == i)
			is_it = pc->info->render == PF_RENDER_UADDR;
		arg++;
	}
	pf_destroy(pf);
	return is_it;
}

static bool
do_printflike(struct cg *cg, struct ast_expr *e, uint16_t kind)
{
	size_t n = e->args.n == 0 ? 0 : e->args.n - 1;
	struct ctf_type **types =
	    arena_alloc(cg->lc->arena, n * sizeof(*types) + 1);
	uint64_t *frames = arena_alloc(cg->lc->arena, n * sizeof(*frames) + 1);
	const char *fmt;

	if (!check_format_arg(cg, e))
		return false;
	fmt = e->args.v[0]->u.str.s;
	for (size_t i = 0; i < n; i++) {
		if (!check_printf_arg(cg, e->args.v[i + 1], &frames[i]))
			return false;
		types[i] = e->args.v[i + 1]->type;
	}
	if (!check_format(cg, e->args.v[0], false, types, n))
		return false;
	if (n == 0)
		cg_action(cg, kind, e->span)->fmt = mem_strdup(fmt);
	for (size_t i = 0; i < n; i++) {
		/*
		 * The record also needs the process that the address belongs
		 * to.
		 */
		uint16_t as = is_uaddr(fmt, i) ? DT_ACT_UADDR : kind;

		if (!add_value(cg, as, e->args.v[i + 1], frames[i], fmt))
			return false;
	}
	return true;
}

static bool
do_printf(struct cg *cg, struct ast_expr *e)
{
	return do_printflike(cg, e, DT_ACT_PRINTF);
}

static bool
do_system(struct cg *cg, struct ast_expr *e)
{
	return do_printflike(cg, e, DT_ACT_SYSTEM);
}

/*
 * freopen("") goes back to the standard output.  A format cannot be empty, not
 * even in DOF: "." stands for it, as no file has that name.
 */
static bool
do_freopen(struct cg *cg, struct ast_expr *e)
{
	const char *fmt = e->args.n > 0 && e->args.v[0]->kind == AST_STR ?
	    e->args.v[0]->u.str.s :
	    NULL;

	if (fmt != NULL && strcmp(fmt, ".") == 0) {
		diag_error(cg->ds, D_FREOPEN_INVALID, e->args.v[0]->span,
		    "freopen() cannot write to \".\", a directory");
		diag_hint(cg->ds,
		    "freopen(\"\") goes back to the standard "
		    "output");
		return false;
	}
	if (fmt == NULL || fmt[0] != '\0' || e->args.n > 1)
		return do_printflike(cg, e, DT_ACT_FREOPEN);
	cg_action(cg, DT_ACT_FREOPEN, e->span)->fmt = mem_strdup(".");
	return true;
}

/* ---- actions on aggregations --------------------------------------------- */

/* The aggregation that an argument names, as a whole; NULL after an error. */
static struct cg_agg *
agg_argument(struct cg *cg, const struct ast_expr *call,
    const struct ast_expr *arg, const char *tag_arg, const char *tag_key,
    const char *tag_bad)
{
	struct cg_agg *agg;
	const char *near;

	if (arg->kind != AST_AGG) {
		diag_error(cg->ds, tag_arg, arg->span,
		    "%s() needs an aggregation here", call->u.ident.name);
		return NULL;
	}
	if (arg->args.n != 0) {
		diag_error(cg->ds, tag_key, arg->span,
		    "%s() takes a whole aggregation, without keys: @%s",
		    call->u.ident.name, arg->u.ident.name);
		return NULL;
	}
	agg = cg_agg_find(cg->s, arg->u.ident.name);
	if (agg != NULL && agg->kind != 0)
		return agg;
	diag_error(cg->ds, tag_bad, arg->span,
	    "aggregation @%s has not been assigned anything",
	    arg->u.ident.name);
	near = cg_nearest_agg(cg->s, arg->u.ident.name);
	if (near != NULL)
		diag_hint(cg->ds, "did you mean @%s?", near);
	else
		diag_hint(cg->ds, "the clause that assigns it must come first");
	return NULL;
}

/* Aggregations that are printed together share their key's columns. */
static bool
check_same_keys(struct cg *cg, const struct ast_expr *arg,
    const struct cg_agg *a, const struct cg_agg *b)
{
	if (a->nkeys != b->nkeys) {
		diag_error(cg->ds, D_PRINTA_AGGKEY, arg->span,
		    "@%s has %u key%s and @%s has %u: they cannot be printed "
		    "together",
		    a->name, a->nkeys, a->nkeys == 1 ? "" : "s", b->name,
		    b->nkeys);
		return false;
	}
	for (uint32_t i = 0; i < a->nkeys; i++) {
		if (argkind_of(a->keys[i]) == argkind_of(b->keys[i]))
			continue;
		diag_error(cg->ds, D_PRINTA_AGGPROTO, arg->span,
		    "key %u is %s in @%s and %s in @%s: they cannot be "
		    "printed together",
		    i + 1, cg_tn(cg, a->keys[i]), a->name,
		    cg_tn(cg, b->keys[i]), b->name);
		return false;
	}
	return true;
}

static bool
check_printa_aggs(
    struct cg *cg, struct ast_expr *e, size_t first, struct cg_agg **aggs)
{
	for (size_t i = first; i < e->args.n; i++) {
		struct cg_agg *agg = agg_argument(cg, e, e->args.v[i],
		    D_PRINTA_AGGARG, D_PRINTA_AGGKEY, D_PRINTA_AGGBAD);

		if (agg == NULL)
			return false;
		aggs[i - first] = agg;
		if (!check_same_keys(cg, e->args.v[i], aggs[0], agg))
			return false;
	}
	return true;
}

static bool
do_printa(struct cg *cg, struct ast_expr *e)
{
	size_t first = e->args.n > 0 && e->args.v[0]->kind == AST_STR;
	const char *fmt = first ? e->args.v[0]->u.str.s : NULL;
	struct cg_agg **aggs =
	    arena_alloc(cg->lc->arena, e->args.n * sizeof(*aggs) + 1);

	if (e->args.n == first) {
		diag_error(cg->ds, D_PRINTA_PROTO, e->span,
		    "printa() needs an aggregation: printa([format,] @a, ...)");
		return false;
	}
	if (!first && e->args.n > 1 && e->args.v[0]->kind != AST_AGG) {
		diag_error(cg->ds, D_PRINTF_ARG_FMT, e->args.v[0]->span,
		    "the format of printa() must be a string constant");
		return false;
	}
	if (!check_printa_aggs(cg, e, first, aggs))
		return false;
	if (fmt != NULL &&
	    !check_format(
		cg, e->args.v[0], true, aggs[0]->keys, aggs[0]->nkeys))
		return false;
	for (size_t i = first; i < e->args.n; i++) {
		struct dif_action *act = cg_action(cg, DT_ACT_PRINTA, e->span);

		act->arg = aggs[i - first]->id;
		if (fmt != NULL)
			act->fmt = mem_strdup(fmt);
	}
	return true;
}

static bool
add_libact(struct cg *cg, const struct ast_expr *e, enum dt_libact libact,
    struct dif_obj *difo)
{
	struct dif_action *act = cg_action(cg, DT_ACT_LIBACT, e->span);

	act->arg = libact;
	act->difo = difo;
	return difo != NULL;
}

static bool
check_string(
    struct cg *cg, const struct ast_expr *call, struct ast_expr *arg, size_t no)
{
	if (!ck_expr(cg, arg))
		return false;
	if (cg_is_string(arg->type))
		return true;
	diag_error(cg->ds, D_PROTO_ARG, arg->span,
	    "argument %zu of %s() must be a string, not %s", no,
	    call->u.ident.name, cg_tn(cg, arg->type));
	return false;
}

/*
 * The action records two data, as in DTrace: a second value that is not given
 * is 0.
 */
static bool
do_setopt(struct cg *cg, struct ast_expr *e)
{
	if (!check_count(cg, D_PROTO_LEN, e, 1, 2))
		return false;
	for (size_t i = 0; i < e->args.n; i++)
		if (!check_string(cg, e, e->args.v[i], i + 1))
			return false;
	if (!add_libact(
		cg, e, DT_LIBACT_SETOPT, cg_value_obj(cg, e->args.v[0])))
		return false;
	cg->o.span = e->span;
	return add_libact(cg, e, DT_LIBACT_SETOPT,
	    e->args.n > 1 ? cg_value_obj(cg, e->args.v[1]) :
			    cg_const_obj(cg, 0, sizeof(uint32_t)));
}

static bool
do_ftruncate(struct cg *cg, struct ast_expr *e)
{
	if (!check_count(cg, D_PROTO_LEN, e, 0, 0))
		return false;
	cg->o.span = e->span;
	return add_libact(
	    cg, e, DT_LIBACT_FTRUNCATE, cg_const_obj(cg, 0, sizeof(uint32_t)));
}

static bool
do_on_agg(struct cg *cg, struct ast_expr *e, enum dt_libact libact,
    const char *const tags[3])
{
	struct cg_agg *agg =
	    agg_argument(cg, e, e->args.v[0], tags[0], tags[1], tags[2]);

	cg->o.span = e->span;
	return agg != NULL &&
	    add_libact(
		cg, e, libact, cg_const_obj(cg, agg->id, sizeof(uint32_t)));
}

static bool
do_clear(struct cg *cg, struct ast_expr *e)
{
	const char *const tags[] = { D_CLEAR_AGGARG, D_CLEAR_AGGARG,
		D_CLEAR_AGGBAD };

	return check_count(cg, D_CLEAR_PROTO, e, 1, 1) &&
	    do_on_agg(cg, e, DT_LIBACT_CLEAR, tags);
}

static const char *const *
normalize_tags(const char *tags[3])
{
	tags[0] = tags[1] = D_NORMALIZE_AGGARG;
	tags[2] = D_NORMALIZE_AGGBAD;
	return tags;
}

static bool
do_denormalize(struct cg *cg, struct ast_expr *e)
{
	const char *tags[3];

	return check_count(cg, D_NORMALIZE_PROTO, e, 1, 1) &&
	    do_on_agg(cg, e, DT_LIBACT_DENORMALIZE, normalize_tags(tags));
}

static bool
check_agg_scalar(struct cg *cg, const char *tag, const struct ast_expr *call,
    struct ast_expr *arg)
{
	if (!ck_expr(cg, arg))
		return false;
	if (ctf_is_integer(arg->type))
		return true;
	diag_error(cg->ds, tag, arg->span,
	    "argument 2 of %s() must be an integer, not %s", call->u.ident.name,
	    cg_tn(cg, arg->type));
	return false;
}

static bool
do_normalize(struct cg *cg, struct ast_expr *e)
{
	struct dif_type rtype = { .ckind = CTF_K_INTEGER, .size = 8 };
	const char *tags[3];
	struct ast_expr *by;

	if (!check_count(cg, D_NORMALIZE_PROTO, e, 2, 2))
		return false;
	by = e->args.v[1];
	if (!do_on_agg(cg, e, DT_LIBACT_NORMALIZE, normalize_tags(tags)) ||
	    !check_agg_scalar(cg, D_NORMALIZE_SCALAR, e, by))
		return false;
	if (by->is_const && (int64_t)by->const_value <= 0) {
		diag_error(cg->ds, D_NORMALIZE_SCALAR, by->span,
		    "argument 2 of normalize() must be positive");
		return false;
	}
	return add_libact(
	    cg, e, DT_LIBACT_NORMALIZE, cg_typed_obj(cg, by, rtype));
}

static bool
do_trunc(struct cg *cg, struct ast_expr *e)
{
	const char *const tags[] = { D_TRUNC_AGGARG, D_TRUNC_AGGARG,
		D_TRUNC_AGGBAD };
	struct dif_type rtype = { .ckind = CTF_K_INTEGER, .size = 8 };

	if (!check_count(cg, D_TRUNC_PROTO, e, 1, 2) ||
	    !do_on_agg(cg, e, DT_LIBACT_TRUNC, tags))
		return false;
	if (e->args.n == 1)
		return add_libact(
		    cg, e, DT_LIBACT_TRUNC, cg_const_obj(cg, 0, 8));
	return check_agg_scalar(cg, D_TRUNC_SCALAR, e, e->args.v[1]) &&
	    add_libact(
		cg, e, DT_LIBACT_TRUNC, cg_typed_obj(cg, e->args.v[1], rtype));
}

/* ---- fire ---------------------------------------------------------------- */

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

/*
 * The statement of a rule: fire("provider:::name",
 * arg0, ...), or fire_in("provider:::name", thread, arg0, ...) for a thread
 * that is not running.
 */
static bool
do_fire(struct cg *cg, struct ast_expr *e)
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

/* ---- the table ----------------------------------------------------------- */

static const struct act acts[] = {
	{ "trace", do_trace, DT_ACT_NONE },
	{ "print", do_print, DT_ACT_NONE },
	{ "printf", do_printf, DT_ACT_NONE },
	{ "printa", do_printa, DT_ACT_NONE },
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
	{ "tracemem", do_tracemem, DT_ACT_NONE },
	{ "printm", do_printm, DT_ACT_NONE },
	{ "pcap", do_pcap, DT_ACT_NONE },
	{ "clear", do_clear, DT_ACT_NONE },
	{ "trunc", do_trunc, DT_ACT_NONE },
	{ "normalize", do_normalize, DT_ACT_NONE },
	{ "denormalize", do_denormalize, DT_ACT_NONE },
	{ "system", do_system, DT_ACT_NONE },
	{ "raise", do_raise, DT_ACT_NONE },
	{ "stop", do_stop, DT_ACT_NONE },
	{ "chill", do_chill, DT_ACT_NONE },
	{ "freopen", do_freopen, DT_ACT_NONE },
	{ "ftruncate", do_ftruncate, DT_ACT_NONE },
	{ "setopt", do_setopt, DT_ACT_NONE },
	{ "speculate", cg_do_speculate, DT_ACT_NONE },
	{ "commit", cg_do_commit, DT_ACT_NONE },
	{ "discard", cg_do_discard, DT_ACT_NONE },
	{ "fire", do_fire, DT_ACT_NONE },
	{ "fire_in", do_fire, DT_ACT_NONE },
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
