/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Check the contents of an image's sections.
 *
 * Three sets of rules (doc/reference/dof.md section 4).  Those of any DOF are
 * applied by dof_decode(): links lead to sections of the right type, strings
 * are in their table, counts and indices are within bounds.  Those of an
 * enabling and of a process's probes are applied in addition (dof_check_use.c).
 *
 * First each section is checked by itself, here; then what links lead to
 * (dof_check_linked.c).
 */
#include "dof/dof_check_impl.h"

#define WORK_PER_BYTE 16 /* elements checked per byte of the image */

/* ---- single fields ------------------------------------------------------ */

static bool
is_linkable(const struct dof_sec *s, uint32_t type)
{
	if (type == DOF_SECT_NONE)
		return s->dofs_type != DOF_SECT_NONE;
	/* references may be to translators of either kind */
	if (type == DOF_SECT_XLIMPORT && s->dofs_type == DOF_SECT_XLEXPORT)
		return true;
	return s->dofs_type == type;
}

static int
check_link(struct dof_check *c, uint32_t sec, uint32_t i,
    const struct dof_field *f, uint64_t to)
{
	const struct dof_sec *s;
	const char *name;

	if (to >= c->d->hdr.dofh_secnum)
		return REFUSE_FIELD(c, sec, i, f->off,
		    "%s is section %llu, "
		    "but there are %u",
		    f->name, (unsigned long long)to, c->d->hdr.dofh_secnum);
	s = &c->d->secs[to];
	name = dof_sectype_name(s->dofs_type);
	if (!is_linkable(s, f->detail))
		return REFUSE_FIELD(c, sec, i, f->off,
		    "%s is section %llu, "
		    "which is %s, not %s",
		    f->name, (unsigned long long)to,
		    name != NULL ? name : "of an unknown type",
		    f->detail == DOF_SECT_NONE ? "one with content" :
						 dof_sectype_name(f->detail));
	if (!(s->dofs_flags & DOF_SECF_LOAD))
		return REFUSE_FIELD(c, sec, i, f->off,
		    "%s is section %llu, "
		    "which is not loadable",
		    f->name, (unsigned long long)to);
	return 0;
}

int
dof_check_str(struct dof_check *c, uint32_t sec, uint32_t i,
    const struct dof_field *f, uint32_t strtab, uint64_t off)
{
	uint64_t size = c->d->secs[strtab].dofs_size;

	if (off < size)
		return 0;
	return REFUSE_FIELD(c, sec, i, f->off,
	    "%s is 0x%llx, outside of the "
	    "%llu bytes of section %u (STRTAB)",
	    f->name, (unsigned long long)off, (unsigned long long)size, strtab);
}

/* Is the link the value for "none"? */
static bool
is_absent(const struct dof_field *f, uint64_t link)
{
	return link == DOF_SECIDX_NONE ||
	    (f->detail == DOF_SECT_PRENOFFS && link == DOF_SECT_NONE);
}

static int
check_field(struct dof_check *c, uint32_t sec, uint32_t i,
    const struct dof_field *f, const void *elem, uint32_t strtab)
{
	uint64_t v = dof_field(f, elem);

	switch ((enum dof_meaning)f->meaning) {
	case DOF_F_LINK0:
	case DOF_F_STRS0:
		return is_absent(f, v) ? 0 : check_link(c, sec, i, f, v);
	case DOF_F_LINK:
	case DOF_F_STRS:
		return check_link(c, sec, i, f, v);
	case DOF_F_STR:
		return dof_check_str(c, sec, i, f, strtab, v);
	case DOF_F_RELO:
		if (v <= DOF_RELO_DOFREL || v == DOF_RELO_PERCPU)
			return 0;
		return REFUSE_FIELD(c, sec, i, f->off,
		    "%s is %llu: there is "
		    "no such relocation",
		    f->name, (unsigned long long)v);
	case DOF_F_PAD:
	case DOF_F_DEC:
	case DOF_F_HEX:
	case DOF_F_ACT:
	case DOF_F_TKIND:
	case DOF_F_CKIND:
	case DOF_F_ATTR:
	case DOF_F_ARG:
	case DOF_F_XSTR:
		return 0;
	}
	return 0;
}

