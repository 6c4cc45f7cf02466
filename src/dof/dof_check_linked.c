/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Check sections that others link to: objects, relocations, translators, and
 * the probes of a process.  Links themselves are correct.
 *
 * A table may be linked from many places, and is checked from each: the strings
 * of variables depend on the object that has them.  `work` limits these checks,
 * so that their time stays in proportion to the image's size, and so does the
 * memory of readers that copy linked tables.
 */
#include "dof/dof_check_impl.h"

#include <string.h>

#define WORK_PER_STRING 16 /* besides its bytes: a reader has a copy */
#define ARGTYPE_MAX 128	   /* with the NUL */

static int
spend(struct dof_check *c, uint32_t sec, uint64_t n)
{
	if (n <= c->work) {
		c->work -= n;
		return 0;
	}
	return dof_refuse(c->d, sec, c->d->secs[sec].dofs_offset, c->err,
	    "the section is linked from too many places for the image's size");
}

/* ---- strings of another section's table --------------------------------- */

static int
check_xstrs(struct dof_check *c, uint32_t table, uint32_t strtab)
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
				rc = dof_check_str(
				    c, table, i, f, strtab, dof_field(f, &any));
		}
	}
	return rc;
}

/* Check n consecutive strings. */
static int
check_strs(struct dof_check *c, uint32_t sec, uint32_t i, const char *what,
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
check_difo_link(struct dof_check *c, uint32_t sec, uint32_t i, unsigned *seen)
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
check_difohdr(struct dof_check *c, uint32_t sec)
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
check_relo(struct dof_check *c, uint32_t relsec, uint32_t i, uint32_t target)
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
check_relohdr(struct dof_check *c, uint32_t sec)
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
check_xlator(struct dof_check *c, uint32_t sec)
{
	struct dof_xlator x;
	int rc;

	dof_get(c->d, sec, 0, &x);
	rc = check_xstrs(c, x.dofxl_members, x.dofxl_strtab);
	return rc != 0 ? rc :
			 check_strs(c, sec, 0, "dofxl_argv", x.dofxl_strtab,
			     x.dofxl_argv, x.dofxl_argc);
}

/* Check that references lead to members that exist. */
static int
check_xltab(struct dof_check *c, uint32_t sec)
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
check_range(struct dof_check *c, uint32_t sec, uint32_t i, const char *what,
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
check_probe(struct dof_check *c, uint32_t sec, uint32_t i,
    const struct dof_provider *pv)
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
check_provider(struct dof_check *c, uint32_t sec)
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

int
dof_check_linked(struct dof_check *c, uint32_t sec)
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
