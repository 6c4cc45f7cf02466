/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Without libnats fl_bus_open() has failed, so there is no bus, and none of
 * these is called.
 */
#include <errno.h>

#include "fleet/keep.h"

static int
refuse(struct err *err)
{
	return err_set(err, -ENOTSUP, "there is no NATS");
}

int
fl_keep_open(struct fl_bus *bus, struct fl_keep **outp, struct err *err)
{
	(void)bus;
	(void)outp;
	return refuse(err);
}

void
fl_keep_close(struct fl_keep *k)
{
	(void)k;
}

int
fl_keep_make(
    struct fl_keep *k, const struct fl_keep_form *form, struct err *err)
{
	(void)k;
	(void)form;
	return refuse(err);
}

int
fl_keep_remove(struct fl_keep *k, const char *stream, struct err *err)
{
	(void)k;
	(void)stream;
	return refuse(err);
}

int
fl_keep_forget(
    struct fl_keep *k, const char *stream, const char *subject, struct err *err)
{
	(void)k;
	(void)stream;
	(void)subject;
	return refuse(err);
}

int
fl_keep_put(struct fl_keep *k, const char *subject, const void *data,
    size_t len, struct err *err)
{
	(void)k;
	(void)subject;
	(void)data;
	(void)len;
	return refuse(err);
}

int
fl_keep_look(struct fl_keep *k, const char *stream, struct fl_keep_state *out,
    struct err *err)
{
	(void)k;
	(void)stream;
	(void)out;
	return refuse(err);
}

struct fl_reader *
fl_reader_open(struct fl_keep *k, const struct fl_reader_opts *opts)
{
	(void)k;
	(void)opts;
	return NULL;
}

void
fl_reader_close(struct fl_reader *r)
{
	(void)r;
}

bool
fl_reader_next(struct fl_reader *r, int timeout_ms, struct fl_kept *out)
{
	(void)r;
	(void)timeout_ms;
	(void)out;
	return false;
}

bool
fl_reader_is_at_end(const struct fl_reader *r)
{
	(void)r;
	return true;
}
