/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dtrace -h -s probes.d -o probes.h
 * dtrace -G -s probes.d a.o b.o -o probes.o
 *
 * Build systems pass flags for a compiler too; the objects may be anywhere
 * among the arguments.
 */
#include "dtrace/build.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

bool
build_is_flag(const char *function)
{
	static const char *const flags[] = { "PIC", "pic", "PIE", "pie" };

	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		if (strcmp(function, flags[i]) == 0)
			return true;
	}
	return false;
}

/* Is the program from the command line (NULL) or standard input? */
static bool
is_unnamed(const char *source)
{
	return source == NULL || strcmp(source, "-") == 0 ||
	    strcmp(source, "/dev/stdin") == 0;
}

/* probes.d -> probes.h: replace any suffix, or append one. */
static char *
default_output(const char *source, char suffix)
{
	const char *slash, *name, *dot;
	size_t len;

	if (is_unnamed(source))
		return mem_strdup("d.out");
	slash = strrchr(source, '/');
	name = slash != NULL ? slash + 1 : source;
	dot = strrchr(name, '.');
	len = dot != NULL && dot != name ? (size_t)(dot - source) :
					   strlen(source);
	return mem_printf("%.*s.%c", (int)len, source, suffix);
}

int
build_write(struct dt_hdl *dtp, enum build build, const char *source,
    const char *output, int bits, char *const *objects, size_t nobjects)
{
	bool is_header = build == BUILD_HEADER;
	char *path = output != NULL ?
	    mem_strdup(output) :
	    default_output(source, is_header ? 'h' : 'o');
	int rc = is_header ?
	    dt_write_header(dtp, path, source) :
	    dt_write_object(dtp, path, bits, objects, nobjects);

	free(path);
	return rc;
}
