/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef USDT_TYPES_H
#define USDT_TYPES_H

/* What the DOF of `dtrace -G` in an ELF file says of the file's probes. */
#include "dof/dof.h"
#include "usdt/usdt.h"

struct usdt_types {
	VEC(struct dof_usdt) providers;
};

/*
 * The file is hostile.  0, also when it has no DOF; -EINVAL with *msg
 * (malloced).  usdt_types_fini() releases them in every case.
 */
int usdt_types_read(int fd, struct usdt_types *out, char **msg);
void usdt_types_fini(struct usdt_types *t);

/* The provider, and in it the probe that a note names as C does; or NULL. */
const struct dof_usdt *usdt_types_provider(
    const struct usdt_types *t, const char *provider);
const struct dof_usdt_probe *usdt_types_probe(
    const struct dof_usdt *u, const char *c_name);

#endif
