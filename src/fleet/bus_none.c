/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Without libnats there is no bus, and fl_bus_open() says so.  The others are
 * never called, for they take a bus.
 */
#include <errno.h>

#include "fleet/bus.h"

int
fl_bus_open(
    const struct fl_bus_opts *opts, struct fl_bus **outp, struct err *err)
{
	(void)opts;
	(void)outp;
	return err_set(err, -ENOTSUP,
	    "this dtrace was built without NATS: build it with libnats, and "
	    "meson setup -Dfleet=enabled");
}

void
fl_bus_close(struct fl_bus *b)
{
	(void)b;
}

int
fl_bus_subscribe(struct fl_bus *b, const char *subject, struct err *err)
{
	(void)b;
	(void)subject;
	return err_set(err, -ENOTSUP, "there is no NATS");
}

int
fl_bus_send(struct fl_bus *b, const char *subject, const void *data, size_t len)
{
	(void)b;
	(void)subject;
	(void)data;
	(void)len;
	return -ENOTSUP;
}

void
fl_bus_flush(struct fl_bus *b, int timeout_ms)
{
	(void)b;
	(void)timeout_ms;
}

bool
fl_bus_take(struct fl_bus *b, struct fl_letter *out)
{
	(void)b;
	(void)out;
	return false;
}

int
fl_bus_fd(const struct fl_bus *b)
{
	(void)b;
	return -1;
}

bool
fl_bus_is_connected(const struct fl_bus *b)
{
	(void)b;
	return false;
}

bool
fl_bus_is_closed(const struct fl_bus *b)
{
	(void)b;
	return true;
}

bool
fl_bus_is_forbidden(const struct fl_bus *b)
{
	(void)b;
	return false;
}

uint64_t
fl_bus_ndropped(struct fl_bus *b)
{
	(void)b;
	return 0;
}
