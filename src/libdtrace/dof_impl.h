/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef LIBDTRACE_DOF_IMPL_H
#define LIBDTRACE_DOF_IMPL_H

/* Parts of dof.c: what a DOF file holds beside the program. */
#include "base/str.h"
#include "base/vec.h"
#include "ctf/addrmap.h"
#include "dif/prog.h"
#include "dof/dof.h"
#include "libdtrace/dt.h"

/* ---- dof_options.c: options ---------------------------------------------- */

/* NULL: no option has the number. */
const char *dt_dof_opt_name(uint32_t number);

/* Save the options that were set: as numbers if DOF has them, else by name. */
void dt_dof_collect_options(const struct dt_hdl *h, struct dof_prog_opts *po);
void dt_dof_opts_fini(struct dof_prog_opts *po);

/* Set the options of a file. 0 or -1. */
int dt_dof_load_options(struct dt_hdl *h, const struct dof *d);

/* ---- dof_ksyms.c: kernel symbols ----------------------------------------- */

/* Look up all kernel symbols in one reading of the kernel's list. 0 or -1. */
int dt_dof_resolve(struct dt_hdl *h, const struct dif_prog *dif);

/* ---- dof_types.c: types -------------------------------------------------- */

/* The types of actions, each of them once. */
struct dt_dof_types {
	struct addrmap numbers;
	VEC(struct ctf_type *) list;
};

/* The number of an action's type in the file, which it gets if it has none. */
uint32_t dt_dof_number_type(const struct dif_action *act, void *types);
void dt_dof_types_fini(struct dt_dof_types *ts);

/*
 * Save the types by which print() shows values, so that output is the same
 * without the source. 0 or -1.
 */
int dt_dof_collect_types(struct dt_hdl *h, const struct dif_prog *const *progs,
    size_t n, struct dt_dof_types *ts, struct strbuf *ctf);

/* Types that only D has are found by their names. */
void dt_dof_set_ds_types(struct dt_hdl *h, const struct dif_prog *dif);

/* Set the types that a file holds. 0 or -1. */
int dt_dof_load_types(
    struct dt_hdl *h, const struct dof *d, const struct dif_prog *dif);

#endif