/* ---- the arguments of actions and options ------------------------------- */

static bool
has_format(const struct dof_actdesc *a)
{
	if (a->dofa_kind == DT_ACT_PRINTA || a->dofa_kind == DT_ACT_DIFEXPR)
		return a->dofa_strtab != DOF_SECIDX_NONE;
	return dif_act_has_format(a->dofa_kind);
}

static int
check_actdesc(
    struct dof_check *c, uint32_t sec, uint32_t i, const struct dof_actdesc *a)
{
	static const struct dof_field arg = { .name = "dofa_arg",
		.off = offsetof(struct dof_actdesc, dofa_arg) };
	int rc;

	if (!has_format(a))
		return 0;
	if (a->dofa_strtab == DOF_SECIDX_NONE)
		return REFUSE_FIELD(c, sec, i,
		    offsetof(struct dof_actdesc, dofa_strtab),
		    "action %u has a format but no string table", i);
	rc = dof_check_str(c, sec, i, &arg, a->dofa_strtab, a->dofa_arg);
	if (rc == 0 && *dof_str(c->d, a->dofa_strtab, a->dofa_arg) == '\0')
		return REFUSE_FIELD(
		    c, sec, i, arg.off, "the format of action %u is empty", i);
	return rc;
}

static int
check_optdesc(
    struct dof_check *c, uint32_t sec, uint32_t i, const struct dof_optdesc *o)
{
	static const struct dof_field value = { .name = "dofo_value",
		.off = offsetof(struct dof_optdesc, dofo_value) };

	if (o->dofo_strtab == DOF_SECIDX_NONE)
		return 0;
	return dof_check_str(c, sec, i, &value, o->dofo_strtab, o->dofo_value);
}

/* ---- sections ----------------------------------------------------------- */

static int
check_elem(
    struct dof_check *c, uint32_t sec, uint32_t i, const struct dof_elem *el)
{
	const struct dof_field *f = el->fields;
	uint32_t strtab;
	union dof_any any;
	int rc = 0;

	dof_get(c->d, sec, i, &any);
	strtab = dof_elem_strtab(el, &any);
	for (; f->name != NULL && rc == 0; f++)
		rc = check_field(c, sec, i, f, &any, strtab);
	if (rc != 0)
		return rc;
	if (c->d->secs[sec].dofs_type == DOF_SECT_ACTDESC)
		return check_actdesc(c, sec, i, &any.actdesc);
	if (c->d->secs[sec].dofs_type == DOF_SECT_OPTDESC)
		return check_optdesc(c, sec, i, &any.optdesc);
	return 0;
}

/* Are there fields with rules to check? */
static bool
has_rules(uint32_t type)
{
	switch (type) {
	case DOF_SECT_NONE:
	case DOF_SECT_DIF:
	case DOF_SECT_INTTAB:
	case DOF_SECT_VARTAB:
	case DOF_SECT_TYPTAB:
	case DOF_SECT_PROBES:
	case DOF_SECT_PRARGS:
	case DOF_SECT_PROFFS:
	case DOF_SECT_PRENOFFS:
		return false; /* checked from the section linking here */
	default:
		return true;
	}
}

static int
check_elems(struct dof_check *c, uint32_t sec)
{
	const struct dof_secinfo *si = dof_secinfo(c->d->secs[sec].dofs_type);
	uint32_t n = dof_nelems(c->d, sec);
	int rc = 0;

	if (!has_rules(c->d->secs[sec].dofs_type))
		return 0;
	for (uint32_t i = 0; i < n && rc == 0; i++)
		rc = check_elem(c, sec, i, si->elem);
	return rc;
}

int
dof_check_content(const struct dof *d, struct err *err)
{
	struct dof_check c = { d, err, d->hdr.dofh_filesz * WORK_PER_BYTE,
		false };
	uint32_t n = d->hdr.dofh_secnum;
	int rc = 0;

	for (uint32_t i = 0; i < n && rc == 0; i++)
		rc = check_elems(&c, i);
	for (uint32_t i = 0; i < n && rc == 0; i++)
		rc = dof_check_linked(&c, i);
	return rc;
}
