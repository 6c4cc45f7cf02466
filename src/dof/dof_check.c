/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Check the contents of an image's sections.
 *
 * Three sets of rules (doc/reference/dof.md section 4).  Those of any DOF are
 * applied by dof_decode(): links lead to sections of the right type, strings
 * are in their table, counts and indices are within bounds.  Those of an
 * enabling and of a process's probes are applied in addition.
 *
 * A table may be linked from many places, and is checked from each: the strings
 * of variables depend on the object that has them.  `work` limits these checks,
 * so that their time stays in proportion to the image's size, and so does the
 * memory of readers that copy linked tables.
 */
#include "dof/dof_impl.h"

#include <errno.h>
#include <string.h>

#include "base/err.h"

#define WORK_PER_BYTE 16       /* elements checked per byte of the image */
#define WORK_PER_STRING 16     /* besides its bytes: a reader has a copy */
#define ENABLING_MAX (8 << 20) /* dtrace_dof_maxsize */
#define ACTIONS_MAX 16384
#define PROVNAME_MAX 64 /* with the NUL, like those below */
#define PROBENAME_MAX 64
#define ARGTYPE_MAX 128

struct check {
	const struct dof *d;
	struct err *err;
	uint64_t work;
	bool needs_sites; /* of probes in processes */
};

/* Refuse the image for a field of a section's i-th element. */
#define REFUSE_FIELD(c, sec, i, off, ...)                                      \
	dof_refuse((c)->d, (sec), dof_elem_off((c)->d, (sec), (i)) + (off),    \
	    (c)->err, __VA_ARGS__)

static int
spend(struct check *c, uint32_t sec, uint64_t n)
{
	if (n <= c->work) {
		c->work -= n;
		return 0;
	}
	return dof_refuse(c->d, sec, c->d->secs[sec].dofs_offset, c->err,
	    "the section is linked from too many places for the image's size");
}

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
check_link(struct check *c, uint32_t sec, uint32_t i, const struct dof_field *f,
    uint64_t to)
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

static int
check_str(struct check *c, uint32_t sec, uint32_t i, const struct dof_field *f,
    uint32_t strtab, uint64_t off)
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
check_field(struct check *c, uint32_t sec, uint32_t i,
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
		return check_str(c, sec, i, f, strtab, v);
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

/* ---- strings of another section's table --------------------------------- */

static int
check_xstrs(struct check *c, uint32_t table, uint32_t strtab)
{
	const struct dof_elem *el =
	    dof_secinfo(c->d->secs[table].dofs_type)->elem;
	uint32_t n = dof_nelems(c->d, table);
	union dof_any any;
	int rc = spend(c, table, n);

	for (uint32_t i = 0; i < n && rc == 0; i++) {
		const struct dof_field *f = el->fields;

		dof_get(c->d, table, i, &any);
		for (; f->name != NULL && rc == 0; f++) {
			if (f->meaning == DOF_F_XSTR)
				rc = check_str(
				    c, table, i, f, strtab, dof_field(f, &any));
		}
	}
	return rc;
}

/* Check n consecutive strings. */
static int
check_strs(struct check *c, uint32_t sec, uint32_t i, const char *what,
    uint32_t strtab, uint64_t off, uint32_t n)
{
	uint64_t size = c->d->secs[strtab].dofs_size, start = off;

	for (uint32_t k = 0; k < n; k++) {
		uint64_t left = off < size ? size - off : 0, len;

		if (left == 0)
			return REFUSE_FIELD(c, sec, i, 0,
			    "%s: string %u of %u "
			    "is outside of section %u (STRTAB)",
			    what, k + 1, n, strtab);
		len = strnlen(dof_str(c->d, strtab, off),
		    left < ARGTYPE_MAX ? left : ARGTYPE_MAX);
		if (len >= ARGTYPE_MAX)
			return REFUSE_FIELD(c, sec, i, 0,
			    "%s: string %u of %u "
			    "is longer than %d",
			    what, k + 1, n, ARGTYPE_MAX - 1);
		off += len + 1;
	}
	return spend(c, sec, off - start + (uint64_t)n * WORK_PER_STRING);
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
    struct check *c, uint32_t sec, uint32_t i, const struct dof_actdesc *a)
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
	rc = check_str(c, sec, i, &arg, a->dofa_strtab, a->dofa_arg);
	if (rc == 0 && *dof_str(c->d, a->dofa_strtab, a->dofa_arg) == '\0')
		return REFUSE_FIELD(
		    c, sec, i, arg.off, "the format of action %u is empty", i);
	return rc;
}

static int
check_optdesc(
    struct check *c, uint32_t sec, uint32_t i, const struct dof_optdesc *o)
{
	static const struct dof_field value = { .name = "dofo_value",
		.off = offsetof(struct dof_optdesc, dofo_value) };

