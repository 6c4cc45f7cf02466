/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Linking: replace references to translators by code.
 *
 * The code of a reference (a part) is an object of its own, compiled for any
 * place.  It must not disturb the code around it:
 *
 * Registers: values of registers that the part writes, and that are read later,
 * are saved in clause-local variables.  Tuple stack: a part that uses it finds
 * it empty and leaves it empty; a part is refused if elements on the stack are
 * still needed.  Flags: a part that compares is refused between a comparison
 * and its branch.
 *
 * Compilers produce neither case: they evaluate first, then push or compare.
 * One backward walk finds the values needed later, because branches only go
 * forward.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "dif/dif_impl.h"
#include "dif/flow.h"

/* Values that some path reads before writing them anew. */
struct dif_link_wanted {
	uint8_t regs;
	bool flags, tuple;
};

/* The surroundings of an XLATE or XLARG. */
struct dif_link_site {
	struct dif_link_wanted after;
	uint8_t depth_max; /* of the tuple stack on arrival */
};

/* Facts of a part. */
struct dif_link_part {
	const struct dif_part *p;
	bool is_used, has_input;
	bool uses_tuple, compares;
	uint8_t writes;
	uint32_t int_base, str_base;
};

struct fixup {
	uint32_t pc, target;
};

struct link {
	struct dif_obj *dp;
	struct dif_link_part *parts;
	const uint32_t *saves;
	struct err *err;
	struct dif_link_site *sites; /* per instruction of dp */
	uint32_t *at;		     /* their places in the result */
	VEC(struct fixup) fixups;
	struct dif_obj *out;
	VEC(uint32_t) text;
	VEC(struct diag_span) spans;
	VEC(uint64_t) ints;
	struct strbuf strs;
	VEC(struct dif_var) vars;
	VEC(struct dif_krel) krels;
	uint32_t saved_name; /* offset of the name of our variables, or 0 */
};

static bool __attribute__((format(printf, 3, 4)))
refuse(struct link *l, uint32_t pc, const char *fmt, ...)
{
	struct strbuf sb = { 0 };
	va_list ap;

	strbuf_printf(&sb, "instruction %u (%s): ", pc,
	    dif_opinfo[dif_instr_op(l->dp->text[pc])].mnem);
	va_start(ap, fmt);
	strbuf_vprintf(&sb, fmt, ap);
	va_end(ap);
	err_take(l->err, -EINVAL, strbuf_steal(&sb));
	return false;
}

/* ---- values needed later ------------------------------------------------- */

static bool
uses_tuple(uint32_t ins)
{
	switch (dif_instr_op(ins)) {
	case DIF_OP_PUSHTR:
	case DIF_OP_PUSHTV:
	case DIF_OP_POPTS:
	case DIF_OP_CALL:
	case DIF_OP_LDGAA:
	case DIF_OP_LDTAA:
	case DIF_OP_STGAA:
	case DIF_OP_STTAA:
		return true;
	default:
		return false;
	}
}

static bool
compares(uint32_t ins)
{
	enum dif_fmt fmt = dif_opinfo[dif_instr_op(ins)].fmt;

	return fmt == DIF_FMT_CMP || fmt == DIF_FMT_TST;
}

/* The values needed before an instruction, from those needed after it. */
static struct dif_link_wanted
wanted_before(uint32_t ins, struct dif_link_wanted w)
{
	uint8_t op = dif_instr_op(ins);

	w.regs = (uint8_t)((w.regs & ~dif_writes(ins)) | dif_reads(ins));
	w.flags = (w.flags && !compares(ins)) ||
	    (dif_opinfo[op].fmt == DIF_FMT_BRANCH && op != DIF_OP_BA);
	w.tuple = (w.tuple && op != DIF_OP_FLUSHTS) || uses_tuple(ins);
	return w;
}

static struct dif_link_wanted
either(struct dif_link_wanted a, struct dif_link_wanted b)
{
	return (struct dif_link_wanted){ a.regs | b.regs, a.flags || b.flags,
		a.tuple || b.tuple };
}

