/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DOF_DOF_CHECK_IMPL_H
#define DOF_DOF_CHECK_IMPL_H

/* Shared by the checks of an image's contents (dof_check*.c). */
#include "base/err.h"
#include "dof/dof_impl.h"

struct dof_check {
	const struct dof *d;
	struct err *err;
	uint64_t work;
	bool needs_sites; /* of probes in processes */
};

/* Refuse the image for a field of a section's i-th element. */
#define REFUSE_FIELD(c, sec, i, off, ...)                                      \
	dof_refuse((c)->d, (sec), dof_elem_off((c)->d, (sec), (i)) + (off),    \
	    (c)->err, __VA_ARGS__)

/*
 * dof_check.c: check that offset `off` is within the string table, for field
 * `f` of the section's i-th element.
 */
int dof_check_str(struct dof_check *c, uint32_t sec, uint32_t i,
    const struct dof_field *f, uint32_t strtab, uint64_t off);
/* dof_check_linked.c: checks of a section that need correct links. */
int dof_check_linked(struct dof_check *c, uint32_t sec);

#endif
