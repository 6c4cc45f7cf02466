/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BASE_REFUSALS_H
#define BASE_REFUSALS_H

/*
 * Places that a pattern selects and that cannot be probed: counted by reason,
 * reported once, and listed with -v.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/vec.h"

struct refusal {
	char *what; /* "a.out:main:1f" */
	char *why;
};
struct refusals {
	VEC(struct refusal) v; /* each place once */
	size_t tried;	       /* all places, refused or not; callers count */
	void *known;	       /* tsearch(3) tree of `what` */
};

void refusals_fini(struct refusals *r);
/*
 * Takes ownership of both strings (malloced).  False: the place is listed
 * already.
 */
bool refusals_add(struct refusals *r, char *what, char *why);
/*
 * A line (malloced) about the refusals from number `from` on: how many, why,
 * and the first.  `is_listed` adds that a list of all follows.
 */
char *refusals_text(const struct refusals *r, size_t from, bool is_listed);

#endif
