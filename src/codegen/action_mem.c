/* SPDX-License-Identifier: BSD-2-Clause */
/* Actions that record memory: tracemem(), printm(), pcap(). */
#include "codegen/cg_impl.h"

#include "base/mem.h"
#include "codegen/action_impl.h"

/* dtrd_arg of TRACEMEM records: doc/reference/records.md section 5 */
enum {
	TRACEMEM_STATIC = 1,
	TRACEMEM_DYNAMIC = 2,
	TRACEMEM_SIZE = 3,
	TRACEMEM_SSIZE = 4
};

#define TRACEMEM_MAX (1 << 16)

/* ---- tracemem ------------------------------------------------------------ */

static bool
check_tracemem(struct cg *cg, struct ast_expr *e)
{
	struct ast_expr *addr, *size;

	if (!cg_check_count(cg, D_TRACEMEM_ARGS, e, 2, 3))
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

bool
cg_do_tracemem(struct cg *cg, struct ast_expr *e)
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

bool
cg_do_printm(struct cg *cg, struct ast_expr *e)
{
	struct dif_type rtype = { .ckind = CTF_K_INTEGER, .size = 8 };
	struct ast_expr *size, *ref;
	struct dif_action *act;

	if (!cg_check_count(cg, D_PROTO_LEN, e, 2, 2))
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

bool
cg_do_pcap(struct cg *cg, struct ast_expr *e)
{
	struct dif_action *act;
	struct ast_expr *addr;

	if (!cg_check_count(cg, D_PROTO_LEN, e, 2, 2) ||
	    !ck_expr(cg, e->args.v[0]) ||
	    !cg_check_integer(cg, e, e->args.v[1], 2))
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
