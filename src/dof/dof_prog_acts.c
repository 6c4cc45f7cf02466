/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The actions of a clause from DOF: kinds, arguments, formats and groups.
 * An action must exist here.
 */
#include "dof/dof_prog_read_impl.h"

#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"

#define ACT_PRIVATE 0x4000 /* first of the kinds that only we have */
#define STACK_MAX 65535	   /* frames */

/* TRACEMEM's argument: doc/reference/records.md section 5 */
#define TRACEMEM_STATIC 1

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
		rc = dec_copy_str(
		    de, x.dofxa_strtab, x.dofxa_type, &act->type_name);
	if (rc != 0 || !(x.dofxa_flags & DOF_XA_HAS_FMT))
		return rc;
	if (!dif_act_is_datum(act->kind) ||
	    *dof_str(de->d, x.dofxa_strtab, x.dofxa_fmt) == '\0')
		return REFUSE(de, de->x_action, at,
		    "entry %u has a format, "
		    "which only a stack or symbol of a printf() has here",
		    at);
	return dec_copy_str(de, x.dofxa_strtab, x.dofxa_fmt, &act->fmt);
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
		rc = dec_copy_str(de, a->dofa_strtab, a->dofa_arg, &act->fmt);
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
			if (dec_spend(de, sec, strlen(fmt) + 1) != 0)
				return -EINVAL;
			acts[k].fmt = mem_strdup(fmt);
		}
	}
	return 0;
}

int
dec_actions(struct dec *de, uint32_t sec, struct dif_clause *cl)
{
	uint32_t n = dof_nelems(de->d, sec);
	int rc = dec_spend(de, sec, (uint64_t)n * sizeof(struct dif_action));

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