	if (o->dofo_strtab == DOF_SECIDX_NONE)
		return 0;
	return check_str(c, sec, i, &value, o->dofo_strtab, o->dofo_value);
}

/* ---- objects, relocations, translators ---------------------------------- */

/*
 * A bit for each type of section that an object may have; 0: not part of one.
 */
static unsigned
difo_part(uint32_t type)
{
	switch (type) {
	case DOF_SECT_DIF:
		return 1;
	case DOF_SECT_INTTAB:
		return 2;
	case DOF_SECT_STRTAB:
		return 4;
	case DOF_SECT_VARTAB:
		return 8;
	case DOF_SECT_XLTAB:
		return 16;
	default:
		return 0;
	}
}

static int
check_difo_link(struct check *c, uint32_t sec, uint32_t i, unsigned *seen)
{
	uint32_t to = dof_link(c->d, sec, i);
	uint64_t off = sizeof(struct dof_difohdr) + 4 * (uint64_t)i;
	const struct dof_sec *s;
	unsigned part;

	if (to >= c->d->hdr.dofh_secnum)
		return REFUSE_FIELD(c, sec, 0, off,
		    "link %u is section %u, "
		    "but there are %u",
		    i, to, c->d->hdr.dofh_secnum);
	s = &c->d->secs[to];
	if (!(s->dofs_flags & DOF_SECF_LOAD))
		return 0;
	part = difo_part(s->dofs_type);
	if (part == 0)
		return REFUSE_FIELD(c, sec, 0, off,
		    "link %u is section %u, "
		    "which is no part of an object",
		    i, to);
	if (*seen & part)
		return REFUSE_FIELD(c, sec, 0, off, "link %u is a second %s", i,
		    dof_sectype_name(s->dofs_type));
	*seen |= part;
	return 0;
}

static int
check_difohdr(struct check *c, uint32_t sec)
{
	uint32_t n = dof_nlinks(c->d, sec);
	unsigned seen = 0;
	int rc = 0;

	for (uint32_t i = 0; i < n && rc == 0; i++)
		rc = check_difo_link(c, sec, i, &seen);
	if (rc != 0)
		return rc;
	if (!(seen & difo_part(DOF_SECT_DIF)))
		return REFUSE_FIELD(c, sec, 0, sizeof(struct dof_difohdr),
		    "the object has no DIF section");
	if (!(seen & difo_part(DOF_SECT_VARTAB)))
		return 0;
	if (!(seen & difo_part(DOF_SECT_STRTAB)))
		return REFUSE_FIELD(c, sec, 0, sizeof(struct dof_difohdr),
		    "the object has variables but no strings for their names");
	return check_xstrs(c, dof_find_link(c->d, sec, DOF_SECT_VARTAB),
	    dof_find_link(c->d, sec, DOF_SECT_STRTAB));
}

static int
check_relo(struct check *c, uint32_t relsec, uint32_t i, uint32_t target)
{
	const struct dof_sec *t = &c->d->secs[target];
	struct dof_relodesc r;

	dof_get(c->d, relsec, i, &r);
	if (t->dofs_size < 8 || r.dofr_offset > t->dofs_size - 8)
		return REFUSE_FIELD(c, relsec, i,
		    offsetof(struct dof_relodesc, dofr_offset),
		    "dofr_offset is 0x%llx, outside of the %llu bytes of "
		    "section %u",
		    (unsigned long long)r.dofr_offset,
		    (unsigned long long)t->dofs_size, target);
	if ((t->dofs_offset + r.dofr_offset) % 8 != 0)
		return REFUSE_FIELD(c, relsec, i,
		    offsetof(struct dof_relodesc, dofr_offset),
		    "dofr_offset is 0x%llx: the word in section %u is not "
		    "aligned",
		    (unsigned long long)r.dofr_offset, target);
	return 0;
}

static int
check_relohdr(struct check *c, uint32_t sec)
{
	struct dof_relohdr h;
	uint32_t n;
	int rc;

	dof_get(c->d, sec, 0, &h);
	n = dof_nelems(c->d, h.dofr_relsec);
	rc = check_xstrs(c, h.dofr_relsec, h.dofr_strtab);
	for (uint32_t i = 0; i < n && rc == 0; i++)
		rc = check_relo(c, h.dofr_relsec, i, h.dofr_tgtsec);
	return rc;
}

static int
check_xlator(struct check *c, uint32_t sec)
{
	struct dof_xlator x;
	int rc;

	dof_get(c->d, sec, 0, &x);
	rc = check_xstrs(c, x.dofxl_members, x.dofxl_strtab);
	return rc != 0 ? rc :
			 check_strs(c, sec, 0, "dofxl_argv", x.dofxl_strtab,
			     x.dofxl_argv, x.dofxl_argc);
}

