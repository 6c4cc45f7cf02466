/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef INPROC_PATCH_IMPL_H
#define INPROC_PATCH_IMPL_H

/* Shared by the planner of a module (plan.c) and of its points (patch.c). */
#include "inproc/inproc.h"
#include "inproc/module.h"

enum { USE_LOCKED = 1, USE_TAKEN = 2, USE_EARLIER = 4 };

struct ip_planner {
	struct inproc_module *m;
	uint64_t bias;
	struct inproc_space *space;
	struct inproc_plan *plan;
	/* the caller's points, from the first to the last */
	const struct inproc_point **points;
	size_t *numbers; /* of the same, as the caller counts */
	size_t n;
	bool has_stays; /* some points have `stays` */

	const struct ip_text *text;
	uint8_t *now; /* its bytes, as patched so far */
	uint8_t *use; /* USE_* of each byte */

	const char *why;	      /* the latest refusal */
	uint64_t taker, silent_taker; /* as in struct ip_window */
};

/* Mark bytes [from, to) of the text as used, for this plan. */
void ip_use(struct ip_planner *p, size_t from, size_t to, uint8_t how);
/* Serve points[last] and perhaps some before it. Returns the first of them. */
size_t ip_serve(struct ip_planner *p, size_t last);

#endif
