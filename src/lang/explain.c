/* SPDX-License-Identifier: BSD-2-Clause */
#include "lang/explain.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/near.h"
#include "base/str.h"

enum tag {
#define ERRTAG(name) TAG_##name,
#include "lang/errtags.def"
#undef ERRTAG
	NTAGS
};

static const struct explained {
	const char *name;
	const char *never; /* reason why no error has it; else NULL */
} tags[NTAGS] = {
#define ERRTAG(name) [TAG_##name] = { #name, NULL },
#define ERRTAG_NEVER(name, why) [TAG_##name] = { #name, why },
#include "lang/errtags.def"
#undef ERRTAG
};

/* tests/lint sees that each ERRTAG has a row. */
static const struct help {
	const char *meaning, *example, *remedy;
} helps[NTAGS] = {
#define ERRHELP(name, meaning, example, remedy)                                \
	[TAG_##name] = { meaning, example, remedy },
#include "lang/errhelp.def"
#undef ERRHELP
};

/* ---- printing ------------------------------------------------------------ */

enum { COLUMNS = 78 };

/* The text in lines of at most COLUMNS, broken at blanks. */
static void
add_wrapped(struct strbuf *sb, const char *text)
{
	size_t column = 0;

	while (*text != '\0') {
		size_t len = strcspn(text, " ");

		if (column > 0 && column + 1 + len > COLUMNS) {
			strbuf_adds(sb, "\n");
			column = 0;
		} else if (column > 0) {
			strbuf_adds(sb, " ");
			column++;
		}
		strbuf_printf(sb, "%.*s", (int)len, text);
		column += len;
		text += len;
		text += strspn(text, " ");
	}
	strbuf_adds(sb, "\n");
}

/* Each line is indented and kept as it is. */
static void
add_example(struct strbuf *sb, const char *text)
{
	size_t len;

	for (; *text != '\0'; text += len + (text[len] == '\n')) {
		len = strcspn(text, "\n");
		strbuf_printf(sb, "    %.*s\n", (int)len, text);
	}
}

static void
explain(enum tag tag, struct strbuf *sb)
{
	const struct help *h = &helps[tag];

	strbuf_printf(sb, "D_%s\n\n", tags[tag].name);
	if (tags[tag].never != NULL) {
		strbuf_printf(sb,
		    "Other DTraces have this error; OpenDTrace never gives "
		    "it:\n%s.\n",
		    tags[tag].never);
		return;
	}
	add_wrapped(sb, h->meaning);
	if (h->example != NULL) {
		strbuf_adds(sb, "\nExample:\n");
		add_example(sb, h->example);
	}
	strbuf_adds(sb, "\nWhat to do:\n");
	add_wrapped(sb, h->remedy);
}

static void
explain_all(struct strbuf *sb)
{
	for (unsigned i = 0; i < NTAGS; i++) {
		if (i > 0)
			strbuf_adds(sb, "\n");
		explain((enum tag)i, sb);
	}
}

/* ---- finding ------------------------------------------------------------- */

/* "[D_SYNTAX]" and "d_syntax" are "SYNTAX" and "syntax"; malloced. */
static char *
bare_name(const char *tag)
{
	size_t len;

	tag += *tag == '[';
	if (strncasecmp(tag, "D_", 2) == 0)
		tag += 2;
	len = strcspn(tag, "]");
	return mem_strndup(tag, len);
}

static bool
find_tag(const char *name, enum tag *foundp)
{
	for (unsigned i = 0; i < NTAGS; i++) {
		if (strcasecmp(tags[i].name, name) == 0) {
			*foundp = (enum tag)i;
			return true;
		}
	}
	return false;
}

static const char *
nearest_tag(const char *name)
{
	struct near n = near_start(name);

	for (unsigned i = 0; i < NTAGS; i++)
		near_try(&n, tags[i].name);
	return n.name;
}

bool
lang_explain(const char *tag, struct strbuf *sb, const char **nearp)
{
	char *name = bare_name(tag);
	enum tag found;
	bool is_known = true;

	*nearp = NULL;
	if (strcmp(tag, EXPLAIN_ALL) == 0)
		explain_all(sb);
	else if (find_tag(name, &found))
		explain(found, sb);
	else {
		is_known = false;
		*nearp = nearest_tag(name);
	}
	free(name);
	return is_known;
}
