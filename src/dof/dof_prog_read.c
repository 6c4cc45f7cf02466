/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * DOF -> programs.
 *
 * The image passed dof_decode() and dof_check_enabling(), so links may be
 * followed.  Its meaning is checked here: objects must verify, actions must
 * exist here, arguments must be within bounds (dof_actions.c).
 *
 * Sections may be shared, but a program has copies: the copied bytes may not
 * exceed a small multiple of the image's size.
 */
#include "dof/dof_prog_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/vec.h"

#define COPY_PER_BYTE 16
#define NAME_MAX_LEN 255   /* of a variable's name */
#define KREL_BYTES 128	   /* counted for each, with its names */
#define XLREFS_MAX 4096	   /* references to translators of one object */
#define ACT_PRIVATE 0x4000 /* first of the kinds that only we have */
#define VALUE_MAX 65536	   /* bytes that one action records */
#define STACK_MAX 65535	   /* frames */

/* TRACEMEM's argument: doc/reference/records.md section 5 */
#define TRACEMEM_STATIC 1

#define REFUSE(de, sec, i, ...)                                                \
	dof_refuse((de)->d, (sec), dof_elem_off((de)->d, (sec), (i)),          \
	    (de)->err, __VA_ARGS__)

static int
spend(struct dec *de, uint32_t sec, uint64_t bytes)
{
	if (bytes <= de->budget) {
		de->budget -= bytes;
		return 0;
	}
	return REFUSE(de, sec, 0,
	    "the program would be more than %d times "
	    "the size of its image",
	    COPY_PER_BYTE);
}

/* Replace *to by a copy of a string. */
static int
copy_str(struct dec *de, uint32_t strtab, uint64_t off, char **to)
{
	const char *s = dof_str(de->d, strtab, off);
	int rc = spend(de, strtab, strlen(s) + 1);

	if (rc != 0)
		return rc;
	free(*to);
	*to = mem_strdup(s);
	return 0;
}

/* Copy the name of a type or member. */
static int
copy_name(struct dec *de, uint32_t strtab, uint64_t off, char **to)
{
	const char *s = dof_str(de->d, strtab, off);

	if (strnlen(s, NAME_MAX_LEN + 1) > NAME_MAX_LEN)
		return REFUSE(de, strtab, 0,
		    "the name at %llu is longer than "
		    "%d",
		    (unsigned long long)off, NAME_MAX_LEN);
	return copy_str(de, strtab, off, to);
}

/* ---- objects ------------------------------------------------------------ */

static void *
copy_table(const struct dof *d, uint32_t sec, uint32_t *n)
{
	const struct dof_sec *s;
	const struct dof_elem *el;
	char *p;

	*n = 0;
	if (sec == DOF_SECIDX_NONE)
		return NULL;
	s = &d->secs[sec];
	el = dof_secinfo(s->dofs_type)->elem;
	*n = (uint32_t)(s->dofs_size / el->size);
	p = mem_alloc(s->dofs_size + 1);
	memcpy(p, d->img + s->dofs_offset, s->dofs_size);
	if (d->is_swapped && el->fields != NULL) {
		for (uint32_t i = 0; i < *n; i++)
			dof_swap(el, p + (size_t)i * el->size);
	}
	return p;
}

struct dif_obj *
dof_get_difo(const struct dof *d, uint32_t difohdr)
{
	struct dif_obj *dp = mem_alloc(sizeof(*dp));
	struct dof_difohdr h;

	dof_get(d, difohdr, 0, &h);
	dp->rtype = h.dofd_rtype;
	dp->text =
	    copy_table(d, dof_find_link(d, difohdr, DOF_SECT_DIF), &dp->ntext);
	dp->inttab = copy_table(
	    d, dof_find_link(d, difohdr, DOF_SECT_INTTAB), &dp->nint);
	dp->strtab = copy_table(
	    d, dof_find_link(d, difohdr, DOF_SECT_STRTAB), &dp->strlen);
	dp->vartab = copy_table(
	    d, dof_find_link(d, difohdr, DOF_SECT_VARTAB), &dp->nvar);
	return dp;
}

