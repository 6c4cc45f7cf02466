/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Probes that a program defines: PROVIDER and its sections.
 *
 *	PROVIDER -> PROBES -> ranges of PRARGS, PROFFS, PRENOFFS
 *
 * Types of a probe's arguments are consecutive strings in the common string
 * table.
 */
#include "dof/dof_impl.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"

void
dof_usdt_fini(struct dof_usdt *u)
{
	VEC_FOREACH(&u->probes, p) {
		free(p->func);
		free(p->name);
		VEC_FOREACH(&p->nargs, arg)
			free(*arg);
		VEC_FREE(&p->nargs);
		VEC_FOREACH(&p->xargs, arg)
			free(*arg);
		VEC_FREE(&p->xargs);
		VEC_FREE(&p->map);
		VEC_FREE(&p->offs);
		VEC_FREE(&p->enoffs);
	}
	VEC_FREE(&u->probes);
	free(u->name);
	u->name = NULL;
}

/* ---- writing ------------------------------------------------------------ */

struct tables {
	VEC(struct dof_probe) probes;
	VEC(uint8_t) args;
	VEC(uint32_t) offs, enoffs;
};

static void
add_probe(
    struct dof_writer *w, struct tables *t, const struct dof_usdt_probe *p)
{
	struct dof_probe pr = { .dofpr_addr = p->addr,
		.dofpr_func = dof_write_str(w, p->func),
		.dofpr_name = dof_write_str(w, p->name),
		.dofpr_nargv = dof_write_strs(w, p->nargs.v, p->nargs.n),
		.dofpr_xargv = dof_write_strs(w, p->xargs.v, p->xargs.n),
		.dofpr_argidx = (uint32_t)t->args.n,
		.dofpr_offidx = (uint32_t)t->offs.n,
		.dofpr_nargc = (uint8_t)p->nargs.n,
		.dofpr_xargc = (uint8_t)p->xargs.n,
		.dofpr_noffs = (uint16_t)p->offs.n,
		.dofpr_enoffidx = (uint32_t)t->enoffs.n,
		.dofpr_nenoffs = (uint16_t)p->enoffs.n };

	VEC_FOREACH(&p->map, m)
		VEC_PUSH(&t->args, *m);
	VEC_FOREACH(&p->offs, off)
		VEC_PUSH(&t->offs, *off);
	VEC_FOREACH(&p->enoffs, off)
		VEC_PUSH(&t->enoffs, *off);
	VEC_PUSH(&t->probes, pr);
}

uint32_t
dof_write_usdt(struct dof_writer *w, const struct dof_usdt *u)
{
	struct tables t = { 0 };
	struct dof_provider pv = { .dofpv_strtab = DOF_WRITE_STRTAB,
		.dofpv_name = dof_write_str(w, u->name),
		.dofpv_provattr = u->attrs[0],
		.dofpv_modattr = u->attrs[1],
		.dofpv_funcattr = u->attrs[2],
		.dofpv_nameattr = u->attrs[3],
		.dofpv_argsattr = u->attrs[4] };

	VEC_FOREACH(&u->probes, p)
		add_probe(w, &t, p);
	pv.dofpv_probes =
	    dof_write_sec(w, DOF_SECT_PROBES, t.probes.v, t.probes.n);
	pv.dofpv_prargs = dof_write_sec(w, DOF_SECT_PRARGS, t.args.v, t.args.n);
	pv.dofpv_proffs = dof_write_sec(w, DOF_SECT_PROFFS, t.offs.v, t.offs.n);
	/* even if empty: gdb 13 reads the section without checking */
	pv.dofpv_prenoffs =
	    dof_write_sec(w, DOF_SECT_PRENOFFS, t.enoffs.v, t.enoffs.n);
	VEC_FREE(&t.probes);
	VEC_FREE(&t.args);
	VEC_FREE(&t.offs);
	VEC_FREE(&t.enoffs);
	return dof_write_sec(w, DOF_SECT_PROVIDER, &pv, 1);
}