static void
find_wanted(struct link *l)
{
	const struct dif_obj *dp = l->dp;
	struct dif_link_wanted *before =
	    mem_alloc(((size_t)dp->ntext + 1) * sizeof(*before));

	for (uint32_t pc = dp->ntext; pc-- > 0;) {
		uint32_t ins = dp->text[pc];
		uint8_t op = dif_instr_op(ins);
		struct dif_link_wanted after = { 0 };

		if (op != DIF_OP_BA && op != DIF_OP_RET)
			after = before[pc + 1];
		if (dif_opinfo[op].fmt == DIF_FMT_BRANCH)
			after = either(after, before[dif_instr_label(ins)]);
		l->sites[pc].after = after;
		before[pc] = wanted_before(ins, after);
	}
	free(before);
}

static bool
note_depth(void *arg, uint32_t pc, const struct dif_state *st)
{
	struct link *l = arg;

	l->sites[pc].depth_max = st->depth_max;
	return true;
}

/* ---- tables -------------------------------------------------------------- */

static const struct dif_var *
find_var(const struct link *l, uint32_t id, uint8_t scope)
{
	VEC_FOREACH(&l->vars, v) {
		if (v->id == id && v->scope == scope)
			return v;
	}
	return NULL;
}

static void
add_vars(struct link *l, const struct dif_link_part *p)
{
	const struct dif_obj *dp = p->p->obj;

	for (uint32_t i = 0; i < dp->nvar; i++) {
		struct dif_var v = dp->vartab[i];

		v.name += p->str_base;
		if (find_var(l, v.id, v.scope) == NULL)
			VEC_PUSH(&l->vars, v);
	}
}

static void
add_krels(struct link *l, const struct dif_link_part *p)
{
	const struct dif_obj *dp = p->p->obj;

	for (uint32_t i = 0; i < dp->nkrel; i++) {
		struct dif_krel k = dp->krels[i];

		k.int_index += p->int_base;
		k.module = mem_strdup(k.module);
		k.symbol = mem_strdup(k.symbol);
		VEC_PUSH(&l->krels, k);
	}
}

/* Append a part's tables to the object's, once. */
static bool
use_part(struct link *l, uint32_t pc, struct dif_link_part *p)
{
	const struct dif_obj *dp = p->p->obj;

	if (p->is_used)
		return true;
	p->is_used = true;
	p->int_base = (uint32_t)l->ints.n;
	p->str_base = (uint32_t)l->strs.len;
	if (l->ints.n + dp->nint > UINT16_MAX + 1 ||
	    l->strs.len + dp->strlen > UINT16_MAX + 1)
		return refuse(l, pc,
		    "with the translator's constants and "
		    "strings the object has more than 65536");
	for (uint32_t i = 0; i < dp->nint; i++)
		VEC_PUSH(&l->ints, dp->inttab[i]);
	strbuf_add(&l->strs, dp->strtab != NULL ? dp->strtab : "", dp->strlen);
	add_vars(l, p);
	add_krels(l, p);
	return true;
}

static void
copy_tables(struct link *l)
{
	struct dif_obj *dp = l->dp;

	for (uint32_t i = 0; i < dp->nint; i++)
		VEC_PUSH(&l->ints, dp->inttab[i]);
	for (uint32_t i = 0; i < dp->nvar; i++)
		VEC_PUSH(&l->vars, dp->vartab[i]);
	strbuf_add(&l->strs, dp->strtab != NULL ? dp->strtab : "", dp->strlen);
	for (uint32_t i = 0; i < dp->nkrel; i++)
		VEC_PUSH(&l->krels, dp->krels[i]);
	dp->nkrel = 0; /* the result owns their names now */
}

/* A variable of 8 bytes for a register. */
static uint32_t
save_var(struct link *l, unsigned reg)
{
	static const char name[] = "$saved";
	struct dif_var v = { .id = l->saves[reg],
		.kind = DIFV_KIND_SCALAR,
		.scope = DIFV_SCOPE_LOCAL,
		.flags = DIFV_F_REF | DIFV_F_MOD,
		.type = { .ckind = 1, .size = 8 } };

	if (find_var(l, v.id, v.scope) != NULL)
		return v.id;
	if (l->saved_name == 0) {
		if (l->strs.len == 0)
			strbuf_addc(&l->strs, '\0');
		l->saved_name = (uint32_t)l->strs.len;
		strbuf_add(&l->strs, name, sizeof(name));
	}
	v.name = l->saved_name;
	VEC_PUSH(&l->vars, v);
	return v.id;
}

