/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Mutations of programs: an instruction, built-in variable, subroutine or
 * action means another one; options, formats, stages and members of the kernel
 * change.
 */
#include "mutant.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "codegen/codegen.h"
#include "exec/bpf/bpf_impl.h"
#include "fmt/fmt.h"
#include "libdtrace/dt.h"
#include "libdtrace/options.h"

/* ---- objects ------------------------------------------------------------- */

static uint8_t
find_op(const char *mnem)
{
	for (int op = 0; op < 256; op++) {
		if (dif_opinfo[op].mnem != NULL &&
		    strcmp(dif_opinfo[op].mnem, mnem) == 0)
			return (uint8_t)op;
	}
	mut_no_row();
}

static uint32_t
find_var(const char *name)
{
	uint32_t id;

	if (!dif_var_find_name(name, &id))
		mut_no_row();
	return id;
}

static uint32_t
find_subr(const char *name)
{
	const struct dif_subrinfo *si = dif_subr_find_name(name);

	if (si == NULL)
		mut_no_row();
	return si->id;
}

/* If the number of a variable or subroutine is `from`, replace it by `to`. */
static uint32_t
renumber(uint32_t ins, uint32_t from, uint32_t to)
{
	if (dif_instr_idx(ins) != from)
		return ins;
	return dif_instr_w(
	    (enum dif_op)dif_instr_op(ins), to, dif_instr_rd(ins));
}

static uint32_t
change_instr(uint32_t ins)
{
	uint8_t op = dif_instr_op(ins);

	if (mut_in("dif_ops.def") && op == find_op(mutation.row))
		return (ins & 0xffffff) | (uint32_t)find_op(mutation.to) << 24;
	if (mut_in("dif_subrs.def") && op == DIF_OP_CALL)
		return renumber(
		    ins, find_subr(mutation.row), find_subr(mutation.to));
	if (mut_in("dif_vars.def") && !mut_is("dif_vars.def", "args") &&
	    (op == DIF_OP_LDGS || op == DIF_OP_LDGA))
		return renumber(
		    ins, find_var(mutation.row), find_var(mutation.to));
	return ins;
}

static void
change_text(struct dif_obj *dp)
{
	for (uint32_t i = 0; i < dp->ntext; i++)
		dp->text[i] = change_instr(dp->text[i]);
	dif_uses_find(dp);
}

int __real_dif_verify(struct dif_obj *dp, struct err *err);
int __wrap_dif_verify(struct dif_obj *dp, struct err *err);
int __real_dif_verify_unlinked(struct dif_obj *dp, struct err *err);
int __wrap_dif_verify_unlinked(struct dif_obj *dp, struct err *err);

/* Change the object after verification, since the compiler and the file were
 * right. */
int
__wrap_dif_verify(struct dif_obj *dp, struct err *err)
{
	int rc = __real_dif_verify(dp, err);

	if (rc == 0)
		change_text(dp);
	return rc;
}

int
__wrap_dif_verify_unlinked(struct dif_obj *dp, struct err *err)
{
	int rc = __real_dif_verify_unlinked(dp, err);

	if (rc == 0)
		change_text(dp);
	return rc;
}

/* ---- actions ------------------------------------------------------------- */

static uint16_t
find_act(const char *name)
{
	static const struct {
		const char *name;
		uint16_t kind;
	} acts[] = {
#define DT_ACT(val, NAME, name, ...) { name, val },
#include "dif/dif_acts.def"
#undef DT_ACT
	};

	for (size_t i = 0; i < sizeof(acts) / sizeof(acts[0]); i++) {
		if (strcmp(acts[i].name, name) == 0)
			return acts[i].kind;
	}
	mut_no_row();
}

static void
drop_action(struct dif_clause *cl, size_t i)
{
	struct dif_action *a = &cl->actions.v[i];

	if (a->difo != NULL)
		dif_obj_destroy(a->difo);
	free(a->fmt);
	free(a->type_name);
	cl->actions.n--;
	memmove(a, a + 1, (cl->actions.n - i) * sizeof(*a));
}

