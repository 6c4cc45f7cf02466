/* SPDX-License-Identifier: BSD-2-Clause */
#include "fleet/probes.h"

#include <string.h>

bool
fl_probes_add(struct strbuf *sb, const char *const parts[FL_PROBE_PARTS])
{
	size_t n = 0;

	for (size_t i = 0; i < FL_PROBE_PARTS; i++)
		n += strlen(parts[i]) + 1;
	if (n > FL_PROBE_MAX)
		return false;
	for (size_t i = 0; i < FL_PROBE_PARTS; i++)
		strbuf_add(sb, parts[i], strlen(parts[i]) + 1);
	return true;
}

const char *
fl_probes_next(const char *bytes, size_t len, size_t *at, size_t *n)
{
	const char *begin = bytes + *at, *end = begin;
	size_t left = len - *at;

	left = left < FL_PROBE_MAX ? left : FL_PROBE_MAX;
	for (size_t i = 0; i < FL_PROBE_PARTS; i++) {
		const char *nul =
		    memchr(end, '\0', left - (size_t)(end - begin));

		if (nul == NULL)
			return NULL;
		end = nul + 1;
	}
	*n = (size_t)(end - begin);
	*at += *n;
	return begin;
}

void
fl_probes_split(const char *probe, const char *parts[FL_PROBE_PARTS])
{
	for (size_t i = 0; i < FL_PROBE_PARTS; i++) {
		parts[i] = probe;
		probe += strlen(probe) + 1;
	}
}
