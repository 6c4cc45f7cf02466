/* SPDX-License-Identifier: BSD-2-Clause */
#include "dtraced/list.h"

#include <stdio.h>
#include <string.h>

#include "dtraced/pipes.h"
#include "fleet/probes.h"
#include "record/format.h"

struct list {
	int fd;
	struct strbuf block; /* a header of a block, then probes */
	size_t ntoo_long;
};

static void
begin_block(struct list *l)
{
	const struct record_bhdr h = { .stored = 0 };

	strbuf_reset(&l->block);
	strbuf_add(&l->block, &h, sizeof(h));
}

static int
end_block(struct list *l)
{
	const struct record_bhdr h = { .stored = (uint32_t)(l->block.len -
					   sizeof(h)) };
	int rc;

	if (h.stored == 0)
		return 0;
	memcpy(l->block.s, &h, sizeof(h));
	rc = pipe_write_all(l->fd, l->block.s, l->block.len);
	begin_block(l);
	return rc;
}

static int
list_probe(dtrace_hdl_t *h, const dtrace_probedesc_t *d, void *arg)
{
	struct list *l = arg;
	const char *parts[FL_PROBE_PARTS] = { d->dtpd_provider, d->dtpd_mod,
		d->dtpd_func, d->dtpd_name };

	(void)h;
	if (!fl_probes_add(&l->block, parts))
		l->ntoo_long++;
	return l->block.len >= FL_PROBES_BLOCK ? end_block(l) : 0;
}

int
script_list(dtrace_hdl_t *h, struct fl_permit *permit,
    dtrace_prog_t *const *progs, int fd)
{
	struct list l = { .fd = fd };
	int rc = 0;

	begin_block(&l);
	for (size_t i = 0; rc == 0 && progs[i] != NULL; i++)
		rc = fl_permit_list(permit, progs[i], list_probe, &l);
	if (rc == 0)
		rc = end_block(&l);
	if (rc != 0)
		fprintf(stderr, "the probes cannot be listed: %s\n",
		    dtrace_errmsg(h, dtrace_errno(h)));
	if (l.ntoo_long != 0)
		fprintf(stderr, "%zu probes have names that are too long\n",
		    l.ntoo_long);
	strbuf_fini(&l.block);
	return rc;
}
