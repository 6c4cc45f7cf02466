/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fields of the probe that fired: its id, its names, the EPID of a clause.
 *
 * They are constants where the program, or the clause, serves one probe; else
 * the probe's entry in the group's table has them.
 */
#include "exec/bpf/tr.h"

#include "base/mem.h"
#include "base/str.h"

/* `probe` is made only for scripts that use it: it takes one string per
 * probe. */
void
bx_probe_names(
    struct bx_tr *t, const struct dt_probe *p, const char *names[BX_NNAMES])
{
	p = dt_probe_shown(p);
	names[0] = p->prov;
	names[1] = p->mod;
	names[2] = p->func;
	names[3] = p->name;
	names[4] = !t->lo->uses_probe ?
	    "" :
	    arena_printf(&t->lo->arena, "%s:%s:%s:%s", p->prov, p->mod, p->func,
		p->name);
}

bool
bx_fires_anywhere(const struct bx_tr *t)
{
	const struct dt_probe *p = t->clause.const_probe;

	return dt_probe_is_wide_function(p != NULL ? p : t->facts->probes.v[0]);
}

unsigned
bx_name_index(uint32_t builtin)
{
	return builtin == DIF_VAR_PROBE ? BX_NNAMES - 1 :
					  builtin - DIF_VAR_PROBEPROV;
}

/* Does the field describe the origin of the firing, whichever probe a step
 * derives from it? */
static bool
is_of_origin(unsigned field)
{
	return field >= BX_F_LISTEN && field < BX_F_EPID;
}

static uint32_t
const_probe_field(struct bx_tr *t, unsigned field)
{
	const struct dt_probe *p = t->clause.const_probe;
	const char *names[BX_NNAMES];

	bx_probe_names(t, p, names);
	if (field == BX_F_ID)
		return dt_probe_shown(p)->id;
	if (field < BX_F_NAMEOFF)
		return strtab_intern(
		    t->lo->pl->strs, names[field - BX_F_STRID]);
	if (is_of_origin(field))
		return bx_listener(
		    t, t->facts->probes.v[0], field - BX_F_LISTEN);
	if (field < BX_F_LISTEN)
		return bx_str_off(t->lo, names[field - BX_F_NAMEOFF]);
	for (uint32_t i = 0; i < t->clause.pc->probes.n; i++) {
		if (t->clause.pc->probes.v[i] == dt_probe_shown(p))
			return t->clause.pc->epid_base + i;
	}
	return 0;
}

void
bx_probe_field(struct bx_tr *t, int rd, unsigned field)
{
	if (t->clause.const_probe != NULL &&
	    !(is_of_origin(field) && t->facts->has_table)) {
		bx_movi(&t->a, rd, const_probe_field(t, field));
		return;
	}
	if (field == BX_F_EPID)
		field += t->clause.no;
	bx_ldx(&t->a, 8, rd, R10, FP_ENT);
	bx_ldx(&t->a, 4, rd, rd, (int)(8 * t->entry.mask_words + 4 * field));
}
