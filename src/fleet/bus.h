/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef FLEET_BUS_H
#define FLEET_BUS_H

/*
 * A connection to NATS: letters go to subjects, and come from subscribed ones.
 *
 * libnats has threads of its own; what comes waits in a queue of bounded size,
 * and a descriptor is readable while there is something in it.  A bus is used
 * by one thread.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct fl_bus;

/* How to connect; strings are borrowed, and NULL if they are not wanted. */
struct fl_bus_opts {
	/*
	 * nats://[user:password@]host[:port], or tls://...; several, of one
	 * cluster, have commas between them.
	 */
	const char *url;
	const char *name; /* of this client, for the server's log */
	const char *user, *password, *token;
	const char *creds;	      /* file of credentials */
	const char *nkey, *nkey_file; /* public key; file with its seed */
	const char *ca, *cert, *key;  /* files of TLS */
	bool waits;		      /* a server that is not there may come */
	size_t queue_max;	      /* bytes that wait here; 0: 64 MiB */
};

/* A letter; valid until the next fl_bus_take(). */
struct fl_letter {
	const char *subject;
	const void *data;
	size_t len;
};

/* Longest letter that is taken; longer ones are counted and left out. */
#define FL_LETTER_MAX (1U << 20)

/*
 * 0, or -errno with *err.  With opts->waits, a server that does not answer is
 * no error; one that refuses this client, or cannot be trusted, is.
 */
CHECKED int fl_bus_open(
    const struct fl_bus_opts *opts, struct fl_bus **outp, struct err *err);
void fl_bus_close(struct fl_bus *b);
CHECKED int fl_bus_subscribe(
    struct fl_bus *b, const char *subject, struct err *err);
/* 0, or -errno: -EAGAIN if the server takes too little. */
int fl_bus_send(
    struct fl_bus *b, const char *subject, const void *data, size_t len);
/* Wait until the server has what was sent, at most so long. */
void fl_bus_flush(struct fl_bus *b, int timeout_ms);
/* Letters to take before other work has a turn: a flood must not hold it up. */
#define FL_LETTERS 16384
/* The next letter; false: there is none. */
bool fl_bus_take(struct fl_bus *b, struct fl_letter *out);
int fl_bus_fd(const struct fl_bus *b);
bool fl_bus_is_connected(const struct fl_bus *b);
/* Have all servers refused this client?  Then it never connects again. */
bool fl_bus_is_closed(const struct fl_bus *b);
/* Did the server not permit this client something that it sent or wants? */
bool fl_bus_is_forbidden(const struct fl_bus *b);
/* The natsConnection, for fleet/keep.c. */
void *fl_bus_connection(struct fl_bus *b);
/* Letters that came and were not kept: too long, or too many. */
uint64_t fl_bus_ndropped(struct fl_bus *b);

#endif