static uint64_t
difo_bytes(const struct dof *d, uint32_t difohdr)
{
	uint64_t sum = sizeof(struct dif_obj);

	for (uint32_t i = 0; i < dof_nlinks(d, difohdr); i++)
		sum += d->secs[dof_link(d, difohdr, i)].dofs_size;
	return sum;
}

static int
check_names(struct dec *de, uint32_t sec, const struct dif_obj *dp)
{
	for (uint32_t i = 0; i < dp->nvar; i++) {
		if (strnlen(dp->strtab + dp->vartab[i].name, NAME_MAX_LEN + 1) >
		    NAME_MAX_LEN)
			return REFUSE(de, sec, 0,
			    "the name of variable %u is "
			    "longer than %d",
			    i, NAME_MAX_LEN);
	}
	return 0;
}

static int
accept_difo(struct dec *de, uint32_t sec, struct dif_obj *dp)
{
	struct err err = { 0 };
	int rc;

	rc = check_names(de, sec, dp);
	if (rc != 0)
		return rc;
	if (!de->is_ours)
		rc = dof_abi_convert(de->abi, dp, &err);
	if (rc == 0)
		rc = dif_verify_unlinked(dp, &err);
	if (rc != 0)
		REFUSE(de, sec, 0, "%s", err_text(&err));
	else if (dp->rtype.size > VALUE_MAX)
		rc = REFUSE(de, sec, 0,
		    "the object returns %u bytes, more "
		    "than %d",
		    dp->rtype.size, VALUE_MAX);
	err_clear(&err);
	return rc;
}

/* "module`symbol", or the name of a symbol of the kernel itself. */
static int
set_krel(struct dec *de, uint32_t relsec, uint32_t i, uint32_t strtab,
    struct dif_krel *k)
{
	struct dof_relodesc r;
	const char *name, *tick;

	dof_get(de->d, relsec, i, &r);
	if (r.dofr_type != DOF_RELO_SETX && r.dofr_type != DOF_RELO_PERCPU)
		return REFUSE(de, relsec, i,
		    "relocation %u is of type %u, "
		    "which kernel symbols do not have",
		    i, r.dofr_type);
	name = dof_str(de->d, strtab, r.dofr_name);
	if (strnlen(name, 2 * NAME_MAX_LEN) >= 2 * NAME_MAX_LEN)
		return REFUSE(de, relsec, i,
		    "the name of the symbol is longer "
		    "than %d",
		    2 * NAME_MAX_LEN);
	tick = strchr(name, '`');
	k->module = tick != NULL ? mem_strndup(name, (size_t)(tick - name)) :
				   mem_strdup("vmlinux");
	k->symbol = mem_strdup(tick != NULL ? tick + 1 : name);
	k->int_index = (uint32_t)(r.dofr_offset / sizeof(uint64_t));
	k->addend = r.dofr_data;
	k->is_percpu = r.dofr_type == DOF_RELO_PERCPU;
	return 0;
}

static int
add_krels(struct dec *de, uint32_t sec, struct dif_obj *dp)
{
	uint32_t inttab = dof_find_link(de->d, sec, DOF_SECT_INTTAB), n;
	struct dof_relohdr h;
	int rc;

	if (inttab == DOF_SECIDX_NONE || de->krel_of[inttab] == 0)
		return 0;
	dof_get(de->d, de->krel_of[inttab] - 1, 0, &h);
	n = dof_nelems(de->d, h.dofr_relsec);
	rc = spend(de, h.dofr_relsec, (uint64_t)n * KREL_BYTES);
	if (rc != 0)
		return rc;
	dp->krels = mem_alloc(n * sizeof(*dp->krels) + 1);
	for (; dp->nkrel < n && rc == 0; dp->nkrel++) {
		struct dif_krel *k = &dp->krels[dp->nkrel];

		rc = set_krel(de, h.dofr_relsec, dp->nkrel, h.dofr_strtab, k);
		dp->inttab[k->int_index] = 0;
	}
	return rc;
}

