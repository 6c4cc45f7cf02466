/* SPDX-License-Identifier: BSD-2-Clause */
#include "consume/units.h"

#include <stdio.h>

struct unit {
	const char *name;
	long double size;
};

static const struct unit times[] = { { "ns", 1 }, { "us", 1e3L },
	{ "ms", 1e6L }, { "s", 1e9L } };
#define NTIMES (sizeof(times) / sizeof(times[0]))

static const struct unit sizes[] = { { "", 1 }, { "K", 0x1p10L },
	{ "M", 0x1p20L }, { "G", 0x1p30L }, { "T", 0x1p40L }, { "P", 0x1p50L },
	{ "E", 0x1p60L } };
#define NSIZES (sizeof(sizes) / sizeof(sizes[0]))

/* The decimals of three digits; none for a whole number. */
static int
decimals(long double v)
{
	if (v >= 99.95L || v == (long double)(int64_t)v)
		return 0;
	return v >= 9.995L ? 1 : 2;
}

static void
format(long double v, const struct unit *units, size_t n, char *buf, size_t len)
{
	long double abs = v < 0 ? -v : v;
	size_t i = n - 1;

	while (i > 0 && abs < units[i].size)
		i--;
	abs /= units[i].size;
	/* 999.9 would be printed as 1000 */
	if (i + 1 < n && abs >= units[i + 1].size / units[i].size - 0.5L) {
		abs = 1;
		i++;
	}
	snprintf(buf, len, "%s%.*Lf%s", v < 0 ? "-" : "", decimals(abs), abs,
	    v == 0 ? "" : units[i].name);
}

void
out_units(int64_t v, enum units units, char *buf, size_t len)
{
	switch (units) {
	case UNITS_NONE:
		snprintf(buf, len, "%lld", (long long)v);
		break;
	case UNITS_NS:
	case UNITS_US:
	case UNITS_MS:
	case UNITS_S:
		format((long double)v * times[units - UNITS_NS].size, times,
		    NTIMES, buf, len);
		break;
	case UNITS_BYTES:
		format((long double)v, sizes, NSIZES, buf, len);
		break;
	}
}