/* ---- instructions -------------------------------------------------------- */

static void
emit(struct link *l, uint32_t pc, uint32_t ins)
{
	VEC_PUSH(&l->text, ins);
	if (l->dp->spans != NULL)
		VEC_PUSH(&l->spans, l->dp->spans[pc]);
}

static void
patch(struct link *l, const struct fixup *f, uint32_t to)
{
	l->text.v[f->pc] = (l->text.v[f->pc] & 0xff000000) | to;
}

/* An instruction of a part, with its indices moved to the part's tables. */
static uint32_t
moved(const struct dif_link_part *p, uint32_t ins)
{
	enum dif_fmt fmt = dif_opinfo[dif_instr_op(ins)].fmt;
	uint32_t by = fmt == DIF_FMT_SETX ? p->int_base :
	    fmt == DIF_FMT_SETS		  ? p->str_base :
					    0;

	return ins + (by << 8);
}

/*
 * Emit the part's instructions; each RET becomes a move to rd and a branch to
 * the end.  `at` has room for the new places of its labels.
 */
static void
emit_body(struct link *l, uint32_t pc, const struct dif_link_part *p,
    unsigned rd, uint32_t *at)
{
	const struct dif_obj *dp = p->p->obj;
	VEC(struct fixup) fixups = { 0 };

	for (uint32_t i = 0; i < dp->ntext; i++) {
		uint32_t ins = dp->text[i];
		uint8_t op = dif_instr_op(ins);
		struct fixup f = { (uint32_t)l->text.n, dp->ntext };

		at[i] = f.pc;
		if (op == DIF_OP_RET) {
			emit(l, pc,
			    dif_instr(DIF_OP_MOV, dif_instr_rd(ins), 0, rd));
			if (i == dp->ntext - 1)
				continue;
			f.pc++;
			emit(l, pc, dif_instr_b(DIF_OP_BA, 0));
		} else {
			emit(l, pc, moved(p, ins));
			if (dif_opinfo[op].fmt != DIF_FMT_BRANCH)
				continue;
			f.target = dif_instr_label(ins);
		}
		VEC_PUSH(&fixups, f);
	}
	at[dp->ntext] = (uint32_t)l->text.n;
	VEC_FOREACH(&fixups, f)
		patch(l, f, at[f->target]);
	VEC_FREE(&fixups);
}

static bool
check_site(struct link *l, uint32_t pc, struct dif_link_part *p)
{
	const struct dif_link_site *s = &l->sites[pc];

	if (p->uses_tuple && s->after.tuple && s->depth_max > 0)
		return refuse(l, pc,
		    "the translator calls subroutines, but "
		    "stands between arguments that were pushed before");
	if (p->compares && s->after.flags)
		return refuse(l, pc,
		    "the translator compares, but stands "
		    "between a comparison and its branch");
	if ((l->text.n + 2 * (uint64_t)p->p->obj->ntext) * sizeof(uint32_t) >
	    DIF_MAX_BYTES)
		return refuse(l, pc,
		    "with the translators' code the object "
		    "has more than %d bytes",
		    DIF_MAX_BYTES);
	return use_part(l, pc, p);
}

static bool
emit_part(struct link *l, uint32_t pc, struct dif_link_part *p, unsigned rd)
{
	const struct dif_link_site *s = &l->sites[pc];
	unsigned save = s->after.regs & p->writes & ~(1U << rd) & ~1U;
	uint32_t *at;

	if (!check_site(l, pc, p))
		return false;
	if (p->has_input)
		emit(l, pc, dif_instr_w(DIF_OP_STLS, p->p->input, rd));
	for (unsigned r = 1; r < DIF_NREGS; r++) {
		if (save >> r & 1)
			emit(
			    l, pc, dif_instr_w(DIF_OP_STLS, save_var(l, r), r));
	}
	if (p->uses_tuple && s->depth_max > 0)
		emit(l, pc, dif_instr(DIF_OP_FLUSHTS, 0, 0, 0));
	at = mem_alloc(((size_t)p->p->obj->ntext + 1) * sizeof(*at));
	emit_body(l, pc, p, rd, at);
	free(at);
	if (p->uses_tuple && s->after.tuple)
		emit(l, pc, dif_instr(DIF_OP_FLUSHTS, 0, 0, 0));
	for (unsigned r = 1; r < DIF_NREGS; r++) {
		if (save >> r & 1)
			emit(
			    l, pc, dif_instr_w(DIF_OP_LDLS, save_var(l, r), r));
	}
	return true;
}