/* Copy a translator's input and output type, and a member's name. */
static int
set_xlref(struct dec *de, uint32_t sec, uint32_t i, struct dif_xlref *to)
{
	struct dof_xlref ref;
	struct dof_xlator xl;
	struct dof_xlmember m;
	int rc;

	dof_get(de->d, sec, i, &ref);
	dof_get(de->d, ref.dofxr_xlator, 0, &xl);
	if (xl.dofxl_argc != 1)
		return REFUSE(de, ref.dofxr_xlator, 0,
		    "the translator has %u "
		    "parameters, not one",
		    xl.dofxl_argc);
	dof_get(de->d, xl.dofxl_members, ref.dofxr_member, &m);
	to->argn = ref.dofxr_argn;
	to->type = m.dofxm_type;
	rc = copy_name(de, xl.dofxl_strtab, xl.dofxl_argv, &to->in);
	if (rc == 0)
		rc = copy_name(de, xl.dofxl_strtab, xl.dofxl_type, &to->out);
	if (rc == 0)
		rc = copy_name(de, xl.dofxl_strtab, m.dofxm_name, &to->member);
	return rc;
}

static int
add_xlrefs(struct dec *de, uint32_t sec, struct dif_obj *dp)
{
	uint32_t tab = dof_find_link(de->d, sec, DOF_SECT_XLTAB), n;
	int rc = 0;

	if (tab == DOF_SECIDX_NONE)
		return 0;
	n = dof_nelems(de->d, tab);
	if (n > XLREFS_MAX)
		return REFUSE(de, tab, 0,
		    "%u references to translators, more "
		    "than %d",
		    n, XLREFS_MAX);
	rc = spend(de, tab, (uint64_t)n * sizeof(*dp->xlrefs));
	if (rc != 0)
		return rc;
	dp->xlrefs = mem_alloc(n * sizeof(*dp->xlrefs) + 1);
	for (; dp->nxlref < n && rc == 0; dp->nxlref++)
		rc = set_xlref(de, tab, dp->nxlref, &dp->xlrefs[dp->nxlref]);
	return rc;
}

static int
dec_difo(struct dec *de, uint32_t sec, struct dif_obj **outp)
{
	int rc = spend(de, sec, difo_bytes(de->d, sec));
	struct dif_obj *dp;

	if (rc != 0)
		return rc;
	dp = dof_get_difo(de->d, sec);
	rc = add_krels(de, sec, dp);
	if (rc == 0)
		rc = add_xlrefs(de, sec, dp);
	if (rc == 0)
		rc = accept_difo(de, sec, dp);
	if (rc != 0)
		goto fail;
	dof_note_vars(de, sec, dp);
	*outp = dp;
	return 0;
fail:
	dif_obj_destroy(dp);
	return rc;
}

/* ---- relocations -------------------------------------------------------- */

/* An enabling has no load address: SETX adds 0. */
static int
check_urels(struct dec *de, uint32_t sec)
{
	struct dof_relohdr h;
	struct dof_relodesc r;

	dof_get(de->d, sec, 0, &h);
	for (uint32_t i = 0; i < dof_nelems(de->d, h.dofr_relsec); i++) {
		dof_get(de->d, h.dofr_relsec, i, &r);
		if (r.dofr_type == DOF_RELO_DOFREL)
			return REFUSE(de, h.dofr_relsec, i,
			    "relocation %u is "
			    "to the address of the DOF in a process, which a "
			    "program that is enabled does not have",
			    i);
	}
	return 0;
}

