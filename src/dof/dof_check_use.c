/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rules of an image for its use: of one that is enabled, and of one that brings
 * the probes of a process.
 */
#include "dof/dof_check_impl.h"

#include <string.h>

#include "base/err.h"

#define ENABLING_MAX (8 << 20) /* dtrace_dof_maxsize */
#define ACTIONS_MAX 16384
#define PROVNAME_MAX 64 /* with the NUL, like the next one */
#define PROBENAME_MAX 64

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

/* ---- probes of a process ------------------------------------------------ */

static int
check_name(struct dof_check *c, uint32_t sec, uint32_t i, const char *what,
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
check_helper_probe(
    struct dof_check *c, uint32_t sec, uint32_t i, uint32_t strtab)
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
check_helper_provider(struct dof_check *c, uint32_t sec)
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
	struct dof_check c = { d, err, UINT64_MAX, needs_sites };
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
