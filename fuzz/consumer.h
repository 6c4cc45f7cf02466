/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef FUZZ_CONSUMER_H
#define FUZZ_CONSUMER_H

#include <stdio.h>

#include "consume/consume_impl.h"

/* One consumer for all inputs, because creating one reads the kernel's
 * symbols. */
static inline struct consumer *
the_consumer(void)
{
	static const struct dt_exec_ops no_ops;
	static struct consumer *c;
	struct plan_opts po = { .strsize = 32, .stackframes = 2 };
	struct consume_opts opts = { .stackindent = 14 };

	if (c == NULL)
		c = consumer_create(
		    plan_create(&po), &no_ops, NULL, &opts, stdout, stderr);
	return c;
}

#endif