/* Drop an aggregation together with its keys, which precede it. */
static size_t
drop_with_tuple(struct dif_clause *cl, size_t i)
{
	uint32_t ntuple = cl->actions.v[i].ntuple;

	for (uint32_t n = 0; n <= ntuple; n++)
		drop_action(cl, i - n);
	return i - ntuple;
}

static void
change_actions(struct dif_clause *cl, uint16_t from, uint16_t to)
{
	for (size_t i = 0; i < cl->actions.n;) {
		struct dif_action *a = &cl->actions.v[i];

		if (a->kind == from && to != from)
			a->kind = to;
		if (a->kind == from && !a->in_tuple)
			i = drop_with_tuple(cl, i);
		else
			i++;
	}
}

/* An action does another's work, or nothing. */
static void
change_prog(struct dif_prog *p)
{
	uint16_t from = find_act(mutation.row);
	uint16_t to = *mutation.to != '\0' ? find_act(mutation.to) : from;

	VEC_FOREACH(&p->clauses, cl)
		change_actions(cl, from, to);
	VEC_FOREACH(&p->aggs, agg)
		agg->kind = agg->kind == from ? to : agg->kind;
}

struct dif_prog *__real_cg_compile(
    struct cg_session *s, struct lang_compile *lc, struct ast_program *prog);
struct dif_prog *__wrap_cg_compile(
    struct cg_session *s, struct lang_compile *lc, struct ast_program *prog);

struct dif_prog *
__wrap_cg_compile(
    struct cg_session *s, struct lang_compile *lc, struct ast_program *prog)
{
	struct dif_prog *p = __real_cg_compile(s, lc, prog);

	if (p != NULL && mut_in("dif_acts.def"))
		change_prog(p);
	return p;
}

/* ---- flags --------------------------------------------------------------- */

/* Is it the row "pid:RUNNING" of a table's flags? */
static bool
is_lost(const char *table, const char *name, const char *flag)
{
	size_t len = strlen(name);

	return mut_in(table) && strncmp(mutation.row, name, len) == 0 &&
	    mutation.row[len] == ':' &&
	    strcmp(mutation.row + len + 1, flag) == 0;
}

uint32_t __real_dif_var_flags(uint32_t id);
uint32_t __wrap_dif_var_flags(uint32_t id);
uint32_t __real_dif_subr_flags(uint32_t id);
uint32_t __wrap_dif_subr_flags(uint32_t id);
const struct dif_actinfo *__real_dif_act(uint32_t kind);
const struct dif_actinfo *__wrap_dif_act(uint32_t kind);

/* Remove the flag of the row. */
uint32_t
__wrap_dif_var_flags(uint32_t id)
{
	uint32_t flags = __real_dif_var_flags(id);
	const char *name = dif_var_name(id);

	if (name == NULL)
		return flags;
	if (is_lost("dif_vars.flags", name, "RUNNING"))
		flags &= ~(uint32_t)DIF_VARF_RUNNING;
	if (is_lost("dif_vars.flags", name, "HELPER"))
		flags &= ~(uint32_t)DIF_VARF_HELPER;
	return flags;
}

uint32_t
__wrap_dif_subr_flags(uint32_t id)
{
	const struct dif_subrinfo *si = dif_subr_find(id);
	uint32_t flags = __real_dif_subr_flags(id);

	if (si == NULL)
		return flags;
	if (is_lost("dif_subrs.flags", si->name, "RUNNING"))
		flags &= ~(uint32_t)DIF_SUBRF_RUNNING;
	if (is_lost("dif_subrs.flags", si->name, "HELPER"))
		flags &= ~(uint32_t)DIF_SUBRF_HELPER;
	if (is_lost("dif_subrs.flags", si->name, "NUMBERS"))
		flags &= ~(uint32_t)DIF_SUBRF_NUMBERS;
	if (is_lost("dif_subrs.flags", si->name, "KERNEL"))
		flags &= ~(uint32_t)DIF_SUBRF_KERNEL;
	return flags;
}

