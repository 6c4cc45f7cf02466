/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
#include "exec/runtime/rt_zone_host.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/str.h"
#include "exec/runtime/rt_code.h"

static long
read_text(void *dst, u64 size, u64 addr)
{
	memcpy(dst, (const void *)addr, size);
	return 0;
}

static long
read_head(void *dst, u64 size, u64 addr)
{
	u64 n = strnlen((const char *)addr, size - 1);

	memcpy(dst, (const void *)addr, n);
	((char *)dst)[n] = '\0';
	return (long)n + 1;
}

#define ZONE_READ(ctx, dst, size, addr) read_text(dst, size, addr)
#define ZONE_HEAD(ctx, dst, size, addr) read_head(dst, size, addr)
#include "exec/runtime/rt_zone.h"

/* Cut the last name off the path; returns it, NULL if there is none. */
static const char *
cut_name(char *path)
{
	char *slash = strrchr(path, '/');

	if (slash == NULL)
		return NULL;
	*slash = '\0';
	return slash + 1;
}

/* Look at the group `name` below the path `above`. */
static void
find(struct zone *z, const char *name, const char *above)
{
	const char *slash = strrchr(above, '/');

	zone_find(NULL, z, (u64)name, (u64)(slash != NULL ? slash + 1 : above));
}

static char *
text_of(const struct zone *z)
{
	u64 len = z->kind == ZONE_HAS_ID ? ZONE_SHORT_ID : z->len;
	struct strbuf text = { 0 };

	for (u64 at = 0; at < len;) {
		u32 word = 0;
		bool has_four = z->is_escaped && len - at >= 4;

		memcpy(&word, (const char *)z->from + at, has_four ? 4 : 1);
		strbuf_addc(&text, (char)zone_char(word, &at));
	}
	return strbuf_steal(&text);
}

char *
rt_zone_of_path(const char *path)
{
	char *above = mem_strdup(path), *text = NULL;
	const char *name;

	while (text == NULL && (name = cut_name(above)) != NULL) {
		struct zone z = { 0 };

		find(&z, name, above);
		if (z.kind != ZONE_NONE)
			text = text_of(&z);
	}
	free(above);
	return text != NULL ? text : mem_strdup("global");
}

bool
rt_zone_is(const char *path, const char *arg)
{
	char *above = mem_strdup(path);
	const char *name = cut_name(above);
	struct zone z = { 0 };
	bool is = false;

	if (name != NULL && *arg != '\0')
		find(&z, name, above);
	if (z.kind == ZONE_HAS_ID) {
		is = strlen(arg) <= ZONE_ID &&
		    memcmp((const char *)z.from, arg, strlen(arg)) == 0;
	} else if (z.kind == ZONE_HAS_NAME) {
		char *text = text_of(&z);

		is = strcmp(text, arg) == 0;
		free(text);
	}
	free(above);
	return is;
}
