/* SPDX-License-Identifier: BSD-2-Clause */
#include "dtraced/uplink.h"

#include "fleet/subject.h"

CHECKED static int
connect_to_server(struct uplink *l, struct err *err)
{
	int rc = fl_bus_open(&l->opts, &l->bus, err);

	if (rc == 0)
		rc = fl_bus_subscribe(l->bus, FL_SUBJECT_ASKS, err);
	if (rc == 0)
		rc = fl_bus_subscribe(l->bus, FL_SUBJECT_RUNS, err);
	return rc == 0 ? l->ops->opened(l->arg, err) : rc;
}

int
uplink_open(struct uplink *l, struct err *err)
{
	l->opts.waits = true;
	l->is_connected = true;
	return connect_to_server(l, err);
}

int
uplink_look(struct uplink *l, struct err *err)
{
	bool is_connected = fl_bus_is_connected(l->bus);
	struct fl_bus *old = l->bus;
	int rc;

	if (is_connected != l->is_connected)
		fl_journal_server(l->journal, is_connected);
	l->is_connected = is_connected;
	if (!l->is_forbidden && fl_bus_is_forbidden(old)) {
		l->is_forbidden = true;
		l->ops->forbidden(l->arg);
	}
	if (!fl_bus_is_closed(old))
		return 0;
	rc = connect_to_server(l, err);
	if (l->bus != old)
		fl_bus_close(old);
	return rc;
}