/* Check the members that references are to. */
static int
check_xltab(struct check *c, uint32_t sec)
{
	struct dof_xlref ref;
	struct dof_xlator x;
	uint32_t have;

	for (uint32_t i = 0; i < dof_nelems(c->d, sec); i++) {
		dof_get(c->d, sec, i, &ref);
		dof_get(c->d, ref.dofxr_xlator, 0, &x);
		have = dof_nelems(c->d, x.dofxl_members);
		if (ref.dofxr_member >= have)
			return REFUSE_FIELD(c, sec, i,
			    offsetof(struct dof_xlref, dofxr_member),
			    "reference %u is "
			    "to member %u, but section %u (XLMEMBERS) has %u",
			    i, ref.dofxr_member, x.dofxl_members, have);
	}
	return 0;
}

/* ---- probes of a process ------------------------------------------------ */

/* Check the range [idx, idx + n) of a table. */
static int
check_range(struct check *c, uint32_t sec, uint32_t i, const char *what,
    uint32_t idx, uint32_t n, uint32_t table)
{
	uint32_t have = table == DOF_SECIDX_NONE || table == 0 ?
	    0 :
	    dof_nelems(c->d, table);

	if ((uint64_t)idx + n <= have)
		return 0;
	return REFUSE_FIELD(c, sec, i, 0,
	    "probe %u: %s %u to %llu, but there "
	    "are %u",
	    i, what, idx, (unsigned long long)idx + n, have);
}

static int
check_probe(
    struct check *c, uint32_t sec, uint32_t i, const struct dof_provider *pv)
{
	struct dof_probe p;
	struct dof_byte arg;
	int rc;

	dof_get(c->d, sec, i, &p);
	rc = check_range(c, sec, i, "sites", p.dofpr_offidx, p.dofpr_noffs,
	    pv->dofpv_proffs);
	if (rc != 0)
		return rc;
	rc = check_range(c, sec, i, "is-enabled sites", p.dofpr_enoffidx,
	    p.dofpr_nenoffs, pv->dofpv_prenoffs);
	if (rc != 0)
		return rc;
	rc = check_range(c, sec, i, "arguments", p.dofpr_argidx, p.dofpr_xargc,
	    pv->dofpv_prargs);
	if (rc != 0)
		return rc;
	rc = check_strs(c, sec, i, "dofpr_nargv", pv->dofpv_strtab,
	    p.dofpr_nargv, p.dofpr_nargc);
	if (rc != 0)
		return rc;
	rc = check_strs(c, sec, i, "dofpr_xargv", pv->dofpv_strtab,
	    p.dofpr_xargv, p.dofpr_xargc);
	if (rc != 0)
		return rc;
	for (uint32_t k = 0; k < p.dofpr_xargc; k++) {
		dof_get(c->d, pv->dofpv_prargs, p.dofpr_argidx + k, &arg);
		if (arg.v >= p.dofpr_nargc)
			return REFUSE_FIELD(c, sec, i, 0,
			    "probe %u: argument %u "
			    "comes from native argument %u, but there are %u",
			    i, k, arg.v, p.dofpr_nargc);
	}
	return 0;
}

static int
check_provider(struct check *c, uint32_t sec)
{
	struct dof_provider pv;
	uint32_t n;
	int rc;

	dof_get(c->d, sec, 0, &pv);
	n = dof_nelems(c->d, pv.dofpv_probes);
	rc = check_xstrs(c, pv.dofpv_probes, pv.dofpv_strtab);
	for (uint32_t i = 0; i < n && rc == 0; i++)
		rc = check_probe(c, pv.dofpv_probes, i, &pv);
	return rc;
}

/* ---- sections ----------------------------------------------------------- */

static int
check_elem(struct check *c, uint32_t sec, uint32_t i, const struct dof_elem *el)
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
check_elems(struct check *c, uint32_t sec)
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

/* Checks that need correct links. */
static int
check_linked(struct check *c, uint32_t sec)
{
	switch (c->d->secs[sec].dofs_type) {
	case DOF_SECT_DIFOHDR:
		return check_difohdr(c, sec);
	case DOF_SECT_URELHDR:
	case DOF_SECT_KRELHDR:
		return check_relohdr(c, sec);
	case DOF_SECT_XLIMPORT:
	case DOF_SECT_XLEXPORT:
		return check_xlator(c, sec);
	case DOF_SECT_XLTAB:
		return check_xltab(c, sec);
	case DOF_SECT_PROVIDER:
		return check_provider(c, sec);
	default:
		return 0;
	}
}

