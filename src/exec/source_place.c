/* SPDX-License-Identifier: BSD-2-Clause */
#include "exec/source_place.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

char *
exec_place(const struct diags *diags, struct diag_span span)
{
	const char *file;
	uint32_t line = diag_line(diags, span, &file);

	if (line == 0)
		return mem_strdup("the script");
	return file != NULL ? mem_printf("%s:%u", file, line) :
			      mem_printf("line %u", line);
}

void
exec_place_note(struct strbuf *out, const struct diags *diags,
    struct diag_span span, const char *what)
{
	const struct diag_source *src;
	size_t width;
	char *place;

	strbuf_printf(out, "; %s", what);
	if (span.source == 0)
		return;
	src = &diags->sources.v[span.source - 1];
	width = strcspn(src->text + span.off, "\n");
	if (span.len < width)
		width = span.len;
	place = exec_place(diags, span);
	strbuf_printf(out, "%s%s: %.*s", *what ? " at " : "", place, (int)width,
	    src->text + span.off);
	free(place);
}
