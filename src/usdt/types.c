/* SPDX-License-Identifier: BSD-2-Clause */
#include "usdt/types.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/vec.h"

struct types_reader {
	struct usdt_types *out;
	struct err *err;
};

static int
read_image(const struct dof *d, void *arg)
{
	struct types_reader *r = arg;
	int rc = dof_check_types(d, r->err);

	for (uint32_t i = 0; i < d->hdr.dofh_secnum && rc == 0; i++) {
		struct dof_usdt u;

		if (d->secs[i].dofs_type != DOF_SECT_PROVIDER)
			continue;
		dof_get_usdt(d, i, &u);
		VEC_PUSH(&r->out->providers, u);
	}
	return rc;
}

int
usdt_types_read(int fd, struct usdt_types *out, struct err *err)
{
	struct types_reader r = { out, err };
	int rc = dof_elf_iter_fd(fd, read_image, &r, err);

	if (rc != -ENOENT)
		return rc < 0 ? rc : 0;
	err_clear(err);
	return 0;
}

void
usdt_types_fini(struct usdt_types *t)
{
	VEC_FOREACH(&t->providers, u)
		dof_usdt_fini(u);
	VEC_FREE(&t->providers);
}

const struct dof_usdt *
usdt_types_provider(const struct usdt_types *t, const char *provider)
{
	VEC_FOREACH(&t->providers, u) {
		if (strcmp(u->name, provider) == 0)
			return u;
	}
	return NULL;
}

const struct dof_usdt_probe *
usdt_types_probe(const struct dof_usdt *u, const char *c_name)
{
	VEC_FOREACH(&u->probes, p) {
		if (usdt_is_name(p->name, c_name))
			return p;
	}
	return NULL;
}
