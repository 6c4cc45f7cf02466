/* SPDX-License-Identifier: BSD-2-Clause */
#include "fleet/metrics.h"

#include <string.h>

#include "base/mem.h"

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

char *
fl_metrics_name(const char *file)
{
	size_t n = strspn(file, LETTERS "0123456789-_");
	char *name;

	if (n == 0 || strchr(LETTERS, *file) == NULL ||
	    strcmp(file + n, ".d") != 0 || strlen(file) > FL_METRICS_FILE_MAX)
		return NULL;
	name = mem_strndup(file, n);
	for (char *p = name; *p != '\0'; p++) {
		if (*p == '-')
			*p = '_';
	}
	return name;
}

/* Does `name` begin with the word `of` and end there, or go on with '_'? */
static bool
continues(const char *name, const char *of)
{
	size_t n = strlen(of);

	return strncmp(name, of, n) == 0 && (name[n] == '\0' || name[n] == '_');
}

bool
fl_metrics_clash(const char *a, const char *b)
{
	return continues(a, b) || continues(b, a);
}

static void
add_line(struct strbuf *out, const char *line, size_t len, const char *name)
{
	static const char *const heads[] = { "# HELP dtrace_", "# TYPE dtrace_",
		"dtrace_" };

	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		size_t n = strlen(heads[i]);

		if (len <= n || memcmp(line, heads[i], n) != 0)
			continue;
		strbuf_printf(out, "%s%s_", heads[i], name);
		strbuf_add(out, line + n, len - n);
		strbuf_addc(out, '\n');
		return;
	}
}

void
fl_metrics_add(
    struct strbuf *out, const char *document, size_t len, const char *name)
{
	while (len != 0) {
		const char *nl = memchr(document, '\n', len);

		if (nl == NULL)
			return;
		add_line(out, document, (size_t)(nl - document), name);
		len -= (size_t)(nl - document) + 1;
		document = nl + 1;
	}
}