/* Note the KRELHDR of each integer table; a table has at most one. */
static int
index_krels(struct dec *de, uint32_t sec)
{
	struct dof_relohdr h;

	dof_get(de->d, sec, 0, &h);
	if (de->d->secs[h.dofr_tgtsec].dofs_type != DOF_SECT_INTTAB)
		return REFUSE(de, sec, 0,
		    "section %u is no INTTAB, which is "
		    "where addresses of kernel symbols stand",
		    h.dofr_tgtsec);
	if (de->krel_of[h.dofr_tgtsec] != 0)
		return REFUSE(de, sec, 0,
		    "section %u has relocations in "
		    "section %u, too",
		    h.dofr_tgtsec, de->krel_of[h.dofr_tgtsec] - 1);
	de->krel_of[h.dofr_tgtsec] = sec + 1;
	return 0;
}

static int
index_relocations(struct dec *de)
{
	int rc = 0;

	de->krel_of =
	    mem_alloc(de->d->hdr.dofh_secnum * sizeof(*de->krel_of) + 1);
	for (uint32_t i = 0; i < de->d->hdr.dofh_secnum && rc == 0; i++) {
		if (de->d->secs[i].dofs_type == DOF_SECT_URELHDR)
			rc = check_urels(de, i);
		else if (de->d->secs[i].dofs_type == DOF_SECT_KRELHDR)
			rc = index_krels(de, i);
	}
	return rc;
}

/* ---- actions ------------------------------------------------------------ */

static bool
is_available(const struct dec *de, uint32_t kind)
{
	if (kind == DT_ACT_NONE || kind > UINT16_MAX ||
	    *dif_act((uint32_t)kind)->name == '?')
		return false;
	return kind < ACT_PRIVATE || de->is_ours;
}

/* Add the facts of our own section to an action. */
static int
add_xaction(struct dec *de, uint32_t sec, uint32_t i, struct dif_action *act)
{
	uint32_t at = de->xaction_of[sec] - 1 + i;
	struct dof_xaction x;
	int rc = 0;

	if (de->xaction_of[sec] == 0 || at >= dof_nelems(de->d, de->x_action))
		return REFUSE(de, sec, i,
		    "X_ACTION has no entry for action "
		    "%u",
		    i);
	dof_get(de->d, de->x_action, at, &x);
	if (x.dofxa_actdesc != sec || x.dofxa_index != i)
		return REFUSE(de, de->x_action, at,
		    "entry %u is for action %u "
		    "of section %u, not %u of %u",
		    at, x.dofxa_index, x.dofxa_actdesc, i, sec);
	act->is_signed = (x.dofxa_flags & DOF_XA_SIGNED) != 0;
	act->group = x.dofxa_group;
	if (x.dofxa_flags & DOF_XA_HAS_TYPE)
		rc =
		    copy_str(de, x.dofxa_strtab, x.dofxa_type, &act->type_name);
	if (rc != 0 || !(x.dofxa_flags & DOF_XA_HAS_FMT))
		return rc;
	if (!dif_act_is_datum(act->kind) ||
	    *dof_str(de->d, x.dofxa_strtab, x.dofxa_fmt) == '\0')
		return REFUSE(de, de->x_action, at,
		    "entry %u has a format, "
		    "which only a stack or symbol of a printf() has here",
		    at);
	return copy_str(de, x.dofxa_strtab, x.dofxa_fmt, &act->fmt);
}

/* Convert dofa_arg to dif_action.arg. */
static int
set_arg(struct dec *de, uint32_t sec, uint32_t i, const struct dof_actdesc *a,
    struct dif_action *act)
{
	bool has_strs = a->dofa_strtab != DOF_SECIDX_NONE;
	uint64_t frames;
	int rc = 0;

