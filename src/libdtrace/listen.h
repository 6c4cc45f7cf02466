/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef LIBDTRACE_LISTEN_H
#define LIBDTRACE_LISTEN_H

/*
 * Option listen: a server for Prometheus, which asks for the aggregations by
 * HTTP (prometheus.io/docs/instrumenting/exposition_formats, text format
 * 0.0.4).
 *
 * There is no thread: dt_listen_work() answers the requests that have come.
 * Each answer has the aggregations of that moment.
 */
#include "base/err.h"
#include "base/str.h"

struct dt_listen;

/* Append the document to `out`; false: there is none yet. */
typedef bool dt_listen_f(void *arg, struct strbuf *out);

/* Is `where` of the form ADDRESS:PORT, [ADDRESS]:PORT or :PORT? */
bool dt_listen_is_address(const char *where);

/*
 * Begin to listen.  A port without an address is one of the loopback; port 0 is
 * any that is free.  Returns NULL with *err.
 */
CHECKED struct dt_listen *dt_listen_open(
    const char *where, dt_listen_f *f, void *arg, struct err *err);
void dt_listen_close(struct dt_listen *l); /* NULL: nothing to do */

/* A descriptor that is readable when there is work. */
int dt_listen_fd(const struct dt_listen *l);
void dt_listen_work(struct dt_listen *l);
/* The address of the metrics: "http://127.0.0.1:9100/metrics". */
const char *dt_listen_url(const struct dt_listen *l);

#endif
