/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef FLEET_CONF_H
#define FLEET_CONF_H

/*
 * Configuration of an agent or a console: dtraced(8) describes the file.
 *
 *	# comment
 *	name = value
 */
#include "base/err.h"
#include "base/vec.h"
#include "fleet/bus.h"
#include "fleet/request.h"

/* Strings are owned; NULL: not set. */
struct fl_conf {
	char *url, *name, *policy, *state, *author;
	char *user, *password, *token, *creds, *nkey, *nkey_file;
	char *ca, *cert, *key;
	char *metrics, *metrics_dir, *metrics_cpu;
	VEC(struct fl_pair) labels; /* names and values are owned */
	VEC(const char *) mergers;  /* owned; at most FL_MERGERS_MAX */
};

/* Read a file into an empty configuration: 0, or -errno with *err. */
CHECKED int fl_conf_read(
    const char *path, struct fl_conf *out, struct err *err);
/* "role=db" as a label: 0, or -EINVAL with *err. */
CHECKED int fl_conf_add_label(
    struct fl_conf *c, const char *text, struct err *err);
void fl_conf_fini(struct fl_conf *c);
/* How to connect, with pointers into the configuration. */
struct fl_bus_opts fl_conf_bus(const struct fl_conf *c, const char *name);

#endif