int
dof_check_content(const struct dof *d, struct err *err)
{
	struct check c = { d, err, d->hdr.dofh_filesz * WORK_PER_BYTE, false };
	uint32_t n = d->hdr.dofh_secnum;
	int rc = 0;

	for (uint32_t i = 0; i < n && rc == 0; i++)
		rc = check_elems(&c, i);
	for (uint32_t i = 0; i < n && rc == 0; i++)
		rc = check_linked(&c, i);
	return rc;
}

/* ---- enablings ---------------------------------------------------------- */

CHECKED static int
check_enabling_sec(const struct dof *d, uint32_t i, struct err *err)
{
	const struct dof_sec *s = &d->secs[i];

	switch (s->dofs_type) {
	case DOF_SECT_PROVIDER:
	case DOF_SECT_PROBES:
	case DOF_SECT_PRARGS:
	case DOF_SECT_PROFFS:
		return dof_refuse(d, i, s->dofs_offset, err,
		    "these are the "
		    "probes of a process, not a program to enable");
	case DOF_SECT_ACTDESC:
		if (s->dofs_size == 0)
			return dof_refuse(d, i, s->dofs_offset, err,
			    "there are no actions in it");
		if (dof_nelems(d, i) > ACTIONS_MAX)
			return dof_refuse(d, i, s->dofs_offset, err,
			    "%u "
			    "actions, more than %u",
			    dof_nelems(d, i), ACTIONS_MAX);
		return 0;
	default:
		return 0;
	}
}

CHECKED static int
check_native(const struct dof *d, struct err *err)
{
	if (d->is_swapped)
		return dof_refuse(d, DOF_SECIDX_NONE, DOF_ID_ENCODING, err,
		    "the byte order is %s-endian: it can be printed, but not "
		    "run here",
		    d->hdr.dofh_ident[DOF_ID_ENCODING] == DOF_ENCODE_MSB ?
			"big" :
			"little");
	if (d->hdr.dofh_loadsz > ENABLING_MAX)
		return dof_refuse(d, DOF_SECIDX_NONE,
		    offsetof(struct dof_hdr, dofh_loadsz), err,
		    "dofh_loadsz is "
		    "%llu, more than %u",
		    (unsigned long long)d->hdr.dofh_loadsz, ENABLING_MAX);
	return 0;
}

int
dof_check_enabling(const struct dof *d, struct err *err)
{
	int rc = check_native(d, err);

	for (uint32_t i = 0; i < d->hdr.dofh_secnum && rc == 0; i++)
		rc = check_enabling_sec(d, i, err);
	return rc;
}

/* ---- probes of a process, stricter -------------------------------------- */

static int
check_name(struct check *c, uint32_t sec, uint32_t i, const char *what,
    const char *name, size_t max)
{
	if (strnlen(name, max) < max)
		return 0;
	return REFUSE_FIELD(c, sec, i, 0,
	    "the name of the %s is longer than "
	    "%zu",
	    what, max - 1);
}

static int
check_helper_probe(struct check *c, uint32_t sec, uint32_t i, uint32_t strtab)
{
	struct dof_probe p;

	dof_get(c->d, sec, i, &p);
	if (c->needs_sites && p.dofpr_noffs == 0 && p.dofpr_nenoffs == 0)
		return REFUSE_FIELD(c, sec, i,
		    offsetof(struct dof_probe, dofpr_noffs),
		    "probe %u has no site", i);
	return check_name(c, sec, i, "probe",
	    dof_str(c->d, strtab, p.dofpr_name), PROBENAME_MAX);
}

static int
check_helper_provider(struct check *c, uint32_t sec)
{
	struct dof_provider pv;
	int rc;

	dof_get(c->d, sec, 0, &pv);
	rc = check_name(c, sec, 0, "provider",
	    dof_str(c->d, pv.dofpv_strtab, pv.dofpv_name), PROVNAME_MAX);
	for (uint32_t i = 0; i < dof_nelems(c->d, pv.dofpv_probes) && rc == 0;
	     i++)
		rc = check_helper_probe(c, pv.dofpv_probes, i, pv.dofpv_strtab);
	return rc;
}

CHECKED static int
check_providers(const struct dof *d, bool needs_sites, struct err *err)
{
	struct check c = { d, err, UINT64_MAX, needs_sites };
	int rc = check_native(d, err);

	for (uint32_t i = 0; i < d->hdr.dofh_secnum && rc == 0; i++) {
		if (d->secs[i].dofs_type == DOF_SECT_PROVIDER)
			rc = check_helper_provider(&c, i);
	}
	return rc;
}

int
dof_check_helper(const struct dof *d, struct err *err)
{
	return check_providers(d, true, err);
}

int
dof_check_types(const struct dof *d, struct err *err)
{
	return check_providers(d, false, err);
}