const struct dif_actinfo *
__wrap_dif_act(uint32_t kind)
{
	static struct dif_actinfo changed;
	const struct dif_actinfo *row = __real_dif_act(kind);

	if (!is_lost("dif_acts.flags", row->name, "RUNNING"))
		return row;
	changed = *row;
	changed.flags &= ~(uint32_t)DT_ACTF_RUNNING;
	return &changed;
}

/* ---- options and stages -------------------------------------------------- */

int __real_dt_options_set(struct dt_options *o, const char *name,
    const char *value, bool is_tracing, struct err *err);
int __wrap_dt_options_set(struct dt_options *o, const char *name,
    const char *value, bool is_tracing, struct err *err);

/* An option is accepted with any value, and does nothing. */
int
__wrap_dt_options_set(struct dt_options *o, const char *name, const char *value,
    bool is_tracing, struct err *err)
{
	if (mut_is("options.def", name))
		return 0;
	return __real_dt_options_set(o, name, value, is_tracing, err);
}

int __real_dt_set_dump(struct dt_hdl *h, const char *stages, FILE *out);
int __wrap_dt_set_dump(struct dt_hdl *h, const char *stages, FILE *out);

int
__wrap_dt_set_dump(struct dt_hdl *h, const char *stages, FILE *out)
{
	if (mut_is("dumps.def", stages))
		stages = mutation.to;
	return __real_dt_set_dump(h, stages, out);
}

/* ---- printf -------------------------------------------------------------- */

struct pf_format *__real_pf_parse(
    const char *fmt, const char **tag, struct err *err);
struct pf_format *__wrap_pf_parse(
    const char *fmt, const char **tag, struct err *err);

static const struct pf_convinfo *
find_conv(const char *name)
{
	char fmt[8];
	struct err err = { 0 };
	const char *tag;
	struct pf_format *pf;
	const struct pf_convinfo *info = NULL;

	snprintf(fmt, sizeof(fmt), "%%%s", name);
	pf = __real_pf_parse(fmt, &tag, &err);
	if (pf != NULL)
		info = pf->convs.v[0].info;
	pf_destroy(pf);
	if (info == NULL)
		mut_no_row();
	return info;
}

/* A format that was checked with one conversion prints with another. */
struct pf_format *
__wrap_pf_parse(const char *fmt, const char **tag, struct err *err)
{
	struct pf_format *pf = __real_pf_parse(fmt, tag, err);

	if (pf == NULL || !mut_in("printf_convs.def"))
		return pf;
	VEC_FOREACH(&pf->convs, pc) {
		if (strcmp(pc->conv, mutation.row) != 0)
			continue;
		snprintf(pc->conv, sizeof(pc->conv), "%s", mutation.to);
		pc->info = find_conv(mutation.to);
	}
	return pf;
}

const char *__real_printf_check(const char *fmt, bool is_printa,
    const enum pf_argkind *args, const char *const *arg_types, size_t nargs,
    struct err *err);
const char *__wrap_printf_check(const char *fmt, bool is_printa,
    const enum pf_argkind *args, const char *const *arg_types, size_t nargs,
    struct err *err);

/* printf_check() gives tags of its own: change them, too. */
const char *
__wrap_printf_check(const char *fmt, bool is_printa,
    const enum pf_argkind *args, const char *const *arg_types, size_t nargs,
    struct err *err)
{
	const char *tag =
	    __real_printf_check(fmt, is_printa, args, arg_types, nargs, err);

	if (tag != NULL && mut_is("errtags.def", tag + strlen("D_")))
		tag = "D_ANOTHER";
	return tag;
}

/* ---- the kernel's members ------------------------------------------------ */

int __real_bx_koff(struct dt_exec *x, const char *sym, uint64_t *value);
int __wrap_bx_koff(struct dt_exec *x, const char *sym, uint64_t *value);

/* A member has a wrong offset, but not a neighbour's, which may hold the
 * same. */
int
__wrap_bx_koff(struct dt_exec *x, const char *sym, uint64_t *value)
{
	int rc = __real_bx_koff(x, sym, value);

	if (rc == 0 && mut_in("rt_koffs.def") &&
	    strcmp(sym + strlen("rtc_"), mutation.row) == 0)
		*value += 4;
	return rc;
}