	act->arg = a->dofa_arg;
	if (has_strs &&
	    (dif_act_has_format(act->kind) || act->kind == DT_ACT_DIFEXPR)) {
		rc = copy_str(de, a->dofa_strtab, a->dofa_arg, &act->fmt);
		act->arg = 0;
	}
	if (act->kind == DT_ACT_LIBACT) {
		uint32_t base = de->is_ours ? DOF_LIBACT_BASE :
					      dof_abi_libact_base(de->abi);

		if (act->arg < base)
			return REFUSE(de, sec, i,
			    "sub-action %llu is below "
			    "the first one, %u",
			    (unsigned long long)act->arg, base);
		act->arg -= base;
	}
	if (act->kind == DT_ACT_TRACEMEM && act->arg == 0)
		act->arg = TRACEMEM_STATIC;
	frames = act->kind == DT_ACT_STACK ? act->arg : (uint32_t)act->arg;
	if (dif_act_is_stack(act->kind) && frames > STACK_MAX)
		return REFUSE(de, sec, i,
		    "action %u: a stack of %llu frames, "
		    "more than %d",
		    i, (unsigned long long)frames, STACK_MAX);
	return rc;
}

static int
fill_action(struct dec *de, uint32_t sec, uint32_t i, struct dif_action *act)
{
	struct dof_actdesc a;
	const char *name;
	int rc;

	dof_get(de->d, sec, i, &a);
	name = dof_act_name(a.dofa_kind);
	if (!is_available(de, a.dofa_kind))
		return REFUSE(de, sec, i,
		    "action %u is %s (0x%x), which is "
		    "not available",
		    i, name != NULL ? name : "of an unknown kind", a.dofa_kind);
	act->kind = (uint16_t)a.dofa_kind;
	act->ntuple = a.dofa_ntuple;
	rc = set_arg(de, sec, i, &a, act);
	if (rc != 0)
		return rc;
	if (a.dofa_difo != DOF_SECIDX_NONE) {
		rc = dec_difo(de, a.dofa_difo, &act->difo);
		if (rc != 0)
			return rc;
	}
	return de->x_action != DOF_SECIDX_NONE ? add_xaction(de, sec, i, act) :
						 0;
}

/*
 * In foreign programs the data of one statement share dofa_uarg, which becomes
 * our group.  Where uarg was not set, formats tell printf()s apart.
 */
static void
group_foreign(const struct dof *d, uint32_t sec, struct dif_clause *cl)
{
	struct dof_actdesc last = { 0 }, a;
	uint32_t group = 0;

	VEC_FOREACH(&cl->actions, act) {
		dof_get(d, sec, (uint32_t)(act - cl->actions.v), &a);
		if (act == cl->actions.v || a.dofa_uarg != last.dofa_uarg ||
		    (a.dofa_uarg == 0 &&
			(a.dofa_kind != last.dofa_kind ||
			    a.dofa_arg != last.dofa_arg)))
			group++;
		act->group = group;
		last = a;
	}
}

/* The format of the statement whose actions are [i, end), or NULL. */
static const char *
find_format(const struct dif_clause *cl, size_t i, size_t end)
{
	for (; i < end; i++) {
		if (cl->actions.v[i].kind == DT_ACT_PRINTF)
			return cl->actions.v[i].fmt;
	}
	return NULL;
}

/* A stack or symbol printed with a format gets its statement's. */
static int
share_formats(struct dec *de, uint32_t sec, struct dif_clause *cl)
{
	struct dif_action *acts = cl->actions.v;
	size_t n = cl->actions.n, i = 0, end;

	for (; i < n; i = end) {
		const char *fmt;

		for (end = i + 1; end < n && acts[end].group == acts[i].group;)
			end++;
		fmt = find_format(cl, i, end);
		for (size_t k = i; k < end && fmt != NULL; k++) {
			if (!dif_act_is_datum(acts[k].kind) ||
			    acts[k].fmt != NULL)
				continue;
			if (spend(de, sec, strlen(fmt) + 1) != 0)
				return -EINVAL;
			acts[k].fmt = mem_strdup(fmt);
		}
	}
	return 0;
}

static int
dec_actions(struct dec *de, uint32_t sec, struct dif_clause *cl)
{
	uint32_t n = dof_nelems(de->d, sec);
	int rc = spend(de, sec, (uint64_t)n * sizeof(struct dif_action));

	for (uint32_t i = 0; i < n && rc == 0; i++) {
		VEC_PUSH(&cl->actions, (struct dif_action){ 0 });
		rc = fill_action(de, sec, i, &cl->actions.v[i]);
	}
	if (rc != 0)
		return rc;
	if (!de->is_ours) {
		group_foreign(de->d, sec, cl);
		rc = share_formats(de, sec, cl);
	}
	return rc != 0 ? rc : dof_check_actions(de, cl, sec);
}

