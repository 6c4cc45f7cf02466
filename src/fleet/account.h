/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef FLEET_ACCOUNT_H
#define FLEET_ACCOUNT_H

/*
 * Accounts of hosts, between a merger and a console: how much of each host's
 * data is in what the merger has sent.
 *
 *	u64 next | u64 lost | u16 flags | u16 bytes of the name | the name
 *
 * Numbers are little-endian.  Accounts are hostile.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "fleet/subject.h"

#define FL_ACCOUNT_LEFT 1U  /* the merger does not read this host */
#define FL_ACCOUNT_ENDED 2U /* its recording has ended as it should */

struct fl_account {
	char host[FL_HOST_MAX + 1];
	uint64_t next; /* the host's parts before this number are merged */
	uint64_t lost; /* but for so many */
	unsigned flags;
};

/* Append an account; the name has 1 to FL_HOST_MAX bytes. */
void fl_account_add(struct strbuf *out, const struct fl_account *a);
/* The account at *at of these bytes, and *at behind it; false: there is none
 * more, or it is none. */
bool fl_account_next(
    const void *bytes, size_t len, size_t *at, struct fl_account *out);

#endif
