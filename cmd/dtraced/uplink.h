/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DTRACED_UPLINK_H
#define DTRACED_UPLINK_H

#include <stdbool.h>

#include "base/err.h"
#include "fleet/bus.h"
#include "fleet/journal.h"

struct uplink_ops {
	/* Subscribe to more on a new connection; the old one is still open. */
	int (*opened)(void *arg, struct err *err);
	/* Tell the journal which permissions the server has to give. */
	void (*forbidden)(void *arg);
};

/* The connection of an agent or a merger to the server. */
struct uplink {
	struct fl_bus *bus;	 /* NULL: not opened yet */
	struct fl_bus_opts opts; /* its strings are the configuration's */
	const struct uplink_ops *ops;
	void *arg;
	struct fl_journal *journal; /* borrowed */
	bool is_connected;	    /* as the journal's last line says */
	bool is_forbidden;	    /* the journal has told it */
};

/*
 * Connect, and subscribe to the requests and the messages of consoles.  The
 * caller has set opts, ops, arg and journal.  0, or -errno with *err.
 */
CHECKED int uplink_open(struct uplink *l, struct err *err);
/*
 * Tell the journal when the server is lost and back.  Once all servers have
 * refused the connection, libnats does not try again, and does not say why:
 * connect anew then.  0, or -errno with *err.
 */
CHECKED int uplink_look(struct uplink *l, struct err *err);

#endif