/* ---- reading ------------------------------------------------------------ */

static uint32_t
get_word(const struct dof *d, uint32_t sec, uint32_t i)
{
	struct dof_word word;

	dof_get(d, sec, i, &word);
	return word.v;
}

static struct dof_usdt_probe
get_probe(const struct dof *d, const struct dof_provider *pv, uint32_t i)
{
	const char *s;
	struct dof_usdt_probe p = { 0 };
	struct dof_byte arg;
	struct dof_probe pr;

	dof_get(d, pv->dofpv_probes, i, &pr);
	p.func = mem_strdup(dof_str(d, pv->dofpv_strtab, pr.dofpr_func));
	p.name = mem_strdup(dof_str(d, pv->dofpv_strtab, pr.dofpr_name));
	p.addr = pr.dofpr_addr;
	s = dof_str(d, pv->dofpv_strtab, pr.dofpr_nargv);
	for (uint32_t k = 0; k < pr.dofpr_nargc; k++, s += strlen(s) + 1)
		VEC_PUSH(&p.nargs, mem_strdup(s));
	s = dof_str(d, pv->dofpv_strtab, pr.dofpr_xargv);
	for (uint32_t k = 0; k < pr.dofpr_xargc; k++, s += strlen(s) + 1)
		VEC_PUSH(&p.xargs, mem_strdup(s));
	for (uint32_t k = 0; k < pr.dofpr_xargc; k++) {
		dof_get(d, pv->dofpv_prargs, pr.dofpr_argidx + k, &arg);
		VEC_PUSH(&p.map, arg.v);
	}
	for (uint32_t k = 0; k < pr.dofpr_noffs; k++)
		VEC_PUSH(&p.offs,
		    get_word(d, pv->dofpv_proffs, pr.dofpr_offidx + k));
	for (uint32_t k = 0; k < pr.dofpr_nenoffs; k++)
		VEC_PUSH(&p.enoffs,
		    get_word(d, pv->dofpv_prenoffs, pr.dofpr_enoffidx + k));
	return p;
}

/* Set functions whose address is given as a distance from its own place. */
static void
relocate_probes(const struct dof *d, uint32_t probes, struct dof_usdt *u)
{
	const struct dof_sec *s = &d->secs[probes];

	for (uint32_t i = 0; i < d->hdr.dofh_secnum; i++) {
		struct dof_relohdr h;
		struct dof_relodesc r;

		if (d->secs[i].dofs_type != DOF_SECT_URELHDR)
			continue;
		dof_get(d, i, 0, &h);
		if (h.dofr_tgtsec != probes)
			continue;
		for (uint32_t k = 0; k < dof_nelems(d, h.dofr_relsec); k++) {
			dof_get(d, h.dofr_relsec, k, &r);
			if (r.dofr_type == DOF_RELO_DOFREL &&
			    r.dofr_offset % s->dofs_entsize == 0 &&
			    r.dofr_offset / s->dofs_entsize < u->probes.n)
				u->probes.v[r.dofr_offset / s->dofs_entsize]
				    .addr +=
				    d->addr + s->dofs_offset + r.dofr_offset;
		}
	}
}

void
dof_get_usdt(const struct dof *d, uint32_t provider, struct dof_usdt *u)
{
	struct dof_provider pv;

	dof_get(d, provider, 0, &pv);
	memset(u, 0, sizeof(*u));
	u->name = mem_strdup(dof_str(d, pv.dofpv_strtab, pv.dofpv_name));
	u->attrs[0] = pv.dofpv_provattr;
	u->attrs[1] = pv.dofpv_modattr;
	u->attrs[2] = pv.dofpv_funcattr;
	u->attrs[3] = pv.dofpv_nameattr;
	u->attrs[4] = pv.dofpv_argsattr;
	for (uint32_t i = 0; i < dof_nelems(d, pv.dofpv_probes); i++)
		VEC_PUSH(&u->probes, get_probe(d, &pv, i));
	relocate_probes(d, pv.dofpv_probes, u);
}
