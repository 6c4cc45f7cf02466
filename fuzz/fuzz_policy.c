/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Policies: any text is refused with a place, or is a policy of authors that
 * have a name and a key of their own, and that nothing was given by accident.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fleet/permit/permit.h"
#include "fleet/policy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check_author(const struct fl_policy *p, const struct fl_author *a)
{
	if (a->name == NULL || *a->name == '\0' || !a->has_key ||
	    fl_policy_find(p, a->key) != a ||
	    (a->substrates & ~(unsigned)(FL_KERNEL | FL_PROCESS)) != 0)
		abort();
	/* Pattern matching ends, whatever the pattern is. */
	if (*a->hosts == NULL && fl_policy_matches(a->hosts, "web1"))
		abort();
	if (*a->providers == NULL && fl_permit_provider(a, "syscall"))
		abort();
	fl_policy_matches(a->hosts, "web1");
	fl_permit_provider(a, "syscall");
}

static void
check_message(const struct err *err)
{
	unsigned line, column;
	int n = sscanf(err_text(err), "policy:%u:%u: ", &line, &column);

	if (err->code == 0 || (n == 2 && (line == 0 || column == 0)) ||
	    (n != 2 && strstr(err_text(err), "at most") == NULL))
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err err = { 0 };
	struct fl_policy *p =
	    fl_policy_parse("policy", (const char *)data, size, &err);

	if (p == NULL)
		check_message(&err);
	for (size_t i = 0; p != NULL && i < fl_policy_nauthors(p); i++)
		check_author(p, fl_policy_author(p, i));
	fl_policy_destroy(p);
	err_clear(&err);
	return 0;
}
