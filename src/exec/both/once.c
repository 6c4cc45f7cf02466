/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Probes that fire once in a process.
 *
 * To enter a process costs milliseconds, in which it is stopped; a trap of the
 * kernel's costs microseconds.  How often a probe will fire is not known, but a
 * process begins once and ends once.
 */
#include "exec/both/split.h"

#include <string.h>

#include "base/vec.h"

/* Is it a function by which a process begins or ends? */
static bool
runs_once(const char *func)
{
	static const char *const names[] = { "main", "exit", "_exit", "_start",
		"_init", "_fini", "__libc_start_main",
		"__libc_start_call_main" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(func, names[i]) == 0)
			return true;
	}
	return false;
}

static bool
fires_once(const struct dt_probe *p)
{
	return (p->kind == DT_PROBE_FUNC_ENTRY ||
		   p->kind == DT_PROBE_FUNC_RETURN) &&
	    runs_once(p->func);
}

bool
both_fires_once(const struct plan_clause *pc)
{
	VEC_FOREACH(&pc->probes, p) {
		if ((*p)->up != NULL && !fires_once(*p))
			return false;
	}
	VEC_FOREACH(&pc->clause->pdescs, desc) {
		if (dt_registry_may_grow(desc) && !runs_once(desc->func))
			return false;
	}
	return true;
}
