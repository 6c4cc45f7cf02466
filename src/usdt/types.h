/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef USDT_TYPES_H
#define USDT_TYPES_H

/* The types of a file's probes, from the DOF of `dtrace -G` in it. */
#include "base/err.h"
#include "base/vec.h"
#include "dof/dof.h"
#include "usdt/usdt.h"

struct usdt_types {
	VEC(struct dof_usdt) providers;
};

/*
 * Read a hostile file.  Returns 0, also if it has no DOF, or -EINVAL with
 * *err.  usdt_types_fini() releases them in every case.
 */
CHECKED int usdt_types_read(int fd, struct usdt_types *out, struct err *err);
void usdt_types_fini(struct usdt_types *t);

/* The provider, or a probe in it, by the C name that notes use; or NULL. */
const struct dof_usdt *usdt_types_provider(
    const struct usdt_types *t, const char *provider);
const struct dof_usdt_probe *usdt_types_probe(
    const struct dof_usdt *u, const char *c_name);

#endif
