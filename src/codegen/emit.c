/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * DIF objects under construction: instructions, tables, registers, labels.
 *
 * The depth of the tuple stack is known while code is emitted.  The stack is
 * emptied before every compare and at every label, so that its depth is the
 * same on all paths to an instruction; a substrate may rely on it.
 */
#include "codegen/cg_impl.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"

#define MAX_SPILLS 16

void
o_begin(struct cg *cg)
{
	struct cg_obj *o = &cg->o;

	memset(o, 0, sizeof(*o));
	o->regs = 1; /* %r0 is always taken */
	strbuf_addc(&o->strs, '\0');
}

static void
fail(struct cg *cg, const char *tag, const char *msg, const char *hint)
{
	if (!cg->o.is_failed) {
		diag_error(cg->ds, tag, cg->o.span, "%s", msg);
		diag_hint(cg->ds, "%s", hint);
	}
	cg->o.is_failed = true;
}

static void
obj_discard(struct cg_obj *o)
{
	VEC_FREE(&o->text);
	VEC_FREE(&o->spans);
	VEC_FREE(&o->ints);
	VEC_FOREACH(&o->krels, k) {
		free(k->module);
		free(k->symbol);
	}
	VEC_FREE(&o->krels);
	dif_xlrefs_free(o->xlrefs.v, o->xlrefs.n);
	VEC_FREE(&o->vars);
	VEC_FREE(&o->var_syms);
	VEC_FREE(&o->patches);
	VEC_FREE(&o->labels);
	strbuf_fini(&o->strs);
}

static void
patch_branches(struct cg_obj *o)
{
	VEC_FOREACH(&o->patches, p)
		o->text.v[p->pc] |= o->labels.v[p->label];
}

/* Objects made by the compiler are verified like those of others. */
static bool
verify(struct cg *cg, struct dif_obj *dp)
{
	struct err err = { 0 };

	if (dp->strlen > DIF_MAX_BYTES) {
		diag_error(cg->ds, D_CG_EXPR, cg->o.span,
		    "strings and names of this statement take %u bytes, more "
		    "than %u",
		    dp->strlen, DIF_MAX_BYTES);
		return false;
	}
	if (dif_verify_unlinked(dp, &err) == 0)
		return true;
	diag_error(cg->ds, D_CG_EXPR, cg->o.span,
	    "internal error: the compiler made an invalid object: %s",
	    err_text(&err));
	err_clear(&err);
	return false;
}

struct dif_obj *
o_end(struct cg *cg, struct dif_type rtype)
{
	struct cg_obj *o = &cg->o;
	struct dif_obj *dp;

	if (o->is_failed) {
		obj_discard(o);
		return NULL;
	}
	patch_branches(o);
	dp = mem_alloc(sizeof(*dp));
	dp->text = o->text.v;
	dp->ntext = (uint32_t)o->text.n;
	dp->spans = o->spans.v;
	dp->inttab = o->ints.v;
	dp->nint = (uint32_t)o->ints.n;
	dp->krels = o->krels.v;
	dp->nkrel = (uint32_t)o->krels.n;
	dp->xlrefs = o->xlrefs.v;
	dp->nxlref = (uint32_t)o->xlrefs.n;
	dp->vartab = o->vars.v;
	dp->nvar = (uint32_t)o->vars.n;
	dp->strlen = (uint32_t)o->strs.len;
	dp->strtab = strbuf_steal(&o->strs);
	dp->rtype = rtype;
	VEC_FREE(&o->var_syms);
	VEC_FREE(&o->patches);
	VEC_FREE(&o->labels);
	if (verify(cg, dp))
		return dp;
	dif_obj_destroy(dp);
	return NULL;
}

/* ---- registers ----------------------------------------------------------- */

unsigned
o_reg(struct cg *cg)
{
	for (unsigned r = 1; r < DIF_NREGS; r++) {
		if ((cg->o.regs & 1U << r) == 0) {
			cg->o.regs |= 1U << r;
			return r;
		}
	}
	fail(cg, D_NOREG,
	    "the expression needs more than the 7 registers "
	    "of DIF",
	    "assign a part of it to a this-> variable first");
	return DIF_NREGS - 1;
}

void
o_free(struct cg *cg, unsigned reg)
{
	if (reg != 0)
		cg->o.regs &= ~(1U << reg);
}

unsigned
o_nfree(const struct cg *cg)
{
	return DIF_NREGS - (unsigned)__builtin_popcount(cg->o.regs);
}

/*
 * Spilling: a value is kept in a hidden clause-local variable.  Slots are taken
 * and released in stack order within one object, and all objects of the session
 * share them.
 */