/* ---- clauses ------------------------------------------------------------ */

/* Cut a name to the length of DTrace's tables. */
static char *
cut_str(const struct dof *d, uint32_t strtab, uint32_t off, size_t max)
{
	const char *s = dof_str(d, strtab, off);

	return mem_strndup(s, strnlen(s, max));
}

static void
dec_pdesc(
    struct dec *de, uint32_t sec, struct diag_span span, struct dif_clause *cl)
{
	struct dof_probedesc pd;
	struct dif_pdesc desc = { .span = span };

	dof_get(de->d, sec, 0, &pd);
	desc.prov = cut_str(de->d, pd.dofp_strtab, pd.dofp_provider, 63);
	desc.mod = cut_str(de->d, pd.dofp_strtab, pd.dofp_mod, 63);
	desc.func = cut_str(de->d, pd.dofp_strtab, pd.dofp_func, 191);
	desc.name = cut_str(de->d, pd.dofp_strtab, pd.dofp_name, 63);
	desc.id = pd.dofp_id;
	VEC_PUSH(&cl->pdescs, desc);
}

/*
 * Copy the descriptions of a clause.  There is no source text: spans only tell
 * clauses apart.
 */
static void
dec_pdescs(struct dec *de, uint32_t first, uint32_t n, uint32_t source,
    struct dif_clause *cl)
{
	struct dof_ecbdesc ecb;

	for (uint32_t i = 0; i < n; i++) {
		struct diag_span span = { .off = source, .len = i };

		dof_get(de->d, first + i, 0, &ecb);
		dec_pdesc(de, ecb.dofe_probes, span, cl);
	}
}

/* Make a clause from the ECBs [first, first + n). */
static int
dec_clause(
    struct dec *de, uint32_t first, uint32_t n, const struct dof_xclause *x)
{
	struct dif_clause *cl;
	struct dof_ecbdesc ecb;
	int rc = spend(de, first, sizeof(*cl) + n * sizeof(struct dif_pdesc));

	if (rc != 0)
		return rc;
	VEC_PUSH(&de->p->clauses,
	    (struct dif_clause){
		.default_action = (x->dofxc_flags & DOF_XC_DEFAULT) != 0 });
	cl = &de->p->clauses.v[de->p->clauses.n - 1];
	if (!dof_attr_of_word(x->dofxc_attr, &cl->attr))
		return REFUSE(de, first, 0, "0x%x is no stability attribute",
		    x->dofxc_attr);
	dec_pdescs(de, first, n, x->dofxc_source, cl);
	dof_get(de->d, first, 0, &ecb);
	if (ecb.dofe_pred != DOF_SECIDX_NONE) {
		rc = dec_difo(de, ecb.dofe_pred, &cl->pred);
		if (rc != 0)
			return rc;
	}
	if (cl->pred != NULL &&
	    (cl->pred->rtype.flags & (DIF_TF_BYREF | DIF_TF_BYUREF)))
		return REFUSE(de, ecb.dofe_pred, 0,
		    "a predicate must be a "
		    "value, not a reference");
	return ecb.dofe_actions != DOF_SECIDX_NONE ?
	    dec_actions(de, ecb.dofe_actions, cl) :
	    0;
}

