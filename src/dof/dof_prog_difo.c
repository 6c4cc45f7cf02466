/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The objects of a program from DOF: their tables, relocations to symbols of
 * the kernel, and references to translators.  An object must verify.
 */
#include "dof/dof_prog_read_impl.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"

#define KREL_BYTES 128	/* counted for each, with its names */
#define XLREFS_MAX 4096 /* references to translators of one object */
#define VALUE_MAX 65536 /* bytes that one action records */

int
dec_spend(struct dec *de, uint32_t sec, uint64_t bytes)
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

int
dec_copy_str(struct dec *de, uint32_t strtab, uint64_t off, char **to)
{
	const char *s = dof_str(de->d, strtab, off);
	int rc = dec_spend(de, strtab, strlen(s) + 1);

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
	return dec_copy_str(de, strtab, off, to);
}

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
	rc = dec_spend(de, h.dofr_relsec, (uint64_t)n * KREL_BYTES);
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
	if (rc != 0)
		return rc;
	rc = copy_name(de, xl.dofxl_strtab, xl.dofxl_type, &to->out);
	if (rc != 0)
		return rc;
	return copy_name(de, xl.dofxl_strtab, m.dofxm_name, &to->member);
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
	rc = dec_spend(de, tab, (uint64_t)n * sizeof(*dp->xlrefs));
	if (rc != 0)
		return rc;
	dp->xlrefs = mem_alloc(n * sizeof(*dp->xlrefs) + 1);
	for (; dp->nxlref < n && rc == 0; dp->nxlref++)
		rc = set_xlref(de, tab, dp->nxlref, &dp->xlrefs[dp->nxlref]);
	return rc;
}

int
dec_difo(struct dec *de, uint32_t sec, struct dif_obj **outp)
{
	int rc = dec_spend(de, sec, difo_bytes(de->d, sec));
	struct dif_obj *dp;

	if (rc != 0)
		return rc;
	dp = dof_get_difo(de->d, sec);
	rc = add_krels(de, sec, dp);
	if (rc != 0)
		goto fail;
	rc = add_xlrefs(de, sec, dp);
	if (rc != 0)
		goto fail;
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

int
dec_index_relocations(struct dec *de)
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
