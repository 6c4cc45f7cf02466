/* SPDX-License-Identifier: BSD-2-Clause */
#include "dtrace/types.h"

#include <stdlib.h>

#include "dtrace/message.h"

int
types_list(struct dtrace_cmd *c)
{
	VEC_FOREACH(&c->types, t) {
		if (dt_type_list(c->dtp, *t, c->out) != 0)
			return message_fail(c);
	}
	return 0;
}

/* An empty line stands between types. */
int
types_show(struct dtrace_cmd *c)
{
	bool is_first = true;

	VEC_FOREACH(&c->types, t) {
		if (!is_first && !dt_is_json(c->dtp))
			fputc('\n', c->out);
		is_first = false;
		if (dt_type_show(c->dtp, *t, c->out) != 0)
			return message_fail(c);
	}
	return 0;
}