static bool
emit_all(struct link *l)
{
	const struct dif_obj *dp = l->dp;

	for (uint32_t pc = 0; pc < dp->ntext; pc++) {
		uint32_t ins = dp->text[pc];
		enum dif_fmt fmt = dif_opinfo[dif_instr_op(ins)].fmt;
		struct fixup f = { (uint32_t)l->text.n, dif_instr_label(ins) };

		l->at[pc] = f.pc;
		if (fmt == DIF_FMT_BRANCH)
			VEC_PUSH(&l->fixups, f);
		if (fmt != DIF_FMT_XL)
			emit(l, pc, ins);
		else if (!emit_part(l, pc, &l->parts[dif_instr_idx(ins)],
			     dif_instr_rd(ins)))
			return false;
	}
	VEC_FOREACH(&l->fixups, f)
		patch(l, f, l->at[f->target]);
	return true;
}

/* ---- linking ------------------------------------------------------------- */

static void
note_part(struct dif_link_part *p, const struct dif_part *from)
{
	const struct dif_obj *dp = from->obj;

	p->p = from;
	if (dp == NULL)
		return;
	for (uint32_t i = 0; i < dp->ntext; i++) {
		p->uses_tuple |= uses_tuple(dp->text[i]);
		p->compares |= compares(dp->text[i]);
		p->writes |= dif_writes(dp->text[i]);
	}
	for (uint32_t i = 0; i < dp->nvar; i++)
		p->has_input |= dp->vartab[i].scope == DIFV_SCOPE_LOCAL &&
		    dp->vartab[i].id == from->input;
}

/* Put the result into the object. */
static void
take_over(struct link *l)
{
	struct dif_obj *dp = l->dp;

	free(dp->text);
	free(dp->spans);
	free(dp->inttab);
	free(dp->strtab);
	free(dp->vartab);
	free(dp->krels);
	dif_xlrefs_free(dp->xlrefs, dp->nxlref);
	dp->text = l->text.v;
	dp->ntext = (uint32_t)l->text.n;
	dp->spans = l->spans.v;
	dp->inttab = l->ints.v;
	dp->nint = (uint32_t)l->ints.n;
	dp->strlen = (uint32_t)l->strs.len;
	dp->strtab = strbuf_steal(&l->strs);
	dp->vartab = l->vars.v;
	dp->nvar = (uint32_t)l->vars.n;
	dp->krels = l->krels.v;
	dp->nkrel = (uint32_t)l->krels.n;
	dp->xlrefs = NULL;
	dp->nxlref = 0;
}

int
dif_link(struct dif_obj *dp, const struct dif_part *parts,
    const uint32_t saves[DIF_NREGS], struct err *err)
{
	struct link l = { .dp = dp, .saves = saves, .err = err };
	bool ok;

	l.parts = mem_alloc(dp->nxlref * sizeof(*l.parts) + 1);
	for (uint32_t i = 0; i < dp->nxlref; i++)
		note_part(&l.parts[i], &parts[i]);
	l.sites = mem_alloc(dp->ntext * sizeof(*l.sites));
	l.at = mem_alloc(dp->ntext * sizeof(*l.at));
	find_wanted(&l);
	dif_flow(dp, note_depth, &l);
	copy_tables(&l);
	ok = emit_all(&l);
	take_over(&l);
	free(l.parts);
	free(l.sites);
	free(l.at);
	VEC_FREE(&l.fixups);
	return ok ? dif_verify(dp, err) : -EINVAL;
}