struct cg_sym *
o_spill(struct cg *cg, unsigned reg)
{
	struct cg_sym *slot;

	if (cg->o.nspills == MAX_SPILLS) {
		fail(cg, D_NOREG,
		    "the expression has too many nested "
		    "arguments",
		    "assign a part of it to a this-> variable "
		    "first");
		return cg->s->spills.v[0];
	}
	while (cg->s->spills.n <= cg->o.nspills) {
		char *name =
		    arena_printf(&cg->s->arena, "$spill%zu", cg->s->spills.n);

		slot =
		    cg_var_add(cg->s, DIFV_SCOPE_LOCAL, name, cg->g->t_ulong);
		slot->is_hidden = true;
		VEC_PUSH(&cg->s->spills, slot);
	}
	slot = cg->s->spills.v[cg->o.nspills++];
	o_w(cg, DIF_OP_STLS, o_var(cg, slot, DIFV_F_MOD), reg);
	o_free(cg, reg);
	return slot;
}

unsigned
o_unspill(struct cg *cg, const struct cg_sym *slot)
{
	unsigned r = o_reg(cg);

	o_w(cg, DIF_OP_LDLS, o_var(cg, slot, DIFV_F_REF), r);
	return r;
}

/* ---- instructions -------------------------------------------------------- */

static void
emit(struct cg *cg, uint32_t ins)
{
	VEC_PUSH(&cg->o.text, ins);
	VEC_PUSH(&cg->o.spans, cg->o.span);
}

void
o_rrr(struct cg *cg, enum dif_op op, unsigned r1, unsigned r2, unsigned rd)
{
	emit(cg, dif_instr(op, r1, r2, rd));
}

void
o_w(struct cg *cg, enum dif_op op, unsigned idx, unsigned r)
{
	emit(cg, dif_instr_w(op, idx, r));
}

static bool
is_symbol_int(const struct cg_obj *o, size_t i)
{
	VEC_FOREACH(&o->krels, k) {
		if (k->int_index == i)
			return true;
	}
	return false;
}

void
o_setx(struct cg *cg, uint64_t value, unsigned rd)
{
	size_t i;

	if (value == 0) {
		o_rrr(cg, DIF_OP_MOV, 0, 0, rd);
		return;
	}
	if (cg->o.is_failed)
		return;
	for (i = 0; i < cg->o.ints.n; i++) {
		if (cg->o.ints.v[i] == value && !is_symbol_int(&cg->o, i))
			break;
	}
	if (i == cg->o.ints.n)
		VEC_PUSH(&cg->o.ints, value);
	if (i > UINT16_MAX)
		fail(cg, D_CG_EXPR, "the statement has too many constants",
		    "split it");
	o_w(cg, DIF_OP_SETX, (unsigned)i & UINT16_MAX, rd);
}

/*
 * An integer type of its own, so that other uses of the value are not affected.
 */
static unsigned
symbol_int(struct cg *cg, const struct cg_sym *sym)
{
	struct cg_obj *o = &cg->o;
	struct dif_krel k = { .is_percpu = sym->is_percpu };

	VEC_FOREACH(&o->krels, old) {
		if (strcmp(old->symbol, sym->symbol) == 0 &&
		    strcmp(old->module, sym->module) == 0)
			return old->int_index;
	}
	k.int_index = (uint32_t)o->ints.n;
	k.module = mem_strdup(sym->module);
	k.symbol = mem_strdup(sym->symbol);
	VEC_PUSH(&o->krels, k);
	VEC_PUSH(&o->ints, sym->addr);
	return k.int_index;
}

void
o_symbol(struct cg *cg, const struct cg_sym *sym, unsigned rd)
{
	unsigned i;

	if (cg->o.is_failed)
		return;
	i = symbol_int(cg, sym);
	if (i > UINT16_MAX)
		fail(cg, D_CG_EXPR, "the statement has too many constants",
		    "split it");
	o_w(cg, DIF_OP_SETX, i & UINT16_MAX, rd);
	if (sym->is_percpu)
		o_rrr(cg, DIF_OP_LDGA, DIF_VAR_CPUADDR, rd, rd);
}

/* References to the same member of the same translation share one entry. */
static uint32_t
intern_xlref(struct cg *cg, const struct ast_expr *e)
{
	struct cg_obj *o = &cg->o;
	const struct cg_xlator *xl = e->sym;
	const char *member = e->u.ident.name;
	struct dif_xlref x = { .in = mem_strdup(xl->in_name),
		.out = mem_strdup(xl->out_name),
		.member = mem_strdup(member),
		.argn = xl->argn,
		.type = cg_dif_type(e->type) };

	if (e->u.ident.is_optional)
		x.type.flags |= DIF_TF_OPTIONAL;
	for (size_t i = 0; i < o->xlrefs.n; i++) {
		const struct dif_xlref *old = &o->xlrefs.v[i];

		if (strcmp(old->in, x.in) == 0 &&
		    strcmp(old->out, x.out) == 0 && old->argn == x.argn &&
		    old->type.flags == x.type.flags &&
		    strcmp(old->member, member) == 0) {
			free(x.in);
			free(x.out);
			free(x.member);
			return (uint32_t)i;
		}
	}
	VEC_PUSH(&o->xlrefs, x);
	return (uint32_t)o->xlrefs.n - 1;
}

