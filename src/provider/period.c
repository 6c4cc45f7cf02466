/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Periods: "997" (hz), "10ms", "1sec".  Units are those of the profile
 * provider (doc/reference/providers.md section 3), in any case.
 */
#include "provider/provider.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#define NS_PER_SEC 1000000000ULL

/* The nanoseconds of a unit; 0 is hz, where more is shorter. */
static const struct {
	const char *name;
	uint64_t ns;
} units[] = {
	{ "ns", 1 },
	{ "nsec", 1 },
	{ "us", 1000 },
	{ "usec", 1000 },
	{ "ms", 1000000 },
	{ "msec", 1000000 },
	{ "s", NS_PER_SEC },
	{ "sec", NS_PER_SEC },
	{ "m", 60 * NS_PER_SEC },
	{ "min", 60 * NS_PER_SEC },
	{ "h", 3600 * NS_PER_SEC },
	{ "hour", 3600 * NS_PER_SEC },
	{ "d", 86400 * NS_PER_SEC },
	{ "day", 86400 * NS_PER_SEC },
	{ "hz", 0 },
};

static int
unit_parse(const char *s, bool hz_default, uint64_t *ns)
{
	if (*s == '\0') {
		*ns = hz_default ? 0 : 1;
		return 0;
	}
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcasecmp(s, units[i].name) == 0) {
			*ns = units[i].ns;
			return 0;
		}
	}
	return -EINVAL;
}

int
dt_parse_period(const char *s, bool hz_default, uint64_t *period_ns)
{
	size_t ndigits = strspn(s, "0123456789");
	uint64_t n = 0, unit;
	bool too_big = false;

	if (ndigits == 0 || unit_parse(s + ndigits, hz_default, &unit) != 0)
		return -EINVAL;
	for (size_t i = 0; i < ndigits; i++) {
		too_big |= __builtin_mul_overflow(n, 10, &n);
		too_big |= __builtin_add_overflow(n, s[i] - '0', &n);
	}
	if (too_big)
		return -ERANGE;
	if (unit == 0) {
		if (n == 0 || n > NS_PER_SEC)
			return -ERANGE;
		n = NS_PER_SEC / n;
	} else if (__builtin_mul_overflow(n, unit, &n) || n > INT64_MAX) {
		return -ERANGE; /* no kernel timer takes it */
	}
	*period_ns = n;
	return 0;
}