/* The ECBs that an X_CLAUSE joins must all exist and be alike. */
static int
check_xclause(struct dec *de, uint32_t i, const struct dof_xclause *x)
{
	struct dof_ecbdesc a, b;

	if (x->dofxc_necbs == 0 ||
	    x->dofxc_necbs > de->d->hdr.dofh_secnum - x->dofxc_ecb)
		return REFUSE(de, de->x_clause, i,
		    "clause %u has %u probe "
		    "descriptions from section %u on",
		    i, x->dofxc_necbs, x->dofxc_ecb);
	dof_get(de->d, x->dofxc_ecb, 0, &a);
	for (uint32_t k = 1; k < x->dofxc_necbs; k++) {
		uint32_t sec = x->dofxc_ecb + k;

		if (de->d->secs[sec].dofs_type != DOF_SECT_ECBDESC)
			return REFUSE(de, de->x_clause, i,
			    "clause %u: section "
			    "%u is not ECBDESC",
			    i, sec);
		dof_get(de->d, sec, 0, &b);
		if (a.dofe_pred != b.dofe_pred ||
		    a.dofe_actions != b.dofe_actions)
			return REFUSE(de, de->x_clause, i,
			    "clause %u: "
			    "sections %u and %u differ in more than the probe "
			    "description",
			    i, x->dofxc_ecb, sec);
	}
	return 0;
}

static int
dec_our_clauses(struct dec *de)
{
	uint32_t n = dof_nelems(de->d, de->x_clause), least = 0;
	int rc = 0;

	for (uint32_t i = 0; i < n && rc == 0; i++) {
		struct dof_xclause x;

		dof_get(de->d, de->x_clause, i, &x);
		if (x.dofxc_ecb < least)
			return REFUSE(de, de->x_clause, i,
			    "clause %u begins "
			    "at section %u, but those up to %u are taken",
			    i, x.dofxc_ecb, least);
		rc = check_xclause(de, i, &x);
		if (rc == 0)
			rc = dec_clause(de, x.dofxc_ecb, x.dofxc_necbs, &x);
		least = x.dofxc_ecb + x.dofxc_necbs;
	}
	return rc;
}

static int
dec_foreign_clauses(struct dec *de)
{
	int rc = 0;

	for (uint32_t i = 0; i < de->d->hdr.dofh_secnum && rc == 0; i++) {
		static const struct dif_attr attr = DIF_ATTR_PROGRAM;
		struct dof_xclause x = { .dofxc_source = i,
			.dofxc_attr = dof_attr_word(attr) };
		struct dof_ecbdesc ecb;

		if (de->d->secs[i].dofs_type != DOF_SECT_ECBDESC)
			continue;
		dof_get(de->d, i, 0, &ecb);
		if (ecb.dofe_actions == DOF_SECIDX_NONE)
			x.dofxc_flags = DOF_XC_DEFAULT;
		rc = dec_clause(de, i, 1, &x);
	}
	return rc;
}

/* ---- our own sections --------------------------------------------------- */

static int
find_private(struct dec *de)
{
	struct {
		uint32_t type, *sec;
	} kinds[] = { { DOF_SECT_X_CLAUSE, &de->x_clause },
		{ DOF_SECT_X_ACTION, &de->x_action },
		{ DOF_SECT_X_AGG, &de->x_agg },
		{ DOF_SECT_X_VAR, &de->x_var } };

	for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++)
		*kinds[k].sec = DOF_SECIDX_NONE;
	for (uint32_t i = 0; i < de->d->hdr.dofh_secnum; i++) {
		for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
			if (de->d->secs[i].dofs_type != kinds[k].type)
				continue;
			if (*kinds[k].sec != DOF_SECIDX_NONE)
				return REFUSE(de, i, 0,
				    "section %u is of this "
				    "type, too",
				    *kinds[k].sec);
			*kinds[k].sec = i;
		}
	}
	de->is_ours = de->x_clause != DOF_SECIDX_NONE;
	return 0;
}

static void
index_xactions(struct dec *de)
{
	struct dof_xaction x;

	de->xaction_of =
	    mem_alloc(de->d->hdr.dofh_secnum * sizeof(*de->xaction_of) + 1);
	if (de->x_action == DOF_SECIDX_NONE)
		return;
	for (uint32_t i = 0; i < dof_nelems(de->d, de->x_action); i++) {
		dof_get(de->d, de->x_action, i, &x);
		if (x.dofxa_index == 0)
			de->xaction_of[x.dofxa_actdesc] = i + 1;
	}
}

