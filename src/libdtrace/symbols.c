/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Symbols of the programs whose addresses a script records.  Only then the
 * kernel is asked to tell what processes map, so that data can be printed when
 * a process has executed another program, or is gone.
 */
#include <stdlib.h>
#include <sys/epoll.h>

#include "libdtrace/dt_impl.h"

struct sideband *
dt_sideband(struct dt_hdl *h, char **msg)
{
	struct epoll_event ev = { .events = EPOLLIN,
		.data.u64 = DT_EV_SIDEBAND };

	if (h->sideband != NULL)
		return h->sideband;
	h->sideband = sideband_open(msg);
	if (h->sideband != NULL)
		epoll_ctl(h->epoll_fd, EPOLL_CTL_ADD,
		    sideband_fd(h->sideband), &ev);
	return h->sideband;
}

void
dt_symbols_start(struct dt_hdl *h)
{
	char *msg = NULL;

	if (!plan_has_uaddrs(h->plan))
		return;
	h->syms = sym_cache_create();
	h->usyms = usyms_create(h->syms);
	if (dt_sideband(h, &msg) == NULL) {
		dt_notice(h,
		    "symbols of programs that end or change while "
		    "they are traced are not available: %s",
		    msg);
		free(msg);
		return;
	}
	usyms_follow(h->usyms, h->sideband);
}

void
dt_symbols_stop(struct dt_hdl *h)
{
	if (h->usyms != NULL)
		usyms_destroy(h->usyms);
	if (h->sideband != NULL)
		sideband_close(h->sideband);
	if (h->syms != NULL)
		sym_cache_destroy(h->syms);
}