void
o_xlref(struct cg *cg, const struct ast_expr *e, unsigned r)
{
	uint32_t i;

	if (cg->o.is_failed)
		return;
	o_flush(cg);
	i = intern_xlref(cg, e);
	if (i > UINT16_MAX)
		fail(cg, D_CG_EXPR, "the statement has too many translations",
		    "split it");
	o_w(cg, e->a != NULL ? DIF_OP_XLATE : DIF_OP_XLARG, i & UINT16_MAX, r);
}

/* The offset of a string in the table, which holds each string once. */
static uint32_t
intern_string(struct cg *cg, const char *s)
{
	struct strbuf *sb = &cg->o.strs;
	size_t off = 0;

	if (cg->o.is_failed)
		return 0;
	while (off < sb->len && strcmp(sb->s + off, s) != 0)
		off += strlen(sb->s + off) + 1;
	if (off >= sb->len) {
		off = sb->len;
		strbuf_add(sb, s, strlen(s) + 1);
	}
	if (off > UINT16_MAX)
		fail(cg, D_CG_EXPR,
		    "the strings of the statement take more "
		    "than 64 KiB",
		    "split it");
	return (uint32_t)off;
}

void
o_sets(struct cg *cg, const char *s, unsigned rd)
{
	o_w(cg, DIF_OP_SETS, intern_string(cg, s) & UINT16_MAX, rd);
}

void
o_flush(struct cg *cg)
{
	if (cg->o.tuple_depth == 0)
		return;
	emit(cg, dif_instr(DIF_OP_FLUSHTS, 0, 0, 0));
	cg->o.tuple_depth = 0;
}

void
o_cmp(struct cg *cg, enum dif_op op, unsigned r1, unsigned r2)
{
	o_flush(cg);
	emit(cg, dif_instr(op, r1, r2, 0));
}

void
o_push(struct cg *cg, struct ctf_type *type, unsigned reg)
{
	struct ctf_type *r = ctf_resolve(type);
	unsigned size;

	cg->o.tuple_depth++;
	if (r->kind == CTF_K_D_STRING) {
		o_rrr(cg, DIF_OP_PUSHTR, DIF_TYPE_STRING, 0, reg);
	} else if (cg_is_byref(r)) {
		size = o_reg(cg);
		o_setx(cg, r->size, size);
		o_rrr(cg, DIF_OP_PUSHTR, DIF_TYPE_CTF, size, reg);
		o_free(cg, size);
	} else {
		o_rrr(cg, DIF_OP_PUSHTV, DIF_TYPE_CTF, 0, reg);
	}
}

/* ---- labels -------------------------------------------------------------- */

uint32_t
o_label(struct cg *cg)
{
	VEC_PUSH(&cg->o.labels, 0);
	return (uint32_t)cg->o.labels.n - 1;
}

void
o_bind(struct cg *cg, uint32_t label)
{
	o_flush(cg);
	cg->o.labels.v[label] = (uint32_t)cg->o.text.n;
}

void
o_branch(struct cg *cg, enum dif_op op, uint32_t label)
{
	struct cg_label patch = { .label = label };

	if (op == DIF_OP_BA)
		o_flush(cg);
	patch.pc = (uint32_t)cg->o.text.n;
	VEC_PUSH(&cg->o.patches, patch);
	emit(cg, dif_instr_b(op, 0));
}

/* ---- variables ----------------------------------------------------------- */

uint32_t
o_var(struct cg *cg, const struct cg_sym *sym, uint16_t flag)
{
	struct cg_obj *o = &cg->o;
	struct dif_var v = { .id = sym->id,
		.kind = sym->is_array ? DIFV_KIND_ARRAY : DIFV_KIND_SCALAR,
		.scope = sym->scope,
		.flags = flag,
		.type = cg_dif_type(sym->type) };

	for (size_t i = 0; i < o->vars.n; i++) {
		if (o->var_syms.v[i] == sym) {
			o->vars.v[i].flags |= flag;
			return sym->id;
		}
	}
	if (sym->id > DIF_VAR_MAX)
		fail(cg, D_ID_OFLOW, "the program has too many variables",
		    "use an associative array");
	v.name = intern_string(cg, sym->name);
	VEC_PUSH(&o->vars, v);
	VEC_PUSH(&o->var_syms, sym);
	return sym->id;
}