static int
dec_vars(struct dec *de)
{
	uint32_t n =
	    de->x_var == DOF_SECIDX_NONE ? 0 : dof_nelems(de->d, de->x_var);
	int rc = 0;

	for (uint32_t i = 0; i < n && rc == 0; i++) {
		struct dof_xvar x;
		struct dif_pvar pv = { 0 };

		rc = spend(de, de->x_var, 2 * (NAME_MAX_LEN + 1));
		if (rc != 0)
			return rc;
		dof_get(de->d, de->x_var, i, &x);
		pv.var = x.dofxv_var;
		pv.name =
		    cut_str(de->d, x.dofxv_strtab, x.dofxv_name, NAME_MAX_LEN);
		pv.type_name =
		    cut_str(de->d, x.dofxv_strtab, x.dofxv_type, NAME_MAX_LEN);
		VEC_PUSH(&de->p->vars, pv);
	}
	return rc;
}

/* The type of each action of a clause. */
static void
each_clause_type(struct dec *de, struct dif_clause *cl, uint32_t ecbsec,
    void (*f)(struct dif_action *act, uint32_t ctf, void *arg), void *arg)
{
	struct dof_ecbdesc ecb;

	dof_get(de->d, ecbsec, 0, &ecb);
	VEC_FOREACH(&cl->actions, act) {
		struct dof_xaction x;

		dof_get(de->d, de->x_action,
		    de->xaction_of[ecb.dofe_actions] - 1 +
			(uint32_t)(act - cl->actions.v),
		    &x);
		if (x.dofxa_ctf != DOF_CTF_NONE)
			f(act, x.dofxa_ctf, arg);
	}
}

void
dof_each_type(const struct dof *d, const struct dif_prog *p,
    void (*f)(struct dif_action *act, uint32_t ctf, void *arg), void *arg)
{
	struct dec de = { .d = d };

	find_private(&de);
	if (!de.is_ours || de.x_action == DOF_SECIDX_NONE)
		return;
	index_xactions(&de);
	VEC_FOREACH(&p->clauses, cl) {
		struct dof_xclause x;

		dof_get(d, de.x_clause, (uint32_t)(cl - p->clauses.v), &x);
		each_clause_type(&de, cl, x.dofxc_ecb, f, arg);
	}
	free(de.xaction_of);
}

/* ------------------------------------------------------------------------- */

static void
dec_fini(struct dec *de)
{
	free(de->xaction_of);
	free(de->krel_of);
	VEC_FREE(&de->agg_ids);
	VEC_FOREACH(&de->aggs, agg)
		VEC_FREE(&agg->kinds);
	VEC_FREE(&de->aggs);
	VEC_FREE(&de->vars);
}

int
dof_decode_prog(const struct dof *d, enum dof_abi abi, struct err *err,
    struct dif_prog **outp)
{
	struct dec de = { .d = d,
		.err = err,
		.abi = abi != DOF_ABI_GUESS ? abi : dof_abi_guess(d),
		.budget = 65536 + d->hdr.dofh_filesz * COPY_PER_BYTE,
		.p = dif_prog_create() };
	int rc = find_private(&de);

	if (rc != 0)
		goto out;
	rc = index_relocations(&de);
	if (rc != 0)
		goto out;
	rc = dof_dec_aggs(&de);
	if (rc != 0)
		goto out;
	index_xactions(&de);
	rc = de.is_ours ? dec_our_clauses(&de) : dec_foreign_clauses(&de);
	if (rc != 0)
		goto out;
	rc = dof_check_aggs(&de);
	if (rc != 0)
		goto out;
	rc = dof_check_vars(&de);
	if (rc != 0)
		goto out;
	rc = dec_vars(&de);
	if (rc != 0)
		goto out;
	*outp = de.p;
	de.p = NULL;
out:
	if (de.p != NULL)
		dif_prog_destroy(de.p);
	dec_fini(&de);
	return rc;
}
