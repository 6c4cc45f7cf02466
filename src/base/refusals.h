/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BASE_REFUSALS_H
#define BASE_REFUSALS_H

/*
 * Places that a pattern selects and that cannot be probed: counted by reason,
 * told once, and listed for who wants to know (-v).
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/mem.h"

struct refusal {
	char *what; /* "a.out:main:1f" */
	char *why;
};
struct refusals {
	VEC(struct refusal) v; /* each place once */
	size_t tried;	       /* places, these included; the users count */
	void *known;	       /* of tsearch(3): what */
};

void refusals_fini(struct refusals *r);
/* Both are malloced, and taken.  False: the place is there already. */
bool refusals_add(struct refusals *r, char *what, char *why);
/*
 * One line (malloced) tells the refusals from number `from` on: how many, why,
 * and the first.  `is_listed` says that a list of all follows.
 */
char *refusals_text(const struct refusals *r, size_t from, bool is_listed);

#endif
